/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/read/counters.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/saved_index.h"

void counters_init(counters *c, uint32_t streams_max)
{
    *c = (counters){.streams_max = streams_max};
}

void counters_free(counters *c)
{
    for (uint32_t i = 0; i < c->stream_count; i++) {
        free(c->streams[i]->gaps);
        free(c->streams[i]);
    }
    free(c->streams);
    hash_table_free(&c->stream_numbers);
    free(c->lost);
    *c = (counters){0};
}

/* ---- Streams ---- */

/* Finds a stream, and makes it if it is new. Gives NULL when there are too many streams (see
   `is_full`) or memory is exhausted. */
static counters_stream *stream_find(counters *c, uint32_t id, bool *is_new)
{
    counters_stream *stream;
    uint32_t hash;
    *is_new = false;
    if (!hash_table_reserve(&c->stream_numbers))
        return NULL;
    hash = hash_table_hash_u64(&c->stream_numbers, id);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&c->stream_numbers, hash, &at)) != HASH_NONE;)
        if (c->streams[number]->id == id)
            return c->streams[number];
    c->is_full = c->stream_count >= c->streams_max;
    if (c->is_full)
        return NULL;
    if (c->stream_count == c->stream_capacity) {
        counters_stream **grown = array_grow(c->streams, sizeof *grown, &c->stream_capacity, 64);
        if (grown == NULL)
            return NULL;
        c->streams = grown;
    }
    stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->id = id;
    hash_table_put(&c->stream_numbers, hash, c->stream_count);
    c->streams[c->stream_count++] = stream;
    *is_new = true;
    return stream;
}

/* ---- Gaps ---- */

/* Moves the oldest gap of a stream to the lost ones. */
static bool gap_settle(counters *c, counters_stream *stream)
{
    if (c->lost_at == c->lost_count)
        c->lost_at = c->lost_count = 0;
    if (c->lost_count == c->lost_capacity) {
        counters_gap *grown =
            array_grow_size(c->lost, sizeof *grown, &c->lost_capacity, COUNTERS_GAPS_MAX);
        if (grown == NULL)
            return false;
        c->lost = grown;
    }
    c->lost[c->lost_count++] = stream->gaps[0];
    stream->gap_count--;
    memmove(stream->gaps, stream->gaps + 1, stream->gap_count * sizeof *stream->gaps);
    return true;
}

/* Inserts a gap at an index. When there are too many gaps, the oldest is settled early. */
static bool gap_insert(counters *c, counters_stream *stream, uint32_t at, const counters_gap *gap)
{
    if (stream->gaps == NULL) {
        stream->gaps = malloc(COUNTERS_GAPS_MAX * sizeof *stream->gaps);
        if (stream->gaps == NULL)
            return false;
    }
    if (stream->gap_count == COUNTERS_GAPS_MAX) {
        if (!gap_settle(c, stream))
            return false;
        at -= at != 0;
    }
    memmove(stream->gaps + at + 1, stream->gaps + at,
            (stream->gap_count - at) * sizeof *stream->gaps);
    stream->gaps[at] = *gap;
    stream->gap_count++;
    return true;
}

/* Settles the gaps that the window has moved past. */
static bool gaps_settle_old(counters *c, counters_stream *stream)
{
    while (stream->gap_count != 0 &&
           stream->next - (stream->gaps[0].first + stream->gaps[0].count) >= COUNTERS_WINDOW) {
        if (!gap_settle(c, stream))
            return false;
    }
    return true;
}

/* Takes a value between `next` - COUNTERS_WINDOW and `next` out of the gap that holds it. When no
   gap does, the value is a repetition. */
static bool gap_fill(counters *c, counters_stream *stream, uint32_t counter,
                     counters_verdict *verdict)
{
    *verdict = COUNTERS_REPEATED;
    for (uint32_t i = 0; i < stream->gap_count; i++) {
        counters_gap *gap = &stream->gaps[i];
        const uint32_t before = counter - gap->first;
        counters_gap rest = *gap;
        if (before >= gap->count)
            continue;
        *verdict = COUNTERS_MISPLACED;
        rest.first = counter + 1;
        rest.count = gap->count - before - 1;
        gap->count = before;
        if (rest.count != 0 && before != 0)
            return gap_insert(c, stream, i + 1, &rest);
        if (rest.count != 0) {
            *gap = rest;
        } else if (before == 0) {
            stream->gap_count--;
            memmove(gap, gap + 1, (stream->gap_count - i) * sizeof *gap);
        }
        return true;
    }
    return true;
}

/* Moves the stream's counter past an event. The values that it jumps over become a gap. */
static bool stream_advance(counters *c, counters_stream *stream, const counters_event *event)
{
    const counters_gap gap = {.stream = stream->id,
                              .first = stream->next,
                              .count = event->counter - stream->next,
                              .offset = event->offset,
                              .before_ns = stream->last_end_ns,
                              .after_ns = event->end_ns};
    stream->next = event->counter + 1;
    if (gap.count != 0 && !gap_insert(c, stream, stream->gap_count, &gap))
        return false;
    return gaps_settle_old(c, stream);
}

/* ---- Events ---- */

/* Leaves the old sequence for the one that begins with the stray event. */
static bool stream_restart(counters *c, counters_stream *stream, counters_verdict *verdict)
{
    /* When the counter is ahead by less than half of all values, the values in between are
       missing. */
    const bool is_ahead = stream->stray.counter - stream->next < UINT32_C(1) << 31;
    stream->has_stray = false;
    if (is_ahead)
        return stream_advance(c, stream, &stream->stray);
    *verdict = COUNTERS_RESTARTED;
    while (stream->gap_count != 0) {
        if (!gap_settle(c, stream))
            return false;
    }
    stream->next = stream->stray.counter + 1;
    return true;
}

static bool stream_add(counters *c, counters_stream *stream, const counters_event *event,
                       counters_verdict *verdict)
{
    const uint32_t ahead = event->counter - stream->next;
    const uint32_t back = stream->next - event->counter;
    if (ahead < COUNTERS_WINDOW || back <= COUNTERS_WINDOW) {
        *verdict = stream->has_stray ? COUNTERS_STRAY
                   : ahead != 0      ? COUNTERS_AHEAD
                                     : COUNTERS_IN_ORDER;
        stream->has_stray = false;
        if (ahead < COUNTERS_WINDOW)
            return stream_advance(c, stream, event);
        return gap_fill(c, stream, event->counter, verdict);
    }
    if (stream->has_stray && event->counter - stream->stray.counter <= COUNTERS_WINDOW) {
        *verdict = COUNTERS_AHEAD;
        if (!stream_restart(c, stream, verdict))
            return false;
        return event->counter == stream->stray.counter || stream_advance(c, stream, event);
    }
    *verdict = stream->has_stray ? COUNTERS_STRAY : COUNTERS_IN_ORDER;
    stream->has_stray = true;
    stream->stray = *event;
    return true;
}

bool counters_add_any(counters *c, const counters_event *event, counters_verdict *verdict)
{
    bool is_new, is_added;
    counters_stream *stream = stream_find(c, event->stream, &is_new);
    *verdict = COUNTERS_IN_ORDER;
    if (stream == NULL)
        return c->is_full;
    c->recent[event->stream % COUNTERS_RECENT] = stream;
    if (is_new)
        stream->last_end_ns = event->end_ns;
    if (is_new && event->counter != 0) {
        const uint32_t count = event->counter < COUNTERS_WINDOW ? event->counter : COUNTERS_WINDOW;
        stream->next = event->counter + 1;
        return gap_insert(c, stream, 0,
                          &(counters_gap){.is_head = true,
                                          .stream = event->stream,
                                          .first = event->counter - count,
                                          .count = count,
                                          .offset = event->offset});
    }
    is_added = stream_add(c, stream, event, verdict);
    if (event->end_ns > stream->last_end_ns)
        stream->last_end_ns = event->end_ns;
    return is_added;
}

bool counters_finish(counters *c)
{
    counters_verdict verdict;
    for (uint32_t i = 0; i < c->stream_count; i++) {
        counters_stream *stream = c->streams[i];
        if (stream->has_stray && !stream_restart(c, stream, &verdict))
            return false;
        while (stream->gap_count != 0) {
            if (!gap_settle(c, stream))
                return false;
        }
    }
    return true;
}

/* ---- The counters as bytes ---- */

#define FLAG_STRAY 1u
#define FLAG_BITS  1u

static void gap_put(const counters_gap *gap, output *out)
{
    saved_put_u64(out, gap->is_head);
    saved_put_u64(out, gap->first);
    saved_put_u64(out, gap->count);
    saved_put_u64(out, gap->offset);
    saved_put_i64(out, gap->before_ns);
    saved_put_i64(out, gap->after_ns);
}

static bool gap_take(counters_gap *gap, uint32_t stream, cursor *from)
{
    uint64_t is_head;
    gap->stream = stream;
    if (!saved_take_u64(from, &is_head) || !saved_take_u32(from, &gap->first) ||
        !saved_take_u32(from, &gap->count) || !saved_take_u64(from, &gap->offset) ||
        !saved_take_i64(from, &gap->before_ns) || !saved_take_i64(from, &gap->after_ns))
        return false;
    gap->is_head = is_head != 0;
    return true;
}

static void stream_put(const counters_stream *stream, int64_t *last_end_ns, output *out)
{
    saved_put_u64(out, stream->id);
    saved_put_u64(out, stream->next);
    saved_put_i64(out, (int64_t)((uint64_t)stream->last_end_ns - (uint64_t)*last_end_ns));
    *last_end_ns = stream->last_end_ns;
    saved_put_u64(out,
                  (uint64_t)stream->gap_count << FLAG_BITS | (stream->has_stray ? FLAG_STRAY : 0));
    for (uint32_t i = 0; i < stream->gap_count; i++)
        gap_put(&stream->gaps[i], out);
    if (!stream->has_stray)
        return;
    saved_put_u64(out, stream->stray.counter);
    saved_put_u64(out, stream->stray.offset);
    saved_put_i64(out, stream->stray.end_ns);
}

static bool gaps_take(counters_stream *stream, uint64_t count, cursor *from)
{
    if (count > COUNTERS_GAPS_MAX)
        return false;
    if (count != 0)
        stream->gaps = malloc(COUNTERS_GAPS_MAX * sizeof *stream->gaps);
    if (count != 0 && stream->gaps == NULL)
        return false;
    for (; stream->gap_count < count; stream->gap_count++)
        if (!gap_take(&stream->gaps[stream->gap_count], stream->id, from))
            return false;
    return true;
}

static bool stream_take(counters *c, int64_t *last_end_ns, cursor *from)
{
    counters_stream *stream;
    uint64_t flags;
    uint32_t id, next;
    int64_t distance;
    bool is_new;
    if (!saved_take_u32(from, &id) || !saved_take_u32(from, &next) ||
        !saved_take_i64(from, &distance) || !saved_take_u64(from, &flags))
        return false;
    stream = stream_find(c, id, &is_new);
    if (stream == NULL || !is_new)
        return false;
    *last_end_ns = (int64_t)((uint64_t)*last_end_ns + (uint64_t)distance);
    stream->next = next;
    stream->last_end_ns = *last_end_ns;
    stream->has_stray = (flags & FLAG_STRAY) != 0;
    stream->stray.stream = id;
    return gaps_take(stream, flags >> FLAG_BITS, from) &&
           (!stream->has_stray || (saved_take_u32(from, &stream->stray.counter) &&
                                   saved_take_u64(from, &stream->stray.offset) &&
                                   saved_take_i64(from, &stream->stray.end_ns)));
}

void counters_put(const counters *c, output *out)
{
    int64_t last_end_ns = 0;
    saved_put_u64(out, (uint64_t)c->stream_count << 1 | c->is_full);
    for (uint32_t i = 0; i < c->stream_count; i++)
        stream_put(c->streams[i], &last_end_ns, out);
}

bool counters_take(counters *c, cursor *from)
{
    counters made;
    int64_t last_end_ns = 0;
    uint64_t count;
    bool is_sound = saved_take_u64(from, &count);
    counters_init(&made, c->streams_max);
    for (uint64_t i = 0; is_sound && i < count >> 1; i++)
        is_sound = stream_take(&made, &last_end_ns, from);
    if (!is_sound) {
        counters_free(&made);
        return false;
    }
    made.is_full = (count & 1) != 0;
    counters_free(c);
    *c = made;
    return true;
}
