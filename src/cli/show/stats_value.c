/* SPDX-License-Identifier: Apache-2.0 */
/* Writes names, values and keys of statistics, for tables and pictures. */
#include <stele/text.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/stats.h"

const char *stats_figure_name(stele_stats_figure figure)
{
    static const char *const names[STELE_STATS_FIGURE_COUNT] = {
        "count", "sum", "min",   "max",      "mean", "stddev", "p50",
        "p90",   "p99", "p99.9", "distinct", "key",  "last"};
    return names[figure];
}

const char *stats_rows_name(stele_stats_rows rows)
{
    switch (rows) {
    case STELE_STATS_EVENTS: return "event";
    case STELE_STATS_CALLS: return "call";
    case STELE_STATS_COUNTERS: return "value";
    default: return "span";
    }
}

/* ---- Values with units ---- */

static const char *print_signed(char *to, bool is_negative, uint64_t magnitude, stele_unit unit,
                                stele_clock_domain times)
{
    char *at = to;
    if (is_negative)
        *at++ = '-';
    if (unit == STELE_UNIT_NS)
        print_length(at, times, magnitude);
    else if (unit == STELE_UNIT_BYTES)
        print_bytes(at, magnitude);
    else
        print_count(at, magnitude);
    return to;
}

const char *stats_print_number(char *to, double value, stele_unit unit, stele_clock_domain times)
{
    if (fabs(value) < 1000 && unit == STELE_UNIT_NONE)
        snprintf(to, STATS_CELL, "%.4g", value);
    else if (fabs(value) < 0x1p63)
        print_signed(to, value < 0, (uint64_t)(fabs(value) + 0.5), unit, times);
    else
        snprintf(to, STATS_CELL, "%.4g", value);
    return to;
}

const char *stats_print_value(char *to, const stele_value *v, stele_unit unit,
                              stele_clock_domain times)
{
    switch (v->type) {
    case STELE_VALUE_INT:
        return print_signed(to, v->u.i < 0, v->u.i < 0 ? 0 - v->u.u : v->u.u, unit, times);
    case STELE_VALUE_UINT: return print_signed(to, false, v->u.u, unit, times);
    case STELE_VALUE_FLOAT: return stats_print_number(to, v->u.f, unit, times);
    case STELE_VALUE_WIDE:
        return stats_print_number(to, ldexp((double)v->u.wide.high, 64) + (double)v->u.wide.low,
                                  unit, times);
    default: return strcpy(to, "-");
    }
}

bool stats_has_times(const stats_view *v)
{
    bool has = v->is_held;
    for (size_t of = 0; of < stele_stats_of_count(v->stats); of++)
        has = has || stele_stats_of_unit(v->stats, of) == STELE_UNIT_NS;
    for (size_t by = 0; by < stele_stats_by_count(v->stats); by++)
        has = has || stele_stats_by_unit(v->stats, by) == STELE_UNIT_NS;
    return has;
}

/* ---- Keys of groups ---- */

/* Makes the text of a key. Numbers without a unit are mostly those of threads and the like, and are
   written as an expression takes them, without separators. */
static const char *print_key(char *to, const stele_value *key, stele_unit unit,
                             stele_clock_domain times)
{
    if (unit == STELE_UNIT_NONE && key->type == STELE_VALUE_INT)
        snprintf(to, STATS_CELL, "%" PRId64, key->u.i);
    else if (unit == STELE_UNIT_NONE && key->type == STELE_VALUE_UINT)
        snprintf(to, STATS_CELL, "%" PRIu64, key->u.u);
    else
        return stats_print_value(to, key, unit, times);
    return to;
}

void stats_write_value(cli *c, stele_output *out, const stele_value *key, stele_unit unit)
{
    char text[STATS_CELL];
    if (key->track != 0) {
        naming_write_track(c->context, out, key->track);
    } else if (key->type == STELE_VALUE_TEXT) {
        if (key->u.text.size == 0)
            stele_output_text(out, "(none)");
        stele_output_visible(out, key->u.text.bytes, key->u.text.size);
    } else if (key->type == STELE_VALUE_RUN) {
        stele_output_text(out, "(structure)");
    } else if (key->type == STELE_VALUE_NULL) {
        stele_output_text(out, "null");
    } else if (key->label.size != 0) {
        stele_output_visible(out, key->label.bytes, key->label.size);
        stele_output_printf(out, " (%s)", print_key(text, key, STELE_UNIT_NONE, c->times));
    } else {
        stele_output_text(out, print_key(text, key, unit, c->times));
    }
}

void stats_write_key(cli *c, stele_output *out, const stats_view *v, size_t group, size_t by)
{
    const stele_stats_group *g = stele_stats_get_group(v->stats, group);
    if (g->is_other)
        stele_output_text(out, by == 0 ? "(all others)" : "");
    else
        stats_write_value(c, out, &g->keys[by], stele_stats_by_unit(v->stats, by));
}

void stats_write_title(cli *c, const stats_view *v, size_t group)
{
    const size_t count = stele_stats_by_count(v->stats);
    if (count == 0)
        stele_output_text(c->out, "all");
    for (size_t by = 0; by < count; by++) {
        if (by != 0 && stele_stats_get_group(v->stats, group)->is_other)
            break;
        if (by != 0)
            stele_output_text(c->out, ", ");
        stats_write_key(c, c->out, v, group, by);
    }
}
