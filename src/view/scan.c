/* SPDX-License-Identifier: Apache-2.0 */
/* Getting to know the traces: first their overview, then a scan that reads everything once. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "view/busy.h"
#include "view/kept.h"
#include "view/list.h"
#include "view/reading.h"

/* ---- The scan, which reads everything once --------------------------------------------------- */

struct view_scan {
    viewer *v;
    view_reading r;
    pass p;
    view_known own; /* what the scan finds while answers still come from an overview */
    busy_tracks busy;
    view_known *into; /* what is found is put here: `own`, or what the viewer knows */
};

static void see_time(view_known *k, int64_t time_ns, bool is_lossy)
{
    if (!k->has_range) {
        k->has_range = true;
        k->begin_ns = time_ns;
        k->end_ns = time_ns;
    }
    if (time_ns < k->begin_ns)
        k->begin_ns = time_ns;
    if (time_ns > k->end_ns)
        k->end_ns = time_ns;
    view_activity_add(&k->activity, time_ns, is_lossy);
}

/* Adds the counters of an event: those of its fields that are numbers are plotted. */
static void see_counter(viewer *v, const stele_batch *batch, const stele_event *event)
{
    uint32_t at;
    const uint32_t count = stele_event_fields(batch, event, &at);
    const uint32_t end = at + count;
    while (at < end) {
        const stele_field *field = &batch->fields[at];
        if (field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_FLOAT)
            viewer_counter(v, event->track, event->name, field->name);
        at += stele_field_length(field);
    }
}

static stele_status see_loss(viewer *v, const stele_event *event)
{
    view_loss *grown;
    if ((int64_t)event->id <= event->time_ns || v->loss_count == VIEW_LOSSES_MAX)
        return STELE_OK;
    if ((v->loss_count & (v->loss_count - 1)) == 0) {
        grown = list_fit(v->losses, sizeof *grown, v->loss_count * 2 + 1);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        v->losses = grown;
    }
    v->losses[v->loss_count++] = (view_loss){event->time_ns, (int64_t)event->id, event->offset,
                                             event->value,   event->track,       event->name};
    return STELE_OK;
}

static void see_nested(view_track *track, const stele_event *event)
{
    int64_t end_ns = event->time_ns;
    if (event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > end_ns)
        end_ns = (int64_t)event->id;
    if ((track->has & VIEW_HAS_NESTED) == 0 || end_ns > track->last_ns)
        track->last_ns = end_ns;
    track->has |= VIEW_HAS_NESTED;
}

static stele_status scan_event(const view_scan *s, const stele_batch *batch,
                               const stele_event *event)
{
    viewer *v = s->v;
    view_known *k = s->into;
    view_track *track = view_known_track(k, event->track);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    track->event_count += event->kind != STELE_KIND_LOST;
    if (track->stream != batch->stream + 1) {
        track->stream = batch->stream + 1;
        view_streams_add(&v->streams, event->track, batch->stream);
    }
    if ((event->flags & STELE_FLAG_NO_TIME) == 0)
        see_time(k, event->time_ns, event->kind == STELE_KIND_LOST);
    if (event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > k->end_ns)
        k->end_ns = (int64_t)event->id;
    if ((STELE_KIND_BIT(event->kind) & STELE_CALLS_KINDS) != 0)
        see_nested(track, event);
    if (event->kind == STELE_KIND_LOST) {
        track->has |= VIEW_HAS_LOSSES;
        k->lost_count += event->value;
        return see_loss(v, event);
    } else if (event->kind == STELE_KIND_COUNTER) {
        see_counter(v, batch, event);
    } else if (event->kind == STELE_KIND_ASYNC_BEGIN) {
        if (++track->async_open > track->async_rows)
            track->async_rows = track->async_open;
    } else if (event->kind == STELE_KIND_ASYNC_END) {
        track->async_open -= track->async_open != 0;
    } else if (view_is_mark(event)) {
        track->has |= VIEW_HAS_MARKS;
    }
    return STELE_OK;
}

static stele_status scan_first(void *user, const stele_segment *segment)
{
    const view_scan *s = user;
    const checkpoint_engines engines = {.spans = s->p.spans,
                                        .pairing = s->p.pairing,
                                        .sched = s->p.sched,
                                        .track_count = stele_track_count(s->v->context)};
    checkpoints_see(&s->v->open, segment, &engines);
    /* Events are counted as they were read: pairing adds some. */
    for (uint32_t i = 0; i < segment->count; i++)
        s->into->event_count += segment->batch->events[segment->first + i].kind != STELE_KIND_LOST;
    return STELE_OK;
}

static stele_status scan_events(void *user, const stele_segment *segment)
{
    const view_scan *s = user;
    stele_status status = STELE_OK;
    checkpoints_follow(&s->v->open, segment);
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++)
        status = scan_event(s, segment->batch, &segment->batch->events[segment->first + i]);
    return status;
}

static stele_status scan_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    view_scan *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        view_track *track = view_known_track(s->into, span->track);
        if (track == NULL)
            return STELE_ERR_MEMORY;
        track->span_count++;
        if (span->source == STELE_SPAN_FLOW) {
            track->has |= VIEW_HAS_FLOWS;
            track = view_known_track(s->into, span->end_track);
            if (track == NULL)
                return STELE_ERR_MEMORY;
            track->has |= VIEW_HAS_FLOWS;
        } else if (span->source == STELE_SPAN_ASYNC || span->source == STELE_SPAN_PAIR) {
            if (track->async_rows == 0)
                track->async_rows = 1;
        } else {
            if (span->depth >= track->depth_rows)
                track->depth_rows = span->depth < VIEW_DEPTH_MAX ? span->depth + 1 : VIEW_DEPTH_MAX;
            if (span->end != STELE_SPAN_ENTRY_LOST &&
                !busy_add(&s->busy, span->track, span->begin_ns, span->end_ns, &track->busy_ns))
                return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

static stele_status scan_state(void *user, const stele_thread_interval *interval)
{
    const view_scan *s = user;
    view_track *track = view_known_track(s->into, interval->thread);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    track->has |= VIEW_HAS_STATES;
    return STELE_OK;
}

static stele_status scan_run(void *user, const stele_cpu_interval *interval)
{
    const view_scan *s = user;
    view_track *track = view_known_track(s->into, interval->cpu);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    if (interval->state != STELE_CPU_UNKNOWN) {
        track->has |= VIEW_HAS_RUNS;
        s->into->has_schedule = true;
    }
    return STELE_OK;
}

static stele_status scan_begin(viewer *v)
{
    view_scan *s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    v->scan = s;
    s->v = v;
    s->into = v->overview != NULL ? &s->own : &v->known;
    s->r = (view_reading){.has_fields = true,
                          .span = scan_spans,
                          .first = scan_first,
                          .event = scan_events,
                          .state = scan_state,
                          .run = scan_run,
                          .user = s};
    return pass_open(&s->p, v, &s->r, INT64_MIN, INT64_MAX);
}

void viewer_end_scan(viewer *v)
{
    if (v->scan == NULL)
        return;
    pass_close(&v->scan->p);
    busy_free(&v->scan->busy);
    free(v->scan->own.tracks);
    free(v->scan);
    v->scan = NULL;
}

static void scan_conclude(viewer *v, stele_status status)
{
    if (status == STELE_END)
        status = pass_finish(&v->scan->p);
    view_streams_end(&v->streams);
    v->is_scanned = true;
    v->is_unsaved = status == STELE_OK;
    v->scan_status = status;
    if (v->scan != NULL && v->scan->into == &v->scan->own &&
        (status == STELE_OK || !v->known.has_range)) {
        view_track *before = v->known.tracks;
        v->known = v->scan->own;
        v->scan->own.tracks = before;
    }
    viewer_end_scan(v);
}

static stele_status scan_step(viewer *v)
{
    stele_status status = STELE_OK;
    for (unsigned i = 0; status == STELE_OK && i < 16; i++)
        status = pass_step(&v->scan->p);
    return status;
}

/* ---- Overviews of stretches with too many events to read ---- */

#define CROWDED_EVENTS 100000u /* events in a picture */
/* events in traces whose size does not tell how many there are */
#define OVERVIEW_EVENTS 400000u
/* Bytes of traces from which on their picture is made before they are scanned. */
#define OVERVIEW_SIZE ((uint64_t)16 << 20)
#define OVERVIEW_STEP 20000u

/* Returns whether a stretch has too many events to read them for each picture. */
static bool is_crowded(const viewer *v, const question *q)
{
    const view_activity *a = &v->known.activity;
    uint64_t sum = 0, begin, end;
    if (a->width_ns == 0 || q->end_ns <= a->begin_ns)
        return false;
    begin = q->begin_ns > a->begin_ns ? (uint64_t)q->begin_ns - (uint64_t)a->begin_ns : 0;
    end = (uint64_t)q->end_ns - (uint64_t)a->begin_ns;
    for (size_t i = 0; i < VIEW_BINS && sum <= CROWDED_EVENTS; i++) {
        const uint64_t from = i * a->width_ns, to = from + a->width_ns;
        const uint64_t low = begin > from ? begin : from, high = end < to ? end : to;
        if (low < high)
            sum += (uint64_t)((double)a->bins[i] * ((double)(high - low) / (double)a->width_ns));
    }
    return sum > CROWDED_EVENTS;
}

static void drop_filter(viewer *v)
{
    stele_overview_close(v->filtered);
    free(v->filter);
    v->filtered = NULL;
    v->filter = NULL;
    v->is_filtered_whole = false;
}

/* Returns the overview of the events that a filter selects; begins it if the filter has changed. */
static stele_overview *filtered_for(viewer *v, const char *where)
{
    char *all = NULL;
    stele_request request = {.align_starts = v->options.align_starts};
    stele_overview_options options = {
        .struct_size = sizeof options, .request = &request, .no_pairs = v->options.no_pairs};
    if (v->filter != NULL && strcmp(v->filter, where) == 0)
        return v->filtered;
    drop_filter(v);
    if (viewer_join_conditions(v->options.where, where, &all) != STELE_OK)
        return NULL;
    request.where = all;
    v->filter = strdup(where);
    if (v->filter == NULL || stele_overview_open(v->context, v->traces, v->trace_count, &options,
                                                 &v->filtered) != STELE_OK) {
        stele_overview_close(v->filtered);
        v->filtered = NULL; /* the error is reported when the events are read */
        v->is_filtered_whole = true;
    }
    free(all);
    return v->filtered;
}

stele_overview *viewer_overview_for(viewer *v, const question *q, bool *is_whole)
{
    *is_whole = true;
    if (v->overview == NULL || (v->is_scanned && !is_crowded(v, q)))
        return NULL;
    if (q->where[0] != 0) {
        stele_overview *o = filtered_for(v, q->where);
        *is_whole = o == NULL || v->is_filtered_whole;
        return o;
    }
    *is_whole = v->is_overview_whole;
    return v->overview;
}

static stele_status filter_step(viewer *v)
{
    if (v->filtered == NULL || v->is_filtered_whole)
        return STELE_END;
    if (stele_overview_step(v->filtered, OVERVIEW_STEP) == STELE_OK)
        return STELE_OK;
    v->is_filtered_whole = true;
    return STELE_END;
}

/* Returns whether traces are so large that their picture is made before they are scanned. */
static bool is_pictured_first(const viewer *v)
{
    uint64_t size = 0;
    for (size_t i = 0; i < v->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(v->traces[i]);
        size += info->has_size ? info->size : 0;
    }
    return size >= OVERVIEW_SIZE;
}

static void set_muted(const viewer *v, bool is_muted)
{
    if (v->options.findings != NULL)
        v->options.findings->is_muted = is_muted;
}

/* ---- Making the overview ---- */

/*
 * Begins an overview. If `is_early`, a trace without an index is not searched for its blocks first.
 */
static stele_status overview_begin(viewer *v, bool is_early, stele_overview **out)
{
    const stele_request request = {.where = v->options.where,
                                   .align_starts = v->options.align_starts};
    const stele_overview_options options = {.struct_size = sizeof options,
                                            .request = &request,
                                            .no_pairs = v->options.no_pairs,
                                            .is_early = is_early};
    return stele_overview_open(v->context, v->traces, v->trace_count, &options, out);
}

/* Finds out whether the early overview has to be made again: if events came later than its
   window could hold, they are not pictured where they were. */
static void judge_early(viewer *v)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_overview_get_stats(v->overview, &stats);
    v->is_late = stats.late_count != 0;
}

/* Takes a step of making the exact overview, which replaces the early one when it is complete. */
static stele_status exact_step(viewer *v)
{
    stele_status status = STELE_OK;
    if (v->exact == NULL)
        status = overview_begin(v, false, &v->exact);
    if (status == STELE_OK)
        status = stele_overview_step(v->exact, OVERVIEW_STEP);
    if (status == STELE_OK)
        return STELE_OK;
    if (status == STELE_END) {
        stele_overview_close(v->overview);
        v->overview = v->exact;
        v->was_read = true;
        v->is_known = false;
    } else {
        stele_overview_close(v->exact);
        v->overview_status = status;
    }
    v->exact = NULL;
    v->is_late = false;
    return STELE_END;
}

/*
 * Takes a step of making the overview. Returns STELE_END if it is complete or there will be none.
 */
static stele_status overview_step(viewer *v)
{
    stele_status status = STELE_OK;
    if (v->is_overview_whole)
        return v->is_late ? exact_step(v) : STELE_END;
    if (v->overview == NULL)
        status = overview_begin(v, v->trace_count == 1, &v->overview);
    if (status == STELE_OK)
        status = stele_overview_step(v->overview, OVERVIEW_STEP);
    v->was_read |= status == STELE_OK;
    if (status == STELE_OK)
        return STELE_OK;
    v->is_overview_whole = true;
    v->overview_status = status;
    if (status == STELE_END)
        judge_early(v);
    return v->is_late ? STELE_OK : STELE_END;
}

/* ---- What an overview knows ---- */

/* Returns the track of the traces that a track of the overview belongs to. */
uint32_t viewer_own_track(stele_overview *o, const stele_overview_track *track)
{
    stele_overview_track at = *track;
    while (at.kind != STELE_OVERVIEW_TRACK && at.kind != STELE_OVERVIEW_TRACE && at.parent != 0 &&
           stele_overview_get_track(o, at.parent, &at))
        ;
    return at.kind == STELE_OVERVIEW_TRACK ? at.track : 0;
}

static stele_status know_track(viewer *v, const stele_overview_track *track)
{
    const uint32_t on = viewer_own_track(v->overview, track);
    view_track *t = view_known_track(&v->known, on);
    if (t == NULL)
        return STELE_ERR_MEMORY;
    switch (track->kind) {
    case STELE_OVERVIEW_COUNTER: viewer_counter(v, on, track->name, track->field); break;
    case STELE_OVERVIEW_OPERATIONS: t->async_rows = track->row_count; break;
    case STELE_OVERVIEW_SCHED: t->has |= VIEW_HAS_RUNS; break;
    case STELE_OVERVIEW_INSNS: t->has |= VIEW_HAS_MARKS; break;
    default:
        t->depth_rows = track->row_count;
        t->busy_ns = track->busy_ns;
        if (track->span_count == 0 && track->event_count != 0)
            t->has |= VIEW_HAS_MARKS;
    }
    t->event_count += track->event_count;
    t->span_count += track->span_count;
    if (track->lost_count != 0)
        t->has |= VIEW_HAS_LOSSES;
    return STELE_OK;
}

static stele_status know_activity(viewer *v, const stele_overview_state *state)
{
    view_activity *a = &v->known.activity;
    stele_overview_bin *bins = malloc(VIEW_BINS * sizeof *bins);
    const uint64_t length_ns = (uint64_t)state->end_ns - (uint64_t)state->begin_ns;
    stele_status status = bins != NULL ? STELE_OK : STELE_ERR_MEMORY;
    *a = (view_activity){.begin_ns = state->begin_ns, .width_ns = length_ns / VIEW_BINS + 1};
    for (uint32_t i = 1; status == STELE_OK && i <= stele_overview_track_count(v->overview); i++) {
        stele_overview_track track = STELE_INIT(stele_overview_track);
        if (!stele_overview_get_track(v->overview, i, &track) || track.event_count == 0)
            continue;
        status = stele_overview_bins(v->overview, i, a->begin_ns,
                                     (int64_t)((uint64_t)a->begin_ns + a->width_ns * VIEW_BINS),
                                     VIEW_BINS, bins);
        for (size_t k = 0; status == STELE_OK && k < VIEW_BINS; k++) {
            a->bins[k] += bins[k].event_count;
            a->is_lossy[k] |= (bins[k].flags & STELE_OVERVIEW_LOST) != 0;
        }
    }
    free(bins);
    return status;
}

stele_status viewer_update(viewer *v)
{
    stele_overview_state state = STELE_INIT(stele_overview_state);
    stele_status status = STELE_OK;
    if (v->overview == NULL || v->is_known || (v->scan != NULL && v->scan->into == &v->known))
        return STELE_OK;
    stele_overview_get_state(v->overview, &state);
    v->is_known = v->is_overview_whole;
    memset(v->known.tracks, 0, v->known.track_capacity * sizeof *v->known.tracks);
    v->known.has_range = state.has_range;
    v->known.begin_ns = state.begin_ns;
    v->known.end_ns = state.end_ns;
    v->known.event_count = state.event_count;
    v->known.lost_count = state.lost_count;
    for (uint32_t i = 1; status == STELE_OK && i <= stele_overview_track_count(v->overview); i++) {
        stele_overview_track track = STELE_INIT(stele_overview_track);
        if (stele_overview_get_track(v->overview, i, &track))
            status = know_track(v, &track);
    }
    return status == STELE_OK && state.has_range ? know_activity(v, &state) : status;
}

/* ---- Steps of scan and overview ---- */

/* Takes what a scan of the trace found out when it was opened before. Returns false if that is not
   known. */
static bool take_kept(viewer *v)
{
    void *bytes;
    size_t size;
    bool is_taken = false;
    if (!viewer_can_keep(v) || v->is_late || !stele_trace_index_bytes(v->traces[0], &bytes, &size))
        return false;
    is_taken = kept_take(v, bytes, size) == STELE_OK;
    free(bytes);
    v->is_known |= is_taken;
    return is_taken;
}

/* Takes the next step: the overview of large traces, then the scan, then the overview of traces
   that turned out to be large. Returns STELE_END if everything is known. */
static stele_status step(viewer *v)
{
    stele_status status = filter_step(v);
    if (status == STELE_OK)
        return status;
    if (!v->has_begun && is_pictured_first(v) && overview_step(v) == STELE_OK)
        return STELE_OK;
    if (!v->has_begun && viewer_awaits(v))
        return STELE_OK;
    if (!v->has_begun) {
        v->has_begun = true;
        v->is_scanned = v->overview != NULL && v->overview_status == STELE_END &&
                        (!viewer_can_have_open(v) || take_kept(v));
        v->needs_index = v->is_scanned && v->has_keeper;
        set_muted(v, v->overview != NULL);
        status = v->is_scanned ? STELE_OK : scan_begin(v);
        if (status != STELE_OK)
            scan_conclude(v, status);
        return viewer_update(v);
    }
    if (!v->is_scanned) {
        status = scan_step(v);
        if (status != STELE_OK)
            scan_conclude(v, status);
        return STELE_OK;
    }
    set_muted(v, true);
    if (v->needs_index) {
        v->needs_index = false;
        stele_trace_index(v->traces[0]); /* errors are reported when events are read */
    }
    status = v->overview != NULL || v->known.event_count >= OVERVIEW_EVENTS ? overview_step(v)
                                                                            : STELE_END;
    v->is_known = true;
    set_muted(v, false);
    return status;
}

stele_status viewer_scan(viewer *v, uint64_t duration_ns)
{
    struct timespec from, now;
    stele_status status = STELE_OK;
    uint64_t passed_ns = 0;
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (status == STELE_OK && passed_ns < duration_ns && !viewer_awaits(v)) {
        status = step(v);
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed_ns = (uint64_t)(now.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
                    (uint64_t)from.tv_nsec;
    }
    if (v->scan != NULL && v->scan->p.reader != NULL && v->overview == NULL)
        stele_reader_get_stats(v->scan->p.reader, &v->stats);
    else if (v->overview != NULL && !v->is_scanned)
        stele_overview_get_stats(v->overview, &v->stats);
    if (status == STELE_OK)
        return STELE_OK;
    return v->scan_status != STELE_OK ? v->scan_status : STELE_END;
}

bool viewer_is_busy(const viewer *v)
{
    return v->filtered != NULL && !v->is_filtered_whole;
}
