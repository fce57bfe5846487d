/* SPDX-License-Identifier: Apache-2.0 */
/* stele sched: shows what threads and CPUs do. */
#include "cli/sched.h"

#include <stdlib.h>
#include <string.h>

static sched_show parse_show(const options *o)
{
    static const char *const words[SHOW_COUNT] = {"summary",     "cpus",   "threads", "latencies",
                                                  "preemptions", "states", "runs"};
    const char *word = option_value(o, OPTION_SCHED_SHOW);
    sched_show what = SHOW_SUMMARY;
    while (what + 1 < SHOW_COUNT && strcmp(words[what], word) != 0)
        what++;
    return what;
}

/* How many wake-ups are kept while reading: as many as will be shown. */
static uint32_t worst_max(const options *o, sched_show what)
{
    const uint64_t top = option_number(o, OPTION_TOP);
    if (what != SHOW_LATENCIES)
        return 10;
    return top == 0 || top > 1000000 ? 1000000 : (uint32_t)top;
}

/* Makes the engine. The selection of threads and tracks applies to rows, because every event
   matters for the states. */
static bool make(scheduling *s, sched_show what, const stele_request *only)
{
    const options *o = &s->c->options;
    stele_sched_options given = STELE_INIT(stele_sched_options);
    given.only = only;
    given.user = s;
    given.worst_max = worst_max(o, what);
    if (!cli_take_length(s->c, OPTION_SCHED_EVERY, &given.every_ns))
        return false;
    if (given.every_ns != 0)
        given.on_use = sched_write_use;
    else if (what == SHOW_STATES)
        given.on_thread = sched_write_state;
    else if (what == SHOW_RUNS)
        given.on_cpu = sched_write_run;
    return cli_check(s->c, stele_sched_new(s->c->context, &given, &s->sched), "sched");
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    scheduling *s = user;
    s->has_origin = stats->has_begin;
    s->origin_ns = stats->begin_ns;
    return stele_sched_set_window(s->sched, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    scheduling *s = user;
    return stele_sched_add(s->sched, segment);
}

static bool has_scheduling(const scheduling *s)
{
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    stele_sched_get_totals(s->sched, &totals);
    return totals.switch_count + totals.wake_count != 0;
}

static void read_all(scheduling *s, const inputs *in, selection *selected, sched_show what)
{
    const consumer to = {.ready = ready, .take = take, .user = s};
    stele_reader_stats stats = {0};
    const bool is_all = selection_is_all(selected);
    selected->request.field_count = stele_sched_fields(s->sched, &selected->request.fields);
    if (cli_read_for_rows(s->c, in, selected, STELE_SCHED_KINDS, stele_sched_columns(s->sched), &to,
                          &stats) &&
        cli_check(s->c, stele_sched_finish(s->sched), "sched")) {
        if (is_all && !has_scheduling(s))
            cli_lacks(s->c, "scheduling");
        else
            sched_write_tables(s, what);
    }
    cli_conclude(s->c, NULL, &stats);
}

void command_SCHED(cli *c)
{
    const options *o = &c->options;
    const sched_show what = parse_show(o);
    scheduling s = {.c = c};
    selection selected = {.names = NULL};
    stele_request only;
    inputs in = {.count = 0};
    if (option_given(o, OPTION_CSV) && what == SHOW_SUMMARY && !option_given(o, OPTION_SCHED_EVERY))
        cli_usage(c, "--csv is one table: name it with --show, or take --every");
    else if (selection_make(c, &selected)) {
        only = selected.request;
        if (make(&s, what, &only) && inputs_open(c, &in))
            read_all(&s, &in, &selected, what);
    }
    stele_sched_free(s.sched);
    labels_free(&s.labels);
    inputs_close(&in);
    selection_free(&selected);
}
