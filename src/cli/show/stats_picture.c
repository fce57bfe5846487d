/* SPDX-License-Identifier: Apache-2.0 */
/* Draws statistics with characters: histograms, and figures over time. */
#include <stdlib.h>
#include <string.h>

#include "cli/show/grid.h"
#include "cli/show/print.h"
#include "cli/show/stats.h"

/* ---- Histograms ---- */

#define BINS_MAX     130u /* powers of two of both signs */
#define LINEAR_COUNT 20u
#define BAR_WIDTH    40u

static void write_bins(cli *c, const stats_view *v, size_t of, const stele_stats_bin *bins,
                       size_t count)
{
    const stele_unit unit = stele_stats_of_unit(v->stats, of);
    uint64_t largest = 1, all = 0;
    char text[STATS_CELL];
    grid g;
    for (size_t i = 0; i < count; i++) {
        largest = bins[i].count > largest ? bins[i].count : largest;
        all += bins[i].count;
    }
    if (!grid_open(c, &g, 5, 4))
        return;
    grid_cell(&g, "from");
    grid_cell(&g, "to below");
    grid_cell(&g, v->is_held ? "time" : "count");
    grid_cell(&g, "share");
    grid_cell(&g, "");
    for (size_t i = 0; i < count; i++) {
        grid_cell(&g, stats_print_number(text, bins[i].low, unit, c->times));
        grid_cell(&g, stats_print_number(text, bins[i].high, unit, c->times));
        grid_cell(&g, v->is_held ? print_length(text, c->times, bins[i].count)
                                 : print_count(text, bins[i].count));
        grid_cell(&g, print_share(text, bins[i].count, all));
        print_bar(g.text, bins[i].count, largest, BAR_WIDTH);
        grid_end_cell(&g);
    }
    grid_close(c, &g);
}

static size_t take_bins(const stats_view *v, size_t group, size_t of, stele_stats_bin *bins)
{
    return stele_stats_get_bins(v->stats, group, of,
                                v->hist == STATS_HIST_LINEAR ? LINEAR_COUNT : 0, bins, BINS_MAX);
}

void stats_write_hist(cli *c, const stats_view *v)
{
    stele_stats_bin bins[BINS_MAX];
    bool is_first = true;
    for (size_t i = 0; i < v->shown; i++) {
        for (size_t of = 0; of < stele_stats_of_count(v->stats); of++) {
            const size_t count = take_bins(v, i, of, bins);
            const char *title = stele_stats_of_title(v->stats, of);
            if (!is_first)
                stele_output_byte(c->out, '\n');
            is_first = false;
            stele_output_visible(c->out, title, strlen(title));
            stele_output_text(c->out, " of ");
            stats_write_title(c, v, i);
            stele_output_text(c->out, count == 0 ? ": no numbers\n" : "\n");
            if (count != 0)
                write_bins(c, v, of, bins, count);
        }
    }
}

/* ---- Figures over time ---- */

#define SPARK_WIDTH 40

/* How intervals are divided into cells: each stands for `per_cell` of them, from `first` on. */
typedef struct timeline {
    int64_t first, last;
    uint64_t per_cell;
    size_t cells;
} timeline;

static bool timeline_make(const stats_view *v, timeline *t)
{
    bool is_any = false;
    for (size_t row = 0; row < stats_row_count(v); row++) {
        const size_t group = stats_row_group(v, row);
        stele_stats_point point;
        for (size_t at = 0; stele_stats_get_point(v->stats, group, at, &point, NULL); at++) {
            t->first = !is_any || point.interval < t->first ? point.interval : t->first;
            t->last = !is_any || point.interval > t->last ? point.interval : t->last;
            is_any = true;
        }
    }
    if (!is_any)
        return false;
    t->per_cell = ((uint64_t)t->last - (uint64_t)t->first) / SPARK_WIDTH + 1;
    t->cells = (size_t)(((uint64_t)t->last - (uint64_t)t->first) / t->per_cell + 1);
    return true;
}

typedef struct cell {
    double sum;
    uint64_t count;
} cell;

/* Sums up an expression in each cell; `of` SIZE_MAX stands for the number of rows. Returns the
   highest value of an interval. */
static double fill(const stats_view *v, const timeline *t, size_t group, size_t of, cell *cells,
                   stele_stats_point_figures *room)
{
    stele_stats_point point;
    double peak = 0;
    memset(cells, 0, SPARK_WIDTH * sizeof *cells);
    for (size_t at = 0; stele_stats_get_point(v->stats, group, at, &point, room); at++) {
        cell *to = &cells[((uint64_t)point.interval - (uint64_t)t->first) / t->per_cell];
        const double value = of == SIZE_MAX ? (double)point.row_count : room[of].max;
        to->sum += of == SIZE_MAX ? (double)point.row_count : room[of].sum;
        to->count += of == SIZE_MAX ? 0 : room[of].count;
        if (of == SIZE_MAX || room[of].count != 0)
            peak = value > peak ? value : peak;
    }
    return peak;
}

static void write_spark(stele_output *out, const timeline *t, const cell *cells, bool is_mean)
{
    static const char *const steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double largest = 0;
    for (size_t i = 0; i < t->cells; i++) {
        const double value =
            is_mean && cells[i].count != 0 ? cells[i].sum / (double)cells[i].count : cells[i].sum;
        largest = value > largest ? value : largest;
    }
    for (size_t i = 0; i < t->cells; i++) {
        const double value =
            is_mean && cells[i].count != 0 ? cells[i].sum / (double)cells[i].count : cells[i].sum;
        const bool is_empty = is_mean ? cells[i].count == 0 : cells[i].sum == 0;
        stele_output_text(
            out, is_empty || largest <= 0 ? " " : steps[(size_t)(value / largest * 7 + 0.5) % 8]);
    }
}

/* Makes the text of a rate for a second, or for a thousand instructions or ticks. */
static const char *print_rate(const cli *c, char *to, double per_ns)
{
    const bool is_ns = c->times == STELE_CLOCK_NS;
    stats_print_number(to, per_ns * (is_ns ? 1e9 : 1e3), STELE_UNIT_NONE, c->times);
    strcat(to, is_ns ? "/s" : "/1000");
    return to;
}

/* For how long the intervals last together: of the last one only what comes before the last event
   counts, since the trace ends there. */
static double covered_ns(const stats_view *v, const timeline *t)
{
    const double intervals = (double)((uint64_t)t->last - (uint64_t)t->first) + 1;
    const double all = intervals * (double)v->every_ns;
    int64_t last_ns;
    double covered;
    if (!stele_stats_get_last(v->stats, &last_ns))
        return all;
    covered = (double)last_ns - (double)stats_begin_ns(v, t->first) -
              (double)stele_stats_get_origin(v->stats);
    return covered > 0 && covered < all ? covered : all;
}

static void write_line(cli *c, grid *g, const stats_view *v, const timeline *t, size_t group,
                       size_t of, stele_stats_point_figures *room)
{
    const double covered = covered_ns(v, t);
    const double length_ns = (double)v->every_ns < covered ? (double)v->every_ns : covered;
    cell cells[SPARK_WIDTH];
    const double peak = fill(v, t, group, of, cells, room);
    double sum = 0;
    uint64_t count = 0;
    char text[STATS_CELL];
    for (size_t i = 0; i < t->cells; i++) {
        sum += cells[i].sum;
        count += cells[i].count;
    }
    if (of == SIZE_MAX) {
        grid_cell(g, print_rate(c, text, sum / covered));
        grid_cell(g, print_rate(c, text, peak / length_ns));
    } else {
        const stele_unit unit = stele_stats_of_unit(v->stats, of);
        grid_cell(g,
                  count == 0 ? "-" : stats_print_number(text, sum / (double)count, unit, c->times));
        grid_cell(g, count == 0 ? "-" : stats_print_number(text, peak, unit, c->times));
    }
    write_spark(g->text, t, cells, of != SIZE_MAX);
    grid_end_cell(g);
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++) {
        stats_write_key(c, g->text, v, group, by);
        grid_end_cell(g);
    }
}

static void write_lines(cli *c, const stats_view *v, const timeline *t, size_t of,
                        stele_stats_point_figures *room)
{
    const char *what = of == SIZE_MAX ? "number of rows" : stele_stats_of_title(v->stats, of);
    grid g;
    if (of != SIZE_MAX)
        stele_output_byte(c->out, '\n');
    if (!grid_open(c, &g, 3 + stele_stats_by_count(v->stats), 2))
        return;
    grid_cell(&g, of == SIZE_MAX ? "rate" : "mean");
    grid_cell(&g, of == SIZE_MAX ? "peak" : "max");
    stele_output_visible(g.text, what, strlen(what));
    stele_output_text(g.text, " over time");
    grid_end_cell(&g);
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++)
        grid_cell(&g, stele_stats_by_title(v->stats, by));
    for (size_t row = 0; row < stats_row_count(v); row++)
        write_line(c, &g, v, t, stats_row_group(v, row), of, room);
    grid_close(c, &g);
}

void stats_write_series(cli *c, const stats_view *v)
{
    const size_t of_count = stele_stats_of_count(v->stats);
    stele_stats_point_figures *room = calloc(of_count + 1, sizeof *room);
    char from[PRINT_SIZE], to[PRINT_SIZE], each[PRINT_SIZE];
    timeline t;
    if (room == NULL) {
        cli_check(c, STELE_ERR_MEMORY, "statistics");
    } else if (!timeline_make(v, &t)) {
        stele_output_text(c->out, "No row has a time\n");
    } else {
        write_lines(c, v, &t, SIZE_MAX, room);
        for (size_t of = 0; of < of_count; of++)
            write_lines(c, v, &t, of, room);
        stele_output_printf(c->out, "\nFrom %s to %s, a character for %s\n",
                            print_duration(from, c->times, stats_begin_ns(v, t.first)),
                            print_duration(to, c->times, stats_begin_ns(v, t.last + 1)),
                            print_duration(each, c->times, stats_begin_ns(v, (int64_t)t.per_cell)));
    }
    free(room);
}
