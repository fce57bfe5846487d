/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the event counters of the streams tell: which events are missing, and which came twice or in
 * another order. A value is lost when it is absent among COUNTERS_WINDOW values of its stream;
 * until then it may still come, as streams can be shared by threads and datagrams overtake each
 * other.
 */
#ifndef HEPH_READ_COUNTERS_H
#define HEPH_READ_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cursor.h"
#include "core/output.h"
#include "core/table.h"

#define COUNTERS_WINDOW   1024u
#define COUNTERS_GAPS_MAX 16u

typedef enum counters_verdict {
    COUNTERS_IN_ORDER = 0,
    COUNTERS_AHEAD,     /* values before it are missing so far */
    COUNTERS_MISPLACED, /* was missing, comes late */
    COUNTERS_REPEATED,  /* was there already */
    COUNTERS_RESTARTED, /* far from the last one: to be seen by the next */
    COUNTERS_STRAY      /* the one before was far from all others */
} counters_verdict;

/* Values first to first + count - 1 (modulo 2^32) are missing. */
typedef struct counters_gap {
    bool is_head; /* in front of the first event: the trace may have been cut there */
    uint32_t stream, first, count;
    uint64_t offset;              /* of the event after the gap */
    int64_t before_ns, behind_ns; /* ends of the events around it */
} counters_gap;

typedef struct counters_event {
    uint32_t stream, counter;
    uint64_t offset;
    int64_t end_ns;
} counters_event;

/*
 * All values from `next` - COUNTERS_WINDOW to `next` - 1 were seen but for those in the gaps. A
 * value far from `next` is held back as `stray` until the event after it shows whether the counter
 * went there for good.
 */
typedef struct counters_stream {
    uint32_t id, next;
    int64_t last_end_ns;
    uint32_t gap_count;
    bool has_stray;
    counters_event stray;
    counters_gap *gaps; /* oldest first; allocated with the first one */
} counters_stream;

#define COUNTERS_RECENT 64u

typedef struct counters {
    counters_stream *recent[COUNTERS_RECENT]; /* by id modulo their number; may be NULL */
    counters_stream **streams;                /* in the order of their first events */
    hash_table stream_numbers;                /* by stream id */
    uint32_t stream_count, stream_capacity, streams_max;
    counters_gap *lost; /* settled, to be taken */
    size_t lost_at, lost_count, lost_capacity;
    bool is_full; /* there were more streams than `streams_max`: those are not looked at */
} counters;

void counters_init(counters *c, uint32_t streams_max);
void counters_free(counters *c);

/* See counters_add(). */
bool counters_add_any(counters *c, const counters_event *event, counters_verdict *verdict);

/* The next event in the order of the trace. False when memory is exhausted. */
static inline bool counters_add(counters *c, const counters_event *event, counters_verdict *verdict)
{
    counters_stream *stream = c->recent[event->stream % COUNTERS_RECENT];
    if (stream == NULL || stream->id != event->stream || stream->next != event->counter ||
        stream->gap_count != 0 || stream->has_stray)
        return counters_add_any(c, event, verdict);
    stream->next++;
    if (event->end_ns > stream->last_end_ns)
        stream->last_end_ns = event->end_ns;
    *verdict = COUNTERS_IN_ORDER;
    return true;
}

/* No more events: every gap that is open is lost. False when memory is exhausted. */
bool counters_finish(counters *c);

/* What the counters are after the events so far, as bytes: nothing that is lost waits to be taken.
   The other way: false, and nothing changes, where they are not sound, or memory is exhausted. */
void counters_put(const counters *c, output *out);
bool counters_take(counters *c, cursor *from);

/* The next gap that is known to be lost; false when there is none (so far). */
static inline bool counters_take_lost(counters *c, counters_gap *gap)
{
    if (c->lost_at == c->lost_count)
        return false;
    *gap = c->lost[c->lost_at++];
    return true;
}

#endif
