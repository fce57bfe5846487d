/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the open spans of each track, so that it is known whether an end crosses others. */
#ifndef ANALYSIS_EVENTS_VERIFY_NESTING_H
#define ANALYSIS_EVENTS_VERIFY_NESTING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct nesting_span nesting_span;

/* A zeroed struct has no open spans. */
typedef struct nesting {
    uint32_t *tops; /* by track: index of the innermost open span + 1; 0: none */
    uint32_t track_count;
    nesting_span *spans;
    uint32_t count, capacity;
    uint32_t free; /* index of a span that is not used + 1; 0: none */
} nesting;

/* Begins a span. `name` is a hash. Returns false if out of memory. */
bool nesting_begin(nesting *n, uint32_t track, uint64_t name);

/* Ends the innermost span of this name, and those inside of it; `name` 0 ends the innermost.
   Returns whether there were any inside of it. An end of no open span ends nothing. */
bool nesting_end(nesting *n, uint32_t track, uint64_t name);

void nesting_free(nesting *n);

#endif
