/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers about a stretch of time: its profile, what fits an expression, its rows, a trace of it.
 */
#include <stele/expression.h>
#include <stele/sink.h>

#include <stdlib.h>
#include <string.h>

#include "view/list.h"
#include "view/viewer.h"

#define ROWS_USUAL 200u
#define HITS_USUAL 2000u
#define HITS_MAX   20000u

/* ---- Profile --------------------------------------------------------------------------------- */

/* How often an event that is not part of a span happened. */
typedef struct mark_count {
    stele_name name;
    uint8_t kind; /* kind of the event, which stands for the name of an event without one; else 0 */
    uint64_t count;
} mark_count;

typedef struct figures {
    viewer *v;
    const question *q;
    stele_profile *profile;
    mark_count *marks;
    size_t mark_count, mark_capacity;
    uint64_t mark_left_out, event_count;
} figures;

static stele_status count_mark(figures *f, const stele_event *event)
{
    const stele_name name = event->name;
    const uint8_t kind = name == 0 ? event->kind : 0;
    for (size_t i = 0; i < f->mark_count; i++) {
        if (f->marks[i].name == name && f->marks[i].kind == kind) {
            f->marks[i].count++;
            return STELE_OK;
        }
    }
    if (f->mark_count == 1024) {
        f->mark_left_out++;
        return STELE_OK;
    }
    if (f->mark_count == f->mark_capacity) {
        mark_count *grown = list_grow(f->marks, sizeof *grown, &f->mark_capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        f->marks = grown;
    }
    f->marks[f->mark_count++] = (mark_count){name, kind, 1};
    return STELE_OK;
}

stele_status viewer_give_wanted(const question *q, const stele_segment *segment,
                                stele_segment_fn *take, void *user)
{
    const stele_event *events = &segment->batch->events[segment->first];
    stele_status status = STELE_OK;
    uint32_t i = 0;
    if (!q->has_tracks)
        return take(user, segment);
    while (status == STELE_OK && i < segment->count) {
        uint32_t end = i;
        while (end < segment->count && question_wants(q, events[end].track))
            end++;
        if (end != i)
            status = take(user, &(stele_segment){segment->batch, segment->first + i, end - i});
        i = end + 1;
    }
    return status;
}

int64_t viewer_known_end(const viewer *v, int64_t end_ns)
{
    return v->is_scanned && v->known.has_range && end_ns > v->known.end_ns ? INT64_MAX : end_ns;
}

static stele_status take_wanted(void *user, const stele_segment *segment)
{
    figures *f = user;
    const stele_event *events = &segment->batch->events[segment->first];
    stele_status status = stele_profile_add(f->profile, segment);
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        if (events[i].time_ns < f->q->begin_ns)
            continue;
        f->event_count++;
        if (view_is_mark(&events[i]))
            status = count_mark(f, &events[i]);
    }
    return status;
}

static stele_status take_figures(void *user, const stele_segment *segment)
{
    return viewer_give_wanted(((figures *)user)->q, segment, take_wanted, user);
}

static void put_profile_row(viewer *v, stele_json *j, const stele_profile_row *row)
{
    stele_json_open(j, NULL, '{');
    stele_json_uint(j, "name", viewer_use_name(v, row->name));
    stele_json_uint(j, "count", row->count);
    stele_json_uint(j, "self", row->self_ns);
    stele_json_uint(j, "total", row->total_ns);
    stele_json_uint(j, "min", row->min_ns);
    stele_json_uint(j, "mean", stele_profile_mean_ns(row));
    stele_json_uint(j, "p50", row->p50_ns);
    stele_json_uint(j, "p90", row->p90_ns);
    stele_json_uint(j, "p99", row->p99_ns);
    stele_json_uint(j, "max", row->max_ns);
    stele_json_close(j, '}');
}

static int compare_marks(const void *left, const void *right)
{
    const mark_count *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1)
                                : (a->name > b->name) - (a->name < b->name);
}

/* Writes [name, count, kind] of each mark, the most frequent marks first. */
static void put_marks(const figures *f, stele_json *j, size_t most)
{
    if (f->mark_count != 0)
        qsort(f->marks, f->mark_count, sizeof *f->marks, compare_marks);
    stele_json_uint(j, "marksLeftOut", f->mark_left_out);
    stele_json_open(j, "marks", '[');
    for (size_t i = 0; i < f->mark_count && i < most; i++) {
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, viewer_use_name(f->v, f->marks[i].name));
        stele_json_uint(j, NULL, f->marks[i].count);
        stele_json_uint(j, NULL, f->marks[i].kind);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
}

static stele_status put_figures(figures *f, stele_output *out)
{
    stele_json j = {.out = out, .is_line = true};
    const size_t most = f->q->limit != 0 ? f->q->limit : ROWS_USUAL;
    const stele_profile_row *rows = NULL;
    size_t count = 0;
    stele_status status = stele_profile_rows(f->profile, STELE_PROFILE_BY_SELF, &rows, &count);
    if (status != STELE_OK)
        return status;
    viewer_begin_names(f->v);
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "events", f->event_count);
    stele_json_uint(&j, "names", count);
    stele_json_open(&j, "rows", '[');
    for (size_t i = 0; i < count && i < most; i++)
        put_profile_row(f->v, &j, &rows[i]);
    stele_json_close(&j, ']');
    put_marks(f, &j, most);
    viewer_put_names(f->v, &j, "texts");
    stele_json_close(&j, '}');
    return STELE_OK;
}

/*
 * Takes spans and does nothing with them: the reader pairs moments only for those who take spans.
 */
static stele_status ignore_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    (void)segment;
    (void)spans;
    return STELE_OK;
}

stele_status answer_profile(viewer *v, const question *q, stele_output *out)
{
    figures f = {.v = v, .q = q};
    const stele_request only = {.where = q->where[0] != 0 ? q->where : v->options.where};
    const stele_profile_options options = {.struct_size = sizeof options,
                                           .only = only.where != NULL ? &only : NULL};
    view_reading r = {.q = q,
                      .where = q->where,
                      .span = ignore_spans,
                      .event = take_figures,
                      .has_open = true,
                      .user = &f};
    stele_status status = stele_profile_new(v->context, &options, &f.profile);
    if (status == STELE_OK) {
        r.has_fields = (stele_profile_columns(f.profile) & STELE_COLUMN_FIELDS) != 0;
        /* A span that is open at the end of the stretch ends with the last event, as in 'stele
           profile'. */
        status = stele_profile_set_window(f.profile, q->begin_ns, viewer_known_end(v, q->end_ns));
    }
    if (status == STELE_OK)
        status = viewer_read(v, &r, q->begin_ns, q->end_ns);
    if (status == STELE_OK)
        status = stele_profile_finish(f.profile);
    if (status == STELE_OK)
        status = put_figures(&f, out);
    stele_profile_free(f.profile);
    free(f.marks);
    return status;
}

/* ---- Search ---------------------------------------------------------------------------------- */

typedef struct hit {
    int64_t begin_ns, end_ns;
    uint64_t offset;
    uint32_t track, depth;
    stele_name name;
    uint8_t kind; /* 0 of a span on a stack, 1 of an operation, 2 of a mark */
} hit;

typedef struct search {
    viewer *v;
    const question *q;
    stele_expression *e; /* selects marks; the engine for spans selects the spans */
    hit *hits;
    size_t hit_count, hit_capacity, hit_max;
    uint64_t found_count;
} search;

static stele_status add_hit(search *s, const hit *h)
{
    if (!question_wants(s->q, h->track))
        return STELE_OK;
    s->found_count++;
    if (s->hit_count == s->hit_max)
        return STELE_OK;
    if (s->hit_count == s->hit_capacity) {
        hit *grown = list_grow(s->hits, sizeof *grown, &s->hit_capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->hits = grown;
    }
    s->hits[s->hit_count++] = *h;
    return STELE_OK;
}

static stele_status search_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    search *s = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_span *span = &spans[i];
        const bool is_stacked = span->source != STELE_SPAN_ASYNC && span->source != STELE_SPAN_PAIR;
        if (span->source != STELE_SPAN_FLOW)
            status = add_hit(s, &(hit){span->begin_ns, span->end_ns, span->begin_offset,
                                       span->track, span->depth, span->name, is_stacked ? 0 : 1});
    }
    return status;
}

static stele_status search_events(void *user, const stele_segment *segment)
{
    search *s = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (view_is_mark(event) && event->time_ns >= s->q->begin_ns &&
            stele_expression_holds(s->e, segment, i, NULL))
            status = add_hit(s, &(hit){event->time_ns, event->time_ns, event->offset, event->track,
                                       0, event->name, 2});
    }
    return status;
}

static int compare_hits(const void *left, const void *right)
{
    const hit *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Writes [begin, end, track, depth, name, kind, offset] of each hit. */
static void put_hits(const search *s, stele_output *out)
{
    stele_json j = {.out = out, .is_line = true};
    if (s->hit_count != 0)
        qsort(s->hits, s->hit_count, sizeof *s->hits, compare_hits);
    viewer_begin_names(s->v);
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "found", s->found_count);
    stele_json_open(&j, "hits", '[');
    for (size_t i = 0; i < s->hit_count; i++) {
        const hit *h = &s->hits[i];
        stele_json_open(&j, NULL, '[');
        stele_json_int_text(&j, NULL, h->begin_ns);
        stele_json_int_text(&j, NULL, h->end_ns);
        stele_json_uint(&j, NULL, h->track);
        stele_json_uint(&j, NULL, h->depth);
        stele_json_uint(&j, NULL, viewer_use_name(s->v, h->name));
        stele_json_uint(&j, NULL, h->kind);
        stele_json_uint_text(&j, NULL, h->offset);
        stele_json_close(&j, ']');
    }
    stele_json_close(&j, ']');
    viewer_put_names(s->v, &j, "names");
    stele_json_close(&j, '}');
}

stele_status answer_search(viewer *v, const question *q, stele_output *out)
{
    const uint32_t wanted = q->limit != 0 ? q->limit : HITS_USUAL;
    search s = {.v = v, .q = q, .hit_max = wanted < HITS_MAX ? wanted : HITS_MAX};
    view_reading r = {.q = q, .where = q->where, .span = search_spans, .user = &s};
    stele_status status = stele_expression_new(v->context, q->where, &s.e);
    if (status != STELE_OK)
        return status;
    if (!stele_expression_needs_spans(s.e))
        r.event = search_events;
    r.has_fields =
        (stele_expression_columns(s.e) & (STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT)) != 0;
    if (v->known.has_range)
        stele_expression_set_origin(s.e, v->known.begin_ns);
    status = viewer_read(v, &r, q->begin_ns, q->end_ns);
    if (status == STELE_OK)
        put_hits(&s, out);
    stele_expression_free(s.e);
    free(s.hits);
    return status;
}

/* ---- The next span or event of a name -------------------------------------------------------- */

typedef struct neighbour {
    const question *q;
    stele_name name;
    bool is_found;
    hit best;
} neighbour;

static stele_status look_for_neighbour(neighbour *n, const hit *h)
{
    const bool is_beyond =
        n->q->is_backward ? h->begin_ns < n->q->at_ns : h->begin_ns > n->q->at_ns;
    const bool is_nearer = !n->is_found || (n->q->is_backward ? h->begin_ns > n->best.begin_ns
                                                              : h->begin_ns < n->best.begin_ns);
    if (h->name == n->name && question_wants(n->q, h->track) && is_beyond && is_nearer) {
        n->best = *h;
        n->is_found = true;
    }
    /* Later spans may have begun earlier than the best one, until one begins after the best one
       ends. */
    return n->is_found && !n->q->is_backward && h->begin_ns > n->best.end_ns ? STELE_END : STELE_OK;
}

static stele_status neighbour_spans(void *user, const stele_segment *segment,
                                    const stele_span *spans)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_span *span = &spans[i];
        const bool is_stacked = span->source != STELE_SPAN_ASYNC && span->source != STELE_SPAN_PAIR;
        if (span->source != STELE_SPAN_FLOW)
            status = look_for_neighbour(user, &(hit){span->begin_ns, span->end_ns,
                                                     span->begin_offset, span->track, span->depth,
                                                     span->name, is_stacked ? 0 : 1});
    }
    (void)segment;
    return status;
}

static stele_status neighbour_events(void *user, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (view_is_mark(event))
            status = look_for_neighbour(user, &(hit){event->time_ns, event->time_ns, event->offset,
                                                     event->track, 0, event->name, 2});
    }
    return status;
}

stele_status answer_next(viewer *v, const question *q, stele_output *out)
{
    neighbour n = {.q = q};
    search found = {.v = v, .q = q};
    view_reading r = {
        .q = q, .is_whole = true, .span = neighbour_spans, .event = neighbour_events, .user = &n};
    stele_status status;
    if (q->limit != 0)
        n.name = q->limit; /* the number of the name, taken from the answer before */
    else
        n.name = stele_name_intern(v->context, q->name, strlen(q->name));
    status = viewer_read(v, &r, INT64_MIN, q->is_backward ? q->at_ns : INT64_MAX);
    if (status != STELE_OK)
        return status;
    found.hits = &n.best;
    found.hit_count = n.is_found ? 1 : 0;
    found.found_count = n.is_found ? 1 : 0;
    put_hits(&found, out);
    return STELE_OK;
}

/* ---- Rows and traces ------------------------------------------------------------------------- */

typedef struct writing {
    const question *q;
    stele_writer *writer;
} writing;

static stele_status write_wanted(void *user, const stele_segment *segment)
{
    const writing *w = user;
    return stele_writer_write(w->writer, segment);
}

static stele_status write_segment(void *user, const stele_segment *segment)
{
    return viewer_give_wanted(((writing *)user)->q, segment, write_wanted, user);
}

static stele_status write_stretch(viewer *v, const question *q, stele_writer *writer)
{
    writing w = {q, writer};
    view_reading r = {.q = q,
                      .where = q->where,
                      .is_selected = true,
                      .no_start = true,
                      .no_pairing = true,
                      .has_fields = true,
                      .event = write_segment,
                      .user = &w};
    stele_status status = viewer_read(v, &r, q->begin_ns, q->end_ns);
    if (status == STELE_OK)
        status = stele_writer_finish(writer);
    stele_writer_close(writer);
    return status;
}

stele_status answer_rows(viewer *v, const question *q, stele_output *out)
{
    stele_sink_options options = {.struct_size = sizeof options,
                                  .has_origin = v->known.has_range,
                                  .origin_ns = v->known.begin_ns};
    stele_writer *writer;
    const stele_status status = stele_sink_open(v->context, out, "csv", &options, &writer);
    return status == STELE_OK ? write_stretch(v, q, writer) : status;
}

stele_status answer_cut(viewer *v, const question *q, stele_output *out)
{
    stele_writer *writer;
    const stele_status status = stele_writer_open_output(v->context, out, q->format, NULL, &writer);
    return status == STELE_OK ? write_stretch(v, q, writer) : status;
}
