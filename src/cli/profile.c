/* SPDX-License-Identifier: Apache-2.0 */
/* stele profile: where the time goes, by name. */
#include <stele/text.h>

#include <inttypes.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

/* Percentiles are at most a 32nd too large; see analysis/events/histogram.h. */
#define ERROR_PERCENT "3.2"

/* The rows to be shown, in their order. */
typedef struct table {
    const stele_profile_row *rows;
    size_t count, shown;
    uint64_t self_ns; /* of all rows */
    bool by_track;
    bool is_sampled; /* some rows know neither spread nor the length of a tick */
    const stele_call_counts *counts;
} table;

/* ---- For people ------------------------------------------------------------------------------ */

#define COUNT_WIDTH 13
#define TIME_WIDTH  11

static void write_heading(cli *c, const table *t)
{
    static const char *const times[] = {"min", "p50", "p90", "p99", "max"};
    char shown[PRINT_SIZE], count[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    print_padded(c->out, "calls", -COUNT_WIDTH);
    print_padded(c->out, "total", -TIME_WIDTH);
    print_padded(c->out, "self", -TIME_WIDTH);
    print_padded(c->out, "share", -TIME_WIDTH);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        print_padded(c->out, times[i], -TIME_WIDTH);
    stele_output_text(c->out, "  name");
    if (t->shown < t->count)
        stele_output_printf(c->out, " (%s of %s)", print_count(shown, t->shown),
                            print_count(count, t->count));
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
}

static void write_time(cli *c, const stele_profile_row *row, uint64_t ns, bool is_known)
{
    char text[PRINT_SIZE];
    print_padded(c->out,
                 !is_known         ? "-"
                 : row->is_sampled ? print_count(text, ns)
                                   : print_brief(text, ns),
                 -TIME_WIDTH);
}

static void write_row(cli *c, const table *t, const stele_profile_row *row)
{
    const uint64_t spread[] = {row->min_ns, row->p50_ns, row->p90_ns, row->p99_ns, row->max_ns};
    char text[PRINT_SIZE];
    print_padded(c->out, print_count(text, row->count), -COUNT_WIDTH);
    write_time(c, row, row->total_ns, true);
    write_time(c, row, row->self_ns, true);
    print_padded(c->out, print_share(text, row->self_ns, t->self_ns), -TIME_WIDTH);
    for (size_t i = 0; i < sizeof spread / sizeof spread[0]; i++)
        write_time(c, row, spread[i], row->count != 0 && !row->is_sampled);
    stele_output_text(c->out, "  ");
    naming_write(c->context, c->out, row->name);
    if (t->by_track) {
        print_color(c->out, c->has_color, COLOR_DIM);
        stele_output_text(c->out, "  ");
        naming_write_track(c->context, c->out, row->track);
        print_color(c->out, c->has_color, COLOR_NONE);
    }
    stele_output_byte(c->out, '\n');
}

static void write_text(cli *c, const table *t)
{
    if (t->count == 0) {
        stele_output_text(c->out, "No calls\n");
    } else {
        write_heading(c, t);
        for (size_t i = 0; i < t->shown; i++)
            write_row(c, t, &t->rows[i]);
        stele_output_byte(c->out, '\n');
    }
    calling_write_unusual(c->out, t->counts);
    if (t->is_sampled)
        stele_output_text(c->out, "Times of samples are in ticks of the tracer's clock\n");
    if (t->counts->call_count != 0)
        stele_output_text(c->out, "p50, p90 and p99 are at most " ERROR_PERCENT " % too large\n");
}

/* ---- For programs ---------------------------------------------------------------------------- */

typedef struct figure {
    const char *key;
    uint64_t value;
} figure;

#define FIGURE_COUNT 12

static void list_figures(const stele_profile_row *row, figure list[FIGURE_COUNT])
{
    const figure all[FIGURE_COUNT] = {{"count", row->count},
                                      {"total_ns", row->total_ns},
                                      {"self_ns", row->self_ns},
                                      {"mean_ns", stele_profile_mean_ns(row)},
                                      {"min_ns", row->min_ns},
                                      {"p50_ns", row->p50_ns},
                                      {"p90_ns", row->p90_ns},
                                      {"p99_ns", row->p99_ns},
                                      {"max_ns", row->max_ns},
                                      {"unended_count", row->unended_count},
                                      {"entry_lost_count", row->lost_count},
                                      {"is_sampled", row->is_sampled}};
    memcpy(list, all, sizeof all);
}

static void write_csv(cli *c, const table *t)
{
    figure list[FIGURE_COUNT];
    list_figures(&(stele_profile_row){.count = 0}, list);
    stele_output_text(c->out, t->by_track ? "name,track" : "name");
    for (size_t f = 0; f < FIGURE_COUNT; f++)
        stele_output_printf(c->out, ",%s", list[f].key);
    stele_output_text(c->out, "\r\n");
    for (size_t i = 0; i < t->shown; i++) {
        const stele_text name = stele_name_text(c->context, NULL, t->rows[i].name);
        stele_output_csv(c->out, name.bytes, name.size);
        if (t->by_track)
            stele_output_printf(c->out, ",%" PRIu32, t->rows[i].track);
        list_figures(&t->rows[i], list);
        for (size_t f = 0; f < FIGURE_COUNT; f++)
            stele_output_printf(c->out, ",%" PRIu64, list[f].value);
        stele_output_text(c->out, "\r\n");
    }
}

static void write_track_json(cli *c, json *j, uint32_t number)
{
    json_open(j, "track", '{');
    json_uint(j, "track", number);
    json_track(j, c->context, number);
    json_close(j, '}');
}

static void write_json(cli *c, const table *t)
{
    json j = {.out = c->out};
    figure list[FIGURE_COUNT];
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "function_count", t->count);
    json_uint(&j, "self_ns", t->self_ns);
    json_text(&j, "percentile_error_percent", ERROR_PERCENT);
    json_open(&j, "functions", '[');
    for (size_t i = 0; i < t->shown; i++) {
        const stele_text name = stele_name_text(c->context, NULL, t->rows[i].name);
        json_open(&j, NULL, '{');
        json_bytes(&j, "name", name.bytes, name.size);
        if (t->by_track)
            write_track_json(c, &j, t->rows[i].track);
        list_figures(&t->rows[i], list);
        for (size_t f = 0; f + 1 < FIGURE_COUNT; f++)
            json_uint(&j, list[f].key, list[f].value);
        json_bool(&j, "is_sampled", t->rows[i].is_sampled);
        json_close(&j, '}');
    }
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
               .counts = stele_profile_get_counts(p)};
    if (!cli_check(c, stele_profile_finish(p), "profile") ||
        !cli_check(c, stele_profile_rows(p, parse_rank(o), &t.rows, &t.count), "profile"))
        return;
    t.shown = top != 0 && top < t.count ? (size_t)top : t.count;
    t.is_sampled = stele_profile_sample_count(p) != 0;
    for (size_t i = 0; i < t.count; i++)
        t.self_ns += t.rows[i].self_ns;
    if (is_json)
        write_json(c, &t);
    else if (is_csv)
        write_csv(c, &t);
    else
        write_text(c, &t);
    if (is_csv)
        calling_remark_unusual(c, t.counts);
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    return stele_profile_set_window(user, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    return stele_profile_add(user, segment);
}

void command_PROFILE(cli *c)
{
    const options *o = &c->options;
    calling s = {.depth_min = 0};
    stele_profile *p = NULL;
    size_t read_count = 0;
    if (joined_make(c) && calling_make(c, &s) &&
        calling_make_profile(c, &s, option_given(o, OPTION_BY_THREAD), &p)) {
        for (size_t i = 0; i < o->argument_count; i++)
            read_count +=
                calling_read(c, &s, i, stele_profile_columns(p), &(consumer){ready, take, p});
        if (read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed)
            show(c, p);
        calling_remark_pairs(c, &s);
    }
    stele_profile_free(p);
    calling_free(&s);
}
