/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the event counters of the streams, which tell which events are missing, and which came
 * twice or in another order. A value counts as lost once COUNTERS_WINDOW values of its stream came
 * without it; until then it may still come, because streams can be shared by threads and datagrams
 * overtake each other.
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
    /* The event is ahead of the expected value; the values in between are missing so far. */
    COUNTERS_AHEAD,
    /* The value was missing, and comes late. */
    COUNTERS_MISPLACED,
    /* The value has been there already. */
    COUNTERS_REPEATED,
    /* The value is far from the last one; the next event shows what that means. */
    COUNTERS_RESTARTED,
    /* The value of the event before was far from all others. */
    COUNTERS_STRAY
} counters_verdict;

/* The values from `first` to `first` + `count` - 1 (modulo 2^32) are missing. */
typedef struct counters_gap {
    /* The gap is in front of the first event: the trace may have been cut there. */
    bool is_head;
    uint32_t stream, first, count;
    /* The offset of the event after the gap. */
    uint64_t offset;
    /* The ends of the events before the gap and after it. */
    int64_t before_ns, after_ns;
} counters_gap;

typedef struct counters_event {
    uint32_t stream, counter;
    uint64_t offset;
    int64_t end_ns;
} counters_event;

/*
 * The state of one stream. All values from `next` - COUNTERS_WINDOW to `next` - 1 have been seen,
 * except those in the gaps. A value far from `next` is held back as `stray` until the event after
 * it shows whether the counter has moved there for good.
 */
typedef struct counters_stream {
    uint32_t id, next;
    int64_t last_end_ns;
    uint32_t gap_count;
    bool has_stray;
    counters_event stray;
    /* The open gaps, the oldest first; the array is allocated with the first gap. */
    counters_gap *gaps;
} counters_stream;

#define COUNTERS_RECENT 64u

typedef struct counters {
    /* Streams that were used lately, by their id modulo COUNTERS_RECENT; an entry may be NULL. */
    counters_stream *recent[COUNTERS_RECENT];
    /* All streams, in the order of their first events. */
    counters_stream **streams;
    /* The index in `streams`, found by stream id. */
    hash_table stream_numbers;
    uint32_t stream_count, stream_capacity, streams_max;
    /* Gaps that are known to be lost, and wait for counters_take_lost(). */
    counters_gap *lost;
    size_t lost_at, lost_count, lost_capacity;
    /* The trace has more streams than `streams_max`; those beyond are not looked at. */
    bool is_full;
} counters;

void counters_init(counters *c, uint32_t streams_max);
void counters_free(counters *c);

/* Does what counters_add() does, for any event. */
bool counters_add_any(counters *c, const counters_event *event, counters_verdict *verdict);

/* Adds the next event of the trace if it has the counter that its stream expects. Returns false,
   and changes nothing, if it is an event for counters_add(). */
static inline bool counters_add_next(counters *c, uint32_t id, uint32_t counter, int64_t end_ns)
{
    counters_stream *stream = c->recent[id % COUNTERS_RECENT];
    if (stream == NULL || stream->id != id || stream->next != counter || stream->gap_count != 0 ||
        stream->has_stray)
        return false;
    stream->next++;
    if (end_ns > stream->last_end_ns)
        stream->last_end_ns = end_ns;
    return true;
}

/* Takes the next event in the order of the trace, and tells in `*verdict` what its counter shows.
   Returns false if out of memory. */
static inline bool counters_add(counters *c, const counters_event *event, counters_verdict *verdict)
{
    *verdict = COUNTERS_IN_ORDER;
    return counters_add_next(c, event->stream, event->counter, event->end_ns) ||
           counters_add_any(c, event, verdict);
}

/* Ends the counting: every gap that is still open counts as lost. Returns false when memory is
   exhausted. */
bool counters_finish(counters *c);

/* Writes the state of the counters as bytes. No lost gap may be waiting for counters_take_lost()
   then. */
void counters_put(const counters *c, output *out);
/* Reads the state back. Returns false and changes nothing when the bytes are not sound or memory is
   exhausted. */
bool counters_take(counters *c, cursor *from);

/* Takes the next gap that is known to be lost. Returns false when there is none so far. */
static inline bool counters_take_lost(counters *c, counters_gap *gap)
{
    if (c->lost_at == c->lost_count)
        return false;
    *gap = c->lost[c->lost_at++];
    return true;
}

#endif
