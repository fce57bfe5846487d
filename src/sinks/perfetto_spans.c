/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes spans as begins and ends, which nest on their track by time: an end closes the span that
 * began last. So the end of a COMPLETE event waits until an event of its track is not before it;
 * the reader sorts by time. A span that overlaps another one gets a track of its own below its
 * thread's, and spans nested too deep are on tracks below it, by depth.
 */
#include "core/hash.h"
#include "sinks/perfetto_sink.h"

/* Base of the uuids for tracks that a single span has. */
#define UUID_OWN (UINT64_C(1) << 62)

/* ---- Stack of open spans ---- */

static int64_t top_end(const perfetto_sink *p, const perfetto_track *track)
{
    return (int64_t)chrome_top(&p->places, track->open);
}

static bool top_is_known(const perfetto_sink *p, const perfetto_track *track)
{
    return track->open != 0 && chrome_top(&p->places, track->open) != SPAN_OPEN;
}

/* A number that is equal for equal names, to compare an end with its begin; a name that is known
   only in its batch is hashed. */
static uint64_t span_name(const perfetto_sink *p, const stele_event *event)
{
    uint64_t name = event->name;
    if ((event->name & STELE_NAME_LOCAL) != 0) {
        const stele_text text = stele_name_text(p->base.context, p->batch, event->name);
        name = STELE_NAME_LOCAL | (hash_bytes(text.bytes, text.size) & 0x7fffffff);
    }
    return name << 16 | event->category;
}

/* Pushes the end of a span, and describes the track for its depth if needed. Returns false if
   there is no room. */
static bool push(perfetto_sink *p, perfetto_track *track, uint64_t end)
{
    const uint32_t lane = track->depth / PERFETTO_DEPTH_MAX;
    if (lane >= PERFETTO_LANES_MAX || !chrome_push(&p->places, &track->open, end))
        return false;
    track->depth++;
    if (lane > track->lane_count) {
        perfetto_track_add(p, track->uuid + lane, track->uuid, NULL);
        track->lane_count = lane;
    }
    return true;
}

static uint64_t pop(perfetto_sink *p, perfetto_track *track)
{
    track->depth--;
    return chrome_pop(&p->places, &track->open);
}

static void begin_put(perfetto_sink *p, const perfetto_track *track, const stele_event *event)
{
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), event->time_ns,
                         EVENT_TYPE_BEGIN);
    perfetto_name(p, event, event->kind == STELE_KIND_COMPLETE ? "" : NULL);
}

/* Writes the end of the innermost span, up to its arguments. */
static void end_put(perfetto_sink *p, const perfetto_track *track, int64_t time_ns)
{
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), time_ns, EVENT_TYPE_END);
}

void perfetto_spans_flush(perfetto_sink *p, perfetto_track *track, int64_t time_ns,
                          bool is_inclusive)
{
    while (top_is_known(p, track)) {
        const int64_t end_ns = top_end(p, track);
        if (end_ns > time_ns || (end_ns == time_ns && !is_inclusive))
            return;
        end_put(p, track, end_ns);
        perfetto_event_end(p);
        pop(p, track);
    }
}

/* ---- Spans with both times ---- */

/* Writes a span that overlaps others, on a track of its own. */
static void put_aside(perfetto_sink *p, const perfetto_track *track, const stele_event *event,
                      int64_t end_ns)
{
    const uint64_t uuid = UUID_OWN + p->own_count++;
    perfetto_track_add(p, uuid, track->uuid, event);
    perfetto_event_begin(p, SEQUENCE_EVENTS, uuid, event->time_ns, EVENT_TYPE_BEGIN);
    perfetto_name(p, event, "");
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
    perfetto_event_begin(p, SEQUENCE_EVENTS, uuid, end_ns, EVENT_TYPE_END);
    perfetto_event_end(p);
}

/* The end of a span as a value on the stack. -1 is SPAN_OPEN there, so that time becomes -2. */
static uint64_t end_value(int64_t end_ns)
{
    return end_ns == -1 ? (uint64_t)-2 : (uint64_t)end_ns;
}

void perfetto_complete(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    int64_t end_ns = (int64_t)event->id;
    bool is_negative;
    const uint64_t distance_ns = time_distance(end_ns, event->time_ns, &is_negative);
    if (is_negative) {
        perfetto_lose(p, event, "end before its begin, drawn without length", LOSS_CHANGED);
        end_ns = event->time_ns;
    }
    perfetto_spans_flush(p, track, event->time_ns, true);
    if (!p->has_last || end_ns > p->last_ns)
        p->last_ns = end_ns;
    if (top_is_known(p, track) && top_end(p, track) < end_ns) {
        perfetto_lose(p, event, "span across another one, on a track of its own", LOSS_FORM);
        put_aside(p, track, event, end_ns);
        return;
    }
    if (!push(p, track, end_value(end_ns))) {
        perfetto_lose(p, event, "span in too many others, on a track of its own", LOSS_FORM);
        put_aside(p, track, event, end_ns);
        return;
    }
    begin_put(p, track, event);
    perfetto_args(p, event, 0);
    if (is_negative)
        perfetto_arg_u64(p, WORD_DURATION, distance_ns);
    perfetto_event_end(p);
}

/* ---- Spans of two events ---- */

void perfetto_begin_span(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    perfetto_spans_flush(p, track, event->time_ns, true);
    if (track->excess != 0 || !chrome_push(&p->places, &track->names, span_name(p, event))) {
        track->excess++;
    } else if (!push(p, track, SPAN_OPEN)) {
        chrome_pop(&p->places, &track->names);
        track->excess++;
    }
    if (track->excess != 0) {
        perfetto_lose(p, event, "begin in too many others, and its end", LOSS_DROPPED);
        return;
    }
    begin_put(p, track, event);
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
}

/* Ends spans that were to end later than the span around them, which ends now. */
static void cut(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    while (top_is_known(p, track)) {
        perfetto_lose(p, event, "span across the end of another one, cut there", LOSS_CHANGED);
        end_put(p, track, event->time_ns);
        perfetto_event_end(p);
        pop(p, track);
    }
}

static void put_lost_end(perfetto_sink *p, const perfetto_track *track, const stele_event *event)
{
    perfetto_lose(p, event, "end without a begin, drawn as an instant", LOSS_CHANGED);
    perfetto_event_begin(p, SEQUENCE_EVENTS, perfetto_track_now(track), event->time_ns,
                         EVENT_TYPE_INSTANT);
    perfetto_name(p, event, NULL);
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
}

/* Writes the end of a span. It belongs to the begin that is open on its track, regardless of the
   name; an end with another name has it as an argument. */
void perfetto_end_span(perfetto_sink *p, perfetto_track *track, const stele_event *event)
{
    bool is_same;
    perfetto_spans_flush(p, track, event->time_ns, true);
    if (track->excess != 0) {
        track->excess--;
        return;
    }
    if (track->names == 0) {
        put_lost_end(p, track, event);
        return;
    }
    cut(p, track, event);
    is_same = chrome_pop(&p->places, &track->names) == span_name(p, event);
    end_put(p, track, event->time_ns);
    if (!is_same && event->name != 0)
        perfetto_arg_name(p, WORD_NAME, event->name);
    perfetto_args(p, event, 0);
    perfetto_event_end(p);
    pop(p, track);
    /*
     * Spans that were to end before the one that has just ended began before it, so they overlap.
     */
    while (top_is_known(p, track) && top_end(p, track) < event->time_ns) {
        perfetto_lose(p, event, "span across the begin of another one, ended later", LOSS_CHANGED);
        end_put(p, track, event->time_ns);
        perfetto_event_end(p);
        pop(p, track);
    }
}

/* ---- Spans that are open at the end ---- */

static uint64_t finish_track(perfetto_sink *p, perfetto_track *track)
{
    uint64_t count = track->excess;
    while (track->open != 0) {
        const bool is_known = top_is_known(p, track);
        end_put(p, track, is_known ? top_end(p, track) : p->last_ns);
        if (!is_known)
            perfetto_arg_bool(p, WORD_UNFINISHED, true);
        perfetto_event_end(p);
        pop(p, track);
        count += !is_known;
    }
    return count;
}

void perfetto_spans_finish(perfetto_sink *p)
{
    uint64_t count = 0;
    if (p->has_end && p->end_ns > p->last_ns)
        p->last_ns = p->end_ns;
    for (uint32_t i = 0; i < p->track_count && !p->is_exhausted; i++)
        count += finish_track(p, &p->tracks[i]);
    if (count != 0)
        writer_lose(&p->base, STELE_KIND_BEGIN, "begin without an end, closed with the trace",
                    LOSS_CHANGED, count);
}
