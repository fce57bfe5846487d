/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables of 'stele sched' after everything was read. */
#include <stdlib.h>
#include <string.h>

#include "cli/sched.h"
#include "cli/show/figures.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

static size_t shown_of(const cli *c, size_t count)
{
    const options *o = &c->options;
    const bool is_for_people = !option_given(o, OPTION_JSON) && !option_given(o, OPTION_CSV);
    const uint64_t top =
        is_for_people || option_given(o, OPTION_TOP) ? option_number(o, OPTION_TOP) : 0;
    return top != 0 && top < count ? (size_t)top : count;
}

static uint64_t number_of(const cli *c, uint32_t track)
{
    const stele_track *known = stele_track_get(c->context, track);
    return known != NULL ? known->number : 0;
}

static uint64_t process_of(const scheduling *s, uint32_t track)
{
    const stele_track *parent =
        stele_track_get(s->c->context, stele_sched_process(s->sched, track));
    return parent != NULL && parent->kind == STELE_TRACK_PROCESS ? parent->number : 0;
}

static bool no_memory(cli *c)
{
    return cli_check(c, STELE_ERR_MEMORY, "sched");
}

/* ---- Table of CPUs ---- */

static const figure_column cpu_columns[] = {{"cpu", NULL, FIGURE_COUNT, 0, 0},
                                            {"name", "cpu", FIGURE_TEXT, 0, 0},
                                            {"busy_ns", "busy", FIGURE_NS, 0, 0},
                                            {NULL, "share", FIGURE_SHARE, 0, 0},
                                            {"idle_ns", "idle", FIGURE_NS, 0, 0},
                                            {"unknown_ns", "unknown", FIGURE_NS, 0, 0},
                                            {"switch_count", "switches", FIGURE_COUNT, 0, 0},
                                            {"wake_count", "wake-ups", FIGURE_COUNT, 0, 0}};

static int order_by_idle(const void *a, const void *b)
{
    const stele_sched_cpu *x = a, *y = b;
    const uint64_t left = x->state_ns[STELE_CPU_IDLE], right = y->state_ns[STELE_CPU_IDLE];
    return left != right ? (left < right) - (left > right)
                         : (x->track > y->track) - (x->track < y->track);
}

static bool set_cpus(scheduling *s, figures *f, const stele_sched_cpu *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        figure *row = figures_add(f);
        if (row == NULL)
            return no_memory(s->c);
        row[0].number = number_of(s->c, rows[i].track);
        row[1] = figure_text(label_track(s->c, &s->labels, rows[i].track));
        row[2].number = rows[i].state_ns[STELE_CPU_BUSY];
        row[3].share.part = 2;
        row[3].share.whole = UINT32_MAX;
        row[4].number = rows[i].state_ns[STELE_CPU_IDLE];
        row[5].number = rows[i].state_ns[STELE_CPU_UNKNOWN];
        row[6].number = rows[i].switch_count;
        row[7].number = rows[i].wake_count;
    }
    return true;
}

static bool list_cpus(scheduling *s, figures *f)
{
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    const stele_sched_cpu *rows;
    stele_sched_cpu *sorted;
    size_t count;
    bool is_good;
    stele_sched_get_totals(s->sched, &totals);
    *f = (figures){.rows_key = "cpus",
                   .columns = cpu_columns,
                   .column_count = sizeof cpu_columns / sizeof cpu_columns[0],
                   .whole = (uint64_t)totals.end_ns - (uint64_t)totals.begin_ns};
    if (!cli_check(s->c, stele_sched_cpus(s->sched, &rows, &count), "sched"))
        return false;
    if (count == 0 || strcmp(option_value(&s->c->options, OPTION_SCHED_RANK), "idle") != 0)
        return set_cpus(s, f, rows, count);
    sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return no_memory(s->c);
    memcpy(sorted, rows, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_by_idle);
    is_good = set_cpus(s, f, sorted, count);
    free(sorted);
    return is_good;
}

/* ---- Table of threads ---- */

enum {
    T_TRACK,
    T_TID,
    T_PID,
    T_FIRST,
    T_LAST,
    T_LIFE,
    T_RUNNING,
    T_SHARE,
    T_WAITING,
    T_PREEMPTED,
    T_RUNNABLE,
    T_SLEEPING,
    T_BLOCKED,
    T_STOPPED,
    T_UNKNOWN,
    T_RUNS,
    T_VOLUNTARY,
    T_PREEMPTIONS,
    T_MIGRATIONS,
    T_WAKES,
    T_LATENCIES,
    T_LATENCY,
    T_LATENCY_MAX,
    T_PRIORITY,
    T_PRIORITY_MIN,
    T_PRIORITY_MAX,
    T_NAME,
    T_COUNT
};

static const figure_column thread_columns[T_COUNT] = {
    [T_TRACK] = {"track", NULL, FIGURE_COUNT, 0, 0},
    [T_TID] = {"tid", NULL, FIGURE_COUNT, 0, 0},
    [T_PID] = {"pid", NULL, FIGURE_COUNT, 0, 0},
    [T_FIRST] = {"first_ns", NULL, FIGURE_INT, 0, 0},
    [T_LAST] = {"last_ns", NULL, FIGURE_INT, 0, 0},
    [T_LIFE] = {"life_ns", NULL, FIGURE_NS, 0, 0},
    [T_RUNNING] = {"running_ns", "running", FIGURE_NS, 0, 0},
    [T_SHARE] = {NULL, "share", FIGURE_SHARE, 0, 0},
    [T_WAITING] = {"waiting_ns", "waiting", FIGURE_NS, 0, 0},
    [T_PREEMPTED] = {"preempted_ns", NULL, FIGURE_NS, 0, 0},
    [T_RUNNABLE] = {"runnable_ns", NULL, FIGURE_NS, 0, 0},
    [T_SLEEPING] = {"sleeping_ns", "sleeping", FIGURE_NS, 0, 0},
    [T_BLOCKED] = {"blocked_ns", "blocked", FIGURE_NS, 0, 0},
    [T_STOPPED] = {"stopped_ns", NULL, FIGURE_NS, 0, 0},
    [T_UNKNOWN] = {"unknown_ns", NULL, FIGURE_NS, 0, 0},
    [T_RUNS] = {"run_count", "runs", FIGURE_COUNT, 0, 0},
    [T_VOLUNTARY] = {"voluntary_count", NULL, FIGURE_COUNT, 0, 0},
    [T_PREEMPTIONS] = {"preempted_count", "preempted", FIGURE_COUNT, 0, 0},
    [T_MIGRATIONS] = {"migration_count", NULL, FIGURE_COUNT, 0, 0},
    [T_WAKES] = {"wake_count", NULL, FIGURE_COUNT, 0, 0},
    [T_LATENCIES] = {"latency_count", NULL, FIGURE_COUNT, 0, 0},
    [T_LATENCY] = {"latency_ns", NULL, FIGURE_NS, 0, 0},
    [T_LATENCY_MAX] = {"latency_max_ns", NULL, FIGURE_NS, 0, 0},
    [T_PRIORITY] = {"priority", NULL, FIGURE_INT, 0, 0},
    [T_PRIORITY_MIN] = {"priority_min", NULL, FIGURE_INT, 0, 0},
    [T_PRIORITY_MAX] = {"priority_max", NULL, FIGURE_INT, 0, 0},
    [T_NAME] = {"thread", "thread", FIGURE_TEXT, 0, 0}};

static void set_thread(scheduling *s, figure *row, const stele_sched_thread *t)
{
    const uint64_t *ns = t->state_ns;
    row[T_TRACK].number = t->track;
    row[T_TID].number = number_of(s->c, t->track);
    row[T_PID].number = process_of(s, t->track);
    row[T_FIRST].integer = t->first_ns;
    row[T_LAST].integer = t->last_ns;
    row[T_LIFE].number = t->life_ns;
    row[T_RUNNING].number = ns[STELE_RUN_RUNNING];
    row[T_SHARE].share.part = T_RUNNING;
    row[T_SHARE].share.whole = T_LIFE;
    row[T_WAITING].number = ns[STELE_RUN_PREEMPTED] + ns[STELE_RUN_RUNNABLE];
    row[T_PREEMPTED].number = ns[STELE_RUN_PREEMPTED];
    row[T_RUNNABLE].number = ns[STELE_RUN_RUNNABLE];
    row[T_SLEEPING].number = ns[STELE_RUN_SLEEPING];
    row[T_BLOCKED].number = ns[STELE_RUN_BLOCKED];
    row[T_STOPPED].number = ns[STELE_RUN_STOPPED];
    row[T_UNKNOWN].number = ns[STELE_RUN_UNKNOWN];
    row[T_RUNS].number = t->run_count;
    row[T_VOLUNTARY].number = t->voluntary_count;
    row[T_PREEMPTIONS].number = t->preempted_count;
    row[T_MIGRATIONS].number = t->migration_count;
    row[T_WAKES].number = t->wake_count;
    row[T_LATENCIES].number = t->latency_count;
    row[T_LATENCY].number = t->latency_ns;
    row[T_LATENCY_MAX].number = t->latency_max_ns;
    row[T_PRIORITY].integer = t->priority;
    row[T_PRIORITY_MIN].integer = t->priority_min;
    row[T_PRIORITY_MAX].integer = t->priority_max;
    row[T_NAME] = figure_text(label_track(s->c, &s->labels, t->track));
}

static stele_sched_order parse_order(const options *o)
{
    static const char *const words[] = {"running", "waiting", "switches", "latency", "name"};
    const char *word = option_value(o, OPTION_SCHED_RANK);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0)
            return (stele_sched_order)i;
    }
    return STELE_SCHED_BY_RUNNING;
}

static bool list_threads(scheduling *s, figures *f)
{
    const stele_sched_thread *rows;
    size_t count;
    *f = (figures){.rows_key = "threads", .columns = thread_columns, .column_count = T_COUNT};
    if (!cli_check(s->c, stele_sched_threads(s->sched, parse_order(&s->c->options), &rows, &count),
                   "sched"))
        return false;
    for (size_t i = 0; i < count; i++) {
        figure *row = figures_add(f);
        if (row == NULL)
            return no_memory(s->c);
        set_thread(s, row, &rows[i]);
    }
    return true;
}

/* ---- Table of wake-ups ---- */

enum {
    W_LATENCY,
    W_WAKE,
    W_RUN,
    W_TID,
    W_BY_TID,
    W_CPU,
    W_STREAM,
    W_OFFSET,
    W_RUN_STREAM,
    W_RUN_OFFSET,
    W_CPU_NAME,
    W_BY,
    W_THREAD,
    W_COUNT
};

static const figure_column wake_columns[W_COUNT] = {
    [W_LATENCY] = {"latency_ns", "latency", FIGURE_NS, 0, 0},
    [W_WAKE] = {"wake_ns", NULL, FIGURE_INT, 0, 0},
    [W_RUN] = {"run_ns", NULL, FIGURE_INT, 0, 0},
    [W_TID] = {"tid", NULL, FIGURE_COUNT, 0, 0},
    [W_BY_TID] = {"by_tid", NULL, FIGURE_COUNT, 0, 0},
    [W_CPU] = {"cpu", NULL, FIGURE_COUNT, 0, 0},
    [W_STREAM] = {"wake_stream", "stream", FIGURE_COUNT, 0, 0},
    [W_OFFSET] = {"wake_offset", "offset", FIGURE_COUNT, 0, 0},
    [W_RUN_STREAM] = {"run_stream", NULL, FIGURE_COUNT, 0, 0},
    [W_RUN_OFFSET] = {"run_offset", NULL, FIGURE_COUNT, 0, 0},
    [W_CPU_NAME] = {NULL, "on", FIGURE_TEXT, 0, 0},
    [W_BY] = {"by", "woken by", FIGURE_TEXT, 0, 0},
    [W_THREAD] = {"thread", "thread", FIGURE_TEXT, 0, 0}};

static bool list_wakes(scheduling *s, figures *f)
{
    const stele_sched_wake *rows;
    size_t count;
    *f = (figures){.rows_key = "latencies", .columns = wake_columns, .column_count = W_COUNT};
    if (!cli_check(s->c, stele_sched_worst(s->sched, &rows, &count), "sched"))
        return false;
    for (size_t i = 0; i < count; i++) {
        figure *row = figures_add(f);
        if (row == NULL)
            return no_memory(s->c);
        row[W_LATENCY].number = (uint64_t)rows[i].run_ns - (uint64_t)rows[i].wake_ns;
        row[W_WAKE].integer = rows[i].wake_ns;
        row[W_RUN].integer = rows[i].run_ns;
        row[W_TID].number = number_of(s->c, rows[i].thread);
        row[W_BY_TID].number = number_of(s->c, rows[i].by);
        row[W_CPU].number = number_of(s->c, rows[i].cpu);
        row[W_STREAM].number = rows[i].wake_stream;
        row[W_OFFSET].number = rows[i].wake_offset;
        row[W_RUN_STREAM].number = rows[i].run_stream;
        row[W_RUN_OFFSET].number = rows[i].run_offset;
        row[W_CPU_NAME] = figure_text(label_track(s->c, &s->labels, rows[i].cpu));
        row[W_BY] = figure_text(label_track(s->c, &s->labels, rows[i].by));
        row[W_THREAD] = figure_text(label_track(s->c, &s->labels, rows[i].thread));
    }
    return true;
}

/* ---- Table of preemptions ---- */

static const figure_column pair_columns[] = {
    {"count", "times", FIGURE_COUNT, 0, 0},      {"wait_ns", "waited", FIGURE_NS, 0, 0},
    {"wait_max_ns", "longest", FIGURE_NS, 0, 0}, {"tid", NULL, FIGURE_COUNT, 0, 0},
    {"by_tid", NULL, FIGURE_COUNT, 0, 0},        {"thread", "thread", FIGURE_TEXT, 0, 0},
    {"by", "preempted by", FIGURE_TEXT, 0, 0}};

static bool list_pairs(scheduling *s, figures *f)
{
    const stele_sched_pair *rows;
    size_t count;
    *f = (figures){.rows_key = "preemptions",
                   .columns = pair_columns,
                   .column_count = sizeof pair_columns / sizeof pair_columns[0]};
    if (!cli_check(s->c, stele_sched_pairs(s->sched, &rows, &count), "sched"))
        return false;
    for (size_t i = 0; i < count; i++) {
        figure *row = figures_add(f);
        if (row == NULL)
            return no_memory(s->c);
        row[0].number = rows[i].count;
        row[1].number = rows[i].wait_ns;
        row[2].number = rows[i].wait_max_ns;
        row[3].number = number_of(s->c, rows[i].thread);
        row[4].number = number_of(s->c, rows[i].by);
        row[5] = figure_text(label_track(s->c, &s->labels, rows[i].thread));
        row[6] = figure_text(label_track(s->c, &s->labels, rows[i].by));
    }
    return true;
}

/* ---- Output by the options ---- */

typedef bool list_fn(scheduling *s, figures *f);

static list_fn *const lists[] = {[SHOW_CPUS] = list_cpus,
                                 [SHOW_THREADS] = list_threads,
                                 [SHOW_LATENCIES] = list_wakes,
                                 [SHOW_PREEMPTIONS] = list_pairs};

static void write_unusual(const cli *c, const stele_sched_totals *t)
{
    const struct {
        uint64_t count;
        const char *thing, *meaning;
    } all[] = {{t->contradiction_count, "event",
                "contradicting what is known: others are missing, time before is unknown"},
               {t->lost_count, "loss", "known: time from there to the next switch is unknown"},
               {t->wake_running_count, "wake-up", "of running threads: without effect"},
               {t->far_count, "event", "with a time far from all others: left out"},
               {t->thread_other_count, "event", "of threads beyond the limit of tracks: left out"},
               {t->pair_other_count, "preemption", "beyond the limit of pairs: in no pair"}};
    char text[PRINT_SIZE];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].count != 0)
            stele_output_printf(c->out, "%s %s\n", print_things(text, all[i].count, all[i].thing),
                                all[i].meaning);
    }
}

static void write_line(const cli *c, const char *key, const char *text)
{
    print_padded(c->out, key, 12);
    stele_output_printf(c->out, "%s\n", text);
}

static void write_latency(const cli *c, const stele_sched_totals *t)
{
    const struct {
        const char *key;
        uint64_t ns;
    } all[] = {{"min ", t->latency_min_ns},    {"p50 ", t->latency_p50_ns},
               {"p90 ", t->latency_p90_ns},    {"p99 ", t->latency_p99_ns},
               {"p99.9 ", t->latency_p999_ns}, {"max ", t->latency_max_ns}};
    char text[PRINT_SIZE];
    if (t->latency_count == 0)
        return;
    print_padded(c->out, "Latency", 12);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        stele_output_printf(c->out, "%s%s%s", i != 0 ? "  " : "", all[i].key,
                            print_brief(text, c->times, all[i].ns));
    stele_output_byte(c->out, '\n');
}

static void write_totals(const cli *c, const stele_sched_totals *t)
{
    char text[PRINT_SIZE], part[PRINT_SIZE];
    write_line(c, "Time", print_duration(text, c->times, t->end_ns - t->begin_ns));
    print_padded(c->out, "Switches", 12);
    stele_output_printf(c->out, "%s, %s of threads that could go on\n",
                        print_count(text, t->switch_count), print_count(part, t->preemption_count));
    write_line(c, "Wake-ups", print_count(text, t->wake_count));
    write_latency(c, t);
    stele_output_byte(c->out, '\n');
}

static void write_summary_text(scheduling *s, const stele_sched_totals *t)
{
    figures f;
    if (t->switch_count + t->wake_count == 0) {
        stele_output_text(s->c->out, "No scheduling\n");
        return;
    }
    write_totals(s->c, t);
    for (unsigned what = SHOW_CPUS; what <= SHOW_PREEMPTIONS; what++) {
        size_t shown;
        if (lists[what](s, &f) && f.row_count != 0) {
            shown = shown_of(s->c, f.row_count);
            if (what >= SHOW_LATENCIES && shown > 10 && !option_given(&s->c->options, OPTION_TOP))
                shown = 10;
            figures_write_text(s->c, &f, shown);
            stele_output_byte(s->c->out, '\n');
        }
        figures_free(&f);
    }
    write_unusual(s->c, t);
    if (t->latency_count != 0)
        stele_output_text(s->c->out,
                          "Latency is the time from a wake-up to a CPU; p50, p90, p99 and "
                          "p99.9 are at\nmost 3.2 % too large\n");
}

static void write_totals_json(json *j, const stele_sched_totals *t)
{
    json_int(j, "begin_ns", t->begin_ns);
    json_int(j, "end_ns", t->end_ns);
    json_uint(j, "duration_ns", (uint64_t)t->end_ns - (uint64_t)t->begin_ns);
    json_uint(j, "switch_count", t->switch_count);
    json_uint(j, "preemption_count", t->preemption_count);
    json_uint(j, "wake_count", t->wake_count);
    json_uint(j, "wake_again_count", t->wake_again_count);
    json_uint(j, "wake_running_count", t->wake_running_count);
    json_uint(j, "contradiction_count", t->contradiction_count);
    json_uint(j, "lost_count", t->lost_count);
    json_uint(j, "far_count", t->far_count);
    json_uint(j, "thread_other_count", t->thread_other_count);
    json_uint(j, "pair_other_count", t->pair_other_count);
    json_open(j, "latency", '{');
    json_uint(j, "count", t->latency_count);
    json_uint(j, "sum_ns", t->latency_ns);
    json_uint(j, "min_ns", t->latency_min_ns);
    json_uint(j, "p50_ns", t->latency_p50_ns);
    json_uint(j, "p90_ns", t->latency_p90_ns);
    json_uint(j, "p99_ns", t->latency_p99_ns);
    json_uint(j, "p999_ns", t->latency_p999_ns);
    json_uint(j, "max_ns", t->latency_max_ns);
    json_text(j, "percentile_error_percent", "3.2");
    json_open(j, "classes", '[');
    for (unsigned i = 0; i < STELE_SCHED_CLASSES; i++) {
        if (t->latency_class[i] == 0)
            continue;
        json_open(j, NULL, '{');
        json_uint(j, "from_ns", i == 0 ? 0 : UINT64_C(1) << i);
        json_uint(j, "count", t->latency_class[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_summary_json(scheduling *s, const stele_sched_totals *t)
{
    json j = {.out = s->c->out, .time_suffix = print_time_suffix(s->c->times)};
    figures f;
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    write_totals_json(&j, t);
    for (unsigned what = SHOW_CPUS; what <= SHOW_PREEMPTIONS; what++) {
        if (lists[what](s, &f))
            figures_write_list(&j, &f, shown_of(s->c, f.row_count));
        figures_free(&f);
    }
    json_close(&j, '}');
}

void sched_write_tables(scheduling *s, sched_show what)
{
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    figures f;
    stele_sched_get_totals(s->sched, &totals);
    if (what == SHOW_STATES || what == SHOW_RUNS ||
        option_given(&s->c->options, OPTION_SCHED_EVERY))
        return;
    if (what == SHOW_SUMMARY && option_given(&s->c->options, OPTION_JSON)) {
        write_summary_json(s, &totals);
    } else if (what == SHOW_SUMMARY) {
        write_summary_text(s, &totals);
    } else {
        if (lists[what](s, &f))
            figures_write(s->c, &f, shown_of(s->c, f.row_count), NULL, 0);
        figures_free(&f);
    }
}
