/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics for programs: CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json.h"
#include "cli/show/naming.h"
#include "cli/show/stats.h"

#define BINS_MAX     130u
#define LINEAR_COUNT 20u

/* ---- CSV ---- */

static void write_number(cli *c, const stele_value *v)
{
    switch (v->type) {
    case STELE_VALUE_INT: stele_output_printf(c->out, "%" PRId64, v->u.i); break;
    case STELE_VALUE_UINT: stele_output_printf(c->out, "%" PRIu64, v->u.u); break;
    case STELE_VALUE_WIDE:
        stele_output_printf(c->out, "0x%" PRIx64 "%016" PRIx64, (uint64_t)v->u.wide.high,
                            v->u.wide.low);
        break;
    case STELE_VALUE_FLOAT: stele_output_printf(c->out, "%.17g", v->u.f); break;
    default: break;
    }
}

static void write_csv_key(cli *c, const stats_view *v, size_t group, size_t by)
{
    const stele_stats_group *g = stele_stats_get_group(v->stats, group);
    const stele_value *key = &g->keys[by];
    if (g->is_other && by == 0)
        stele_output_text(c->out, "(all others)");
    else if (key->type == STELE_VALUE_TEXT)
        stele_output_csv(c->out, key->u.text.bytes, key->u.text.size);
    else if (key->label.size != 0)
        stele_output_csv(c->out, key->label.bytes, key->label.size);
    else
        write_number(c, key);
}

static void write_csv_title(cli *c, const char *title, const char *figure)
{
    char text[256];
    const int size = snprintf(text, sizeof text, "%s.%s", title, figure);
    stele_output_byte(c->out, ',');
    stele_output_csv(c->out, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

static void write_csv_figures(cli *c, const stele_stats_figures *f)
{
    const stele_value *const values[] = {&f->sum, &f->min, &f->max, &f->p50,
                                         &f->p90, &f->p99, &f->p999};
    stele_output_printf(c->out, ",%" PRIu64, f->count);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        stele_output_byte(c->out, ',');
        write_number(c, values[i]);
    }
    if (f->count != 0 || f->held_ns != 0)
        stele_output_printf(c->out, ",%.12g,%.12g", f->mean, f->stddev);
    else
        stele_output_text(c->out, ",,");
    stele_output_byte(c->out, ',');
    if (f->has_distinct)
        stele_output_printf(c->out, "%" PRIu64, f->distinct_count);
    if (f->is_held) {
        stele_output_byte(c->out, ',');
        write_number(c, &f->last);
        stele_output_printf(c->out, ",%" PRIu64, f->held_ns);
    }
}

static void write_csv_intervals(cli *c, const stats_view *v)
{
    static const char *const figures[] = {"count", "sum", "min", "max"};
    const size_t of_count = stele_stats_of_count(v->stats);
    stele_stats_point_figures *room = calloc(of_count + 1, sizeof *room);
    stele_stats_point point;
    stele_output_text(c->out, ",begin_ns,count");
    for (size_t of = 0; of < of_count; of++) {
        for (size_t f = 0; f < 4; f++)
            write_csv_title(c, stele_stats_of_title(v->stats, of), figures[f]);
    }
    stele_output_text(c->out, "\r\n");
    for (size_t i = 0; i < v->shown && room != NULL; i++) {
        for (size_t at = 0; stele_stats_get_point(v->stats, i, at, &point, room); at++) {
            for (size_t by = 0; by < stele_stats_by_count(v->stats); by++) {
                write_csv_key(c, v, i, by);
                stele_output_byte(c->out, ',');
            }
            stele_output_printf(c->out, "%" PRId64 ",%" PRIu64,
                                point.interval * (int64_t)v->every_ns, point.row_count);
            for (size_t of = 0; of < of_count; of++) {
                if (room[of].count == 0)
                    stele_output_text(c->out, ",0,,,");
                else
                    stele_output_printf(c->out, ",%" PRIu64 ",%.17g,%.17g,%.17g", room[of].count,
                                        room[of].sum, room[of].min, room[of].max);
            }
            stele_output_text(c->out, "\r\n");
        }
    }
    cli_check(c, room != NULL ? STELE_OK : STELE_ERR_MEMORY, "statistics");
    free(room);
}

void stats_write_csv(cli *c, const stats_view *v)
{
    static const char *const figures[] = {"count", "sum",   "min",  "max",    "p50",     "p90",
                                          "p99",   "p99.9", "mean", "stddev", "distinct"};
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++) {
        const char *title = stele_stats_by_title(v->stats, by);
        if (by != 0)
            stele_output_byte(c->out, ',');
        stele_output_csv(c->out, title, strlen(title));
    }
    if (v->every_ns != 0) {
        write_csv_intervals(c, v);
        return;
    }
    stele_output_text(c->out, stele_stats_by_count(v->stats) != 0 ? ",count" : "count");
    for (size_t of = 0; of < stele_stats_of_count(v->stats); of++) {
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
            write_csv_title(c, stele_stats_of_title(v->stats, of), figures[f]);
        if (v->is_held) {
            write_csv_title(c, stele_stats_of_title(v->stats, of), "last");
            write_csv_title(c, stele_stats_of_title(v->stats, of), "held_ns");
        }
    }
    stele_output_text(c->out, "\r\n");
    for (size_t i = 0; i < v->shown; i++) {
        for (size_t by = 0; by < stele_stats_by_count(v->stats); by++) {
            write_csv_key(c, v, i, by);
            stele_output_byte(c->out, ',');
        }
        stele_output_printf(c->out, "%" PRIu64, stele_stats_get_group(v->stats, i)->row_count);
        for (size_t of = 0; of < stele_stats_of_count(v->stats); of++) {
            stele_stats_figures f = STELE_INIT(stele_stats_figures);
            stele_stats_get_figures(v->stats, i, of, &f);
            write_csv_figures(c, &f);
        }
        stele_output_text(c->out, "\r\n");
    }
}

/* ---- JSON ---- */

static void json_value(json *j, const char *key, const stele_value *v)
{
    char text[48];
    switch (v->type) {
    case STELE_VALUE_INT: json_int(j, key, v->u.i); break;
    case STELE_VALUE_UINT: json_uint(j, key, v->u.u); break;
    case STELE_VALUE_FLOAT: json_number(j, key, v->u.f); break;
    case STELE_VALUE_TEXT: json_bytes(j, key, v->u.text.bytes, v->u.text.size); break;
    case STELE_VALUE_WIDE:
        snprintf(text, sizeof text, "0x%" PRIx64 "%016" PRIx64, (uint64_t)v->u.wide.high,
                 v->u.wide.low);
        json_text(j, key, text);
        break;
    default: json_null(j, key); break;
    }
}

static void write_key_json(json *j, const stele_value *key)
{
    json_open(j, NULL, '{');
    json_value(j, "value", key);
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
    json_value(j, "sum", &f.sum);
    json_value(j, "min", &f.min);
    json_value(j, "max", &f.max);
    json_number(j, "mean", f.count != 0 || f.held_ns != 0 ? f.mean : (double)NAN);
    json_number(j, "stddev", f.count != 0 || f.held_ns != 0 ? f.stddev : (double)NAN);
    json_value(j, "p50", &f.p50);
    json_value(j, "p90", &f.p90);
    json_value(j, "p99", &f.p99);
    json_value(j, "p999", &f.p999);
    json_bool(j, "are_percentiles_exact", f.are_percentiles_exact);
    if (f.has_distinct) {
        json_uint(j, "distinct_count", f.distinct_count);
        json_bool(j, "is_distinct_exact", f.is_distinct_exact);
    }
    if (f.is_held) {
        json_value(j, "last", &f.last);
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
        json_int(j, "begin_ns", point.interval * (int64_t)v->every_ns);
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
        write_key_json(j, &g->keys[by]);
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

static void write_titles(json *j, const char *key, const stele_stats *s, size_t count,
                         const char *(*title)(const stele_stats *, size_t),
                         stele_unit (*unit)(const stele_stats *, size_t))
{
    static const char *const units[] = {"", "ns", "bytes"};
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
    json j = {.out = c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "rows", stats_rows_name(stele_stats_get_rows(v->stats)));
    json_uint(&j, "row_count", stele_stats_row_count(v->stats));
    json_uint(&j, "group_count", stele_stats_group_count(v->stats));
    json_uint(&j, "other_group_count", stele_stats_other_count(v->stats));
    json_uint(&j, "cut_group_count", stele_stats_cut_groups(v->stats));
    json_uint(&j, "cut_row_count", stele_stats_cut_rows(v->stats));
    json_text(&j, "percentile_error_percent", "3.2");
    json_text(&j, "distinct_error_percent", "3.3");
    if (v->every_ns != 0) {
        json_uint(&j, "every_ns", v->every_ns);
        json_int(&j, "origin_ns", stele_stats_get_origin(v->stats));
    }
    write_titles(&j, "by", v->stats, stele_stats_by_count(v->stats), stele_stats_by_title,
                 stele_stats_by_unit);
    write_titles(&j, "of", v->stats, stele_stats_of_count(v->stats), stele_stats_of_title,
                 stele_stats_of_unit);
    json_open(&j, "groups", '[');
    for (size_t i = 0; i < v->shown; i++)
        write_group_json(&j, v, i);
    json_close(&j, ']');
    json_close(&j, '}');
}
