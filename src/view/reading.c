/* SPDX-License-Identifier: Apache-2.0 */
#include "view/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/list.h"

bool view_is_mark(const stele_event *event)
{
    switch ((stele_kind)event->kind) {
    case STELE_KIND_COMPLETE:
    case STELE_KIND_BEGIN:
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT:
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_END:
    case STELE_KIND_SWITCH:
    case STELE_KIND_LOST:
    case STELE_KIND_OBJECT:
    case STELE_KIND_METADATA: return false;
    default: return (event->flags & STELE_FLAG_NO_TIME) == 0;
    }
}

stele_status viewer_join_conditions(const char *a, const char *b, char **out)
{
    size_t size;
    *out = NULL;
    if (a == NULL || a[0] == 0) {
        a = b;
        b = NULL;
    }
    if (a == NULL || a[0] == 0)
        return STELE_OK;
    size = strlen(a) + (b != NULL ? strlen(b) : 0) + sizeof "() and ()";
    *out = malloc(size);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    if (b != NULL && b[0] != 0)
        snprintf(*out, size, "(%s) and (%s)", a, b);
    else
        snprintf(*out, size, "%s", a);
    return STELE_OK;
}

static bool wants_pairing(const viewer *v, const stele_pairing *pairing)
{
    for (size_t i = 0; i < v->trace_count; i++) {
        if (stele_pairing_wants(pairing, v->traces[i]))
            return true;
    }
    return false;
}

/* Returns whether it is known that the traces have no spans, so that there is nothing to pair. */
static bool has_no_spans(const viewer *v)
{
    if (!v->is_scanned || v->scan_status != STELE_OK)
        return false;
    for (uint32_t i = 0; i < v->known.track_capacity; i++) {
        if (v->known.tracks[i].span_count != 0)
            return false;
    }
    return true;
}

static stele_status make_pairing(pass *p)
{
    const stele_pairing_options options = {.struct_size = sizeof options};
    stele_status status = STELE_OK;
    if (p->v->options.no_pairs || p->r->no_pairing || p->r->span == NULL || has_no_spans(p->v))
        return STELE_OK;
    status = stele_pairing_new(p->v->context, &options, &p->pairing);
    if (status == STELE_OK && !wants_pairing(p->v, p->pairing)) {
        stele_pairing_free(p->pairing);
        p->pairing = NULL;
    }
    return status;
}

static stele_status make_spans(pass *p)
{
    const stele_request only = {.where = p->where};
    const stele_span_options options = {.struct_size = sizeof options,
                                        .no_fields = !p->r->has_fields,
                                        .only = p->where != NULL ? &only : NULL};
    stele_status status = STELE_OK;
    if (p->r->span != NULL)
        status = stele_spans_new(p->v->context, &options, p->r->span, p->r->user, &p->spans);
    p->r->spans = p->spans;
    return status;
}

static stele_status make_sched(pass *p)
{
    const stele_sched_options options = {.struct_size = sizeof options,
                                         .on_thread = p->r->state,
                                         .on_cpu = p->r->run,
                                         .user = p->r->user};
    return p->r->state != NULL || p->r->run != NULL
               ? stele_sched_new(p->v->context, &options, &p->sched)
               : STELE_OK;
}

static stele_bound clock_bound(int64_t time_ns, int64_t open_ns)
{
    return time_ns == open_ns ? (stele_bound){STELE_BOUND_NONE, 0}
                              : (stele_bound){STELE_BOUND_CLOCK, time_ns};
}

/* Returns whether what is on a track depends on the events of that track alone, and so whether the
   streams of other tracks can be left out. */
static bool are_tracks_apart(const pass *p)
{
    const viewer *v = p->v;
    if (p->r->q == NULL || !p->r->q->has_tracks || !v->is_scanned || v->scan_status != STELE_OK ||
        v->streams.is_unusable || v->streams.count == 0 || p->pairing != NULL || p->sched != NULL)
        return false;
    for (uint32_t i = 0; i < v->known.track_capacity; i++) {
        if (v->known.tracks[i].async_rows != 0 || (v->known.tracks[i].has & VIEW_HAS_FLOWS) != 0)
            return false;
    }
    return true;
}

/* Finds the streams to read, if some can be left out. */
static stele_status choose_streams(pass *p)
{
    stele_trace *trace = p->v->traces[0];
    uint32_t first = 0;
    if (!are_tracks_apart(p))
        return STELE_OK;
    if (p->v->streams.is_of_trace) {
        const stele_status status = stele_trace_index(trace);
        if (status != STELE_OK)
            return status;
        first = viewer_first_stream(p->v);
    }
    return view_streams_find(&p->v->streams, p->r->q, first, &p->streams, &p->stream_count)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

static stele_status open_reader(pass *p)
{
    const view_reading *r = p->r;
    stele_request request = {
        .struct_size = sizeof request,
        .columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE,
        .order = STELE_ORDER_TIME,
        .align_starts = p->v->options.align_starts,
        .begin = clock_bound(p->from != NULL ? p->from->time_ns : p->begin_ns, INT64_MIN),
        .end = clock_bound(p->end_ns, INT64_MAX),
        .from_start = p->from == NULL && !r->no_start && viewer_can_have_open(p->v),
        .streams = p->streams,
        .stream_count = p->stream_count};
    /* The engine for spans selects the spans, and needs all events that they are made of. */
    if (r->is_selected)
        request.where = p->where;
    if (r->has_fields)
        request.columns |= STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT;
    if (p->spans != NULL)
        request.columns |= stele_spans_columns(p->spans);
    if (p->pairing != NULL)
        request.columns |= stele_pairing_columns(p->pairing);
    if (p->sched != NULL)
        request.columns |= stele_sched_columns(p->sched);
    if (r->event == NULL && p->sched == NULL && p->spans != NULL) {
        request.kinds = STELE_SPANS_KINDS;
        if (p->pairing != NULL)
            request.kinds |= stele_pairing_kinds(p->pairing);
    }
    return stele_reader_open(p->v->context, p->v->traces, p->v->trace_count, &request, &p->reader);
}

/* Sets the ends of the stretch for the engines that cut spans and intervals there. */
static stele_status set_windows(pass *p)
{
    const int64_t begin_ns = p->from != NULL ? p->begin_ns : p->stats.range_begin_ns;
    const int64_t end_ns = p->stats.range_end_ns;
    stele_status status = STELE_OK;
    if (p->spans != NULL && !p->r->is_whole)
        status = stele_spans_set_window(p->spans, begin_ns, end_ns);
    if (p->spans != NULL && p->stats.has_begin)
        stele_spans_set_origin(p->spans, p->stats.begin_ns);
    if (status == STELE_OK && p->sched != NULL)
        status = stele_sched_set_window(p->sched, begin_ns, end_ns);
    return status;
}

/* Finds the checkpoint to begin at. None can be used if somebody needs what checkpoints do not
   keep: fields that are texts. */
static stele_status choose_checkpoint(pass *p)
{
    const view_reading *r = p->r;
    const bool is_usable = p->where == NULL && !r->no_start && (!r->is_whole || r->has_checkpoint);
    const int64_t from_ns = r->is_whole ? r->from_ns : p->begin_ns;
    if (!is_usable || from_ns == INT64_MIN)
        return STELE_OK;
    p->from = checkpoints_before(&p->v->open, from_ns);
    if (p->from == NULL || p->from->count == 0)
        return STELE_OK;
    p->before = malloc(p->from->count * sizeof *p->before);
    if (p->before == NULL)
        return STELE_ERR_MEMORY;
    memcpy(p->before, p->from->events, p->from->count * sizeof *p->before);
    p->before_count = p->before_capacity = p->from->count;
    return STELE_OK;
}

/* Lets the engines go on from the checkpoint. */
static stele_status go_on(pass *p)
{
    const checkpoint *from = p->from;
    stele_status status = STELE_OK;
    if (from == NULL)
        return STELE_OK;
    if (p->sched != NULL)
        status = stele_sched_go_on(p->sched, from->now, from->now_count);
    if (p->pairing != NULL && from->facts != NULL && status == STELE_OK)
        status = stele_pairing_go_on(p->pairing, from->facts->at, from->facts->count);
    if (p->pairing != NULL && status == STELE_OK)
        status = stele_pairing_go_on(p->pairing, from->runs, from->run_count);
    return status;
}

stele_status pass_open(pass *p, viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns)
{
    stele_status status;
    *p = (pass){.v = v,
                .r = r,
                .begin_ns = begin_ns,
                .end_ns = end_ns,
                .stats = STELE_INIT(stele_reader_stats)};
    status = viewer_join_conditions(v->options.where, r->where, &p->where);
    if (status == STELE_OK)
        status = make_pairing(p);
    if (status == STELE_OK)
        status = make_spans(p);
    if (status == STELE_OK)
        status = make_sched(p);
    if (status == STELE_OK)
        status = choose_checkpoint(p);
    if (status == STELE_OK)
        status = choose_streams(p);
    r->known_ns = p->from != NULL ? p->from->time_ns : INT64_MIN;
    if (status == STELE_OK)
        status = open_reader(p);
    if (status != STELE_OK)
        return status;
    stele_reader_get_stats(p->reader, &p->stats);
    status = set_windows(p);
    return status == STELE_OK ? go_on(p) : status;
}

void pass_close(pass *p)
{
    stele_reader_close(p->reader);
    stele_spans_free(p->spans);
    stele_pairing_free(p->pairing);
    stele_sched_free(p->sched);
    free(p->where);
    free(p->before);
    free(p->streams);
    *p = (pass){.v = NULL};
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    const pass *p = user;
    stele_status status = STELE_OK;
    if (p->r->event != NULL)
        status = p->r->event(p->r->user, segment);
    if (status == STELE_OK && p->spans != NULL)
        status = stele_spans_add(p->spans, segment);
    return status;
}

static stele_status take_segment(pass *p, const stele_segment *segment)
{
    stele_status status = p->r->first != NULL ? p->r->first(p->r->user, segment) : STELE_OK;
    if (p->sched != NULL && status == STELE_OK)
        status = stele_sched_add(p->sched, segment);
    if (status == STELE_OK)
        status = p->pairing != NULL ? stele_pairing_add(p->pairing, segment, take_paired, p)
                                    : take_paired(p, segment);
    return status;
}

/* ---- What is open at a checkpoint ---- */

static int compare_before(const void *left, const void *right)
{
    const kept_event *a = left, *b = right;
    if (a->event.time_ns != b->event.time_ns)
        return a->event.time_ns < b->event.time_ns ? -1 : 1;
    return a->event.ticks < b->event.ticks ? -1 : a->event.ticks > b->event.ticks;
}

static stele_status feed(pass *p, stele_batch *batch)
{
    const stele_segment segment = {batch, 0, batch->event_count};
    stele_status status = STELE_OK;
    if (p->r->has_open && p->r->event != NULL)
        status = p->r->event(p->r->user, &segment);
    if (status == STELE_OK && p->spans != NULL)
        status = stele_spans_add(p->spans, &segment);
    stele_batch_clear(batch);
    return status;
}

/* Gives the events that are open at the checkpoint to the consumer, before those that are read. */
static stele_status feed_before(pass *p)
{
    stele_batch *batch = NULL;
    stele_status status = stele_batch_new(0, &batch);
    if (p->before_count != 0)
        qsort(p->before, p->before_count, sizeof *p->before, compare_before);
    for (size_t i = 0; status == STELE_OK && i < p->before_count; i++) {
        const bool is_full = batch->event_count == batch->event_capacity ||
                             (batch->event_count != 0 && batch->stream != p->before[i].stream);
        if (is_full)
            status = feed(p, batch);
        batch->columns = STELE_COLUMNS_ALL;
        if (status == STELE_OK)
            status = checkpoint_put(batch, &p->before[i]);
    }
    if (status == STELE_OK && batch->event_count != 0)
        status = feed(p, batch);
    stele_batch_free(batch);
    p->is_fed = true;
    return status;
}

/* Keeps the events of a segment that began before the checkpoint, which the reader gives because
   they reach into the stretch. Sets `*count` to their number; they come first in the segment. */
static stele_status keep_before(pass *p, const stele_segment *segment, uint32_t *count)
{
    const stele_event *events = &segment->batch->events[segment->first];
    for (*count = 0; *count < segment->count; ++*count) {
        kept_event *grown = p->before;
        if (events[*count].time_ns >= p->from->time_ns)
            break;
        if (p->before_count == p->before_capacity) {
            grown = list_grow(p->before, sizeof *grown, &p->before_capacity);
            if (grown == NULL)
                return STELE_ERR_MEMORY;
            p->before = grown;
        }
        checkpoint_keep(&grown[p->before_count], segment->batch, &events[*count]);
        grown[p->before_count].event.ticks = p->before_count;
        p->before_count++;
    }
    return *count < segment->count ? feed_before(p) : STELE_OK;
}

/* ---- Steps of a pass ---- */

stele_status pass_step(pass *p)
{
    const stele_segment *segments;
    size_t count;
    stele_status status = stele_reader_next_segments(p->reader, &segments, &count);
    if (status != STELE_OK)
        return status;
    for (size_t i = 0; status == STELE_OK && i < count; i++) {
        stele_segment segment = segments[i];
        uint32_t early = 0;
        if (p->from != NULL && !p->is_fed)
            status = keep_before(p, &segment, &early);
        segment.first += early;
        segment.count -= early;
        if (status == STELE_OK && segment.count != 0)
            status = take_segment(p, &segment);
    }
    p->has_enough = status == STELE_END;
    return status;
}

stele_status pass_finish(pass *p)
{
    stele_status status = STELE_OK;
    stele_reader_get_stats(p->reader, &p->stats);
    if (p->from != NULL && !p->is_fed)
        status = feed_before(p);
    if (p->pairing != NULL)
        stele_pairing_finish(p->pairing);
    if (status == STELE_OK && p->spans != NULL)
        status = stele_spans_finish(p->spans);
    if (status == STELE_OK && p->sched != NULL)
        status = stele_sched_finish(p->sched);
    return status;
}

stele_status viewer_read(viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns)
{
    pass p;
    stele_status status = pass_open(&p, v, r, begin_ns, end_ns);
    unsigned step_count = 0;
    while (status == STELE_OK) {
        status = pass_step(&p);
        if (status == STELE_OK && ++step_count % 64 == 0 && !viewer_goes_on(v))
            status = STELE_ERR_CLOSED;
    }
    if (status == STELE_END)
        status = p.has_enough ? STELE_OK : pass_finish(&p);
    if (status == STELE_END) /* the consumer wants no more of what was open to the end */
        status = STELE_OK;
    pass_close(&p);
    return status;
}
