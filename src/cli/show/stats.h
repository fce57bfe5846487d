/* SPDX-License-Identifier: Apache-2.0 */
/* Writes statistics as tables, pictures, CSV and JSON. */
#ifndef CLI_SHOW_STATS_H
#define CLI_SHOW_STATS_H

#include <stele/stats.h>

#include "cli/cli.h"
#include "cli/show/json.h"

typedef enum stats_hist { STATS_HIST_NONE, STATS_HIST_LOG2, STATS_HIST_LINEAR } stats_hist;

/* What is shown. */
typedef struct stats_view {
    const stele_stats *stats;
    size_t shown;     /* how many groups, the first ones, are shown */
    bool shows_other; /* the group of all others is shown after them */
    stele_stats_figure figures[STELE_STATS_FIGURE_COUNT]; /* columns of tables */
    size_t figure_count;
    stats_hist hist;
    uint64_t every_ns; /* 0: there are no intervals */
    bool is_held;      /* values hold until the next one */
} stats_view;

/* The begin of an interval in nanoseconds, limited to 64 bits. */
static inline int64_t stats_begin_ns(const stats_view *v, int64_t interval)
{
    int64_t ns;
    if (__builtin_mul_overflow(interval, (int64_t)v->every_ns, &ns))
        ns = interval < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* How many rows are shown, and which group a row shows. */
static inline size_t stats_row_count(const stats_view *v)
{
    return v->shown + v->shows_other;
}

static inline size_t stats_row_group(const stats_view *v, size_t row)
{
    return row < v->shown ? row : stele_stats_group_count(v->stats) - 1;
}

/* The name of a figure, such as "count" or "p99.9". */
const char *stats_figure_name(stele_stats_figure figure);

/* The noun for rows: "event", "call" or "span". */
const char *stats_rows_name(stele_stats_rows rows);

void stats_write_text(cli *c, const stats_view *v);
void stats_write_csv(cli *c, const stats_view *v);
void stats_write_json(cli *c, const stats_view *v);

/* ---- Parts of JSON ---- */

/* Writes a value of a group's key as an object. */
void stats_write_key_json(json *j, const stele_value *key);

/* ---- Parts of text ---- */

#define STATS_CELL 96

/* Make a short text of a number with its unit; times count `times`. Return `to`, which has
   STATS_CELL bytes. */
const char *stats_print_value(char *to, const stele_value *value, stele_unit unit,
                              stele_clock_domain times);
const char *stats_print_number(char *to, double value, stele_unit unit, stele_clock_domain times);

/* Whether some value or key that is shown is a time. */
bool stats_has_times(const stats_view *v);

/* Writes a value of a group's key. */
void stats_write_value(cli *c, stele_output *out, const stele_value *key, stele_unit unit);

/* Write one value of a group's key, and the whole key on one line. */
void stats_write_key(cli *c, stele_output *out, const stats_view *v, size_t group, size_t by);
void stats_write_title(cli *c, const stats_view *v, size_t group);

/* Write histograms, and figures over time. */
void stats_write_hist(cli *c, const stats_view *v);
void stats_write_series(cli *c, const stats_view *v);

#endif
