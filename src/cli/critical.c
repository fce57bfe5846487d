/* SPDX-License-Identifier: Apache-2.0 */
/* stele critical: shows where the time of one span went, across threads and traces. */
#include <stele/critical.h>
#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "cli/sched.h"
#include "cli/show/figures.h"
#include "cli/show/print.h"
#include "cli/spanning.h"

#define STRETCHES_SHOWN 40u

/* The sum of all stretches with the same state, name and thread. */
typedef struct sum {
    stele_critical_stretch first;
    uint64_t ns, count;
} sum;

typedef struct critical {
    cli *c;
    spanning s;
    inputs in;
    stele_pairing **pairings; /* by input; NULL: no moments are paired */
    calling *callings;        /* by input; they own the pairings */
    uint32_t *numbers;        /* numbers of the traces, by input */
    bool is_once;             /* the traces can be read only once, so everything is kept */
    stele_critical *raw;      /* also receives events before they are paired; NULL: not needed */
    stele_segment_fn *fn;     /* receives events after moments were paired */
    stele_span span;          /* the span whose path is shown */
    bool is_found;
    stele_critical *path;
    const stele_critical_stretch *stretches;
    size_t stretch_count;
    sum *sums;
    size_t sum_count;
    labels labels;
} critical;

/* ---- Reading of traces ----------------------------------------------------------------------- */

/* Receives a segment, and passes it on through the pairing of its trace. */
static stele_status take(void *user, const stele_segment *segment)
{
    critical *k = user;
    const stele_stream *stream = stele_stream_get(k->c->context, segment->batch->stream);
    const stele_status status =
        k->raw != NULL ? stele_critical_add_sched(k->raw, segment) : STELE_OK;
    for (size_t i = 0; status == STELE_OK && stream != NULL && i < k->in.count; i++) {
        if (k->numbers[i] == stream->trace && k->pairings[i] != NULL)
            return stele_pairing_add(k->pairings[i], segment, k->fn, k);
    }
    return status == STELE_OK ? k->fn(k, segment) : status;
}

/* Reads the events of all traces up to a time, in one order. */
static bool read_all(critical *k, uint32_t columns, uint64_t kinds, ready_fn *ready,
                     stele_segment_fn *fn, int64_t end_ns)
{
    stele_request request = k->s.calling.selected.request;
    stele_reader_stats stats = {0};
    k->fn = fn;
    request.columns = columns;
    request.kinds = kinds;
    if (end_ns != INT64_MAX)
        request.end = (stele_bound){STELE_BOUND_CLOCK, end_ns};
    for (size_t i = 0; i < k->in.count; i++) {
        if (k->pairings[i] == NULL)
            continue;
        request.columns |= stele_pairing_columns(k->pairings[i]);
        request.kinds |= stele_pairing_kinds(k->pairings[i]);
    }
    if (!cli_check(k->c,
                   cli_read(k->c, k->in.traces, k->in.count, &request,
                            &(consumer){.ready = ready, .take = take, .user = k}, &stats),
                   "reading"))
        return false;
    for (size_t i = 0; i < k->in.count; i++)
        if (k->pairings[i] != NULL)
            stele_pairing_finish(k->pairings[i]);
    if (!k->c->report.is_repeated)
        cli_conclude(k->c, NULL, &stats);
    k->c->report.is_repeated = true;
    return k->c->worst != EXIT_USAGE && !k->c->is_closed;
}

static bool open_inputs(critical *k)
{
    cli *c = k->c;
    if (!inputs_open(c, &k->in))
        return false;
    k->pairings = calloc(k->in.count + 1, sizeof(stele_pairing *));
    k->numbers = calloc(k->in.count + 1, sizeof *k->numbers);
    k->callings = calloc(k->in.count + 1, sizeof *k->callings);
    if (k->pairings == NULL || k->numbers == NULL || k->callings == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "critical");
    for (size_t i = 0; i < k->in.count; i++) {
        const stele_trace_info *about = stele_trace_get_info(k->in.traces[i]);
        calling *of = &k->callings[i];
        k->is_once = k->is_once || !about->is_seekable;
        k->numbers[i] = about->number;
        if (!calling_make_pairing(c, of))
            return false;
        if (stele_pairing_wants(of->pairing, k->in.traces[i]))
            k->pairings[i] = of->pairing;
    }
    return true;
}

/* ---- Choice of the span ---------------------------------------------------------------------- */

static stele_status ready_spans(void *user, const stele_reader_stats *stats)
{
    critical *k = user;
    spanning *s = &k->s;
    s->has_origin = stats->has_begin;
    s->origin_ns = stats->begin_ns;
    if (s->has_origin)
        stele_spans_set_origin(s->spans, s->origin_ns);
    if (k->is_once)
        stele_critical_set_window(k->path, stats->range_begin_ns, stats->range_end_ns);
    return stele_spans_set_window(s->spans, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status add_spans(void *user, const stele_segment *segment)
{
    critical *k = user;
    const stele_status status = stele_spans_add(k->s.spans, segment);
    return k->is_once && status == STELE_OK ? stele_critical_add_spans(k->path, segment) : status;
}

/* Keeps the longest span; of equal ones the first. */
static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    critical *k = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const uint64_t ns = stele_span_duration_ns(&spans[i]);
        if (spans[i].end == STELE_SPAN_ENTRY_LOST || ns == 0 || !spanning_wants(&k->s, &spans[i]) ||
            (k->is_found && ns <= stele_span_duration_ns(&k->span)))
            continue;
        k->is_found = true;
        k->span = spans[i];
        stele_spans_set_least(k->s.spans, ns + 1);
    }
    return STELE_OK;
}

static bool find_span(critical *k)
{
    cli *c = k->c;
    spanning *s = &k->s;
    const uint64_t kinds = k->is_once ? STELE_CRITICAL_KINDS : STELE_SPANS_KINDS;
    uint32_t columns;
    s->options.no_fields = true;
    if (!cli_check(c, stele_critical_new(c->context, NULL, &k->path), "critical") ||
        !cli_check(c, stele_spans_new(c->context, &s->options, take_spans, k, &s->spans), "spans"))
        return false;
    stele_spans_set_least(s->spans, s->calling.duration_min_ns);
    k->raw = k->is_once ? k->path : NULL;
    columns = stele_spans_columns(s->spans) | (k->is_once ? stele_critical_columns(k->path) : 0);
    return read_all(k, columns, kinds, ready_spans, add_spans, INT64_MAX) &&
           cli_check(c, stele_spans_finish(s->spans), "spans");
}

/* ---- Path of the span ------------------------------------------------------------------------ */

static stele_status ready_path(void *user, const stele_reader_stats *stats)
{
    critical *k = user;
    (void)stats;
    return stele_critical_set_window(k->path, k->span.begin_ns, k->span.end_ns);
}

static stele_status add_path(void *user, const stele_segment *segment)
{
    critical *k = user;
    return stele_critical_add_spans(k->path, segment);
}

static bool find_path(critical *k)
{
    cli *c = k->c;
    const int64_t end_ns = k->span.end_ns < INT64_MAX - 1 ? k->span.end_ns + 1 : INT64_MAX;
    k->raw = k->path;
    return (k->is_once || read_all(k, stele_critical_columns(k->path), STELE_CRITICAL_KINDS,
                                   ready_path, add_path, end_ns)) &&
           cli_check(c, stele_critical_finish(k->path), "critical") &&
           cli_check(c, stele_critical_path(k->path, &k->span, &k->stretches, &k->stretch_count),
                     "critical");
}

/* ---- Sums of stretches ----------------------------------------------------------------------- */

static int compare_kinds(const void *left, const void *right)
{
    const stele_critical_stretch *a = &((const sum *)left)->first;
    const stele_critical_stretch *b = &((const sum *)right)->first;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static int compare_sums(const void *left, const void *right)
{
    const sum *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->first.begin_ns < b->first.begin_ns ? -1 : a->first.begin_ns > b->first.begin_ns;
}

static bool is_same_kind(const stele_critical_stretch *a, const stele_critical_stretch *b)
{
    return a->state == b->state && a->track == b->track && a->name == b->name;
}

static bool add_up(critical *k)
{
    k->sums = malloc((k->stretch_count + 1) * sizeof *k->sums);
    if (k->sums == NULL)
        return cli_check(k->c, STELE_ERR_MEMORY, "critical");
    for (size_t i = 0; i < k->stretch_count; i++) {
        const stele_critical_stretch *of = &k->stretches[i];
        k->sums[i] = (sum){*of, (uint64_t)of->end_ns - (uint64_t)of->begin_ns, 1};
    }
    qsort(k->sums, k->stretch_count, sizeof *k->sums, compare_kinds);
    for (size_t i = 0; i < k->stretch_count; i++) {
        sum *last = k->sum_count != 0 ? &k->sums[k->sum_count - 1] : NULL;
        if (last != NULL && is_same_kind(&last->first, &k->sums[i].first)) {
            last->ns += k->sums[i].ns;
            last->count++;
        } else {
            k->sums[k->sum_count++] = k->sums[i];
        }
    }
    qsort(k->sums, k->sum_count, sizeof *k->sums, compare_sums);
    return true;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const figure_column sum_columns[] = {
    {"dur_ns", "time", FIGURE_NS, 0, 0},        {NULL, "share", FIGURE_SHARE, 0, 0},
    {"count", "stretches", FIGURE_COUNT, 0, 0}, {"state", "what", FIGURE_TEXT, 0, 0},
    {"name", "in", FIGURE_TEXT, 0, 0},          {"track", "on", FIGURE_TEXT, 0, 0},
    {"number", NULL, FIGURE_COUNT, 0, 0}};

static const figure_column stretch_columns[] = {
    {"time_ns", NULL, FIGURE_INT, 0, 0},  {NULL, "from", FIGURE_TEXT, 0, 0},
    {"dur_ns", "lasts", FIGURE_NS, 0, 0}, {"state", "what", FIGURE_TEXT, 0, 0},
    {"name", "in", FIGURE_TEXT, 0, 0},    {"track", "on", FIGURE_TEXT, 0, 0},
    {"number", NULL, FIGURE_COUNT, 0, 0}, {"way", "then", FIGURE_TEXT, 0, 0},
    {"other", NULL, FIGURE_TEXT, 0, 0},   {"stream", NULL, FIGURE_COUNT, 0, 0},
    {"offset", NULL, FIGURE_INT, 0, 0},   {"end_ns", NULL, FIGURE_INT, 0, 0}};

static uint64_t number_of(const critical *k, uint32_t track)
{
    const stele_track *known = stele_track_get(k->c->context, track);
    return known != NULL ? known->number : 0;
}

static bool list_sums(critical *k, figures *f)
{
    *f = (figures){.rows_key = "sums",
                   .columns = sum_columns,
                   .column_count = sizeof sum_columns / sizeof sum_columns[0],
                   .whole = stele_span_duration_ns(&k->span)};
    for (size_t i = 0; i < k->sum_count; i++) {
        const stele_critical_stretch *of = &k->sums[i].first;
        figure *row = figures_add(f);
        if (row == NULL)
            return cli_check(k->c, STELE_ERR_MEMORY, "critical");
        row[0].number = k->sums[i].ns;
        row[1].share.part = 0;
        row[1].share.whole = UINT32_MAX;
        row[2].number = k->sums[i].count;
        row[3] = figure_text(stele_critical_state_text((stele_critical_state)of->state));
        row[4] = figure_text(of->name != 0 ? label_name(k->c, &k->labels, of->name) : NULL);
        row[5] = figure_text(label_track(k->c, &k->labels, of->track));
        row[6].number = number_of(k, of->track);
    }
    return true;
}

/* What a stretch does for the next one, in words for people or as in other formats. */
static const char *then_of(const stele_critical_stretch *of, bool is_for_people)
{
    static const char *const texts[STELE_CRITICAL_WAY_COUNT] = {
        "", "starts a flow", "wakes the next", "begins the next", "waits for the next"};
    if (!is_for_people)
        return stele_critical_way_text((stele_critical_way)of->way);
    if (of->way == STELE_CRITICAL_BY_FLOW && of->state == STELE_CRITICAL_FLOW)
        return "arrives";
    return of->way < STELE_CRITICAL_WAY_COUNT ? texts[of->way] : "";
}

static const char *label_text(critical *k, const char *text)
{
    const stele_name name = stele_name_intern(k->c->context, text, strlen(text));
    return name != UINT32_MAX ? label_name(k->c, &k->labels, name) : "";
}

static bool list_stretches(critical *k, figures *f, bool is_for_people)
{
    char text[PRINT_SIZE];
    *f = (figures){.rows_key = "stretches",
                   .columns = stretch_columns,
                   .column_count = sizeof stretch_columns / sizeof stretch_columns[0]};
    for (size_t i = 0; i < k->stretch_count; i++) {
        const stele_critical_stretch *of = &k->stretches[i];
        figure *row = figures_add(f);
        if (row == NULL)
            return cli_check(k->c, STELE_ERR_MEMORY, "critical");
        row[0].integer = of->begin_ns;
        row[1] = figure_text(NULL);
        if (is_for_people) {
            print_time(text, k->c->times,
                       (int64_t)((uint64_t)of->begin_ns - (uint64_t)k->s.origin_ns));
            row[1] = figure_text(label_text(k, text));
        }
        row[2].number = (uint64_t)of->end_ns - (uint64_t)of->begin_ns;
        row[3] = figure_text(stele_critical_state_text((stele_critical_state)of->state));
        row[4] = figure_text(of->name != 0 ? label_name(k->c, &k->labels, of->name) : NULL);
        row[5] = figure_text(label_track(k->c, &k->labels, of->track));
        row[6].number = number_of(k, of->track);
        row[7] = figure_text(then_of(of, is_for_people));
        row[8] = figure_text(of->other != 0 ? label_track(k->c, &k->labels, of->other) : NULL);
        row[9].number = of->stream;
        row[10].integer = of->offset != STELE_SPAN_NO_OFFSET ? (int64_t)of->offset : -1;
        row[11].integer = of->end_ns;
    }
    return true;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void remark(critical *k)
{
    stele_critical_counts counts = STELE_INIT(stele_critical_counts);
    char text[PRINT_SIZE], duration[PRINT_SIZE];
    stele_critical_get_counts(k->path, &counts);
    if (counts.state_count == 0)
        cli_remark(k->c, "the trace does not say when threads run: what waits is known by flows "
                         "and nesting only");
    if (counts.lost_count != 0)
        cli_remark(k->c, "events were lost in it (%s): parts of the path may be missing",
                   print_things(text, counts.lost_count, "time"));
    if (counts.short_count != 0)
        cli_remark(k->c, "%s and states shorter than %s: counted as part of what is around",
                   print_things(text, counts.short_count, "span"),
                   print_brief(duration, k->c->times, counts.short_ns));
    if (counts.flow_other_count != 0)
        cli_remark(k->c, "%s beyond the limit: not followed",
                   print_things(text, counts.flow_other_count, "flow"));
}

static void write_title(critical *k)
{
    stele_output *out = k->c->out;
    const uint64_t ns = stele_span_duration_ns(&k->span);
    char text[PRINT_SIZE];
    stele_output_printf(out, "%s, %s,", label_name(k->c, &k->labels, k->span.name),
                        print_brief(text, k->c->times, ns));
    print_time(text, k->c->times, (int64_t)((uint64_t)k->span.begin_ns - (uint64_t)k->s.origin_ns));
    stele_output_printf(
        out, " from %s%s on, %s (id %llu)\n\n", text, k->c->times == STELE_CLOCK_NS ? " s" : "",
        label_track(k->c, &k->labels, k->span.track), (unsigned long long)k->span.id);
}

static size_t shown_of(const critical *k, size_t count)
{
    const uint64_t top = option_number(&k->c->options, OPTION_CRITICAL_TOP);
    return top != 0 && top < count ? (size_t)top : count;
}

static void write_text(critical *k, bool has_sums, bool has_stretches)
{
    figures f = {.row_count = 0};
    char text[PRINT_SIZE];
    write_title(k);
    if (has_sums && list_sums(k, &f)) {
        figures_write_text(k->c, &f, shown_of(k, f.row_count));
    }
    figures_free(&f);
    f = (figures){.row_count = 0};
    if (has_sums && has_stretches && k->stretch_count > STRETCHES_SHOWN) {
        cli_remark(k->c, "the path has %s stretches: --show path lists them",
                   print_count(text, k->stretch_count));
        return;
    }
    if (has_sums && has_stretches)
        stele_output_byte(k->c->out, '\n');
    if (has_stretches && list_stretches(k, &f, true))
        figures_write_text(k->c, &f, f.row_count);
    figures_free(&f);
}

static void write_json(critical *k)
{
    json j = {.out = k->c->out, .time_suffix = print_time_suffix(k->c->times)};
    const stele_text name = stele_name_text(k->c->context, NULL, k->span.name);
    figures sums = {.row_count = 0}, stretches = {.row_count = 0};
    if (list_sums(k, &sums) && list_stretches(k, &stretches, false)) {
        json_open(&j, NULL, '{');
        json_uint(&j, "version", 1);
        json_open(&j, "span", '{');
        json_uint(&j, "id", k->span.id);
        json_bytes(&j, "name", name.bytes, name.size);
        json_int(&j, "time_ns", k->span.begin_ns);
        json_int(&j, "end_ns", k->span.end_ns);
        json_uint(&j, "dur_ns", stele_span_duration_ns(&k->span));
        json_text(&j, "track", label_track(k->c, &k->labels, k->span.track));
        json_text(&j, "source", stele_span_source_text((stele_span_source)k->span.source));
        json_text(&j, "ended", stele_span_end_text((stele_span_end)k->span.end));
        json_close(&j, '}');
        figures_write_list(&j, &sums, sums.row_count);
        figures_write_list(&j, &stretches, stretches.row_count);
        json_close(&j, '}');
    }
    figures_free(&sums);
    figures_free(&stretches);
}

static void show(critical *k)
{
    const options *o = &k->c->options;
    const char *what = option_value(o, OPTION_CRITICAL_SHOW);
    const bool has_sums = what[0] != 'p', has_stretches = what[0] != 's';
    figures f = {.row_count = 0};
    if (option_given(o, OPTION_JSON)) {
        write_json(k);
    } else if (!option_given(o, OPTION_CSV)) {
        write_text(k, has_sums, has_stretches);
    } else if (has_stretches ? list_stretches(k, &f, false) : list_sums(k, &f)) {
        figures_write(k->c, &f, f.row_count, NULL, 0);
    }
    figures_free(&f);
    remark(k);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void free_all(critical *k)
{
    stele_critical_free(k->path);
    for (size_t i = 0; k->callings != NULL && i < k->in.count; i++)
        calling_free(&k->callings[i]);
    free(k->callings);
    free(k->pairings);
    free(k->numbers);
    free(k->sums);
    labels_free(&k->labels);
    inputs_close(&k->in);
    spanning_free(&k->s);
}

/* Says that no span was chosen, in the form that was asked for. */
static void show_nothing(critical *k)
{
    const options *o = &k->c->options;
    const bool has_stretches = option_value(o, OPTION_CRITICAL_SHOW)[0] != 's';
    figures f = {.row_count = 0};
    json j = {.out = k->c->out};
    k->c->report.is_repeated = false; /* what the filter did not find was not said yet */
    if (option_given(o, OPTION_JSON)) {
        json_open(&j, NULL, '{');
        json_uint(&j, "version", 1);
        json_null(&j, "span");
        json_close(&j, '}');
    } else if (!option_given(o, OPTION_CSV)) {
        stele_output_text(k->c->out, "No span\n");
    } else if (has_stretches ? list_stretches(k, &f, false) : list_sums(k, &f)) {
        figures_write(k->c, &f, 0, NULL, 0);
    }
    figures_free(&f);
}

void command_CRITICAL(cli *c)
{
    critical k = {.c = c};
    if (option_given(&c->options, OPTION_JSON) && option_given(&c->options, OPTION_CSV))
        cli_usage(c, "--json and --csv exclude each other");
    else if (spanning_make(c, &k.s) && open_inputs(&k) && find_span(&k)) {
        if (!k.is_found)
            show_nothing(&k);
        else if (find_path(&k) && add_up(&k))
            show(&k);
        calling_remark_pairs(c, &k.s.calling);
        stele_spans_report(k.s.spans);
    }
    free_all(&k);
}
