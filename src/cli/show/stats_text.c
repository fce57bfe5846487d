/* SPDX-License-Identifier: Apache-2.0 */
/* Writes statistics as tables for people. */
#include <stele/text.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/show/grid.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/stats.h"
#include "cli/show/terminal.h"

/* ---- Tables ---- */

static void write_figure(cli *c, grid *g, const stele_stats_figures *f, stele_stats_figure figure,
                         stele_unit unit)
{
    const stele_value *value = NULL;
    char text[STATS_CELL] = "-";
    switch (figure) {
    case STELE_STATS_COUNT: print_count(text, f->count); break;
    case STELE_STATS_SUM: value = &f->sum; break;
    case STELE_STATS_MIN: value = &f->min; break;
    case STELE_STATS_MAX: value = &f->max; break;
    case STELE_STATS_MEAN:
        if (f->count != 0 || f->held_ns != 0)
            stats_print_number(text, f->mean, unit, c->times);
        break;
    case STELE_STATS_STDDEV:
        if (f->count != 0 || f->held_ns != 0)
            stats_print_number(text, f->stddev, unit, c->times);
        break;
    case STELE_STATS_P50: value = &f->p50; break;
    case STELE_STATS_P90: value = &f->p90; break;
    case STELE_STATS_P99: value = &f->p99; break;
    case STELE_STATS_P999: value = &f->p999; break;
    case STELE_STATS_LAST: value = &f->last; break;
    default:
        if (f->has_distinct)
            print_count(text, f->distinct_count);
        break;
    }
    grid_cell(g, value != NULL ? stats_print_value(text, value, unit, c->times) : text);
}

static void write_keys(cli *c, grid *g, const stats_view *v, size_t group)
{
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++) {
        stats_write_key(c, g->text, v, group, by);
        grid_end_cell(g);
    }
}

static void write_key_titles(grid *g, const stats_view *v)
{
    const size_t count = stele_stats_by_count(v->stats);
    char shown[PRINT_SIZE], all[PRINT_SIZE];
    for (size_t by = 0; by < count; by++) {
        const char *title = stele_stats_by_title(v->stats, by);
        stele_output_visible(g->text, title, strlen(title));
        if (by + 1 == count && v->shown < stele_stats_group_count(v->stats))
            stele_output_printf(g->text, " (%s of %s)", print_count(shown, v->shown),
                                print_count(all, stele_stats_group_count(v->stats)));
        grid_end_cell(g);
    }
}

/* Writes how many rows each group has, for statistics without expressions. */
static void write_counts(cli *c, const stats_view *v)
{
    char text[PRINT_SIZE];
    grid g;
    if (!grid_open(c, &g, 2 + stele_stats_by_count(v->stats), 2))
        return;
    grid_cell(&g, "count");
    grid_cell(&g, "share");
    write_key_titles(&g, v);
    for (size_t row = 0; row < stats_row_count(v); row++) {
        const size_t i = stats_row_group(v, row);
        const uint64_t count = stele_stats_get_group(v->stats, i)->row_count;
        grid_cell(&g, print_count(text, count));
        grid_cell(&g, print_share(text, count, stele_stats_row_count(v->stats)));
        write_keys(c, &g, v, i);
    }
    grid_close(c, &g);
}

static void write_table(cli *c, const stats_view *v, size_t of)
{
    const stele_unit unit = stele_stats_of_unit(v->stats, of);
    const char *title = stele_stats_of_title(v->stats, of);
    grid g;
    if (stele_stats_of_count(v->stats) > 1 || stele_stats_by_count(v->stats) == 0) {
        stele_output_text(c->out, of != 0 ? "\nof " : "of ");
        stele_output_visible(c->out, title, strlen(title));
        stele_output_byte(c->out, '\n');
    }
    if (!grid_open(c, &g, v->figure_count + stele_stats_by_count(v->stats), v->figure_count))
        return;
    for (size_t f = 0; f < v->figure_count; f++)
        grid_cell(&g, stats_figure_name(v->figures[f]));
    write_key_titles(&g, v);
    for (size_t row = 0; row < stats_row_count(v); row++) {
        const size_t i = stats_row_group(v, row);
        stele_stats_figures figures = STELE_INIT(stele_stats_figures);
        stele_stats_get_figures(v->stats, i, of, &figures);
        for (size_t f = 0; f < v->figure_count; f++)
            write_figure(c, &g, &figures, v->figures[f], unit);
        write_keys(c, &g, v, i);
    }
    grid_close(c, &g);
}

/* ---- Notes below tables ---- */

typedef bool estimated_fn(const stele_stats_figures *f);

static bool are_percentiles_estimated(const stele_stats_figures *f)
{
    return f->has_percentiles && !f->are_percentiles_exact;
}

static bool is_distinct_estimated(const stele_stats_figures *f)
{
    return f->has_distinct && !f->is_distinct_exact;
}

static bool has_estimates(const stats_view *v, estimated_fn *is_estimated)
{
    for (size_t i = 0; i < v->shown; i++) {
        for (size_t of = 0; of < stele_stats_of_count(v->stats); of++) {
            stele_stats_figures f = STELE_INIT(stele_stats_figures);
            stele_stats_get_figures(v->stats, i, of, &f);
            if (is_estimated(&f))
                return true;
        }
    }
    return false;
}

static bool shows(const stats_view *v, stele_stats_figure first, stele_stats_figure last)
{
    for (size_t f = 0; f < v->figure_count; f++) {
        if (v->figures[f] >= first && v->figures[f] <= last)
            return true;
    }
    return false;
}

static void write_notes(cli *c, const stats_view *v)
{
    char text[PRINT_SIZE], other[PRINT_SIZE];
    stele_output_printf(c->out, "\n%s",
                        print_things(text, stele_stats_row_count(v->stats),
                                     stats_rows_name(stele_stats_get_rows(v->stats))));
    stele_output_printf(c->out, " in %s\n",
                        print_things(text, stele_stats_group_count(v->stats), "group"));
    if (stele_stats_other_count(v->stats) != 0)
        stele_output_printf(c->out,
                            "About %s different keys more are in (all others): `--max groups=N` "
                            "and\n`--max groups-size=N` say how many are kept apart\n",
                            print_count(other, stele_stats_other_count(v->stats)));
    if (v->is_held)
        stele_output_text(c->out, "A value holds until the next one: means and percentiles are by "
                                  "time\n");
    if (v->every_ns == 0 && v->hist == STATS_HIST_NONE &&
        shows(v, STELE_STATS_P50, STELE_STATS_P999) && has_estimates(v, are_percentiles_estimated))
        stele_output_text(c->out, "Percentiles are at most 3.2 % too large\n");
    if (v->every_ns == 0 && v->hist == STATS_HIST_NONE &&
        shows(v, STELE_STATS_DISTINCT, STELE_STATS_DISTINCT) &&
        has_estimates(v, is_distinct_estimated))
        stele_output_text(c->out, "More than 1,000 different values are an estimate, within 3.3 % "
                                  "in two of three cases\n");
    if (stele_stats_cut_groups(v->stats) != 0)
        stele_output_printf(c->out, "%s without percentiles: there was no room for them\n",
                            print_things(text, stele_stats_cut_groups(v->stats), "group"));
    if (stele_stats_cut_rows(v->stats) != 0)
        stele_output_printf(c->out, "%s in no interval: there was no room for more intervals\n",
                            print_things(text, stele_stats_cut_rows(v->stats), "row"));
    if (stele_stats_left_out(v->stats) != 0)
        stele_output_printf(c->out, "%s beyond the limits of open ones: in no figure\n",
                            print_things(text, stele_stats_left_out(v->stats), "call"));
}

/* What else could be rows, where there are none. */
static const char *other_rows(stele_stats_rows rows)
{
    switch (rows) {
    case STELE_STATS_CALLS:
        return " (with --spans, rows are asynchronous operations and flows as well; with --events, "
               "events)";
    case STELE_STATS_SPANS: return " (with --events, rows are events)";
    default: return "";
    }
}

void stats_write_text(cli *c, const stats_view *v)
{
    const stele_stats_rows rows = stele_stats_get_rows(v->stats);
    if (stele_stats_row_count(v->stats) == 0) {
        stele_output_printf(c->out, "No %ss%s\n", stats_rows_name(rows), other_rows(rows));
        return;
    }
    if (stats_has_times(v) || v->every_ns != 0)
        print_time_unit(c->out, c->times);
    if (v->every_ns != 0) {
        stats_write_series(c, v);
    } else if (v->hist != STATS_HIST_NONE) {
        stats_write_hist(c, v);
    } else {
        if (stele_stats_of_count(v->stats) == 0)
            write_counts(c, v);
        for (size_t of = 0; of < stele_stats_of_count(v->stats); of++)
            write_table(c, v, of);
    }
    write_notes(c, v);
}
