/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The range of time of a stream's events, without clock outliers: a damaged timestamp, or a clock
 * that is set late, puts a few events years away from all others. Outliers are recognised by their
 * position in the stream: the events before and after them are near each other. A stream may jump
 * ahead for good, and events may be late; neither makes an outlier.
 */
#ifndef MODEL_TIMES_H
#define MODEL_TIMES_H

#include "core/diag.h"

/* A stretch of outliers, and where the first of them is. */
typedef struct times_far {
    uint64_t count;
    /* Range of their times. */
    int64_t begin_ns, end_ns;
    uint64_t offset, size; /* of the record with the first outlier */
} times_far;

/* The range as far as it is known. A zeroed one is empty. */
typedef struct times {
    uint64_t count; /* number of times in the range */
    int64_t begin_ns, end_ns;
    uint64_t first_offset, first_size; /* where the record of the first time is */
    times_far far;                     /* times that may be outliers, or the start of a jump */
    int64_t last_ns; /* the latest end of a span, if it is far from all other times */
    uint64_t last_offset, last_size;
    bool has_last;
    uint64_t outlier_count;
    int64_t outlier_begin_ns; /* the earliest time of an outlier */
    diag_sink *diag;          /* where outliers are reported; NULL: they are not */
    const char *source;
} times;

/* How far from the range a time may be without being suspicious: at least TIMES_REACH_LEAST ns, and
   more for a long range. */
#define TIMES_REACH_LEAST UINT64_C(60000000000)

static inline uint64_t times_reach(const times *t)
{
    const uint64_t span = (uint64_t)t->end_ns - (uint64_t)t->begin_ns;
    if (span > UINT64_MAX / 64)
        return UINT64_MAX;
    return span * 64 > TIMES_REACH_LEAST ? span * 64 : TIMES_REACH_LEAST;
}

/* Whether the times from begin to end, all of one stretch, can be added without a closer look. */
static inline bool times_are_near(const times *t, int64_t begin_ns, int64_t end_ns)
{
    const uint64_t before = begin_ns < t->begin_ns ? (uint64_t)t->begin_ns - (uint64_t)begin_ns : 0;
    const uint64_t after = end_ns > t->end_ns ? (uint64_t)end_ns - (uint64_t)t->end_ns : 0;
    const uint64_t most = before > after ? before : after;
    return t->count != 0 && t->far.count == 0 &&
           (most <= TIMES_REACH_LEAST || most <= times_reach(t));
}

static inline void times_widen(times *t, int64_t begin_ns, int64_t end_ns, uint64_t count)
{
    t->begin_ns = begin_ns < t->begin_ns ? begin_ns : t->begin_ns;
    t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
    t->count += count;
}

/* Adds an event, in the order of the stream; `offset` and `size` are those of its record. */
void times_add_slow(times *t, int64_t time_ns, uint64_t offset, uint64_t size);

static inline void times_add(times *t, int64_t time_ns, uint64_t offset, uint64_t size)
{
    if (times_are_near(t, time_ns, time_ns))
        times_widen(t, time_ns, time_ns, 1);
    else
        times_add_slow(t, time_ns, offset, size);
}

/* Adds the end of the span whose begin was just added. It may be far ahead of the times around
   it. */
void times_add_end_slow(times *t, int64_t end_ns, uint64_t offset, uint64_t size);

static inline void times_add_end(times *t, int64_t end_ns, uint64_t offset, uint64_t size)
{
    if (end_ns <= t->end_ns || t->far.count != 0)
        return;
    if ((uint64_t)end_ns - (uint64_t)t->end_ns <= TIMES_REACH_LEAST)
        t->end_ns = end_ns;
    else
        times_add_end_slow(t, end_ns, offset, size);
}

/* Ends the stream: decides about the far stretch that is left. */
void times_end(times *t);

/* The first time of all, outliers included. Bounds count from it, since they select outliers,
   too. */
static inline int64_t times_first(const times *t)
{
    return t->outlier_count != 0 && t->outlier_begin_ns < t->begin_ns ? t->outlier_begin_ns
                                                                      : t->begin_ns;
}

#endif
