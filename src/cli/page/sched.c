/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the section about threads and CPUs, if the trace has scheduling events. */
#include <stele/text.h>

#include <stdio.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"

#define THREADS_SHOWN 60u

static void length_cell(page *p, uint64_t length)
{
    char text[PRINT_SIZE];
    html_cell_number(p->out, print_brief(text, STELE_CLOCK_NS, length), (double)length);
}

static void count_cell(page *p, uint64_t count)
{
    char text[PRINT_SIZE];
    html_cell_number(p->out, print_count(text, count), (double)count);
}

static void track_cell(page *p, uint32_t track)
{
    char shown[60 * 16 + 8];
    if (track != 0)
        html_cell(p->out, html_shown(stele_track_line(p->c->context, track), 60, shown));
    else
        html_cell(p->out, "");
}

static void share_cell(page *p, uint64_t part, uint64_t whole)
{
    char text[PRINT_SIZE];
    html_cell_number(p->out, print_share(text, part, whole), (double)part);
}

static void write_cpus(page *p, const page_side *s, const stele_sched_totals *totals)
{
    static const html_column columns[] = {
        {"CPU", false}, {"busy", true}, {"idle", true}, {"unknown", true}, {"switches", true}};
    const uint64_t whole = (uint64_t)totals->end_ns - (uint64_t)totals->begin_ns;
    const stele_sched_cpu *rows;
    size_t count;
    if (stele_sched_cpus(s->sched, &rows, &count) != STELE_OK || count == 0)
        return;
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < count; i++) {
        html_row(p->out);
        track_cell(p, rows[i].track);
        share_cell(p, rows[i].state_ns[STELE_CPU_BUSY], whole);
        share_cell(p, rows[i].state_ns[STELE_CPU_IDLE], whole);
        share_cell(p, rows[i].state_ns[STELE_CPU_UNKNOWN], whole);
        count_cell(p, rows[i].switch_count);
    }
    html_table_end(p->out);
}

static void write_threads(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"thread", false},  {"running", true}, {"share", true},          {"waits for a CPU", true},
        {"asleep", true},   {"blocked", true}, {"runs", true},           {"preempted", true},
        {"migrated", true}, {"woken", true},   {"slowest wake-up", true}};
    const stele_sched_thread *rows;
    size_t count;
    char text[PRINT_SIZE];
    if (stele_sched_threads(s->sched, STELE_SCHED_BY_RUNNING, &rows, &count) != STELE_OK ||
        count == 0)
        return;
    stele_output_text(p->out, "<h3>Threads</h3>\n");
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        const stele_sched_thread *t = &rows[i];
        html_row(p->out);
        track_cell(p, t->track);
        length_cell(p, t->state_ns[STELE_RUN_RUNNING]);
        share_cell(p, t->state_ns[STELE_RUN_RUNNING], t->life_ns);
        length_cell(p, t->state_ns[STELE_RUN_PREEMPTED] + t->state_ns[STELE_RUN_RUNNABLE]);
        length_cell(p, t->state_ns[STELE_RUN_SLEEPING]);
        length_cell(p, t->state_ns[STELE_RUN_BLOCKED]);
        count_cell(p, t->run_count);
        count_cell(p, t->preempted_count);
        count_cell(p, t->migration_count);
        count_cell(p, t->wake_count);
        length_cell(p, t->latency_max_ns);
    }
    html_table_end(p->out);
    if (count > THREADS_SHOWN)
        stele_output_printf(p->out, "<p class=\"muted\">%s that run less not shown.</p>\n",
                            print_things(text, count - THREADS_SHOWN, "thread"));
}

static void write_latencies(page *p, const page_side *s, const stele_sched_totals *t)
{
    static const html_column columns[] = {{"took", true}, {"thread", false}, {"woken at", true},
                                          {"by", false},  {"on", false},     {"byte", true}};
    const stele_sched_wake *rows;
    size_t count;
    char text[PRINT_SIZE];
    if (t->latency_count == 0)
        return;
    stele_output_printf(p->out, "<h3>From wake-up to CPU</h3>\n<p>%s",
                        print_things(text, t->latency_count, "wake-up"));
    stele_output_printf(p->out, ": mean %s",
                        print_brief(text, STELE_CLOCK_NS, t->latency_ns / t->latency_count));
    stele_output_printf(p->out, ", p50 %s", print_brief(text, STELE_CLOCK_NS, t->latency_p50_ns));
    stele_output_printf(p->out, ", p99 %s", print_brief(text, STELE_CLOCK_NS, t->latency_p99_ns));
    stele_output_printf(p->out, ", longest %s.</p>\n",
                        print_brief(text, STELE_CLOCK_NS, t->latency_max_ns));
    if (stele_sched_worst(s->sched, &rows, &count) != STELE_OK || count == 0)
        return;
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < count; i++) {
        html_row(p->out);
        length_cell(p, (uint64_t)rows[i].run_ns - (uint64_t)rows[i].wake_ns);
        track_cell(p, rows[i].thread);
        html_cell_number(p->out, page_moment(s, rows[i].wake_ns, text), (double)rows[i].wake_ns);
        track_cell(p, rows[i].by);
        track_cell(p, rows[i].cpu);
        count_cell(p, rows[i].wake_offset);
    }
    html_table_end(p->out);
}

void page_write_sched(page *p, const page_side *s)
{
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    char text[PRINT_SIZE];
    if (!s->has_sched)
        return;
    stele_sched_get_totals(s->sched, &totals);
    page_heading(p, s, "sched", "Scheduling");
    stele_output_printf(p->out, "<p>Switches of threads: %s",
                        print_count(text, totals.switch_count));
    stele_output_printf(p->out, "; wake-ups: %s", print_count(text, totals.wake_count));
    stele_output_printf(p->out, "; preemptions: %s.</p>\n",
                        print_count(text, totals.preemption_count));
    write_cpus(p, s, &totals);
    write_threads(p, s);
    write_latencies(p, s, &totals);
}
