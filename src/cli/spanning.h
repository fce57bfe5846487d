/* SPDX-License-Identifier: Apache-2.0 */
/* Spans from traces, for the commands calls, replay and latency. */
#ifndef CLI_SPANNING_H
#define CLI_SPANNING_H

#include <stele/expression.h>

#include "cli/calling.h"

/* State of reading traces into spans. */
typedef struct spanning {
    cli *c;
    calling calling;
    stele_spans *spans;
    stele_span_options options; /* may be changed before spanning_read() */
    stele_span_fn *fn;
    void *user;
    ready_fn *ready; /* called when a trace is open; may be NULL */
    bool has_origin;
    int64_t origin_ns; /* time that times are shown relative to */
    /* Drops what was received, which will be received again. NULL: not possible, so traces are
       read in the order of time from the start. */
    void (*restart)(void *user);
    bool is_disordered; /* a trace read in stored order is not in the order of time */
    int64_t last_ns;    /* the latest time so far */
    uint32_t last_stream;
} spanning;

/* Takes the options. If they are not valid, reports it and returns false. The caller must call
   spanning_free() in any case. */
bool spanning_make(cli *c, spanning *s);
void spanning_free(spanning *s);

/* Reads all arguments. Returns false if none could be read. */
bool spanning_read(spanning *s, stele_span_fn *fn, void *user);

/* Prints remarks on what was unusual. */
void spanning_remark(spanning *s);

/* Whether a span has a depth and a duration that are selected. */
static inline bool spanning_wants(const spanning *s, const stele_span *span)
{
    return span->depth >= s->calling.depth_min &&
           (s->calling.depth_end == 0 || span->depth < s->calling.depth_end) &&
           stele_span_duration_ns(span) >= s->calling.duration_min_ns;
}

#endif
