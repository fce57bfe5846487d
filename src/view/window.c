/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be drawn of a stretch of time: rows of spans, marks, counters, states, losses and
   arrows. */
#include <math.h>
#include <stdlib.h>

#include "view/list.h"
#include "view/picture.h"

static stele_status add_operation(picture *p, const lane_entry *entry, uint32_t track)
{
    if (p->operation_count == OPERATIONS_MAX) {
        p->scale.left_out++;
        return STELE_OK;
    }
    if (p->operation_count == p->operation_capacity) {
        operation *grown = list_grow(p->operations, sizeof *grown, &p->operation_capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        p->operations = grown;
    }
    p->operations[p->operation_count++] = (operation){*entry, track};
    return STELE_OK;
}

static void add_arrow(picture *p, const stele_span *span)
{
    if (!question_wants(p->q, span->track) && !question_wants(p->q, span->end_track))
        return;
    if (p->arrow_count == ARROWS_MAX || span->end != STELE_SPAN_RETURNED) {
        p->arrow_left_out++;
        return;
    }
    p->arrows[p->arrow_count++] =
        (arrow){span->begin_ns, span->end_ns, span->track, span->end_track, span->name};
}

/* ---- Taking spans and events ----------------------------------------------------------------- */

static stele_status take_span(picture *p, stele_span *span)
{
    const bool is_in = viewer_end_open(p->v, span, p->scale.begin_ns);
    /* The span ends only because the picture does. */
    const bool is_cut = span->end == STELE_SPAN_OPEN && !viewer_is_open(p->v, span);
    const uint64_t duration_ns = stele_span_duration_ns(span);
    const lane_entry entry = {.begin_ns = span->begin_ns,
                              .end_ns = span->end_ns,
                              .offset = span->begin_offset,
                              .busy_ns = duration_ns,
                              .longest_ns = duration_ns,
                              .count = 1,
                              .name = span->name,
                              .data = is_cut ? STELE_SPAN_RETURNED : span->end};
    track_rows *rows;
    lane *l;
    if (!is_in)
        return STELE_OK;
    if (span->source == STELE_SPAN_FLOW) {
        add_arrow(p, span);
        return STELE_OK;
    }
    if (!question_wants(p->q, span->track))
        return STELE_OK;
    rows = picture_rows(p, span->track);
    if (rows == NULL)
        return STELE_ERR_MEMORY;
    if (span->source == STELE_SPAN_ASYNC || span->source == STELE_SPAN_PAIR)
        return add_operation(p, &entry, span->track);
    if (span->depth >= VIEW_DEPTH_MAX) {
        p->deep_count++;
        return STELE_OK;
    }
    l = picture_lane(&rows->depths, &rows->depth_count, span->depth);
    return l != NULL && picture_lane_add(l, &p->scale, &entry) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    picture *p = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        stele_span span = spans[i];
        status = take_span(p, &span);
    }
    return status;
}

static double number_of(const stele_field *field)
{
    switch ((stele_type)field->type) {
    case STELE_TYPE_INT: return (double)field->u.i;
    case STELE_TYPE_FLOAT: return field->u.f;
    default: return (double)field->u.u;
    }
}

static stele_status take_counter(picture *p, const stele_batch *batch, const stele_event *event)
{
    uint32_t at, count = stele_event_fields(batch, event, &at);
    const uint32_t end = at + count;
    while (at < end) {
        const stele_field *field = &batch->fields[at];
        at += stele_field_length(field);
        if (field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_FLOAT) {
            const uint32_t number = viewer_counter(p->v, event->track, event->name, field->name);
            plot *to = number != UINT32_MAX ? picture_plot(p, number) : NULL;
            const double value = number_of(field);
            if (number == UINT32_MAX || !isfinite(value))
                continue;
            if (to == NULL || !plot_add(to, &p->scale, event->time_ns, value))
                return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

/* Adds a loss if its track is asked for. */
static stele_status add_loss(picture *p, const view_loss *loss)
{
    const uint64_t duration_ns = (uint64_t)loss->end_ns - (uint64_t)loss->begin_ns;
    const lane_entry entry = {.begin_ns = loss->begin_ns,
                              .end_ns = loss->end_ns,
                              .offset = loss->offset,
                              .busy_ns = duration_ns,
                              .longest_ns = duration_ns,
                              .count = 1,
                              .name = loss->name,
                              .data =
                                  loss->count < UINT32_MAX ? (uint32_t)loss->count : UINT32_MAX};
    track_rows *rows;
    if (!question_wants(p->q, loss->track))
        return STELE_OK;
    rows = picture_rows(p, loss->track);
    return rows != NULL && picture_lane_add(&rows->losses, &p->scale, &entry) ? STELE_OK
                                                                              : STELE_ERR_MEMORY;
}

/* Adds the losses that began before the stretch, which the scan has found. */
static stele_status add_earlier_losses(picture *p)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < p->v->loss_count; i++) {
        const view_loss *loss = &p->v->losses[i];
        if (loss->begin_ns < p->scale.begin_ns && loss->end_ns > p->scale.begin_ns)
            status = add_loss(p, loss);
    }
    return status;
}

/* Returns whether a moment or a value fits the condition. */
static bool is_wanted(const picture *p, const stele_batch *batch, const stele_event *event)
{
    const stele_segment segment = {batch, (uint32_t)(event - batch->events), 1};
    return !p->no_moments &&
           (p->only == NULL || stele_expression_holds(p->only, &segment, 0, NULL));
}

static stele_status make_only(picture *p)
{
    char *where = NULL;
    stele_status status = viewer_join_conditions(p->v->options.where, p->q->where, &where);
    if (status == STELE_OK && where != NULL)
        status = stele_expression_new(p->v->context, where, &p->only);
    free(where);
    if (p->only == NULL)
        return status;
    p->no_moments = stele_expression_needs_spans(p->only);
    if (p->v->known.has_range)
        stele_expression_set_origin(p->only, p->v->known.begin_ns);
    p->r.has_fields |=
        (stele_expression_columns(p->only) & (STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT)) != 0;
    return status;
}

static stele_status take_event(picture *p, const stele_batch *batch, const stele_event *event)
{
    lane_entry mark;
    track_rows *rows;
    if (!question_wants(p->q, event->track) || (event->flags & STELE_FLAG_NO_TIME) != 0)
        return STELE_OK;
    if (event->time_ns < p->scale.begin_ns)
        return STELE_OK;
    if (event->kind == STELE_KIND_LOST)
        return add_loss(p, &(view_loss){event->time_ns,
                                        (int64_t)event->id > event->time_ns ? (int64_t)event->id
                                                                            : event->time_ns,
                                        event->offset, event->value, event->track, event->name});
    if (!is_wanted(p, batch, event))
        return STELE_OK;
    if (event->kind == STELE_KIND_COUNTER)
        return take_counter(p, batch, event);
    if (!view_is_mark(event))
        return STELE_OK;
    rows = picture_rows(p, event->track);
    if (rows == NULL)
        return STELE_ERR_MEMORY;
    mark = (lane_entry){.begin_ns = event->time_ns,
                        .end_ns = event->time_ns,
                        .offset = event->offset,
                        .count = 1,
                        .name = event->name,
                        .data = event->kind};
    return picture_lane_add(&rows->marks, &p->scale, &mark) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status take_events(void *user, const stele_segment *segment)
{
    picture *p = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++)
        status = take_event(p, segment->batch, &segment->batch->events[segment->first + i]);
    return status;
}

static stele_status add_interval(picture *p, uint32_t track, bool is_state, const lane_entry *entry)
{
    track_rows *rows;
    if (!question_wants(p->q, track))
        return STELE_OK;
    rows = picture_rows(p, track);
    return rows != NULL &&
                   picture_lane_add(is_state ? &rows->states : &rows->runs, &p->scale, entry)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

static stele_status take_state(void *user, const stele_thread_interval *interval)
{
    const uint64_t duration_ns = (uint64_t)interval->end_ns - (uint64_t)interval->begin_ns;
    return add_interval(user, interval->thread, true,
                        &(lane_entry){.begin_ns = interval->begin_ns,
                                      .end_ns = interval->end_ns,
                                      .offset = interval->offset,
                                      .busy_ns = duration_ns,
                                      .longest_ns = duration_ns,
                                      .count = 1,
                                      .name = interval->reason,
                                      .data = interval->state});
}

static stele_status take_run(void *user, const stele_cpu_interval *interval)
{
    const uint64_t duration_ns = (uint64_t)interval->end_ns - (uint64_t)interval->begin_ns;
    const stele_track *thread = stele_track_get(((picture *)user)->v->context, interval->thread);
    if (interval->state != STELE_CPU_BUSY)
        return STELE_OK;
    return add_interval(user, interval->cpu, false,
                        &(lane_entry){.begin_ns = interval->begin_ns,
                                      .end_ns = interval->end_ns,
                                      .offset = interval->offset,
                                      .busy_ns = duration_ns,
                                      .longest_ns = duration_ns,
                                      .count = 1,
                                      .name = thread != NULL ? thread->name : 0,
                                      .data = interval->thread});
}

/* ---- Operations in rows ---------------------------------------------------------------------- */

static int compare_operations(const void *left, const void *right)
{
    const operation *a = left, *b = right;
    if (a->entry.begin_ns != b->entry.begin_ns)
        return a->entry.begin_ns < b->entry.begin_ns ? -1 : 1;
    /* the longer operation comes first, so that it is above */
    if (a->entry.end_ns != b->entry.end_ns)
        return a->entry.end_ns > b->entry.end_ns ? -1 : 1;
    return a->entry.offset < b->entry.offset ? -1 : a->entry.offset > b->entry.offset;
}

/* Puts an operation into the first row that is free when it begins. */
static stele_status place_operation(picture *p, const operation *o)
{
    track_rows *rows = picture_rows(p, o->track);
    uint32_t index = 0;
    lane *l;
    if (rows == NULL)
        return STELE_ERR_MEMORY;
    while (index < rows->operation_count && rows->operations[index].count != 0 &&
           rows->operations[index].entries[rows->operations[index].count - 1].end_ns >
               o->entry.begin_ns)
        index++;
    if (index >= ASYNC_ROWS_MAX) {
        p->scale.left_out++;
        return STELE_OK;
    }
    l = picture_lane(&rows->operations, &rows->operation_count, index);
    return l != NULL && picture_lane_add(l, &p->scale, &o->entry) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status place_operations(picture *p)
{
    stele_status status = STELE_OK;
    if (p->operation_count != 0)
        qsort(p->operations, p->operation_count, sizeof *p->operations, compare_operations);
    for (size_t i = 0; status == STELE_OK && i < p->operation_count; i++)
        status = place_operation(p, &p->operations[i]);
    return status;
}

/* ---- Writing the picture --------------------------------------------------------------------- */

typedef enum row_kind {
    ROW_SPANS,
    ROW_OPERATIONS,
    ROW_MARKS,
    ROW_LOSSES,
    ROW_STATES,
    ROW_RUNS
} row_kind;

static const char *const row_names[] = {"spans", "async", "marks", "losses", "states", "runs"};

typedef int64_t entry_number_fn(picture *p, const lane_entry *entry);

static int64_t entry_begin(picture *p, const lane_entry *entry)
{
    return (int64_t)((uint64_t)entry->begin_ns - (uint64_t)p->scale.begin_ns);
}

static int64_t entry_duration(picture *p, const lane_entry *entry)
{
    (void)p;
    return (int64_t)((uint64_t)entry->end_ns - (uint64_t)entry->begin_ns);
}

static int64_t entry_busy(picture *p, const lane_entry *entry)
{
    (void)p;
    return (int64_t)entry->busy_ns;
}

static int64_t entry_name(picture *p, const lane_entry *entry)
{
    return viewer_use_name(p->v, entry->name);
}

static int64_t entry_count(picture *p, const lane_entry *entry)
{
    (void)p;
    return entry->count;
}

static int64_t entry_data(picture *p, const lane_entry *entry)
{
    (void)p;
    return entry->data;
}

static int64_t entry_offset(picture *p, const lane_entry *entry)
{
    (void)p;
    return (int64_t)entry->offset;
}

#define COLUMN_PART 256u

static void put_column(picture *p, stele_json *j, const char *key, const lane *l,
                       entry_number_fn *number)
{
    int64_t values[COLUMN_PART];
    stele_json_open(j, key, '[');
    for (uint32_t i = 0; i < l->count;) {
        uint32_t some = 0;
        while (some < COLUMN_PART && i < l->count)
            values[some++] = number(p, &l->entries[i++]);
        stele_json_int_elements(j, values, some);
    }
    stele_json_close(j, ']');
}

/* Writes a column of numbers; leaves it out if all are zero. */
static void put_sparse(picture *p, stele_json *j, const char *key, const lane *l,
                       entry_number_fn *number)
{
    uint32_t zeros = 0;
    while (zeros < l->count && number(p, &l->entries[zeros]) == 0)
        zeros++;
    if (zeros != l->count)
        put_column(p, j, key, l, number);
}

static void open_row(stele_json *j, uint32_t track, const char *name, uint32_t index)
{
    stele_json_open(j, NULL, '{');
    stele_json_uint(j, "track", track);
    stele_json_text(j, "row", name);
    stele_json_uint(j, "index", index);
}

static void put_lane(picture *p, stele_json *j, uint32_t track, row_kind kind, uint32_t index,
                     const lane *l)
{
    if (l->count == 0)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        p->dense_count += l->entries[i].count > 1;
    open_row(j, track, row_names[kind], index);
    put_column(p, j, "begin", l, entry_begin);
    if (kind != ROW_MARKS)
        put_column(p, j, "dur", l, entry_duration);
    put_sparse(p, j, "name", l, entry_name);
    put_column(p, j, "count", l, entry_count);
    if (kind == ROW_SPANS || kind == ROW_STATES || kind == ROW_RUNS)
        put_sparse(p, j, "busy", l, entry_busy);
    if (kind != ROW_SPANS)
        put_sparse(p, j, "offset", l, entry_offset);
    put_sparse(p, j, "data", l, entry_data);
    stele_json_close(j, '}');
}

static void put_track(picture *p, stele_json *j, uint32_t track, const track_rows *rows)
{
    for (uint32_t i = 0; i < rows->depth_count; i++)
        put_lane(p, j, track, ROW_SPANS, i, &rows->depths[i]);
    for (uint32_t i = 0; i < rows->operation_count; i++)
        put_lane(p, j, track, ROW_OPERATIONS, i, &rows->operations[i]);
    put_lane(p, j, track, ROW_MARKS, 0, &rows->marks);
    put_lane(p, j, track, ROW_LOSSES, 0, &rows->losses);
    put_lane(p, j, track, ROW_STATES, 0, &rows->states);
    put_lane(p, j, track, ROW_RUNS, 0, &rows->runs);
}

/* Returns a time counted from the begin of the picture, so that it is a small number. */
static int64_t since_begin(const picture *p, int64_t time_ns)
{
    return (int64_t)((uint64_t)time_ns - (uint64_t)p->scale.begin_ns);
}

static void put_plot(picture *p, stele_json *j, uint32_t number, const plot *of)
{
    const view_counter *c = &p->v->counters[number];
    open_row(j, c->track, "counter", number);
    stele_json_open(j, "begin", '[');
    for (uint32_t i = 0; i < of->count; i++)
        stele_json_int(j, NULL, since_begin(p, of->entries[i].begin_ns));
    stele_json_close(j, ']');
    stele_json_open(j, "min", '[');
    for (uint32_t i = 0; i < of->count; i++)
        stele_json_double(j, NULL, of->entries[i].least);
    stele_json_close(j, ']');
    stele_json_open(j, "max", '[');
    for (uint32_t i = 0; i < of->count; i++)
        stele_json_double(j, NULL, of->entries[i].most);
    stele_json_close(j, ']');
    stele_json_open(j, "last", '[');
    for (uint32_t i = 0; i < of->count; i++)
        stele_json_double(j, NULL, of->entries[i].last);
    stele_json_close(j, ']');
    stele_json_open(j, "count", '[');
    for (uint32_t i = 0; i < of->count; i++) {
        p->dense_count += of->entries[i].count > 1;
        stele_json_uint(j, NULL, of->entries[i].count);
    }
    stele_json_close(j, ']');
    stele_json_close(j, '}');
}

/* Writes [begin, end, track where it begins, track where it ends, name] of each arrow. */
static void put_arrows(const picture *p, stele_json *j)
{
    stele_json_open(j, "arrows", '[');
    for (size_t i = 0; i < p->arrow_count; i++) {
        const arrow *a = &p->arrows[i];
        stele_json_open(j, NULL, '[');
        stele_json_int(j, NULL, since_begin(p, a->begin_ns));
        stele_json_int(j, NULL, since_begin(p, a->end_ns));
        stele_json_uint(j, NULL, a->from);
        stele_json_uint(j, NULL, a->to);
        stele_json_uint(j, NULL, viewer_use_name(p->v, a->name));
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
}

static void put_picture(picture *p, stele_output *out)
{
    stele_json j = {.out = out, .is_line = true};
    stele_json_open(&j, NULL, '{');
    stele_json_int_text(&j, "begin", p->scale.begin_ns);
    stele_json_int_text(&j, "end", p->q->end_ns);
    stele_json_uint(&j, "pixel", p->scale.pixel_ns);
    stele_json_open(&j, "rows", '[');
    for (size_t i = 0; i < p->track_capacity; i++) {
        if (p->tracks[i] != NULL)
            put_track(p, &j, (uint32_t)i, p->tracks[i]);
    }
    for (size_t i = 0; i < p->plot_capacity; i++) {
        if (p->plots[i].count != 0)
            put_plot(p, &j, (uint32_t)i, &p->plots[i]);
    }
    stele_json_close(&j, ']');
    put_arrows(p, &j);
    stele_json_bool(&j, "summary", p->overview != NULL);
    stele_json_bool(&j, "whole", p->overview == NULL || p->is_whole);
    stele_json_uint(&j, "leftOut", p->scale.left_out);
    stele_json_uint(&j, "dense", p->dense_count);
    stele_json_uint(&j, "arrowsLeftOut", p->arrow_left_out);
    stele_json_uint(&j, "tooDeep", p->deep_count);
    viewer_put_names(p->v, &j, "names");
    stele_json_close(&j, '}');
}

/* ---- The answer with a picture --------------------------------------------------------------- */

static void rows_free(track_rows *rows)
{
    if (rows == NULL)
        return;
    for (uint32_t i = 0; i < rows->depth_count; i++)
        picture_lane_free(&rows->depths[i]);
    for (uint32_t i = 0; i < rows->operation_count; i++)
        picture_lane_free(&rows->operations[i]);
    picture_lane_free(&rows->marks);
    picture_lane_free(&rows->losses);
    picture_lane_free(&rows->states);
    picture_lane_free(&rows->runs);
    free(rows->depths);
    free(rows->operations);
    free(rows);
}

static void picture_free(picture *p)
{
    for (size_t i = 0; i < p->track_capacity; i++)
        rows_free(p->tracks[i]);
    for (size_t i = 0; i < p->plot_capacity; i++)
        plot_free(&p->plots[i]);
    stele_expression_free(p->only);
    free(p->tracks);
    free(p->plots);
    free(p->operations);
    free(p);
}

stele_status answer_window(viewer *v, const question *q, stele_output *out)
{
    picture *p = calloc(1, sizeof *p);
    const uint64_t length_ns = (uint64_t)q->end_ns - (uint64_t)q->begin_ns;
    stele_status status;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->v = v;
    p->q = q;
    p->scale = (lane_scale){.begin_ns = q->begin_ns,
                            .pixel_ns = length_ns / q->width != 0 ? length_ns / q->width : 1,
                            .entries_max = LANE_ENTRIES_MAX};
    p->r = (view_reading){.q = q,
                          .where = q->where,
                          .span = take_spans,
                          .event = take_events,
                          .has_fields = v->counter_count != 0 || q->where[0] != 0,
                          .state = v->known.has_schedule ? take_state : NULL,
                          .run = v->known.has_schedule ? take_run : NULL,
                          .user = p};
    status = viewer_update(v);
    if (status != STELE_OK) {
        picture_free(p);
        return status;
    }
    p->overview = viewer_overview_for(v, q, &p->is_whole);
    if (p->overview != NULL) {
        status = picture_summarize(p);
    } else {
        status = make_only(p);
        if (status == STELE_OK)
            status = add_earlier_losses(p);
        if (status == STELE_OK)
            status = viewer_read(v, &p->r, q->begin_ns, q->end_ns);
    }
    if (status == STELE_OK)
        status = place_operations(p);
    viewer_begin_names(v);
    if (status == STELE_OK)
        put_picture(p, out);
    v->has_pictured = true;
    picture_free(p);
    return status;
}
