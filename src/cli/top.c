/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele top: the busiest names and tracks of a stretch of time. Spans count with the part of their
 * time that lies in the stretch; what is open at its end counts up to there. For self times it is
 * known of each open span what its callees had taken when the stretch began.
 */
#include <stele/spans.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define WINDOW_USUAL_NS INT64_C(1000000000)
#define LINE_WIDTH      80u

/* What a name, or a track, did in the window. */
typedef struct figures {
    uint32_t number; /* of the name or the track */
    uint64_t count;  /* spans that ended, and events that are no part of a span */
    uint64_t total_ns;
    uint64_t self_ns;
} figures;

typedef struct table {
    figures *rows; /* by number */
    uint32_t count;
} table;

/* Stretches in which a track is busy; a span that still comes can be around the last of them. */
typedef struct stretch {
    int64_t begin_ns, end_ns;
} stretch;

typedef struct stretches {
    stretch *items;
    uint32_t count, capacity;
} stretches;

/* A span that was open when the window began: what its callees had taken by then. */
typedef struct carried {
    uint64_t id, child_ns;
} carried;

typedef struct top {
    cli *c;
    stele_spans *spans;
    stele_pairing *pairing; /* NULL: nothing is paired */
    table names, tracks;
    stretches *busy; /* by track */
    uint32_t busy_count;
    carried *carried; /* by id */
    size_t carried_count;
    uint64_t every_ns; /* 0: there is one window only */
    bool has_window;
    int64_t begin_ns, end_ns, last_ns, origin_ns;
    uint64_t event_count, lost_count, window_count;
    json json;
    const char *rank;   /* the order of names */
    unsigned rows_max;  /* lines of the screen; 0: there is none */
    unsigned track_max; /* how many of them tracks have */
} top;

/* ---- Figures --------------------------------------------------------------------------------- */

static figures *figures_of(top *t, table *of, uint32_t number)
{
    static figures nowhere;
    if (number >= of->count) {
        const uint32_t count = number + number / 2 + 64;
        figures *rows = realloc(of->rows, count * sizeof *rows);
        if (rows == NULL) {
            cli_check(t->c, STELE_ERR_MEMORY, "names");
            return &nowhere;
        }
        memset(rows + of->count, 0, (count - of->count) * sizeof *rows);
        of->rows = rows;
        of->count = count;
    }
    of->rows[number].number = number;
    return &of->rows[number];
}

/* Nanoseconds of a span in the window. */
static uint64_t part_of(const top *t, int64_t begin_ns, int64_t end_ns)
{
    const int64_t from_ns = begin_ns > t->begin_ns ? begin_ns : t->begin_ns;
    const int64_t until_ns = end_ns < t->end_ns ? end_ns : t->end_ns;
    return until_ns > from_ns ? (uint64_t)until_ns - (uint64_t)from_ns : 0;
}

static stretches *stretches_of(top *t, uint32_t track)
{
    if (track >= t->busy_count) {
        const uint32_t count = track + track / 2 + 64;
        stretches *busy = realloc(t->busy, count * sizeof *busy);
        if (busy == NULL)
            return NULL;
        memset(busy + t->busy_count, 0, (count - t->busy_count) * sizeof *busy);
        t->busy = busy;
        t->busy_count = count;
    }
    return &t->busy[track];
}

/* A span of a track has ended, or the window. Those that it is around became part of it; once it is
   outermost, nothing can be around them. */
static void add_busy(top *t, uint32_t track, const stele_span *span)
{
    stretches *of = stretches_of(t, track);
    stretch made = {span->begin_ns > t->begin_ns ? span->begin_ns : t->begin_ns,
                    span->end_ns < t->end_ns ? span->end_ns : t->end_ns};
    if (of != NULL && of->count == of->capacity) {
        stretch *items = realloc(of->items, (of->capacity * 2 + 4) * sizeof *items);
        if (items != NULL) {
            of->items = items;
            of->capacity = of->capacity * 2 + 4;
        }
    }
    if (of == NULL || of->count == of->capacity) {
        cli_check(t->c, STELE_ERR_MEMORY, "tracks");
        return;
    }
    while (of->count != 0 && of->items[of->count - 1].end_ns >= made.begin_ns) {
        const stretch *last = &of->items[--of->count];
        made.begin_ns = last->begin_ns < made.begin_ns ? last->begin_ns : made.begin_ns;
        made.end_ns = last->end_ns > made.end_ns ? last->end_ns : made.end_ns;
    }
    if (made.end_ns > made.begin_ns)
        of->items[of->count++] = made;
    for (; span->depth == 0 && of->count != 0; of->count--)
        figures_of(t, &t->tracks, track)->total_ns +=
            part_of(t, of->items[of->count - 1].begin_ns, of->items[of->count - 1].end_ns);
}

static bool is_on_stack(const stele_span *span)
{
    return span->source == STELE_SPAN_CALL || span->source == STELE_SPAN_COMPLETE ||
           span->source == STELE_SPAN_NESTED_PAIR;
}

static int compare_carried(const void *a, const void *b)
{
    const carried *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* What callees of a span had taken before the window began. */
static uint64_t carried_ns(const top *t, uint64_t id)
{
    const carried key = {id, 0};
    const carried *found = t->carried_count != 0 ? bsearch(&key, t->carried, t->carried_count,
                                                           sizeof key, compare_carried)
                                                 : NULL;
    return found != NULL ? found->child_ns : 0;
}

/* Counts a span of whose time callees have taken so much in all. */
static void count_span(top *t, const stele_span *span, uint64_t child_ns, bool is_repeated)
{
    const uint64_t ns = part_of(t, span->begin_ns, span->end_ns);
    const uint64_t before_ns = carried_ns(t, span->id);
    const uint64_t callees_ns = child_ns > before_ns ? child_ns - before_ns : 0;
    figures *name = figures_of(t, &t->names, span->name);
    name->total_ns += is_repeated ? 0 : ns;
    name->self_ns += ns > callees_ns ? ns - callees_ns : 0;
    if (is_on_stack(span))
        add_busy(t, span->track, span);
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    top *t = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        const stele_call_node *node = stele_spans_node(t->spans, span->node);
        if (span->end == STELE_SPAN_ENTRY_LOST || span->source == STELE_SPAN_FLOW ||
            span->end_ns < t->begin_ns)
            continue;
        figures_of(t, &t->names, span->name)->count++;
        count_span(t, span, stele_span_duration_ns(span) - span->self_ns,
                   node != NULL && node->repeats > 1);
    }
    return STELE_OK;
}

/* Whether a span further out on the stack has the name. */
static bool is_further_out(const top *t, uint32_t track, uint32_t depth, stele_name name)
{
    stele_span span;
    for (uint32_t i = depth; i-- != 0;)
        if (stele_spans_open_at(t->spans, track, i, &span) && span.name == name)
            return true;
    return false;
}

/* An open span as it is at a time, and what its callees have taken by then. */
static bool open_by(const top *t, uint32_t track, uint32_t depth, int64_t time_ns, stele_span *span,
                    uint64_t *child_ns)
{
    stele_span callee;
    if (!stele_spans_open_at(t->spans, track, depth, span))
        return false;
    *child_ns = stele_span_duration_ns(span) - span->self_ns;
    span->end_ns = span->end_ns < time_ns ? span->end_ns : time_ns;
    if (stele_spans_open_at(t->spans, track, depth + 1, &callee) && callee.begin_ns < span->end_ns)
        *child_ns += (uint64_t)(callee.end_ns < span->end_ns ? callee.end_ns : span->end_ns) -
                     (uint64_t)callee.begin_ns;
    return true;
}

static uint32_t open_depth(const top *t, uint32_t track)
{
    uint32_t depth = 0;
    stele_span span;
    while (stele_spans_open_at(t->spans, track, depth, &span))
        depth++;
    return depth;
}

/* What is open when a window ends lasts up to there, and goes on in the next one. */
static void carry_open(top *t, int64_t time_ns, bool is_counted)
{
    carried *made = NULL;
    size_t count = 0, capacity = 0;
    stele_span span;
    uint64_t child_ns;
    for (uint32_t track = 0; track <= stele_track_count(t->c->context); track++) {
        for (uint32_t depth = open_depth(t, track); depth-- != 0;) {
            if (!open_by(t, track, depth, time_ns, &span, &child_ns))
                continue;
            if (is_counted)
                count_span(t, &span, child_ns, is_further_out(t, track, depth, span.name));
            if (count == capacity) {
                carried *grown = realloc(made, (capacity * 2 + 64) * sizeof *made);
                if (grown == NULL) {
                    cli_check(t->c, STELE_ERR_MEMORY, "spans");
                    break;
                }
                made = grown;
                capacity = capacity * 2 + 64;
            }
            made[count++] = (carried){span.id, child_ns};
        }
    }
    if (count != 0)
        qsort(made, count, sizeof *made, compare_carried);
    free(t->carried);
    t->carried = made;
    t->carried_count = count;
}

/* ---- Showing --------------------------------------------------------------------------------- */

static int compare_by(const figures *x, const figures *y, uint64_t a, uint64_t b)
{
    if (a != b)
        return a > b ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_self(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    const uint64_t p = x->self_ns, q = y->self_ns;
    return p != q ? compare_by(x, y, p, q) : compare_by(x, y, x->count, y->count);
}

static int compare_total(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    return x->total_ns != y->total_ns ? compare_by(x, y, x->total_ns, y->total_ns)
                                      : compare_by(x, y, x->count, y->count);
}

static int compare_count(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    return compare_by(x, y, x->count, y->count);
}

/* The rows that have anything, in an order; they are the caller's to free. */
static figures *sorted(top *t, const table *of, int (*compare)(const void *, const void *),
                       uint32_t *count)
{
    figures *rows = malloc(((size_t)of->count + 1) * sizeof *rows);
    *count = 0;
    if (rows == NULL) {
        cli_check(t->c, STELE_ERR_MEMORY, "names");
        return NULL;
    }
    for (uint32_t i = 0; i < of->count; i++) {
        const figures *f = &of->rows[i];
        if (f->count != 0 || f->total_ns != 0 || f->self_ns != 0)
            rows[(*count)++] = *f;
    }
    qsort(rows, *count, sizeof *rows, compare);
    return rows;
}

static figures *sorted_names(top *t, uint32_t *count)
{
    const char *by = t->rank;
    return sorted(t, &t->names,
                  strcmp(by, "total") == 0   ? compare_total
                  : strcmp(by, "count") == 0 ? compare_count
                                             : compare_self,
                  count);
}

static uint32_t shown_of(const top *t, uint32_t count)
{
    const uint64_t wanted = option_number(&t->c->options, OPTION_BUSIEST_TOP);
    return wanted == 0 || wanted > count ? count : (uint32_t)wanted;
}

static void write_rate(const top *t, uint64_t count)
{
    const double seconds = ((double)t->end_ns - (double)t->begin_ns) / 1e9;
    char text[PRINT_SIZE];
    if (seconds > 0)
        print_short(text, (double)count / seconds);
    else
        snprintf(text, sizeof text, "-");
    print_padded(t->c->out, text, -11);
}

static void write_row(top *t, const figures *f, uint64_t length_ns, bool has_self)
{
    char text[PRINT_SIZE];
    if (has_self)
        print_padded(t->c->out, f->total_ns != 0 ? print_share(text, f->self_ns, length_ns) : "-",
                     -8);
    print_padded(t->c->out, f->total_ns != 0 ? print_share(text, f->total_ns, length_ns) : "-",
                 has_self ? -9 : -8);
    print_padded(t->c->out, print_count(text, f->count), -12);
    write_rate(t, f->count);
    stele_output_text(t->c->out, "  ");
}

static void write_heading(top *t, const char *text)
{
    print_color(t->c->out, t->c->has_color, COLOR_BOLD);
    stele_output_text(t->c->out, text);
    print_color(t->c->out, t->c->has_color, COLOR_NONE);
    stele_output_byte(t->c->out, '\n');
}

static void write_left_out(top *t, uint32_t count, const char *thing)
{
    char text[PRINT_SIZE];
    if (count != 0)
        stele_output_printf(t->c->out, "%s left out; --top 0 shows all\n",
                            print_things(text, count, thing));
}

static void write_tracks(top *t, uint64_t length_ns)
{
    uint32_t count, shown;
    figures *rows = sorted(t, &t->tracks, compare_total, &count);
    shown = shown_of(t, count);
    if (t->rows_max != 0 && shown > t->rows_max / 3)
        shown = t->rows_max / 3;
    t->track_max = shown + (count > shown);
    write_heading(t, "    busy      events   a second  track");
    for (uint32_t i = 0; i < shown && rows != NULL; i++) {
        write_row(t, &rows[i], length_ns, false);
        print_cut(t->c->out, stele_track_line(t->c->context, rows[i].number), LINE_WIDTH - 33);
        stele_output_byte(t->c->out, '\n');
    }
    write_left_out(t, count - shown, "track");
    free(rows);
}

static void write_names(top *t, uint64_t length_ns)
{
    uint32_t count, shown;
    figures *rows = sorted_names(t, &count);
    shown = shown_of(t, count);
    if (t->rows_max != 0 && shown + t->track_max > t->rows_max)
        shown = t->rows_max > t->track_max ? t->rows_max - t->track_max : 0;
    write_heading(t, "    self    total       count   a second  name");
    for (uint32_t i = 0; i < shown && rows != NULL; i++) {
        const stele_text name = stele_name_text(t->c->context, NULL, rows[i].number);
        write_row(t, &rows[i], length_ns, true);
        print_cut(t->c->out, name.size != 0 ? name : (stele_text){"(no name)", 9}, LINE_WIDTH - 42);
        stele_output_byte(t->c->out, '\n');
    }
    write_left_out(t, count - shown, "name");
    free(rows);
}

static void write_text(top *t)
{
    const uint64_t length_ns = (uint64_t)t->end_ns - (uint64_t)t->begin_ns;
    char begin[PRINT_SIZE], length[PRINT_SIZE], events[PRINT_SIZE], lost[PRINT_SIZE];
    if (t->window_count != 0)
        stele_output_byte(t->c->out, '\n');
    stele_seconds((int64_t)((uint64_t)t->begin_ns - (uint64_t)t->origin_ns), begin, sizeof begin);
    stele_output_printf(t->c->out, "From %s s, %s: %s", begin, print_brief(length, length_ns),
                        print_things(events, t->event_count, "event"));
    if (t->lost_count != 0)
        stele_output_printf(t->c->out, ", %s lost", print_count(lost, t->lost_count));
    stele_output_text(t->c->out, "\n\n");
    write_tracks(t, length_ns);
    stele_output_byte(t->c->out, '\n');
    write_names(t, length_ns);
}

/* ---- JSON ---- */

static void write_rows_json(top *t, const char *key, const figures *rows, uint32_t count,
                            bool are_names)
{
    json *j = &t->json;
    json_open(j, key, '[');
    for (uint32_t i = 0; i < count && rows != NULL; i++) {
        const stele_text text = are_names ? stele_name_text(t->c->context, NULL, rows[i].number)
                                          : stele_track_line(t->c->context, rows[i].number);
        json_open(j, NULL, '{');
        json_bytes(j, are_names ? "name" : "track", text.bytes, text.size);
        json_uint(j, are_names ? "count" : "event_count", rows[i].count);
        json_uint(j, are_names ? "total_ns" : "busy_ns", rows[i].total_ns);
        if (are_names)
            json_uint(j, "self_ns", rows[i].self_ns);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_json(top *t)
{
    uint32_t count;
    figures *rows;
    json_open(&t->json, NULL, '{');
    json_int(&t->json, "begin_ns", t->begin_ns);
    json_int(&t->json, "end_ns", t->end_ns);
    json_uint(&t->json, "event_count", t->event_count);
    json_uint(&t->json, "lost_count", t->lost_count);
    rows = sorted(t, &t->tracks, compare_total, &count);
    write_rows_json(t, "tracks", rows, shown_of(t, count), false);
    free(rows);
    rows = sorted_names(t, &count);
    write_rows_json(t, "names", rows, shown_of(t, count), true);
    free(rows);
    json_close(&t->json, '}');
}

/* ---- Windows --------------------------------------------------------------------------------- */

static void window_clear(top *t)
{
    if (t->names.rows != NULL)
        memset(t->names.rows, 0, t->names.count * sizeof *t->names.rows);
    if (t->tracks.rows != NULL)
        memset(t->tracks.rows, 0, t->tracks.count * sizeof *t->tracks.rows);
    t->event_count = t->lost_count = 0;
}

static void window_show(top *t)
{
    if (option_given(&t->c->options, OPTION_JSON))
        write_json(t);
    else
        write_text(t);
    t->window_count++;
}

/* Ends the window where it was to end, and begins the one that has the time. */
static void window_end(top *t, int64_t time_ns)
{
    const uint64_t steps = ((uint64_t)time_ns - (uint64_t)t->begin_ns) / t->every_ns;
    carry_open(t, t->end_ns, true);
    window_show(t);
    window_clear(t);
    t->begin_ns = (int64_t)((uint64_t)t->begin_ns + steps * t->every_ns);
    if (__builtin_add_overflow(t->begin_ns, (int64_t)t->every_ns, &t->end_ns))
        t->end_ns = INT64_MAX;
}

static void window_begin(top *t, int64_t time_ns)
{
    t->has_window = true;
    carry_open(t, t->begin_ns, false);
    t->begin_ns = t->begin_ns > time_ns || t->begin_ns == INT64_MIN ? time_ns : t->begin_ns;
    if (t->every_ns != 0 && __builtin_add_overflow(t->begin_ns, (int64_t)t->every_ns, &t->end_ns))
        t->end_ns = INT64_MAX;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_of_span(const stele_event *event)
{
    return (STELE_SPANS_KINDS & STELE_KIND_BIT(event->kind)) != 0;
}

static void count_event(top *t, const stele_event *event)
{
    if (event->kind == STELE_KIND_LOST) {
        t->lost_count += event->value;
        return;
    }
    t->event_count++;
    figures_of(t, &t->tracks, event->track)->count++;
    if (!is_of_span(event))
        figures_of(t, &t->names, (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name)->count++;
}

/* The last window reaches to the end of what was complete when it was written, too. */
static void see_end(top *t, const stele_event *event)
{
    const int64_t given_ns = event->kind == STELE_KIND_COMPLETE ? (int64_t)event->id : INT64_MIN;
    if (event->time_ns > t->last_ns)
        t->last_ns = event->time_ns;
    if (given_ns > t->last_ns)
        t->last_ns = given_ns;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    top *t = user;
    return stele_spans_add(t->spans, segment);
}

/* Events come one by one: each may end the window. */
static stele_status take_event(top *t, const stele_batch *batch, uint32_t at)
{
    const stele_event *event = &batch->events[at];
    const stele_segment one = {batch, at, 1};
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return STELE_OK;
    if (event->time_ns >= t->begin_ns || t->begin_ns == INT64_MIN) {
        if (!t->has_window)
            window_begin(t, event->time_ns);
        else if (t->every_ns != 0 && event->time_ns >= t->end_ns)
            window_end(t, event->time_ns);
        count_event(t, event);
        see_end(t, event);
    }
    return t->pairing != NULL ? stele_pairing_add(t->pairing, &one, take_paired, t)
                              : stele_spans_add(t->spans, &one);
}

static stele_status take(void *user, const stele_segment *segment)
{
    top *t = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++)
        status = take_event(t, segment->batch, segment->first + i);
    return status;
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    top *t = user;
    t->begin_ns = stats->range_begin_ns;
    t->end_ns = stats->range_end_ns;
    if (stats->has_begin) {
        t->origin_ns = stats->begin_ns;
        if (t->begin_ns < stats->begin_ns)
            t->begin_ns = stats->begin_ns;
    }
    return STELE_OK;
}

/* What is read from front to back has no end to count from: all of it is the window then. */
static bool have_ends(const inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (!stele_trace_get_info(in->traces[i])->is_seekable)
            return false;
    }
    return true;
}

/* The last stretch of the trace, unless bounds say which. */
static bool make_request(top *t, const inputs *in, stele_request *request)
{
    cli *c = t->c;
    const bool is_bound =
        request->begin.kind != STELE_BOUND_NONE || request->end.kind != STELE_BOUND_NONE;
    uint64_t window_ns = WINDOW_USUAL_NS;
    if (!cli_take_length(c, OPTION_BUSIEST_EVERY, &t->every_ns) ||
        !cli_take_length(c, OPTION_BUSIEST_WINDOW, &window_ns))
        return false;
    if (!is_bound && t->every_ns == 0 && have_ends(in))
        request->begin = (stele_bound){STELE_BOUND_END, (int64_t)window_ns};
    request->order = STELE_ORDER_TIME;
    request->from_start = true;
    request->columns = stele_spans_columns(t->spans) |
                       (t->pairing != NULL ? stele_pairing_columns(t->pairing) : 0);
    return true;
}

static bool make_engines(top *t, const inputs *in, stele_request *only)
{
    cli *c = t->c;
    const stele_span_options given = {.no_fields = true, .has_paths = true, .only = only};
    const stele_pairing_options pairing = {.kinds = STELE_SPANS_KINDS};
    bool is_wanted = false;
    if (!cli_check(c, stele_spans_new(c->context, &given, take_spans, t, &t->spans), "spans"))
        return false;
    if (option_given(&c->options, OPTION_NO_PAIRS))
        return true;
    if (!cli_check(c, stele_pairing_new(c->context, &pairing, &t->pairing), "pairs"))
        return false;
    for (size_t i = 0; i < in->count; i++)
        is_wanted |= stele_pairing_wants(t->pairing, in->traces[i]);
    if (!is_wanted) {
        stele_pairing_free(t->pairing);
        t->pairing = NULL;
    }
    return true;
}

/* The last window ends with the last event, or where the bounds say. */
static void conclude(top *t)
{
    if (t->has_window && (t->every_ns != 0 || t->end_ns == INT64_MAX))
        t->end_ns = t->last_ns;
    if (t->has_window) {
        carry_open(t, t->end_ns, true);
        window_show(t);
    } else if (!option_given(&t->c->options, OPTION_JSON)) {
        stele_output_text(t->c->out, "No events with a time\n");
    }
}

static void read_all(top *t, const inputs *in, stele_request *request)
{
    cli *c = t->c;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    const bool has_json = option_given(&c->options, OPTION_JSON);
    if (has_json)
        json_open(&t->json, NULL, '[');
    if (cli_check(c,
                  cli_read(c, in->traces, in->count, request, &(consumer){ready, take, t}, &stats),
                  "reading"))
        conclude(t);
    if (has_json)
        json_close(&t->json, ']');
    cli_conclude(c, NULL, &stats);
}

/* Reads the traces and shows their tables once. */
static void show_once(cli *c, const char *rank, unsigned rows_max)
{
    top t = {.c = c,
             .begin_ns = INT64_MIN,
             .end_ns = INT64_MAX,
             .last_ns = INT64_MIN,
             .json = {.out = c->out},
             .rank = rank,
             .rows_max = rows_max};
    selection selected = {.names = NULL};
    inputs in = {.count = 0};
    stele_request only;
    if (selection_make(c, &selected)) {
        only = selected.request;
        selected.request.kinds = 0;
        selected.request.names = selected.request.categories = (stele_globs){.count = 0};
        selected.request.where = NULL;
        if (inputs_open(c, &in) && make_engines(&t, &in, &only) &&
            make_request(&t, &in, &selected.request))
            read_all(&t, &in, &selected.request);
    }
    stele_spans_free(t.spans);
    stele_pairing_free(t.pairing);
    for (uint32_t i = 0; i < t.busy_count; i++)
        free(t.busy[i].items);
    free(t.busy);
    free(t.carried);
    free(t.names.rows);
    free(t.tracks.rows);
    inputs_close(&in);
    selection_free(&selected);
}

/* ---- Live ------------------------------------------------------------------------------------ */

/* Lines of the screen beside the rows of the tables. */
#define LINES_AROUND 8u
#define WAIT_MS      250
#define WAITS        4u /* from one look at the traces to the next */

/* Another number when one of the traces has grown, or changed. */
static uint64_t version_of(const cli *c)
{
    uint64_t version = 0;
    for (size_t i = 0; i < c->options.argument_count; i++) {
        struct stat about;
        if (stat(c->options.arguments[i], &about) == 0)
            version = version * 31 + (uint64_t)about.st_size +
                      (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec;
    }
    return version;
}

/* The last record of a trace that grows is seldom whole: findings are for 'stele check'. */
static bool redraw(cli *c, const live *l, const char *rank, bool is_paused)
{
    const unsigned rows = l->rows > LINES_AROUND + 2 ? l->rows - LINES_AROUND : 2;
    stele_context_free(c->context);
    c->context = NULL;
    c->worst = EXIT_CLEAN;
    if (!cli_make_context(c, NULL, NULL, &c->context))
        return false;
    stele_output_text(c->out, "\033[H\033[2J");
    show_once(c, rank, rows);
    print_color(c->out, c->has_color, COLOR_DIM);
    stele_output_printf(c->out, "%s  q quit  s self  t total  c count  p pause",
                        is_paused ? "paused" : "live");
    print_color(c->out, c->has_color, COLOR_NONE);
    return cli_check(c, stele_output_flush(c->out), "standard output") && c->worst != EXIT_USAGE &&
           c->worst != EXIT_UNREADABLE;
}

/* What a key asks for; false: to end. */
static bool take_key(char key, const char **rank, bool *is_paused, bool *is_changed)
{
    *is_changed = true;
    switch (key) {
    case 'q': return false;
    case 's': *rank = "self"; break;
    case 't': *rank = "total"; break;
    case 'c': *rank = "count"; break;
    case 'p': *is_paused = !*is_paused; break;
    default: *is_changed = false;
    }
    return true;
}

static void follow(cli *c, live *l)
{
    const char *rank = option_value(&c->options, OPTION_BUSIEST_RANK);
    uint64_t version = version_of(c);
    bool is_paused = false, is_changed = false;
    unsigned waits = 0;
    c->is_quiet = true;
    if (!redraw(c, l, rank, is_paused))
        return;
    while (cli_interrupted() == 0 &&
           take_key(live_wait(l, WAIT_MS), &rank, &is_paused, &is_changed)) {
        const bool is_due = ++waits >= WAITS && !is_paused && version_of(c) != version;
        if (!is_changed && !is_due)
            continue;
        waits = 0;
        version = version_of(c);
        if (!redraw(c, l, rank, is_paused))
            return;
    }
    stele_output_byte(c->out, '\n');
}

void command_BUSIEST(cli *c)
{
    live l;
    if (option_given(&c->options, OPTION_BUSIEST_FOLLOW) && live_begin(&l)) {
        follow(c, &l);
        live_end(&l);
        return;
    }
    show_once(c, option_value(&c->options, OPTION_BUSIEST_RANK), 0);
}
