/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of texts that find duplicates. One set serves one group of texts after the other, without
   being cleared, in constant time for each text. */
#ifndef CORE_TEXT_SET_H
#define CORE_TEXT_SET_H

#include <stdbool.h>

#include "core/table.h"

/* A zeroed set is empty. */
typedef struct text_set {
    struct text_of_set *texts; /* those of the current group */
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `texts` */
} text_set;

/* Begins a group of up to `count` texts. Returns false if out of memory. */
bool text_set_start(text_set *set, size_t count);

/* Adds a text. Returns false if the group already has it. The bytes must live as long as the
   group. */
bool text_set_add(text_set *set, const char *bytes, size_t size);
void text_set_free(text_set *set);

#endif
