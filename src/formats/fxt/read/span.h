/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the times of one provider's records by headers and timestamps alone. */
#ifndef FXT_READ_SPAN_H
#define FXT_READ_SPAN_H

#include "formats/fxt/read/state.h"
#include "formats/fxt/records/walk.h"
#include "model/times.h"

/* Times of one provider. A zeroed one has none. */
typedef struct fxt_span {
    times times;
    int64_t newest_ns, lateness_ns;
    int64_t last_ns; /* time of the last record; valid if `times` has any */
    /* Earliest and latest time since fxt_span_begin_block(). */
    int64_t block_begin_ns, block_end_ns;
    bool has_lone_threads; /* a scheduling record may have named a thread by number alone */
    uint64_t newest_ticks; /* `newest_ns` in ticks; valid with `has_ticks` */
    uint64_t reach_ticks;  /* times at most this far from a known one are not outliers */
    uint64_t late_ticks;   /* distances up to this one are at most `lateness_ns` */
    bool has_ticks; /* newest_ticks, reach_ticks and late_ticks are valid for the current clock */
} fxt_span;

/* Notes the time of a record; fxt_span_add_end() notes that an event lasts until `ticks`. */
void fxt_span_add(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at);
void fxt_span_add_end(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at);

static inline void fxt_span_begin_block(fxt_span *s)
{
    s->block_begin_ns = INT64_MAX;
    s->block_end_ns = INT64_MIN;
}

/* To be called when the clock of the provider changes, as ticks then have another meaning. */
static inline void fxt_span_forget_ticks(fxt_span *s)
{
    s->has_ticks = false;
}

/*
 * Walks over events and scheduling records up to the first unusual one, or the last one that is
 * loaded and lies before offset `stop` together with the record after it, and notes their times.
 * The result is that of walk_next(), fxt_span_add() and fxt_span_add_end(), in a fraction of the
 * time. Returns false if there was no such record.
 */
bool fxt_span_add_hot(fxt_span *s, const fxt_clock *clock, record_walk *k, uint64_t stop);

/* Whether fxt_is_tight() holds; quick for events whose thread, category and name are registered. */
bool fxt_span_is_tight(const walk_record *at, bool is_big_endian);

#endif
