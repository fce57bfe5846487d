/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of texts, to find one that is there twice: one group of texts after the other, each in
   constant time a text. */
#ifndef CORE_TEXT_SET_H
#define CORE_TEXT_SET_H

#include <stdbool.h>

#include "core/hash.h"

/* A zeroed set is empty. */
typedef struct text_set {
    struct text_slot *slots;
    uint32_t mask; /* of the slots; 0: there are none */
    hash_key key;
    uint32_t group; /* slots of earlier groups are free */
} text_set;

/* Begins a group of up to `count` texts. Returns false if out of memory. */
bool text_set_start(text_set *set, size_t count);

/* False: the text is there already. The bytes must live as long as the group. */
bool text_set_add(text_set *set, const char *bytes, size_t size);
void text_set_free(text_set *set);

#endif
