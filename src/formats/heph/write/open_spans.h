/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of a track whose end has not come yet, and which of them an end belongs to. */
#ifndef HEPH_WRITE_OPEN_SPANS_H
#define HEPH_WRITE_OPEN_SPANS_H

#include "core/table.h"

/* A begin whose end has not come yet: the packet up to the end of its attributes. */
typedef struct open_span {
    uint8_t *packet; /* owned by whoever holds the span */
    size_t size;
    uint64_t name;  /* equal for equal names, and not 0 */
    uint32_t outer; /* the next span further out with this name, as its number; 0: there is none */
} open_span;

/* The spans of a track, the innermost last; their numbers begin at 1. Zeros are none. */
typedef struct open_spans {
    open_span *spans;
    uint32_t count, capacity;
    /* Names of the first spans, up to this one, are in the table: none until an end is not that of
       the innermost span. */
    uint32_t indexed_count;
    hash_table names; /* the innermost span of each name, as its index */
} open_spans;

/* Adds the innermost span. Returns false if out of memory. */
bool open_spans_push(open_spans *s, open_span span);

/* Removes the innermost span. There must be one. */
open_span open_spans_pop(open_spans *s);

/* Finds the innermost span with a name, or with any if `name` is 0; 0 if there is none. The time
   that this takes does not grow with the number of spans, but for those added since the last call.
   Returns false if out of memory. */
bool open_spans_find(open_spans *s, uint64_t name, uint32_t *number);

/* Frees the spans with their packets. */
void open_spans_free(open_spans *s);

#endif
