/* SPDX-License-Identifier: Apache-2.0 */
/* stele diff: shows what became slower or faster between two sets of runs. */
#include <stele/analysis.h>
#include <stele/text.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/diff_sched.h"
#include "cli/diff_stats.h"
#include "cli/show/figures.h"
#include "cli/show/flame_graph.h"
#include "cli/show/print.h"

typedef struct differing {
    cli *c;
    stele_profile **runs; /* a profile for each trace, first those before */
    size_t run;           /* index of the run that is being read */
    size_t before_count, after_count;
    stele_paths *paths; /* NULL: no flame graph is wanted */
    bool is_sched;      /* states of threads are compared, as if they were calls */
    diff_sched sched;   /* for the trace that is being read */
    stele_compare_change *rows, whole;
    size_t count, shown;
    bool is_sampled;
    bool has_limit; /* --fail-over was given */
    /* allowed growth of the total self time, or of one function, as a fraction of the total */
    double limit;
} differing;

static bool is_single(const differing *d)
{
    return d->before_count == 1 && d->after_count == 1;
}

/* What a row stands for, in words. */
static const char *thing(const differing *d)
{
    return d->is_sched ? "state" : option_given(&d->c->options, OPTION_PATHS) ? "path" : "function";
}

/* ---- Text for people ------------------------------------------------------------------------- */

static const char *change_text(const differing *d, char *text, int64_t change)
{
    const uint64_t size = change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
    char digits[PRINT_SIZE];
    snprintf(text, PRINT_SIZE, "%s%s",
             change > 0   ? "+"
             : change < 0 ? "-"
                          : "",
             d->is_sampled ? print_count(digits, size) : print_length(digits, d->c->times, size));
    return text;
}

/* The change in percent, such as "+12.3 %", or "new" or "gone". */
static const char *percent_text(char *text, uint64_t before, uint64_t after)
{
    const double percent = ((double)after - (double)before) * 100 / (double)before;
    if (before == 0 || after == 0)
        return before == after ? "0.0 %" : before == 0 ? "new" : "gone";
    if (percent > 99999)
        return "> +99999 %";
    snprintf(text, PRINT_SIZE, "%+.1f %%", percent);
    return text;
}

/* The chance that a change is random, such as "0.03"; '~' before it marks one that may be. */
static const char *chance_text(char *text, const stele_compare_change *row)
{
    const char *mark = row->is_noise ? "~" : "";
    if (row->p_value < 0.001)
        snprintf(text, PRINT_SIZE, "%s<0.001", mark);
    else
        snprintf(text, PRINT_SIZE, row->p_value < 0.01 ? "%s%.3f" : "%s%.2f", mark, row->p_value);
    return text;
}

/* Columns of the table: the first are for programs, those from D_SELF on for people. */
enum {
    D_NAME,
    D_SELF_CHANGE,
    D_NOISE_NS,
    D_IS_NOISE,
    D_P_VALUE,
    D_LONGER,
    D_RANK,
    D_RANK_P,
    D_AMOUNT,
    D_AMOUNT_P,
    D_IS_SAMPLED,
    D_BEFORE_RUNS,
    D_AFTER_RUNS,
    D_BEFORE,
    D_AFTER = D_BEFORE + 5,
    D_SELF = D_AFTER + 5,
    D_SELF_PERCENT,
    D_NOISE,
    D_CHANCE,
    D_TOTAL,
    D_MEAN,
    D_P50,
    D_CALLS_BEFORE,
    D_CALLS_AFTER,
    D_SHOWN_NAME,
    D_COLUMNS
};

#define TIME_WIDTH  11
#define COUNT_WIDTH 13

static const figure_column all_columns[D_COLUMNS] = {
    [D_NAME] = {"name", NULL, FIGURE_TEXT, 0, 0},
    [D_SELF_CHANGE] = {"self_change_ns", NULL, FIGURE_INT, 0, 0},
    [D_NOISE_NS] = {"noise_ns", NULL, FIGURE_COUNT, 0, 0},
    [D_IS_NOISE] = {"is_noise", NULL, FIGURE_BOOL, 0, 0},
    [D_P_VALUE] = {"p_value", NULL, FIGURE_REAL, 0, 0},
    [D_LONGER] = {"longer_share", NULL, FIGURE_REAL, 0, 0},
    [D_RANK] = {"rank_statistic", NULL, FIGURE_REAL, 0, FIGURE_NOT_CSV},
    [D_RANK_P] = {"rank_p_value", NULL, FIGURE_REAL, 0, FIGURE_NOT_CSV},
    [D_AMOUNT] = {"amount_statistic", NULL, FIGURE_REAL, 0, FIGURE_NOT_CSV},
    [D_AMOUNT_P] = {"amount_p_value", NULL, FIGURE_REAL, 0, FIGURE_NOT_CSV},
    [D_IS_SAMPLED] = {"is_sampled", NULL, FIGURE_BOOL, 0, FIGURE_NOT_CSV},
    [D_BEFORE_RUNS] = {"before_runs", NULL, FIGURE_COUNT, 0, FIGURE_NOT_CSV},
    [D_AFTER_RUNS] = {"after_runs", NULL, FIGURE_COUNT, 0, FIGURE_NOT_CSV},
    [D_BEFORE] = {"before/count", NULL, FIGURE_COUNT, 0, 0},
    {"before/total_ns", NULL, FIGURE_COUNT, 0, 0},
    {"before/self_ns", NULL, FIGURE_COUNT, 0, 0},
    {"before/mean_ns", NULL, FIGURE_COUNT, 0, 0},
    {"before/p50_ns", NULL, FIGURE_COUNT, 0, 0},
    [D_AFTER] = {"after/count", NULL, FIGURE_COUNT, 0, 0},
    {"after/total_ns", NULL, FIGURE_COUNT, 0, 0},
    {"after/self_ns", NULL, FIGURE_COUNT, 0, 0},
    {"after/mean_ns", NULL, FIGURE_COUNT, 0, 0},
    {"after/p50_ns", NULL, FIGURE_COUNT, 0, 0},
    [D_SELF] = {NULL, "self", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_SELF_PERCENT] = {NULL, "", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_NOISE] = {NULL, "noise", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_CHANCE] = {NULL, "chance", FIGURE_TEXT, -8, 0},
    [D_TOTAL] = {NULL, "total", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_MEAN] = {NULL, "mean", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_P50] = {NULL, "p50", FIGURE_TEXT, -TIME_WIDTH, 0},
    [D_CALLS_BEFORE] = {NULL, "calls before", FIGURE_COUNT, -COUNT_WIDTH, 0},
    [D_CALLS_AFTER] = {NULL, "after", FIGURE_COUNT, -COUNT_WIDTH, 0},
    [D_SHOWN_NAME] = {NULL, "name", FIGURE_TEXT, 0, 0}};

/* The columns that are left out first where a terminal is narrow. */
static const uint8_t spare[] = {D_P50, D_MEAN, D_TOTAL, D_NOISE, D_CALLS_AFTER, D_CALLS_BEFORE};

static void set_side(figure *cells, const stele_profile_row *of)
{
    const uint64_t numbers[] = {of->count, of->total_ns, of->self_ns, stele_profile_mean_ns(of),
                                of->p50_ns};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cells[i].number = numbers[i];
}

/* Sets the cells of the change and its significance. */
static void set_change(figure *cells, const stele_compare_change *row)
{
    cells[D_SELF_CHANGE].integer = row->self_change_ns;
    cells[D_NOISE_NS].number = row->has_noise ? (uint64_t)(row->noise_ns + 0.5) : FIGURE_NONE;
    cells[D_IS_NOISE].is_true = row->is_noise;
    cells[D_P_VALUE].real = row->p_value;
    cells[D_LONGER].real = row->longer_share;
    cells[D_RANK].real = row->rank_statistic;
    cells[D_RANK_P].real = row->rank_p_value;
    cells[D_AMOUNT].real = row->amount_statistic;
    cells[D_AMOUNT_P].real = row->amount_p_value;
    cells[D_IS_SAMPLED].is_true = row->before.is_sampled || row->after.is_sampled;
    cells[D_BEFORE_RUNS].number = row->before_runs;
    cells[D_AFTER_RUNS].number = row->after_runs;
    set_side(cells + D_BEFORE, &row->before);
    set_side(cells + D_AFTER, &row->after);
}

static void write_row(const differing *d, figures *f, const stele_compare_change *row)
{
    const stele_profile_row *before = &row->before, *after = &row->after;
    const uint64_t mean_before = stele_profile_mean_ns(before);
    const uint64_t mean_after = stele_profile_mean_ns(after);
    figure cells[D_COLUMNS] = {{.number = 0}};
    char t[D_CALLS_BEFORE - D_SELF][PRINT_SIZE];
    set_change(cells, row);
    cells[D_SELF] = figure_text(change_text(d, t[0], row->self_change_ns));
    cells[D_SELF_PERCENT] = figure_text(percent_text(t[1], before->self_ns, after->self_ns));
    cells[D_NOISE] = figure_text(
        row->has_noise ? print_length(t[2], d->c->times, cells[D_NOISE_NS].number) : "-");
    cells[D_CHANCE] = figure_text(chance_text(t[3], row));
    cells[D_TOTAL] =
        figure_text(change_text(d, t[4], (int64_t)(after->total_ns - before->total_ns)));
    cells[D_MEAN] = figure_text(percent_text(t[5], mean_before, mean_after));
    cells[D_P50] =
        figure_text(d->is_sampled ? "-" : percent_text(t[6], before->p50_ns, after->p50_ns));
    cells[D_CALLS_BEFORE].number = before->count;
    cells[D_CALLS_AFTER].number = after->count;
    cells[D_NAME].text = stele_name_text(f->c->context, NULL, before->name);
    cells[D_SHOWN_NAME] = cells[D_NAME];
    if (cells[D_NAME].text.size == 0)
        cells[D_SHOWN_NAME] = figure_text("(no name)");
    figures_row(f, cells);
}

/* Writes all rows as CSV, or if `into` is not NULL as a list in that JSON document. */
static void write_rows(const differing *d, json *into)
{
    figure_column columns[D_COLUMNS];
    figures f = {.c = d->c,
                 .columns = columns,
                 .column_count = D_COLUMNS,
                 .dim_column = D_IS_NOISE,
                 .into = into,
                 .shown_count = d->shown,
                 .row_count = d->count};
    memcpy(columns, all_columns, sizeof columns);
    if (is_single(d))
        columns[D_NOISE].title = NULL;
    if (into == NULL)
        figures_fit(&f, columns, spare, sizeof spare);
    figures_begin(&f);
    for (size_t i = 0; i < d->shown; i++)
        write_row(d, &f, &d->rows[i]);
}

static void write_text(const differing *d)
{
    stele_output *out = d->c->out;
    const stele_compare_change *whole = &d->whole;
    size_t noise_count = 0;
    char text[PRINT_SIZE];
    if (d->count == 0) {
        stele_output_text(out, "No calls\n");
        return;
    }
    print_time_unit(out, d->c->times);
    write_rows(d, NULL);
    for (size_t i = 0; i < d->count; i++)
        noise_count += d->rows[i].is_noise;
    stele_output_printf(out, "\nAll together: %s", change_text(d, text, whole->self_change_ns));
    stele_output_printf(out, " (%s)",
                        percent_text(text, whole->before.self_ns, whole->after.self_ns));
    if (!is_single(d))
        stele_output_printf(out, ", chance %s", chance_text(text, whole));
    stele_output_byte(out, '\n');
    if (noise_count != 0)
        stele_output_printf(out, "~ %s may have changed by chance only\n",
                            print_things(text, noise_count, thing(d)));
    if (is_single(d))
        stele_output_text(out, "One run on each side does not show how runs differ: only what "
                               "changed by half is\njudged. Five runs on each side show more: "
                               "stele diff BEFORE... -- AFTER...\n");
    else
        stele_output_text(out, "Figures are of a run, on average\n");
}

/* ---- JSON for programs ----------------------------------------------------------------------- */

/* Writes what was unusual in each run of one side. */
static void write_runs_json(json *j, const differing *d, const char *key, size_t first,
                            size_t count)
{
    json_open(j, key, '[');
    for (size_t run = first; run < first + count; run++) {
        json_open(j, NULL, '{');
        json_text(j, "trace", d->c->options.arguments[run]);
        calling_write_unusual_json(j, stele_profile_get_counts(d->runs[run]));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_json(const differing *d)
{
    const figures whole = {.columns = all_columns + D_SELF_CHANGE,
                           .column_count = D_SELF - D_SELF_CHANGE};
    figure cells[D_COLUMNS];
    json j = {.out = d->c->out, .time_suffix = print_time_suffix(d->c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 2);
    json_uint(&j, "function_count", d->count);
    json_open(&j, "functions", '[');
    write_rows(d, &j);
    json_close(&j, ']');
    set_change(cells, &d->whole);
    json_open(&j, "whole", '{');
    figures_members(&j, &whole, cells + D_SELF_CHANGE);
    json_close(&j, '}');
    write_runs_json(&j, d, "before", 0, d->before_count);
    write_runs_json(&j, d, "after", d->before_count, d->after_count);
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static void write_flame(const differing *d)
{
    cli *c = d->c;
    const char *path = option_value(&c->options, OPTION_FLAME_OUTPUT);
    char title[1024];
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_output *out;
    snprintf(title, sizeof title, "%s, compared with %s", c->options.arguments[d->before_count],
             c->options.arguments[0]);
    if (!cli_check(c, stele_paths_tree(d->paths, false, &tree), path) ||
        !calling_output(c, path, &out))
        return;
    flame_write_svg(
        &(flame){.context = c->context,
                 .tree = &tree,
                 .title = title,
                 .unit = d->c->times != STELE_CLOCK_NS ? print_time_word(d->c->times) : NULL,
                 .width = (uint32_t)option_number(&c->options, OPTION_WIDTH),
                 .is_diff = true,
                 .runs = {(uint32_t)d->before_count, (uint32_t)d->after_count}},
        out);
    calling_output_end(c, path, out);
}

/*
 * Applies --fail-over: finds what became slower by more than the limit and not by chance. If there
 * are many functions some seem to change by chance, so the level of significance is divided by
 * their number.
 */
static void judge_limit(const differing *d)
{
    const double before = (double)d->whole.before.self_ns, level = 0.05;
    const double most = before * d->limit;
    size_t count = 0;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < d->count; i++)
        count += (double)d->rows[i].self_change_ns > most &&
                 d->rows[i].p_value * (double)d->count <= level;
    if (count != 0)
        cli_remark(d->c, "%s slower by more than %g %% of the whole",
                   print_things(text, count, thing(d)), d->limit * 100);
    if (!is_single(d) && !d->whole.is_noise && (double)d->whole.self_change_ns > most)
        cli_remark(d->c, "the whole is slower by more than %g %%", d->limit * 100);
    else if (count == 0)
        return;
    cli_exit(d->c, EXIT_OVER);
}

static void show(differing *d)
{
    const options *o = &d->c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const uint64_t top =
        (is_json || is_csv) && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    if (!cli_check(d->c,
                   stele_profile_compare_runs(d->c->context, d->runs, d->before_count,
                                              d->runs + d->before_count, d->after_count, NULL,
                                              &d->rows, &d->count, &d->whole),
                   "diff"))
        return;
    d->shown = top != 0 && top < d->count ? (size_t)top : d->count;
    for (size_t run = 0; run < o->argument_count; run++)
        d->is_sampled = d->is_sampled || stele_profile_sample_count(d->runs[run]) != 0;
    if (is_json)
        write_json(d);
    else if (is_csv)
        write_rows(d, NULL);
    else
        write_text(d);
    if (d->paths != NULL)
        write_flame(d);
    for (size_t run = 0; run < o->argument_count && !is_json; run++)
        calling_remark_unusual(d->c, stele_profile_get_counts(d->runs[run]));
    if (d->count == 0)
        stele_profile_report(d->runs[0]);
    if (d->has_limit && d->count == 0)
        cli_lacks(d->c, "calls, so that --fail-over has nothing to judge");
    else if (d->has_limit)
        judge_limit(d);
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    const differing *d = user;
    const int64_t begin_ns = stats->range_begin_ns, end_ns = stats->range_end_ns;
    stele_status status =
        d->is_sched ? stele_sched_set_window(d->sched.sched, begin_ns, end_ns) : STELE_OK;
    if (status == STELE_OK)
        status = stele_profile_set_window(d->runs[d->run], begin_ns, end_ns);
    return status == STELE_OK && d->paths != NULL
               ? stele_paths_set_window(d->paths, begin_ns, end_ns)
               : status;
}

static stele_status take(void *user, const stele_segment *segment)
{
    const differing *d = user;
    const stele_status status = stele_profile_add(d->runs[d->run], segment);
    return status == STELE_OK && d->paths != NULL ? stele_paths_add(d->paths, segment) : status;
}

/* Parses a limit in percent, such as "5%", "0.5%" or "5". */
static bool parse_limit(differing *d)
{
    const char *text = option_value(&d->c->options, OPTION_FAIL_OVER);
    char *end;
    if (text == NULL)
        return true;
    errno = 0;
    d->limit = strtod(text, &end) / 100;
    d->has_limit = true;
    if (end == text || errno != 0 || !(d->limit >= 0 && d->limit < 1e6) ||
        (*end != 0 && strcmp(end, "%") != 0))
        return cli_usage(d->c, "--fail-over takes a percentage such as 5%%, not '%s'", text);
    return true;
}

static stele_status take_sched(void *user, const stele_segment *segment)
{
    differing *d = user;
    return diff_sched_add(&d->sched, segment);
}

/* Changes the request to states of threads, in the order of time over all tracks. */
static void read_as_sched(differing *d, calling *s)
{
    stele_request *request = &s->selected.request;
    d->is_sched = true;
    request->kinds = STELE_SCHED_KINDS;
    request->order = STELE_ORDER_TIME;
    request->tracks = (stele_globs){.count = 0};
    stele_pairing_free(s->pairing);
    s->pairing = NULL;
}

static bool read_sched(differing *d, calling *s)
{
    /* Threads that wait usually have no work to do, so waiting counts only if it is selected by
       name. */
    const bool has_waits = s->only.names.count != 0 || s->only.where != NULL;
    bool is_ok;
    is_ok =
        diff_sched_make(d->c, &d->sched, has_waits, take, d) &&
        calling_read(d->c, s, d->run,
                     stele_sched_columns(d->sched.sched) | stele_profile_columns(d->runs[d->run]),
                     &(consumer){.ready = ready, .take = take_sched, .user = d}) &&
        cli_check(d->c, diff_sched_finish(&d->sched), "sched");
    diff_sched_free(&d->sched);
    return is_ok;
}

static bool prepare(differing *d, const calling *s)
{
    cli *c = d->c;
    d->before_count = c->options.before_count;
    d->after_count = c->options.argument_count - d->before_count;
    d->runs = calloc(c->options.argument_count, sizeof *d->runs);
    if (d->runs == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "diff");
    for (size_t run = 0; run < c->options.argument_count; run++) {
        if (!calling_make_spread(c, s, &d->runs[run]))
            return false;
    }
    return !option_given(&c->options, OPTION_FLAME_OUTPUT) ||
           calling_make_paths(c, s, false, &d->paths);
}

static bool read_runs(differing *d, calling *s)
{
    const uint32_t columns = stele_profile_columns(d->runs[0]);
    bool is_ok = true;
    for (d->run = 0; d->run < d->c->options.argument_count && is_ok; d->run++) {
        is_ok =
            (d->paths == NULL ||
             cli_check(d->c, stele_paths_turn(d->paths, d->run >= d->before_count), "diff")) &&
            (d->is_sched ? read_sched(d, s)
                         : calling_read(d->c, s, d->run, columns,
                                        &(consumer){.ready = ready, .take = take, .user = d})) &&
            cli_check(d->c, stele_profile_finish(d->runs[d->run]), "diff");
    }
    return is_ok && d->c->worst != EXIT_USAGE && !d->c->is_closed;
}

/* Checks that no option is given that is only for --of stats. Otherwise reports it and returns
   false. */
static bool has_no_figures(cli *c)
{
    static const option_id own[] = {OPTION_DIFF_GROUP, OPTION_DIFF_VALUE, OPTION_DIFF_FIGURE,
                                    OPTION_STATS_SPANS, OPTION_STATS_EVENTS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (option_given(&c->options, own[i]))
            return cli_usage(c, "--%s goes with --of stats", option_table[own[i]].name);
    }
    return true;
}

void command_DIFF(cli *c)
{
    calling s = {.depth_min = 0};
    differing d = {.c = c};
    c->is_apart = true;
    if (strcmp(option_value(&c->options, OPTION_DIFF_OF), "stats") == 0) {
        if (parse_limit(&d))
            diff_stats(c, d.has_limit ? d.limit : -1);
        return;
    }
    if (has_no_figures(c) && calling_make(c, &s) && parse_limit(&d) && prepare(&d, &s)) {
        s.align = option_value(&c->options, OPTION_ALIGN);
        if (strcmp(option_value(&c->options, OPTION_DIFF_OF), "sched") == 0)
            read_as_sched(&d, &s);
        if (read_runs(&d, &s))
            show(&d);
    }
    calling_remark_pairs(c, &s);
    free(d.rows);
    for (size_t run = 0; d.runs != NULL && run < c->options.argument_count; run++)
        stele_profile_free(d.runs[run]);
    free(d.runs);
    stele_paths_free(d.paths);
    calling_free(&s);
}
