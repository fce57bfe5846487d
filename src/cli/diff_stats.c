/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diff_stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figuring.h"
#include "cli/show/figures.h"
#include "cli/show/grid.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/stats.h"

typedef struct differing {
    cli *c;
    figuring f;
    stele_stats **runs; /* one for each run, first those before */
    size_t run_count, before_count;
    stele_stats_figure figure;
    stele_stats_change *changes;
    size_t count, shown;
    double limit; /* --fail-over as a fraction; below 0: not given */
} differing;

static bool has_value(const differing *d)
{
    return stele_stats_of_count(d->runs[0]) != 0;
}

static stele_unit unit_of(const differing *d)
{
    const bool is_amount = d->figure != STELE_STATS_COUNT && d->figure != STELE_STATS_DISTINCT;
    return has_value(d) && is_amount ? stele_stats_of_unit(d->runs[0], 0) : STELE_UNIT_NONE;
}

static bool is_single(const differing *d)
{
    return d->run_count == 2;
}

/* ---- Text for people ------------------------------------------------------------------------- */

static void number_cell(const cli *c, grid *g, double value, stele_unit unit, bool has_sign)
{
    char text[STATS_CELL];
    if (isnan(value)) {
        grid_cell(g, "-");
        return;
    }
    if (has_sign && value > 0)
        stele_output_byte(g->text, '+');
    grid_cell(g, stats_print_number(text, value, unit, c->times));
}

/* Whether a side has no value. */
static bool is_nothing(uint32_t runs, double value)
{
    return runs == 0 || isnan(value);
}

/* Adds a cell with the change in percent, such as "+12.3 %", or "new" or "gone"; "-" where neither
   side has a value. */
static void percent_cell(grid *g, const stele_stats_change *change)
{
    char text[PRINT_SIZE];
    const bool is_new = is_nothing(change->before_runs, change->before) || change->before == 0;
    const bool is_gone = is_nothing(change->after_runs, change->after);
    if (is_gone || is_new) {
        const char *text_of = change->after == 0 ? "0.0 %" : "new";
        if (is_gone)
            text_of = is_nothing(change->before_runs, change->before) ? "-" : "gone";
        grid_cell(g, text_of);
        return;
    }
    snprintf(text, sizeof text, "%+.1f %%", change->change * 100 / fabs(change->before));
    grid_cell(g, text);
}

/* Adds a cell with the chance that a change is random, such as "0.03"; '~' before it marks one
   that may be, "-" one that is not known. */
static void chance_cell(grid *g, const stele_stats_change *change)
{
    const char *mark = change->is_noise ? "~" : "";
    char text[PRINT_SIZE];
    if (!change->has_noise)
        snprintf(text, sizeof text, "-");
    else if (change->p_value < 0.001)
        snprintf(text, sizeof text, "%s<0.001", mark);
    else
        snprintf(text, sizeof text, change->p_value < 0.01 ? "%s%.3f" : "%s%.2f", mark,
                 change->p_value);
    grid_cell(g, text);
}

static void key_cells(const differing *d, grid *g, const stele_stats_change *change)
{
    for (size_t by = 0; by < stele_stats_by_count(d->runs[0]); by++) {
        if (change->is_other)
            stele_output_text(g->text, by == 0 ? "(all others)" : "");
        else
            stats_write_value(d->c, g->text, &change->keys[by],
                              stele_stats_by_unit(d->runs[0], by));
        grid_end_cell(g);
    }
}

static void headings(const differing *d, grid *g)
{
    const size_t by_count = stele_stats_by_count(d->runs[0]);
    char shown[PRINT_SIZE], all[PRINT_SIZE];
    grid_cell(g, "before");
    grid_cell(g, "after");
    grid_cell(g, "change");
    grid_cell(g, "");
    if (!is_single(d)) {
        grid_cell(g, "noise");
        grid_cell(g, "chance");
    }
    for (size_t by = 0; by < by_count; by++) {
        const char *title = stele_stats_by_title(d->runs[0], by);
        stele_output_visible(g->text, title, strlen(title));
        if (by + 1 == by_count && d->shown < d->count)
            stele_output_printf(g->text, " (%s of %s)", print_count(shown, d->shown),
                                print_count(all, d->count));
        grid_end_cell(g);
    }
}

static void write_text(const differing *d)
{
    cli *c = d->c;
    const size_t number_count = is_single(d) ? 4 : 6;
    const stele_unit unit = unit_of(d);
    grid g;
    if (d->count == 0) {
        stele_output_text(c->out, "Nothing to compare\n");
        return;
    }
    if (unit == STELE_UNIT_NS)
        print_time_unit(c->out, c->times);
    stele_output_printf(c->out, "%s of ", stats_figure_name(d->figure));
    if (has_value(d)) {
        const char *title = stele_stats_of_title(d->runs[0], 0);
        stele_output_visible(c->out, title, strlen(title));
    } else {
        stele_output_printf(c->out, "%ss", stats_rows_name(stele_stats_get_rows(d->runs[0])));
    }
    stele_output_byte(c->out, '\n');
    if (!grid_open(c, &g, number_count + stele_stats_by_count(d->runs[0]), number_count))
        return;
    headings(d, &g);
    for (size_t i = 0; i < d->shown; i++) {
        const stele_stats_change *change = &d->changes[i];
        number_cell(c, &g, change->before, unit, false);
        number_cell(c, &g, change->after, unit, false);
        number_cell(c, &g, change->change, unit, true);
        percent_cell(&g, change);
        if (!is_single(d)) {
            number_cell(c, &g, change->has_noise ? change->noise : NAN, unit, false);
            chance_cell(&g, change);
        }
        key_cells(d, &g, change);
    }
    grid_close(c, &g);
    stele_output_text(
        c->out, is_single(d) ? "\nOne run on each side does not show how runs differ; several do: "
                               "stele diff --of\nstats BEFORE... -- AFTER...\n"
                             : "\nFigures are of a run, on average; ~ may have changed by chance "
                               "only\n");
}

/* ---- CSV and JSON for programs --------------------------------------------------------------- */

#define OWN_COLUMNS 8u

static void write_csv(const differing *d)
{
    static const figure_column own[OWN_COLUMNS] = {
        {"before_runs", NULL, FIGURE_COUNT, 0, 0}, {"after_runs", NULL, FIGURE_COUNT, 0, 0},
        {"before", NULL, FIGURE_REAL, 0, 0},       {"after", NULL, FIGURE_REAL, 0, 0},
        {"change", NULL, FIGURE_REAL, 0, 0},       {"noise", NULL, FIGURE_REAL, 0, 0},
        {"p_value", NULL, FIGURE_REAL, 0, 0},      {"is_noise", NULL, FIGURE_BOOL, 0, 0}};
    static const stele_value all_others = {.type = STELE_VALUE_TEXT,
                                           .u.text = {"(all others)", sizeof "(all others)" - 1}};
    const size_t by_count = stele_stats_by_count(d->runs[0]), count = by_count + OWN_COLUMNS;
    figure_column *columns = calloc(count, sizeof *columns);
    figure *cells = calloc(count, sizeof *cells);
    figures rows = {.c = d->c, .columns = columns, .column_count = count};
    for (size_t i = 0; columns != NULL && i < count; i++)
        columns[i] = i < by_count ? (figure_column){stele_stats_by_title(d->runs[0], i), NULL,
                                                    FIGURE_LABEL, 0, 0}
                                  : own[i - by_count];
    if (columns != NULL && cells != NULL)
        figures_begin(&rows);
    for (size_t i = 0; columns != NULL && cells != NULL && i < d->shown; i++) {
        const stele_stats_change *change = &d->changes[i];
        figure *at = cells;
        for (size_t by = 0; by < by_count; by++)
            (at++)->value = change->is_other && by == 0 ? &all_others : &change->keys[by];
        (at++)->number = change->before_runs;
        (at++)->number = change->after_runs;
        (at++)->real = change->before;
        (at++)->real = change->after;
        (at++)->real = change->change;
        (at++)->real = change->has_noise ? change->noise : (double)NAN;
        (at++)->real = change->has_noise ? change->p_value : (double)NAN;
        (at++)->is_true = change->is_noise;
        figures_row(&rows, cells);
    }
    cli_check(d->c, columns != NULL && cells != NULL ? STELE_OK : STELE_ERR_MEMORY, "diff");
    figures_free(&rows);
    free(columns);
    free(cells);
}

static void write_json(const differing *d)
{
    json j = {.out = d->c->out, .time_suffix = print_time_suffix(d->c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "figure", stats_figure_name(d->figure));
    if (has_value(d))
        json_text(&j, "value", stele_stats_of_title(d->runs[0], 0));
    else
        json_null(&j, "value");
    json_text(&j, "unit",
              unit_of(d) == STELE_UNIT_NS      ? print_time_word(d->c->times)
              : unit_of(d) == STELE_UNIT_BYTES ? "bytes"
                                               : "");
    json_text(&j, "rows", stats_rows_name(stele_stats_get_rows(d->runs[0])));
    json_uint(&j, "group_count", d->count);
    json_open(&j, "groups", '[');
    for (size_t i = 0; i < d->shown; i++) {
        const stele_stats_change *change = &d->changes[i];
        json_open(&j, NULL, '{');
        json_open(&j, "by", '[');
        for (size_t by = 0; by < stele_stats_by_count(d->runs[0]); by++)
            stats_write_key_json(&j, &change->keys[by]);
        json_close(&j, ']');
        json_uint(&j, "before_runs", change->before_runs);
        json_uint(&j, "after_runs", change->after_runs);
        json_number(&j, "before", change->before);
        json_number(&j, "after", change->after);
        json_number(&j, "change", change->change);
        json_number(&j, "noise", change->has_noise ? change->noise : NAN);
        json_number(&j, "p_value", change->has_noise ? change->p_value : NAN);
        json_bool(&j, "is_noise", change->is_noise);
        json_bool(&j, "is_other", change->is_other);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

/*
 * Finds what grew by more than the limit and not by chance. If there are many groups some seem to
 * change by chance, so the level of significance is divided by their number. With one run on each
 * side, chance is not considered.
 */
static void judge_limit(const differing *d)
{
    const double level = 0.05;
    size_t count = 0;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < d->count; i++) {
        const stele_stats_change *change = &d->changes[i];
        const bool is_sure =
            is_single(d) || (change->has_noise && change->p_value * (double)d->count <= level);
        count += is_sure && change->change > fabs(change->before) * d->limit && change->change > 0;
    }
    if (count == 0)
        return;
    cli_remark(d->c, "%s larger by more than %g %%", print_things(text, count, "group"),
               d->limit * 100);
    cli_exit(d->c, EXIT_OVER);
}

static void show(differing *d)
{
    cli *c = d->c;
    const options *o = &c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const uint64_t top =
        (is_json || is_csv) && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    if (!cli_check(c,
                   stele_stats_compare_runs(d->runs, d->before_count, d->runs + d->before_count,
                                            d->run_count - d->before_count, d->figure, 0, NULL,
                                            &d->changes, &d->count),
                   "diff"))
        return;
    d->shown = top != 0 && top < d->count ? (size_t)top : d->count;
    if (is_json)
        write_json(d);
    else if (is_csv)
        write_csv(d);
    else
        write_text(d);
    if (d->limit >= 0 && d->count == 0)
        cli_lacks(d->c, "what is counted, so that --fail-over has nothing to judge");
    else if (d->limit >= 0)
        judge_limit(d);
}

static bool make(differing *d)
{
    cli *c = d->c;
    const options *o = &c->options;
    const char *word = option_value(o, OPTION_DIFF_FIGURE);
    stele_stats_options given = {.struct_size = sizeof given,
                                 .by = option_value(o, OPTION_DIFF_GROUP),
                                 .of = option_value(o, OPTION_DIFF_VALUE),
                                 .rows = option_given(o, OPTION_STATS_SPANS)    ? STELE_STATS_SPANS
                                         : option_given(o, OPTION_STATS_EVENTS) ? STELE_STATS_EVENTS
                                                                                : STELE_STATS_AUTO};
    d->figure = given.of != NULL ? STELE_STATS_MEAN : STELE_STATS_COUNT;
    if (word != NULL && (!figuring_find(word, strlen(word), &d->figure) ||
                         d->figure == STELE_STATS_KEY || d->figure == STELE_STATS_LAST))
        return cli_usage(c,
                         "--figure takes count, sum, min, max, mean, stddev, p50, p90, p99, "
                         "p99.9 or distinct, not '%s'",
                         word);
    if (d->figure != STELE_STATS_COUNT && given.of == NULL)
        return cli_usage(c, "--figure %s goes with --value: what it is of",
                         stats_figure_name(d->figure));
    given.has_distinct = d->figure == STELE_STATS_DISTINCT;
    d->run_count = o->argument_count;
    d->before_count = o->before_count;
    d->runs = calloc(d->run_count, sizeof *d->runs);
    if (d->runs == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "diff");
    if (!figuring_make(c, &d->f, &given))
        return false;
    if (stele_stats_of_count(d->f.stats) > 1)
        return cli_usage(c, "--value takes one expression");
    d->f.from.align = option_value(o, OPTION_ALIGN);
    return true;
}

static bool read_runs(differing *d)
{
    for (size_t run = 0; run < d->run_count; run++) {
        if (run != 0 && !figuring_renew(&d->f))
            return false;
        d->runs[run] = d->f.stats;
        if (!figuring_read(&d->f, run) ||
            !cli_check(d->c, stele_stats_finish(d->f.stats), "statistics"))
            return false;
    }
    return d->c->worst != EXIT_USAGE && !d->c->is_closed;
}

void diff_stats(cli *c, double limit)
{
    differing d = {.c = c, .limit = limit};
    if (joined_make(c) && make(&d) && read_runs(&d))
        show(&d);
    calling_remark_pairs(c, &d.f.from);
    free(d.changes);
    for (size_t run = 0; d.runs != NULL && run < d.run_count; run++) {
        if (d.runs[run] != d.f.stats)
            stele_stats_free(d.runs[run]);
    }
    free(d.runs);
    figuring_free(&d.f);
}
