/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands over spans share: calls, replay and latency. */
#ifndef CLI_SPANNING_H
#define CLI_SPANNING_H

#include <stele/expression.h>

#include "cli/calling.h"

/* Reads traces into spans, one after the other. */
typedef struct spanning {
    cli *c;
    calling calling;
    stele_spans *spans;
    stele_span_options options; /* to be changed before spanning_read() */
    stele_span_fn *fn;
    void *user;
    ready_fn *ready; /* when a trace is open; may be NULL */
    bool has_origin;
    int64_t origin_ns; /* that times are shown from */
    /* What was received is dropped, to be received again. NULL: nothing can be, so that traces are
       read in the order of time at once. */
    void (*restart)(void *user);
    bool is_disordered; /* of a trace that is read as it stands */
    int64_t last_ns;    /* the latest time so far */
    uint32_t last_stream;
} spanning;

/* Takes the options. False: they cannot be used. Free it all the same. */
bool spanning_make(cli *c, spanning *s);
void spanning_free(spanning *s);

/* Reads all arguments. False when none could be read. */
bool spanning_read(spanning *s, stele_span_fn *fn, void *user);

/* What was unusual, as remarks. */
void spanning_remark(spanning *s);

/* Whether a span is of the depths and durations that are wanted. */
static inline bool spanning_wants(const spanning *s, const stele_span *span)
{
    return span->depth >= s->calling.depth_min &&
           (s->calling.depth_end == 0 || span->depth < s->calling.depth_end) &&
           stele_span_duration_ns(span) >= s->calling.duration_min_ns;
}

#endif
