/* SPDX-License-Identifier: Apache-2.0 */
/* When the records of one provider are, found by their headers and times alone. */
#ifndef FXT_READ_SPAN_H
#define FXT_READ_SPAN_H

#include "formats/fxt/read/state.h"
#include "formats/fxt/records/walk.h"
#include "model/times.h"

/* Times of one provider; zeros hold none. */
typedef struct fxt_span {
    times times;
    int64_t newest_ns, lateness_ns;
    int64_t last_ns;                      /* of the record that came last; with a count in times */
    int64_t block_begin_ns, block_end_ns; /* of all times since fxt_span_begin_block() */
    bool has_lone_threads;                /* scheduling records may name threads by number alone */
    uint64_t newest_ticks;                /* of newest_ns, with has_ticks */
    uint64_t reach_ticks;                 /* so far from a time, others are no wonder */
    uint64_t late_ticks;                  /* no distance up to this one is more than lateness_ns */
    bool has_ticks; /* the three above are known, and the clock is still the same */
} fxt_span;

/* Notes the time of a record, and that a span lasts until `ticks`. */
void fxt_span_add(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at);
void fxt_span_add_end(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at);

static inline void fxt_span_begin_block(fxt_span *s)
{
    s->block_begin_ns = INT64_MAX;
    s->block_end_ns = INT64_MIN;
}

/* To be called when the clock of the provider was set: ticks mean something else from now on. */
static inline void fxt_span_forget_ticks(fxt_span *s)
{
    s->has_ticks = false;
}

/*
 * Walks over all events and scheduling records up to the first unusual one, or the last one that is
 * loaded and lies before offset `stop` together with its successor, and notes their times: all the
 * same as walk_next() with fxt_span_add() and fxt_span_add_end() would, in a fraction of the time.
 * False when not even one was.
 */
bool fxt_span_add_hot(fxt_span *s, const fxt_clock *clock, record_walk *k, uint64_t stop);

/* fxt_is_tight(), quick for events whose thread, category and name are registered. */
bool fxt_span_is_tight(const walk_record *at, bool is_big_endian);

#endif
