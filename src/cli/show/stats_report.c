/* SPDX-License-Identifier: Apache-2.0 */
/* Writes statistics for programs, as CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/figures.h"
#include "cli/show/print.h"
#include "cli/show/stats.h"

#define BINS_MAX     130u
#define LINEAR_COUNT 20u

/* ---- CSV ---- */

static const stele_value all_others = {.type = STELE_VALUE_TEXT,
                                       .u.text = {"(all others)", sizeof "(all others)" - 1}};

/* A table of CSV whose columns depend on the statistics. */
typedef struct csv_table {
    figures rows;
    figure_column *columns;
    figure *cells;
    size_t count, capacity; /* number and capacity of the columns */
} csv_table;

static void add_column(csv_table *t, const char *key, figure_kind kind)
{
    if (key != NULL && t->count < t->capacity)
        t->columns[t->count++] = (figure_column){key, NULL, kind, 0, 0};
}

/* Adds a column such as "dur.p99". */
static void add_figure(csv_table *t, const stats_view *v, size_t of, const char *name,
                       figure_kind kind)
{
    char key[256];
    snprintf(key, sizeof key, "%s.%s", stele_stats_of_title(v->stats, of), name);
    add_column(t, figures_keep(&t->rows, key).bytes, kind);
}

static bool csv_open(cli *c, csv_table *t, const stats_view *v, size_t figure_count)
{
    const size_t by_count = stele_stats_by_count(v->stats);
    *t = (csv_table){.rows.c = c};
    t->capacity =
        by_count + (v->every_ns != 0 ? 2 : 1) + stele_stats_of_count(v->stats) * figure_count;
    t->columns = calloc(t->capacity, sizeof *t->columns);
    t->cells = calloc(t->capacity, sizeof *t->cells);
    if (t->columns == NULL || t->cells == NULL)
        return false;
    for (size_t by = 0; by < by_count; by++)
        add_column(t, stele_stats_by_title(v->stats, by), FIGURE_LABEL);
    return true;
}

static void csv_begin(csv_table *t)
{
    t->rows.columns = t->columns;
    t->rows.column_count = t->count;
    figures_begin(&t->rows);
}

static void csv_close(cli *c, csv_table *t)
{
    /* some column is missing only if its name could not be kept for lack of memory */
    cli_check(c, t->count == t->capacity ? STELE_OK : STELE_ERR_MEMORY, "statistics");
    figures_free(&t->rows);
    free(t->columns);
    free(t->cells);
}

static figure value_cell(const stele_value *value)
{
    return (figure){.value = value};
}

static figure *set_keys(figure *cells, const stats_view *v, size_t group)
{
    const stele_stats_group *g = stele_stats_get_group(v->stats, group);
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++)
        *cells++ = g->is_other && by == 0 ? value_cell(&all_others) : value_cell(&g->keys[by]);
    return cells;
}

static void set_figures(figure *cells, const stele_stats_figures *f, bool is_held)
{
    const stele_value *const values[] = {&f->sum, &f->min, &f->max, &f->p50,
                                         &f->p90, &f->p99, &f->p999};
    const bool has_mean = f->count != 0 || f->held_ns != 0;
    (*cells++).number = f->count;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *cells++ = value_cell(values[i]);
    (*cells++).real = has_mean ? f->mean : (double)NAN;
    (*cells++).real = has_mean ? f->stddev : (double)NAN;
    (*cells++).number = f->has_distinct ? f->distinct_count : FIGURE_NONE;
    if (is_held) {
        *cells++ = value_cell(&f->last);
        cells->number = f->held_ns;
    }
}

static void write_csv_intervals(cli *c, const stats_view *v)
{
    static const char *const names[] = {"sum", "min", "max"};
    const size_t of_count = stele_stats_of_count(v->stats);
    stele_stats_point_figures *room = calloc(of_count + 1, sizeof *room);
    stele_value *values = calloc(3 * of_count + 1, sizeof *values);
    stele_stats_point point;
    csv_table t;
    const bool is_open = csv_open(c, &t, v, 4) && room != NULL && values != NULL;
    add_column(&t, "begin_ns", FIGURE_INT);
    add_column(&t, "count", FIGURE_COUNT);
    for (size_t of = 0; of < of_count; of++) {
        add_figure(&t, v, of, "count", FIGURE_COUNT);
        for (size_t i = 0; i < 3; i++)
            add_figure(&t, v, of, names[i], FIGURE_VALUE);
    }
    csv_begin(&t);
    for (size_t i = 0; i < v->shown && is_open; i++) {
        for (size_t at = 0; stele_stats_get_point(v->stats, i, at, &point, room); at++) {
            figure *cell = set_keys(t.cells, v, i);
            (*cell++).integer = stats_begin_ns(v, point.interval);
            (*cell++).number = point.row_count;
            for (size_t of = 0; of < of_count; of++) {
                const double all[] = {room[of].sum, room[of].min, room[of].max};
                (*cell++).number = room[of].count;
                for (size_t k = 0; k < 3; k++) {
                    stele_value *value = &values[3 * of + k];
                    *value = (stele_value){.type = room[of].count != 0 ? STELE_VALUE_FLOAT
                                                                       : STELE_VALUE_MISSING};
                    value->u.f = all[k];
                    *cell++ = value_cell(value);
                }
            }
            figures_row(&t.rows, t.cells);
        }
    }
    csv_close(c, &t);
    free(room);
    free(values);
}

void stats_write_csv(cli *c, const stats_view *v)
{
    static const struct {
        const char *name;
        figure_kind kind;
    } columns[] = {{"count", FIGURE_COUNT},  {"sum", FIGURE_VALUE},      {"min", FIGURE_VALUE},
                   {"max", FIGURE_VALUE},    {"p50", FIGURE_VALUE},      {"p90", FIGURE_VALUE},
                   {"p99", FIGURE_VALUE},    {"p99.9", FIGURE_VALUE},    {"mean", FIGURE_REAL},
                   {"stddev", FIGURE_REAL},  {"distinct", FIGURE_COUNT}, {"last", FIGURE_VALUE},
                   {"held_ns", FIGURE_COUNT}};
    const size_t figure_count = sizeof columns / sizeof *columns - (v->is_held ? 0 : 2);
    const size_t of_count = stele_stats_of_count(v->stats);
    stele_stats_figures *room;
    csv_table t;
    if (v->every_ns != 0) {
        write_csv_intervals(c, v);
        return;
    }
    room = calloc(of_count + 1, sizeof *room);
    if (csv_open(c, &t, v, figure_count) && room != NULL) {
        add_column(&t, "count", FIGURE_COUNT);
        for (size_t of = 0; of < of_count; of++) {
            for (size_t i = 0; i < figure_count; i++)
                add_figure(&t, v, of, columns[i].name, columns[i].kind);
        }
        csv_begin(&t);
        for (size_t i = 0; i < v->shown; i++) {
            figure *cell = set_keys(t.cells, v, i);
            (*cell++).number = stele_stats_get_group(v->stats, i)->row_count;
            for (size_t of = 0; of < of_count; of++, cell += figure_count) {
                room[of] = (stele_stats_figures)STELE_INIT(stele_stats_figures);
                stele_stats_get_figures(v->stats, i, of, &room[of]);
                set_figures(cell, &room[of], v->is_held);
            }
            figures_row(&t.rows, t.cells);
        }
    }
    csv_close(c, &t);
    free(room);
}

/* ---- JSON ---- */

void stats_write_key_json(json *j, const stele_value *key)
{
    json_open(j, NULL, '{');
    figures_json_value(j, "value", key);
    if (key->label.size != 0)
        json_bytes(j, "label", key->label.bytes, key->label.size);
    if (key->track != 0)
        json_uint(j, "track", key->track);
    json_close(j, '}');
}

static void write_bins_json(json *j, const stats_view *v, size_t group, size_t of)
{
    stele_stats_bin bins[BINS_MAX];
    const size_t count = stele_stats_get_bins(
        v->stats, group, of, v->hist == STATS_HIST_LINEAR ? LINEAR_COUNT : 0, bins, BINS_MAX);
    json_open(j, "bins", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_number(j, "low", bins[i].low);
        json_number(j, "high", bins[i].high);
        json_uint(j, "count", bins[i].count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_figures_json(json *j, const stats_view *v, size_t group, size_t of)
{
    stele_stats_figures f = STELE_INIT(stele_stats_figures);
    stele_stats_get_figures(v->stats, group, of, &f);
    json_open(j, NULL, '{');
    json_uint(j, "count", f.count);
    json_uint(j, "other_count", f.other_count);
    figures_json_value(j, "sum", &f.sum);
    figures_json_value(j, "min", &f.min);
    figures_json_value(j, "max", &f.max);
    json_number(j, "mean", f.count != 0 || f.held_ns != 0 ? f.mean : (double)NAN);
    json_number(j, "stddev", f.count != 0 || f.held_ns != 0 ? f.stddev : (double)NAN);
    figures_json_value(j, "p50", &f.p50);
    figures_json_value(j, "p90", &f.p90);
    figures_json_value(j, "p99", &f.p99);
    figures_json_value(j, "p999", &f.p999);
    json_bool(j, "are_percentiles_exact", f.are_percentiles_exact);
    if (f.has_distinct) {
        json_uint(j, "distinct_count", f.distinct_count);
        json_bool(j, "is_distinct_exact", f.is_distinct_exact);
    }
    if (f.is_held) {
        figures_json_value(j, "last", &f.last);
        json_uint(j, "held_ns", f.held_ns);
    }
    if (v->hist != STATS_HIST_NONE)
        write_bins_json(j, v, group, of);
    json_close(j, '}');
}

static void write_intervals_json(json *j, const stats_view *v, size_t group)
{
    const size_t of_count = stele_stats_of_count(v->stats);
    stele_stats_point_figures *room = calloc(of_count + 1, sizeof *room);
    stele_stats_point point;
    json_open(j, "intervals", '[');
    for (size_t at = 0; room != NULL && stele_stats_get_point(v->stats, group, at, &point, room);
         at++) {
        json_open(j, NULL, '{');
        json_int(j, "begin_ns", stats_begin_ns(v, point.interval));
        json_uint(j, "count", point.row_count);
        json_open(j, "of", '[');
        for (size_t of = 0; of < of_count; of++) {
            const bool is_any = room[of].count != 0;
            json_open(j, NULL, '{');
            json_uint(j, "count", room[of].count);
            json_number(j, "sum", room[of].sum);
            json_number(j, "min", is_any ? room[of].min : (double)NAN);
            json_number(j, "max", is_any ? room[of].max : (double)NAN);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    free(room);
}

static void write_group_json(json *j, const stats_view *v, size_t group)
{
    const stele_stats_group *g = stele_stats_get_group(v->stats, group);
    json_open(j, NULL, '{');
    json_open(j, "by", '[');
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++)
        stats_write_key_json(j, &g->keys[by]);
    json_close(j, ']');
    json_bool(j, "is_other", g->is_other);
    json_uint(j, "count", g->row_count);
    json_open(j, "of", '[');
    for (size_t of = 0; of < stele_stats_of_count(v->stats); of++)
        write_figures_json(j, v, group, of);
    json_close(j, ']');
    if (v->every_ns != 0)
        write_intervals_json(j, v, group);
    json_close(j, '}');
}

static void write_titles(const cli *c, json *j, const char *key, const stele_stats *s, size_t count,
                         const char *(*title)(const stele_stats *, size_t),
                         stele_unit (*unit)(const stele_stats *, size_t))
{
    const char *const units[] = {"", print_time_word(c->times), "bytes"};
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "title", title(s, i));
        json_text(j, "unit", units[unit(s, i)]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void stats_write_json(cli *c, const stats_view *v)
{
    json j = {.out = c->out, .time_suffix = print_time_suffix(c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "rows", stats_rows_name(stele_stats_get_rows(v->stats)));
    json_uint(&j, "row_count", stele_stats_row_count(v->stats));
    json_uint(&j, "group_count", stele_stats_group_count(v->stats));
    json_uint(&j, "other_group_count", stele_stats_other_count(v->stats));
    json_uint(&j, "cut_group_count", stele_stats_cut_groups(v->stats));
    json_uint(&j, "cut_row_count", stele_stats_cut_rows(v->stats));
    json_uint(&j, "left_out_count", stele_stats_left_out(v->stats));
    json_text(&j, "percentile_error_percent", "3.2");
    json_text(&j, "distinct_error_percent", "3.3");
    if (v->every_ns != 0) {
        json_uint(&j, "every_ns", v->every_ns);
        json_int(&j, "origin_ns", stele_stats_get_origin(v->stats));
    }
    write_titles(c, &j, "by", v->stats, stele_stats_by_count(v->stats), stele_stats_by_title,
                 stele_stats_by_unit);
    write_titles(c, &j, "of", v->stats, stele_stats_of_count(v->stats), stele_stats_of_title,
                 stele_stats_of_unit);
    json_open(&j, "groups", '[');
    for (size_t i = 0; i < v->shown; i++)
        write_group_json(&j, v, i);
    json_close(&j, ']');
    json_close(&j, '}');
}
