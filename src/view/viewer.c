/* SPDX-License-Identifier: Apache-2.0 */
#include "view/viewer.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

stele_status viewer_new(stele_context *context, stele_trace *const *traces, size_t count,
                        const viewer_options *options, viewer **out)
{
    viewer *v = calloc(1, sizeof *v);
    *out = v;
    if (v == NULL)
        return STELE_ERR_MEMORY;
    v->context = context;
    v->traces = traces;
    v->trace_count = count;
    v->options = *options;
    v->stats = (stele_reader_stats)STELE_INIT(stele_reader_stats);
    return STELE_OK;
}

void viewer_set_go_on(viewer *v, view_go_on_fn *fn, void *user)
{
    v->go_on = fn;
    v->go_on_user = user;
}

bool viewer_goes_on(const viewer *v)
{
    return v->go_on == NULL || v->go_on(v->go_on_user);
}

/* ---- Tracks and counters --------------------------------------------------------------------- */

view_track *viewer_track(viewer *v, uint32_t track)
{
    if (track >= v->track_capacity) {
        const size_t capacity = (size_t)track + 64;
        view_track *grown = realloc(v->tracks, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + v->track_capacity, 0, (capacity - v->track_capacity) * sizeof *grown);
        v->tracks = grown;
        v->track_capacity = capacity;
    }
    return &v->tracks[track];
}

uint32_t viewer_counter(viewer *v, uint32_t track, stele_name name, stele_name field)
{
    view_counter *grown;
    for (size_t i = 0; i < v->counter_count; i++) {
        const view_counter *c = &v->counters[i];
        if (c->track == track && c->name == name && c->field == field)
            return (uint32_t)i;
    }
    if (v->counter_count == VIEW_COUNTERS_MAX) {
        v->has_more_counters = true;
        return UINT32_MAX;
    }
    if ((v->counter_count & (v->counter_count - 1)) == 0) {
        grown = realloc(v->counters, (v->counter_count * 2 + 1) * sizeof *grown);
        if (grown == NULL)
            return UINT32_MAX;
        v->counters = grown;
    }
    v->counters[v->counter_count] = (view_counter){track, name, field};
    return (uint32_t)v->counter_count++;
}

/* ---- Names of an answer ---------------------------------------------------------------------- */

bool viewer_begin_names(viewer *v)
{
    v->answer_number++;
    v->name_count = 0;
    return true;
}

static bool room_for_name(viewer *v, stele_name name)
{
    if (name >= v->name_capacity) {
        const size_t capacity = (size_t)stele_name_count(v->context) + 1024;
        uint32_t *grown = name < capacity ? realloc(v->name_used, capacity * sizeof *grown) : NULL;
        if (grown == NULL)
            return false;
        memset(grown + v->name_capacity, 0, (capacity - v->name_capacity) * sizeof *grown);
        v->name_used = grown;
        v->name_capacity = capacity;
    }
    if (v->name_count == v->names_capacity) {
        const size_t capacity = v->names_capacity * 2 + 64;
        stele_name *grown = realloc(v->names, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        v->names = grown;
        v->names_capacity = capacity;
    }
    return true;
}

stele_name viewer_use_name(viewer *v, stele_name name)
{
    if (name == 0 || (name & STELE_NAME_LOCAL) != 0)
        return 0;
    if (name < v->name_capacity && v->name_used[name] == v->answer_number)
        return name;
    if (!room_for_name(v, name))
        return 0;
    v->name_used[name] = v->answer_number;
    v->names[v->name_count++] = name;
    return name;
}

void viewer_put_names(viewer *v, stele_output *out)
{
    stele_output_text(out, "\"names\":{");
    for (size_t i = 0; i < v->name_count; i++) {
        const stele_text text = stele_name_text(v->context, NULL, v->names[i]);
        stele_output_printf(out, "%s\"%u\":", i != 0 ? "," : "", (unsigned)v->names[i]);
        view_put_text(out, text.bytes, text.size, VIEW_NAME_MAX);
    }
    stele_output_byte(out, '}');
}

/* ---- Text and numbers ------------------------------------------------------------------------ */

void view_put_text(stele_output *out, const char *bytes, size_t size, size_t most)
{
    const size_t shown = size < most ? size : most;
    size_t at = 0;
    stele_output_byte(out, '"');
    while (at < shown) {
        bool is_control = false;
        const size_t length = stele_character(bytes + at, size - at, &is_control);
        if (length == 0 || is_control) {
            for (size_t i = 0; i < (length != 0 ? length : 1); i++)
                stele_output_printf(out, "\\\\x%02X", (unsigned)(uint8_t)bytes[at + i]);
        } else {
            stele_output_json(out, bytes + at, length);
        }
        at += length != 0 ? length : 1;
    }
    if (at < size)
        stele_output_printf(out, "... (%zu of %zu bytes)", at, size);
    stele_output_byte(out, '"');
}

void view_put_int(stele_output *out, int64_t value)
{
    char text[24];
    size_t at = sizeof text;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (value < 0)
        text[--at] = '-';
    stele_output_write(out, text + at, sizeof text - at);
}

/* ---- Reading a stretch ----------------------------------------------------------------------- */

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

/* All that a stretch is read through. */
typedef struct pass {
    viewer *v;
    view_reading *r;
    stele_reader *reader;
    stele_pairing *pairing;
    stele_spans *spans;
    stele_sched *sched;
    char *where;            /* of the viewer and of the reading together; NULL: none */
    bool has_enough;        /* whoever takes the events wants no more */
    const checkpoint *from; /* where it begins; NULL: at the start */
    kept_event *before;     /* what is open there */
    size_t before_count, before_capacity;
    bool is_fed;              /* that was taken */
    int64_t begin_ns, end_ns; /* of the stretch */
    stele_reader_stats stats;
} pass;

/* Both conditions as one. */
static stele_status join_conditions(const char *a, const char *b, char **out)
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

static stele_status make_pairing(pass *p)
{
    const stele_pairing_options options = {.struct_size = sizeof options};
    stele_status status = STELE_OK;
    if (p->v->options.no_pairs || p->r->no_pairing || p->r->span == NULL)
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
        .from_start = p->from == NULL && !r->no_start};
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

/* The ends of the stretch, for those who cut spans at them. */
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

/* Reading can begin in the middle where all that is open there is known, and nobody asks for what
   is not kept of it: texts among its fields, the moments that it was paired of. */
static stele_status choose_checkpoint(pass *p)
{
    const view_reading *r = p->r;
    const bool is_usable = p->pairing == NULL && p->where == NULL && !r->no_start &&
                           p->v->trace_count == 1 && (!r->is_whole || r->has_checkpoint);
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

static stele_status pass_open(pass *p, viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns)
{
    stele_status status;
    *p = (pass){.v = v,
                .r = r,
                .begin_ns = begin_ns,
                .end_ns = end_ns,
                .stats = STELE_INIT(stele_reader_stats)};
    status = join_conditions(v->options.where, r->where, &p->where);
    if (status == STELE_OK)
        status = make_pairing(p);
    if (status == STELE_OK)
        status = make_spans(p);
    if (status == STELE_OK)
        status = make_sched(p);
    if (status == STELE_OK)
        status = choose_checkpoint(p);
    r->known_ns = p->from != NULL ? p->from->time_ns : INT64_MIN;
    if (status == STELE_OK)
        status = open_reader(p);
    if (status != STELE_OK)
        return status;
    stele_reader_get_stats(p->reader, &p->stats);
    return set_windows(p);
}

static void pass_close(pass *p)
{
    stele_reader_close(p->reader);
    stele_spans_free(p->spans);
    stele_pairing_free(p->pairing);
    stele_sched_free(p->sched);
    free(p->where);
    free(p->before);
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
    stele_status status = STELE_OK;
    if (p->sched != NULL)
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
    if (p->sched != NULL)
        status = stele_sched_add(p->sched, &segment);
    if (status == STELE_OK && p->spans != NULL)
        status = stele_spans_add(p->spans, &segment);
    stele_batch_clear(batch);
    return status;
}

/* Gives what is open to those who want to know; events that were read come after it. */
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

/* Keeps the events that began before the checkpoint, and are given because they reach into the
   stretch; gives how many there are at the begin of the segment. */
static stele_status keep_before(pass *p, const stele_segment *segment, uint32_t *count)
{
    const stele_event *events = &segment->batch->events[segment->first];
    for (*count = 0; *count < segment->count; ++*count) {
        kept_event *grown = p->before;
        if (events[*count].time_ns >= p->from->time_ns)
            break;
        if (p->before_count == p->before_capacity) {
            grown = realloc(p->before, (p->before_capacity * 2 + 64) * sizeof *grown);
            if (grown == NULL)
                return STELE_ERR_MEMORY;
            p->before = grown;
            p->before_capacity = p->before_capacity * 2 + 64;
        }
        checkpoint_keep(&grown[p->before_count], segment->batch, &events[*count]);
        grown[p->before_count].event.ticks = p->before_count;
        p->before_count++;
    }
    return *count < segment->count ? feed_before(p) : STELE_OK;
}

/* ---- Steps ---- */

/* Takes what the reader has at once. */
static stele_status pass_step(pass *p)
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

static stele_status pass_finish(pass *p)
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
    if (status == STELE_END) /* of what was open to the end */
        status = STELE_OK;
    pass_close(&p);
    return status;
}

/* ---- The scan: everything once --------------------------------------------------------------- */

struct view_scan {
    viewer *v;
    view_reading r;
    pass p;
};

static void activity_widen(view_activity *a)
{
    for (size_t i = 0; i < VIEW_BINS; i++) {
        const size_t from = i * 2;
        a->bins[i] = from < VIEW_BINS ? a->bins[from] + a->bins[from + 1] : 0;
        a->is_lossy[i] = from < VIEW_BINS && (a->is_lossy[from] || a->is_lossy[from + 1]);
    }
    a->width_ns *= 2;
}

static void activity_add(view_activity *a, int64_t time_ns, bool is_lossy)
{
    uint64_t far;
    if (a->width_ns == 0) {
        a->width_ns = 1;
        a->begin_ns = time_ns;
    }
    far = time_ns > a->begin_ns ? (uint64_t)time_ns - (uint64_t)a->begin_ns : 0;
    while (far / a->width_ns >= VIEW_BINS)
        activity_widen(a);
    a->bins[far / a->width_ns]++;
    a->is_lossy[far / a->width_ns] |= is_lossy;
}

static void see_time(viewer *v, int64_t time_ns, bool is_lossy)
{
    if (!v->has_range) {
        v->has_range = true;
        v->begin_ns = time_ns;
        v->end_ns = time_ns;
    }
    if (time_ns < v->begin_ns)
        v->begin_ns = time_ns;
    if (time_ns > v->end_ns)
        v->end_ns = time_ns;
    activity_add(&v->activity, time_ns, is_lossy);
}

/* The fields of a counter that are numbers are what is plotted. */
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
        grown = realloc(v->losses, (v->loss_count * 2 + 1) * sizeof *grown);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        v->losses = grown;
    }
    v->losses[v->loss_count++] = (view_loss){event->time_ns, (int64_t)event->id, event->offset,
                                             event->value,   event->track,       event->name};
    return STELE_OK;
}

static stele_status scan_event(viewer *v, const stele_batch *batch, const stele_event *event)
{
    view_track *track = viewer_track(v, event->track);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    v->event_count++;
    track->event_count++;
    if ((event->flags & STELE_FLAG_NO_TIME) == 0)
        see_time(v, event->time_ns, event->kind == STELE_KIND_LOST);
    if (event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > v->end_ns)
        v->end_ns = (int64_t)event->id;
    if (event->kind == STELE_KIND_LOST) {
        track->has |= VIEW_HAS_LOSSES;
        v->lost_count += event->value;
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

static stele_status scan_events(void *user, const stele_segment *segment)
{
    const view_scan *s = user;
    stele_status status = STELE_OK;
    if (s->p.pairing == NULL && s->v->trace_count == 1)
        checkpoints_see(&s->v->open, segment, s->p.spans, stele_track_count(s->v->context));
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++)
        status = scan_event(s->v, segment->batch, &segment->batch->events[segment->first + i]);
    return status;
}

static stele_status scan_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    const view_scan *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        view_track *track = viewer_track(s->v, span->track);
        if (track == NULL)
            return STELE_ERR_MEMORY;
        track->span_count++;
        if (span->source == STELE_SPAN_FLOW) {
            track->has |= VIEW_HAS_FLOWS;
        } else if (span->source == STELE_SPAN_ASYNC || span->source == STELE_SPAN_PAIR) {
            if (track->async_rows == 0)
                track->async_rows = 1;
        } else {
            if (span->depth >= track->depth_rows)
                track->depth_rows = span->depth < VIEW_DEPTH_MAX ? span->depth + 1 : VIEW_DEPTH_MAX;
            if (span->depth == 0)
                track->busy_ns += stele_span_duration_ns(span);
        }
    }
    return STELE_OK;
}

static stele_status scan_state(void *user, const stele_thread_interval *interval)
{
    const view_scan *s = user;
    view_track *track = viewer_track(s->v, interval->thread);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    track->has |= VIEW_HAS_STATES;
    return STELE_OK;
}

static stele_status scan_run(void *user, const stele_cpu_interval *interval)
{
    const view_scan *s = user;
    view_track *track = viewer_track(s->v, interval->cpu);
    if (track == NULL)
        return STELE_ERR_MEMORY;
    if (interval->state != STELE_CPU_UNKNOWN) {
        track->has |= VIEW_HAS_RUNS;
        s->v->has_schedule = true;
    }
    return STELE_OK;
}

static stele_status scan_begin(viewer *v)
{
    view_scan *s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    v->scan = s;
    v->has_begun = true;
    s->v = v;
    s->r = (view_reading){.has_fields = true,
                          .span = scan_spans,
                          .event = scan_events,
                          .state = scan_state,
                          .run = scan_run,
                          .user = s};
    return pass_open(&s->p, v, &s->r, INT64_MIN, INT64_MAX);
}

static void scan_end(viewer *v, stele_status status)
{
    pass_close(&v->scan->p);
    free(v->scan);
    v->scan = NULL;
    v->is_scanned = true;
    v->scan_status = status;
}

/* ---- Overviews of what is too much to read for each picture -----------------------------------
 */

#define CROWDED_EVENTS  150000u /* of a picture */
#define OVERVIEW_EVENTS 400000u /* of a trace */
#define OVERVIEW_STEP   20000u

bool viewer_is_crowded(const viewer *v, const question *q)
{
    const view_activity *a = &v->activity;
    uint64_t sum = 0, begin, end;
    if (v->overview == NULL || a->width_ns == 0 || q->where[0] != 0 || q->end_ns <= a->begin_ns)
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

/* Goes on with the overview, which is begun when it is known to be needed. */
static stele_status overview_step(viewer *v)
{
    const stele_request request = {.where = v->options.where,
                                   .align_starts = v->options.align_starts};
    const stele_overview_options options = {
        .struct_size = sizeof options, .request = &request, .no_pairs = v->options.no_pairs};
    stele_status status = STELE_OK;
    if (v->is_overview_whole || v->event_count < OVERVIEW_EVENTS)
        return STELE_END;
    if (v->options.findings != NULL)
        v->options.findings->is_muted = true;
    if (v->overview == NULL)
        status = stele_overview_open(v->context, v->traces, v->trace_count, &options, &v->overview);
    if (status == STELE_OK)
        status = stele_overview_step(v->overview, OVERVIEW_STEP);
    if (v->options.findings != NULL)
        v->options.findings->is_muted = false;
    if (status == STELE_OK)
        return STELE_OK;
    v->is_overview_whole = true;
    v->overview_status = status;
    return STELE_END;
}

/* ---- Going on with both -----------------------------------------------------------------------
 */

static stele_status scan_step(viewer *v)
{
    stele_status status = STELE_OK;
    for (unsigned i = 0; status == STELE_OK && i < 16; i++)
        status = pass_step(&v->scan->p);
    return status;
}

static void scan_conclude(viewer *v, stele_status status)
{
    if (status == STELE_END)
        status = pass_finish(&v->scan->p);
    if (v->scan != NULL)
        scan_end(v, status);
}

stele_status viewer_scan(viewer *v, uint64_t duration_ns)
{
    struct timespec from, now;
    stele_status status = v->has_begun ? STELE_OK : scan_begin(v);
    uint64_t passed_ns = 0;
    bool is_more = status == STELE_OK;
    if (status != STELE_OK)
        scan_conclude(v, status);
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (is_more && passed_ns < duration_ns) {
        if (!v->is_scanned) {
            status = scan_step(v);
            if (status != STELE_OK)
                scan_conclude(v, status);
        }
        is_more = overview_step(v) == STELE_OK || !v->is_scanned;
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed_ns = (uint64_t)(now.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
                    (uint64_t)from.tv_nsec;
    }
    if (v->scan != NULL && v->scan->p.reader != NULL)
        stele_reader_get_stats(v->scan->p.reader, &v->stats);
    if (is_more)
        return STELE_OK;
    return v->scan_status != STELE_OK ? v->scan_status : STELE_END;
}

void viewer_free(viewer *v)
{
    if (v == NULL)
        return;
    if (v->scan != NULL) {
        pass_close(&v->scan->p);
        free(v->scan);
    }
    checkpoints_free(&v->open);
    stele_overview_close(v->overview);
    free(v->losses);
    free(v->tracks);
    free(v->counters);
    free(v->name_used);
    free(v->names);
    free(v);
}
