/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives events that are copied counters without the gaps that left-out events would make. The
 * counters of a stream move down by how many of its events were left out before; gaps that the
 * trace itself has stay, so that what it lost is lost in the copy, too.
 *
 *     in the trace    7  8  9     11  12  13        10 is lost
 *     kept            7     9             13
 *     in the copy     7     8             10        9 is lost
 */
#ifndef HEPH_WRITE_RENUMBER_H
#define HEPH_WRITE_RENUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/table.h"

typedef struct renumber_stream renumber_stream;

typedef struct renumbering {
    renumber_stream *streams; /* in the order of their first events */
    hash_table numbers;       /* the index in `streams`, found by the id of the stream */
    uint32_t count, capacity;
    /* Events of further streams keep their counters. */
    uint32_t streams_max;
    uint64_t changed_count; /* events that got another counter */
} renumbering;

/* Takes the next event of the trace, kept or not, and gives its counter in the copy. Returns false
   if out of memory. */
bool renumber_next(renumbering *r, uint32_t stream, uint32_t counter, bool is_kept,
                   uint32_t *changed);

void renumber_free(renumbering *r);

#endif
