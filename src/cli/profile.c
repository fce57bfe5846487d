/* SPDX-License-Identifier: Apache-2.0 */
/* stele profile: shows where the time goes, by name. */
#include <stele/text.h>

#include <string.h>

#include "cli/calling.h"
#include "cli/show/figures.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/standing.h"

/* How much percentiles can be too large, in percent; see analysis/events/histogram.h. */
#define ERROR_PERCENT "3.2"

/* The rows to be shown, sorted. */
typedef struct table {
    const stele_profile *profile;
    stele_profile_order order;
    size_t count, shown;
    uint64_t self_ns; /* self time of all rows */
    bool by_track;
    bool is_sampled; /* some rows are from samples, without percentiles and with times in ticks */
    const stele_call_counts *counts;
} table;

/* ---- Rows of the table ----------------------------------------------------------------------- */

/* Columns: the first are for programs, those from P_CALLS on for people. */
enum {
    P_NAME,
    P_TRACK,
    P_TRACK_NUMBER, /* number among all tracks, in JSON */
    P_TRACK_KIND,
    P_TRACK_OWN_NUMBER,
    P_TRACK_NAME,
    P_COUNT,
    P_TOTAL_NS,
    P_SELF_NS,
    P_MEAN_NS,
    P_MIN_NS,
    P_P50_NS,
    P_P90_NS,
    P_P99_NS,
    P_MAX_NS,
    P_UNENDED,
    P_LOST,
    P_IS_SAMPLED,
    P_CALLS,
    P_TOTAL,
    P_SELF,
    P_SHARE,
    P_MIN,
    P_P50,
    P_P90,
    P_P99,
    P_MAX,
    P_SHOWN_NAME,
    P_SHOWN_TRACK,
    P_COLUMNS
};

#define TIME_WIDTH 11

static const figure_column all_columns[P_COLUMNS] = {
    [P_NAME] = {"name", NULL, FIGURE_TEXT, 0, 0},
    [P_TRACK] = {"track", NULL, FIGURE_COUNT, 0, FIGURE_NOT_JSON},
    [P_TRACK_NUMBER] = {"track/track", NULL, FIGURE_COUNT, 0, FIGURE_NOT_CSV},
    [P_TRACK_KIND] = {"track/kind", NULL, FIGURE_TEXT, 0, FIGURE_NOT_CSV},
    [P_TRACK_OWN_NUMBER] = {"track/number", NULL, FIGURE_COUNT, 0, FIGURE_NOT_CSV},
    [P_TRACK_NAME] = {"track/name", NULL, FIGURE_TEXT, 0, FIGURE_NOT_CSV},
    [P_COUNT] = {"count", NULL, FIGURE_COUNT, 0, 0},
    [P_TOTAL_NS] = {"total_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_SELF_NS] = {"self_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_MEAN_NS] = {"mean_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_MIN_NS] = {"min_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_P50_NS] = {"p50_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_P90_NS] = {"p90_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_P99_NS] = {"p99_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_MAX_NS] = {"max_ns", NULL, FIGURE_COUNT, 0, 0},
    [P_UNENDED] = {"unended_count", NULL, FIGURE_COUNT, 0, 0},
    [P_LOST] = {"entry_lost_count", NULL, FIGURE_COUNT, 0, 0},
    [P_IS_SAMPLED] = {"is_sampled", NULL, FIGURE_BOOL, 0, 0},
    [P_CALLS] = {NULL, "calls", FIGURE_COUNT, -13, 0},
    [P_TOTAL] = {NULL, "total", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_SELF] = {NULL, "self", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_SHARE] = {NULL, "share", FIGURE_RATIO, -TIME_WIDTH, 0},
    [P_MIN] = {NULL, "min", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_P50] = {NULL, "p50", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_P90] = {NULL, "p90", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_P99] = {NULL, "p99", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_MAX] = {NULL, "max", FIGURE_TEXT, -TIME_WIDTH, 0},
    [P_SHOWN_NAME] = {NULL, "name", FIGURE_TEXT, 0, 0},
    [P_SHOWN_TRACK] = {NULL, "", FIGURE_TEXT, 0, 0}};

/* The columns that are left out first where a terminal is narrow. */
static const uint8_t spare[] = {P_MIN, P_P90, P_SHARE, P_P50, P_MAX, P_TOTAL, P_P99};

static void choose_columns(figure_column to[P_COLUMNS], bool by_track)
{
    memcpy(to, all_columns, sizeof all_columns);
    if (by_track)
        return;
    for (unsigned i = P_TRACK; i <= P_TRACK_NAME; i++)
        to[i].key = NULL;
    to[P_SHOWN_TRACK].title = NULL;
}

/* The cell of a time; those of samples are in ticks. */
static figure shown_time(const cli *c, const stele_profile_row *row, uint64_t ns, char *text)
{
    return figure_text(row->is_sampled ? print_count(text, ns) : print_length(text, c->times, ns));
}

static void set_numbers(const table *t, const stele_profile_row *row, figure *cells)
{
    cells[P_COUNT].number = cells[P_CALLS].number = row->count;
    cells[P_TOTAL_NS].number = row->total_ns;
    cells[P_SELF_NS].number = row->self_ns;
    cells[P_MEAN_NS].number = stele_profile_mean_ns(row);
    cells[P_MIN_NS].number = row->min_ns;
    cells[P_P50_NS].number = row->p50_ns;
    cells[P_P90_NS].number = row->p90_ns;
    cells[P_P99_NS].number = row->p99_ns;
    cells[P_MAX_NS].number = row->max_ns;
    cells[P_UNENDED].number = row->unended_count;
    cells[P_LOST].number = row->lost_count;
    cells[P_IS_SAMPLED].is_true = row->is_sampled;
    cells[P_SHARE].ratio.part = row->self_ns;
    cells[P_SHARE].ratio.whole = t->self_ns;
}

static void set_track(cli *c, uint32_t number, figure *cells, stele_output *text)
{
    const stele_track *track = stele_track_get(c->context, number);
    cells[P_TRACK].number = cells[P_TRACK_NUMBER].number = number;
    cells[P_TRACK_KIND] =
        figure_text(stele_track_kind_text(track != NULL ? track->kind : STELE_TRACK_NONE));
    cells[P_TRACK_OWN_NUMBER].number = track != NULL ? track->number : 0;
    cells[P_TRACK_NAME].text = stele_name_text(c->context, NULL, track != NULL ? track->name : 0);
    stele_output_clear(text);
    naming_write_track(c->context, text, number);
    cells[P_SHOWN_TRACK].text.bytes =
        (const char *)stele_output_memory(text, &cells[P_SHOWN_TRACK].text.size);
}

/* What the rows of a table are written with. */
typedef struct writing {
    const table *t;
    figures *f;
    stele_output *text;
} writing;

static stele_status write_row(void *user, const stele_profile_row *row)
{
    const writing *w = user;
    const table *t = w->t;
    figures *f = w->f;
    figure cells[P_COLUMNS] = {{.number = 0}};
    char times[P_MAX - P_TOTAL + 1][PRINT_SIZE];
    set_numbers(t, row, cells);
    for (unsigned i = P_TOTAL; i <= P_MAX; i++) {
        const unsigned of = i <= P_SELF ? P_TOTAL_NS + i - P_TOTAL : P_MIN_NS + i - P_MIN;
        if (i > P_SHARE && (row->count == 0 || row->is_sampled))
            cells[i] = figure_text("-");
        else if (i != P_SHARE)
            cells[i] = shown_time(f->c, row, cells[of].number, times[i - P_TOTAL]);
    }
    cells[P_NAME].text = stele_name_text(f->c->context, NULL, row->name);
    cells[P_SHOWN_NAME] = cells[P_NAME];
    if (cells[P_NAME].text.size == 0)
        cells[P_SHOWN_NAME] = figure_text("(no name)");
    if (t->by_track)
        set_track(f->c, row->track, cells, w->text);
    figures_row(f, cells);
    return STELE_OK;
}

static void write_rows(cli *c, const table *t, json *into)
{
    figure_column columns[P_COLUMNS];
    figures f = {.c = c,
                 .columns = columns,
                 .column_count = P_COLUMNS,
                 .into = into,
                 .shown_count = t->shown,
                 .row_count = t->count};
    writing w = {.t = t, .f = &f};
    if (!cli_check(c, stele_output_open_memory(NULL, &w.text), "profile"))
        return;
    choose_columns(columns, t->by_track);
    if (into == NULL)
        figures_fit(&f, columns, spare, sizeof spare);
    figures_begin(&f);
    cli_check(c, stele_profile_each_row(t->profile, t->order, t->shown, write_row, &w), "profile");
    stele_output_close(w.text);
}

static void write_text(cli *c, const table *t)
{
    if (t->count == 0) {
        stele_output_text(c->out, "No calls\n");
    } else {
        print_time_unit(c->out, c->times);
        write_rows(c, t, NULL);
        stele_output_byte(c->out, '\n');
    }
    calling_write_unusual(c->out, t->counts);
    if (t->is_sampled)
        stele_output_text(c->out, "Times of samples are in ticks of the tracer's clock\n");
    if (t->counts->call_count != 0)
        stele_output_text(c->out, "p50, p90 and p99 are at most " ERROR_PERCENT " % too large\n");
}

static void write_json(cli *c, const table *t)
{
    json j = {.out = c->out, .time_suffix = print_time_suffix(c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "function_count", t->count);
    json_uint(&j, "self_ns", t->self_ns);
    json_text(&j, "percentile_error_percent", ERROR_PERCENT);
    json_open(&j, "functions", '[');
    write_rows(c, t, &j);
    json_close(&j, ']');
    calling_write_unusual_json(&j, t->counts);
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_profile_order parse_rank(const options *o)
{
    static const char *const words[] = {"self", "total", "count", "max", "mean", "name"};
    const char *word = option_value(o, OPTION_RANK);
    stele_profile_order order = STELE_PROFILE_BY_SELF;
    while (order < STELE_PROFILE_BY_NAME && strcmp(words[order], word) != 0)
        order++;
    return order;
}

static void show(cli *c, stele_profile *p)
{
    const options *o = &c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const uint64_t top =
        (is_json || is_csv) && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    table t = {.by_track = option_given(o, OPTION_BY_THREAD),
               .profile = p,
               .order = parse_rank(o),
               .counts = stele_profile_get_counts(p)};
    if (!cli_check(c, stele_profile_finish(p), "profile"))
        return;
    t.count = stele_profile_row_count(p);
    t.self_ns = stele_profile_self_ns(p);
    t.shown = top != 0 && top < t.count ? (size_t)top : t.count;
    t.is_sampled = stele_profile_sample_count(p) != 0;
    if (is_json)
        write_json(c, &t);
    else if (is_csv)
        write_rows(c, &t, NULL);
    else
        write_text(c, &t);
    if (is_csv)
        calling_remark_unusual(c, t.counts);
    stele_profile_report(p);
}

typedef struct job {
    cli *c;
    calling s;
    stele_profile *p;
    bool by_track;
    bool is_joined; /* the profile has all parts of the trace */
} job;

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    const job *j = user;
    return stele_profile_set_window(j->p, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    const job *j = user;
    return stele_profile_add(j->p, segment);
}

/* ---- Parts of a trace ---- */

static stele_status fork_profile(void *user, stele_context *context, void **fork)
{
    const job *j = user;
    const stele_profile_options given = calling_profile_options(&j->s, j->by_track);
    stele_profile *made;
    stele_status status = stele_profile_new(context, &given, &made);
    *fork = made;
    if (status == STELE_OK)
        status = stele_profile_set_part(made);
    if (status != STELE_OK)
        stele_profile_free(made);
    return status;
}

static stele_status add_to_part(void *fork, const stele_segment *segment)
{
    return stele_profile_add(fork, segment);
}

static stele_status join_profile(void *user, void *fork, const stele_part_map *map)
{
    job *j = user;
    j->is_joined = true;
    return stele_profile_merge(j->p, fork, map);
}

static void drop_profile(void *fork)
{
    stele_profile_free(fork);
}

static stele_status clear_profile(void *user)
{
    job *j = user;
    const stele_profile_options given = calling_profile_options(&j->s, j->by_track);
    j->is_joined = false;
    stele_profile_free(j->p);
    j->p = NULL;
    return stele_profile_new(j->c->context, &given, &j->p);
}

/* Ends reading of a trace that has no parts: it is read as one, each track in its own order. */
static stele_status take_nothing(void *user, const stele_segment *segment)
{
    (void)user;
    (void)segment;
    return STELE_END;
}

/* Reads the only trace in parts, if that gives the same result. Returns false if it does not. */
static bool read_in_parts(job *j)
{
    cli *c = j->c;
    stele_request *request = &j->s.selected.request;
    const uint64_t kinds = request->kinds;
    const divided parts = {.to = {.struct_size = sizeof parts.to,
                                  .fork = fork_profile,
                                  .take = add_to_part,
                                  .join = join_profile,
                                  .drop = drop_profile,
                                  .user = j},
                           .clear = clear_profile};
    bool is_good;
    if (option_number(&c->options, OPTION_THREADS) < 2 || c->options.argument_count != 1 ||
        j->s.align != NULL)
        return false;
    request->kinds = STELE_KINDS_ALL;
    is_good = standing_read(c, &j->s, stele_profile_columns(j->p) & ~(uint32_t)STELE_COLUMN_FIELDS,
                            &(consumer){.take = take_nothing, .user = j, .parts = &parts});
    request->kinds = kinds;
    return (is_good && j->is_joined) || !cli_check(c, clear_profile(j), "profile");
}

static bool read_all(job *j)
{
    const cli *c = j->c;
    size_t read_count = 0;
    if (read_in_parts(j))
        return j->is_joined;
    for (size_t i = 0; i < c->options.argument_count; i++)
        read_count += calling_read(j->c, &j->s, i, stele_profile_columns(j->p),
                                   &(consumer){.ready = ready, .take = take, .user = j});
    return read_count != 0;
}

void command_PROFILE(cli *c)
{
    job j = {.c = c, .by_track = option_given(&c->options, OPTION_BY_THREAD)};
    calling_sort(c);
    if (joined_make(c) && calling_make(c, &j.s) &&
        calling_make_profile(c, &j.s, j.by_track, &j.p)) {
        if (read_all(&j) && c->worst != EXIT_USAGE && !c->is_closed)
            show(c, j.p);
        calling_remark_pairs(c, &j.s);
    }
    stele_profile_free(j.p);
    calling_free(&j.s);
}
