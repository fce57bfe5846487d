/* SPDX-License-Identifier: Apache-2.0 */
/* Writes spans, and the threads that run on CPUs. */
#include "core/hash.h"
#include "sinks/chrome_sink.h"

/* ---- Spans ---- */

/* Keeps a stack of the ends of COMPLETE events around the current one. One that begins inside of
   the top one and ends after it overlaps it, which is counted as a loss. */
static void note_overlap(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    const int64_t end_ns = (int64_t)event->id;
    bool is_across = false;
    while (track->ends != 0) {
        const int64_t top_ns = (int64_t)chrome_top(&chrome->tracks, track->ends);
        if (top_ns > event->time_ns && top_ns >= end_ns)
            break;
        is_across |= top_ns > event->time_ns;
        chrome_pop(&chrome->tracks, &track->ends);
    }
    if (is_across)
        chrome_lose(chrome, event, "span across another one, which viewers draw badly", false);
    chrome_push(&chrome->tracks, &track->ends, (uint64_t)end_ns);
}

void chrome_complete_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    output *out = chrome->base.out;
    bool is_negative;
    uint64_t ns = time_distance((int64_t)event->id, event->time_ns, &is_negative);
    char *to;
    if (!is_negative && chrome_plain_put(chrome, event, 'X', ns)) {
        chrome_note_time(chrome, (int64_t)event->id);
        note_overlap(chrome, track, event);
        return;
    }
    chrome_head_put(chrome, track, event, 'X', "");
    to = (char *)output_reserve(out, CHROME_EVENT_SIZE);
    if (to == NULL)
        return;
    to = text_thousands(PUT(to, ",\"dur\":"), is_negative ? 0 : ns);
    output_advance(out, (size_t)(to - (char *)out->at));
    chrome_beside_put(chrome, event);
    if (is_negative) {
        chrome_lose(chrome, event, "end before its begin, drawn without length", false);
        chrome_arg_next(chrome);
        OUTPUT_LITERAL(out, "\"stele.dur_ns\":-");
        output_u64(out, ns);
    }
    chrome_note_time(chrome, is_negative ? event->time_ns : (int64_t)event->id);
    note_overlap(chrome, track, event);
    chrome_end_put(chrome, event);
}

/* A number that is equal for equal names, to compare an end with its begin; a name that is known
   only in its batch is hashed. */
static inline uint64_t span_name(const chrome_sink *chrome, const stele_event *event)
{
    uint64_t name = event->name;
    if ((event->name & STELE_NAME_LOCAL) != 0) {
        const stele_text text = stele_name_text(chrome->base.context, chrome->batch, event->name);
        name = STELE_NAME_LOCAL | (hash_bytes(text.bytes, text.size) & 0x7fffffff);
    }
    return name << 16 | event->category;
}

static void open_span(chrome_sink *chrome, chrome_track *track, uint64_t name)
{
    if (track->excess != 0 || !chrome_push(&chrome->tracks, &track->open, name))
        track->excess++;
}

void chrome_begin_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    open_span(chrome, track, span_name(chrome, event));
    if (chrome_plain_put(chrome, event, 'B', CHROME_NO_DURATION))
        return;
    chrome_head_put(chrome, track, event, 'B', NULL);
    chrome_beside_put(chrome, event);
    chrome_end_put(chrome, event);
}

/*
 * Writes the end of a span. It belongs to the begin that is open on its thread, regardless of the
 * name. Perfetto's page requires the same name or none, so an end with another name has it as an
 * argument.
 */
void chrome_end_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    bool is_same = true;
    if (track->excess != 0) {
        track->excess--;
    } else if (track->open != 0) {
        is_same = chrome_pop(&chrome->tracks, &track->open) == span_name(chrome, event);
    } else {
        chrome_lose(chrome, event, "end without a begin, which viewers leave out", false);
    }
    if (is_same && chrome_plain_put(chrome, event, 'E', CHROME_NO_DURATION))
        return;
    if (is_same && (event->name != 0 || event->category != 0)) {
        chrome_head_put(chrome, track, event, 'E', NULL);
    } else {
        chrome_begin_put(chrome, 'E');
        chrome_place_put(chrome, track, event->time_ns);
    }
    chrome_beside_put(chrome, event);
    if (!is_same && event->name != 0)
        chrome_arg_name(chrome, event);
    chrome_end_put(chrome, event);
}

static void idle_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event)
{
    if (track == NULL) {
        chrome->is_exhausted = true;
        return;
    }
    chrome_moment_put(chrome, track, event, "idle", 't');
    chrome_arg_track(chrome, "\"outgoing\":", (uint32_t)event->value);
    chrome_end_put(chrome, event);
}

/* Writes the state of a thread as an event, which Perfetto's page shows on the thread's track. */
static void state_put(chrome_sink *chrome, const chrome_running *running, int64_t end_ns)
{
    const chrome_track *thread = chrome_tracks_get(&chrome->tracks, running->thread);
    bool is_negative;
    const uint64_t ns = time_distance(end_ns, running->begin_ns, &is_negative);
    output *out = chrome->base.out;
    char *to;
    if (thread == NULL) {
        chrome->is_exhausted = true;
        return;
    }
    chrome_begin_put(chrome, 'T');
    OUTPUT_LITERAL(out, ",\"name\":\"Running\"");
    chrome_place_put(chrome, thread, running->begin_ns);
    to = (char *)output_reserve(out, CHROME_EVENT_SIZE);
    if (to == NULL)
        return;
    to = text_thousands(PUT(to, ",\"dur\":"), is_negative ? 0 : ns);
    to = text_u64(PUT(to, ",\"args\":{\"cpu\":"), running->cpu);
    to = PUT(to, "}}");
    output_advance(out, (size_t)(to - (char *)out->at));
}

/* Ends the thread that runs on the CPU. The array of tracks may move, so `track` is invalid
   after it. */
void chrome_running_end(chrome_sink *chrome, chrome_track *track, int64_t end_ns, bool is_last)
{
    const chrome_running running = track->running;
    track->running.thread = 0;
    chrome_begin_put(chrome, 'E');
    chrome_place_put(chrome, track, end_ns);
    output_text(chrome->base.out, is_last ? ",\"args\":{\"stele.unfinished\":true}}" : "}");
    state_put(chrome, &running, end_ns);
}

/* Writes a switch: the thread that runs on a CPU is an open span on the CPU's track, until the
   next one runs. While a CPU is idle there is none. */
void chrome_switch_put(chrome_sink *chrome, chrome_track *track, const stele_event *event)
{
    const name_form *label;
    output *out = chrome->base.out;
    if (track->running.thread != 0) {
        chrome_running_end(chrome, track, event->time_ns, false);
        track = chrome_tracks_get(&chrome->tracks, event->track);
    }
    if (track == NULL ||
        chrome_is_idle(&chrome->idle, chrome->base.context, chrome->batch, event)) {
        idle_put(chrome, track, event);
        return;
    }
    track->running = (chrome_running){(uint32_t)event->id, track->tid, event->time_ns};
    chrome_begin_put(chrome, 'B');
    OUTPUT_LITERAL(out, ",\"cat\":\"sched\",\"name\":");
    label = track_labels_get(&chrome->labels, (uint32_t)event->id);
    output_write(out, label->bytes, label->size);
    chrome_place_put(chrome, track, event->time_ns);
    chrome_arg_track(chrome, "\"outgoing\":", (uint32_t)event->value);
    chrome_end_put(chrome, event);
}
