/* SPDX-License-Identifier: Apache-2.0 */
/* stele latency: shows how long it takes from one event to the next that belongs to it. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "cli/spanning.h"

#define WORST_DEFAULT 10u
#define BAR_WIDTH     40u

typedef struct latency {
    cli *c;
    spanning s;
    const char *begin, *end, *by;
    stele_latency *durations;
    int64_t origin_ns; /* begin of the first trace */
    bool has_origin;
} latency;

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    latency *l = user;
    stele_status status = STELE_OK;
    if (!l->has_origin) {
        l->has_origin = true;
        l->origin_ns = l->s.origin_ns;
    }
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        if (spans[i].pair == 1)
            status = stele_latency_add(l->durations, &spans[i]);
    }
    return status;
}

/* ---- Text for people ------------------------------------------------------------------------- */

static void write_figures(const latency *l, const stele_latency_figures *f)
{
    const struct {
        const char *title;
        uint64_t ns;
    } list[] = {{"min", f->min_ns}, {"mean", f->mean_ns},  {"p50", f->p50_ns}, {"p90", f->p90_ns},
                {"p99", f->p99_ns}, {"p99.9", f->p999_ns}, {"max", f->max_ns}};
    stele_output *out = l->c->out;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        print_padded(out, list[i].title, -10);
    stele_output_byte(out, '\n');
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        print_padded(out, print_length(text, l->c->times, list[i].ns), -10);
    stele_output_text(out, "\n\n");
}

static void write_histogram(const latency *l)
{
    uint32_t first = STELE_LATENCY_BUCKETS, last = 0;
    uint64_t most = 0;
    char text[PRINT_SIZE];
    stele_output *out = l->c->out;
    for (uint32_t i = 0; i < STELE_LATENCY_BUCKETS; i++) {
        const uint64_t count = stele_latency_bucket(l->durations, i);
        if (count == 0)
            continue;
        first = first == STELE_LATENCY_BUCKETS ? i : first;
        last = i;
        most = count > most ? count : most;
    }
    for (uint32_t i = first; i <= last; i++) {
        const uint64_t count = stele_latency_bucket(l->durations, i);
        print_padded(out, print_length(text, l->c->times, i == 0 ? 0 : UINT64_C(1) << (i - 1)),
                     -10);
        print_padded(out, print_count(text, count), -12);
        if (count != 0) {
            stele_output_text(out, "  ");
            print_bar(out, count, most, BAR_WIDTH);
        }
        stele_output_byte(out, '\n');
    }
    stele_output_byte(out, '\n');
}

static void write_track(const latency *l, uint32_t number, int width)
{
    const stele_text text = stele_track_line(l->c->context, number);
    char shown[256];
    size_t size = text.size < 200 ? text.size : 200;
    while (size > 0 && size < text.size && (text.bytes[size] & 0xc0) == 0x80)
        size--; /* do not cut within a UTF-8 character */
    snprintf(shown, sizeof shown, "%.*s", (int)size, text.bytes);
    print_padded(l->c->out, shown, width);
}

static void write_worst(const latency *l)
{
    uint32_t count;
    const stele_span *worst = stele_latency_worst(l->durations, &count);
    stele_output *out = l->c->out;
    char text[PRINT_SIZE];
    print_color(out, l->c->has_color, COLOR_BOLD);
    stele_output_text(out, "   latency           from      offset  on              "
                           "    offset  to\n");
    print_color(out, l->c->has_color, COLOR_NONE);
    for (uint32_t i = 0; i < count; i++) {
        print_padded(out, print_length(text, l->c->times, stele_span_duration_ns(&worst[i])), -10);
        print_time(text, l->c->times,
                   (int64_t)((uint64_t)worst[i].begin_ns - (uint64_t)l->origin_ns));
        print_padded(out, text, -15);
        snprintf(text, sizeof text, "%" PRIu64, worst[i].begin_offset);
        print_padded(out, text, -12);
        stele_output_text(out, "  ");
        write_track(l, worst[i].track, 16);
        snprintf(text, sizeof text, "%" PRIu64, worst[i].end_offset);
        print_padded(out, text, -10);
        stele_output_text(out, "  ");
        write_track(l, worst[i].end_track, 0);
        stele_output_byte(out, '\n');
    }
    stele_output_byte(out, '\n');
}

static void write_text(const latency *l, const stele_latency_figures *f)
{
    stele_output *out = l->c->out;
    char text[PRINT_SIZE], shown[512];
    stele_visible(l->begin, shown, sizeof shown);
    stele_output_printf(out, "%s to ", shown);
    stele_visible(l->end, shown, sizeof shown);
    stele_output_printf(out, "%s, by %s: %s\n", shown, l->by, print_things(text, f->count, "pair"));
    if (f->count != 0) {
        stele_output_byte(out, '\n');
        print_time_unit(out, l->c->times);
        write_figures(l, f);
        write_histogram(l);
        write_worst(l);
    }
    stele_output_printf(out, "%s without an end that fits\n",
                        print_things(text, f->open_count, "begin"));
    stele_output_printf(out, "%s without a begin that fits\n",
                        print_things(text, f->no_begin_count, "end"));
    if (f->count != 0)
        stele_output_text(out, "Percentiles are at most 3.2 % too large\n");
}

/* ---- JSON for programs ----------------------------------------------------------------------- */

static void write_json_track(const latency *l, json *j, const char *key, uint32_t number)
{
    json_open(j, key, '{');
    json_track(j, l->c->context, number);
    json_close(j, '}');
}

static void write_json(const latency *l, const stele_latency_figures *f)
{
    json j = {.out = l->c->out, .time_suffix = print_time_suffix(l->c->times)};
    uint32_t count;
    const stele_span *worst = stele_latency_worst(l->durations, &count);
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "begin", l->begin);
    json_text(&j, "end", l->end);
    json_text(&j, "by", l->by);
    json_uint(&j, "count", f->count);
    json_uint(&j, "min_ns", f->min_ns);
    json_uint(&j, "mean_ns", f->mean_ns);
    json_uint(&j, "p50_ns", f->p50_ns);
    json_uint(&j, "p90_ns", f->p90_ns);
    json_uint(&j, "p99_ns", f->p99_ns);
    json_uint(&j, "p999_ns", f->p999_ns);
    json_uint(&j, "max_ns", f->max_ns);
    json_text(&j, "percentile_error_percent", "3.2");
    json_uint(&j, "without_end_count", f->open_count);
    json_uint(&j, "without_begin_count", f->no_begin_count);
    json_open(&j, "histogram", '[');
    for (uint32_t i = 0; i < STELE_LATENCY_BUCKETS; i++) {
        if (stele_latency_bucket(l->durations, i) == 0)
            continue;
        json_open(&j, NULL, '{');
        json_uint(&j, "from_ns", i == 0 ? 0 : UINT64_C(1) << (i - 1));
        json_uint(&j, "count", stele_latency_bucket(l->durations, i));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "worst", '[');
    for (uint32_t i = 0; i < count; i++) {
        json_open(&j, NULL, '{');
        json_uint(&j, "dur_ns", stele_span_duration_ns(&worst[i]));
        json_int(&j, "begin_ns", worst[i].begin_ns);
        json_int(&j, "end_ns", worst[i].end_ns);
        json_uint(&j, "begin_offset", worst[i].begin_offset);
        json_uint(&j, "end_offset", worst[i].end_offset);
        write_json_track(l, &j, "begin_track", worst[i].track);
        write_json_track(l, &j, "end_track", worst[i].end_track);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Takes the names of the two events from the first two arguments; the others are traces. */
static bool take_names(latency *l)
{
    options *o = &l->c->options;
    char *pair;
    bool is_ok;
    l->begin = o->arguments[0];
    l->end = o->arguments[1];
    l->by = option_value(o, OPTION_LATENCY_BY);
    o->arguments += 2;
    o->argument_count -= 2;
    if (option_given(o, OPTION_PAIR))
        return cli_usage(l->c, "latency takes its pair as arguments, not by --pair");
    if (!spanning_make(l->c, &l->s))
        return false;
    pair = malloc(strlen(l->begin) + strlen(l->end) + 5);
    if (pair == NULL)
        return cli_check(l->c, STELE_ERR_MEMORY, "latency");
    sprintf(pair, "%s => %s", l->begin, l->end);
    is_ok = cli_check(l->c, stele_pairing_add_pair(l->s.calling.pairing, pair, l->by), "latency");
    free(pair);
    return is_ok;
}

void command_LATENCY(cli *c)
{
    options *o = &c->options;
    latency l = {.c = c};
    const uint64_t top = option_number(o, OPTION_WORST);
    const char **arguments = o->arguments;
    if (take_names(&l) && cli_check(c, stele_latency_new((uint32_t)top, &l.durations), "latency") &&
        (l.s.options.no_fields = true, spanning_read(&l.s, take, &l))) {
        stele_latency_figures figures = STELE_INIT(stele_latency_figures);
        stele_latency_get(l.durations, &figures);
        stele_pairing_report(l.s.calling.pairing);
        if (option_given(o, OPTION_JSON))
            write_json(&l, &figures);
        else
            write_text(&l, &figures);
    }
    if (o->arguments != arguments) {
        o->arguments = arguments;
        o->argument_count += 2;
    }
    stele_latency_free(l.durations);
    spanning_free(&l.s);
}
