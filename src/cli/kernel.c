/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele kernel: shows system calls, interrupts, disks, network packets and memory of kernel traces.
 */
#include <stele/kernel.h>

#include <string.h>

#include "cli/cli.h"
#include "cli/sched.h"
#include "cli/show/figures.h"
#include "cli/show/print.h"

typedef struct kernel_view {
    cli *c;
    stele_kernel *kernel;
    labels labels;
    bool by_thread;
    bool is_all; /* nothing was left out when the traces were read */
} kernel_view;

/* ---- Tables ---- */

enum {
    K_COUNT,
    K_TOTAL,
    K_MEAN,
    K_MIN,
    K_P50,
    K_P90,
    K_P99,
    K_MAX,
    K_BYTES,
    K_FAILED,
    K_OPEN,
    K_NUMBER,
    K_TID,
    K_WORST,
    K_STREAM,
    K_OFFSET,
    K_THREAD,
    K_NAME,
    K_COLUMNS
};

static const figure_column all_columns[K_COLUMNS] = {
    [K_COUNT] = {"count", "count", FIGURE_COUNT, 0, 0},
    [K_TOTAL] = {"total_ns", "total", FIGURE_NS, 0, 0},
    [K_MEAN] = {"mean_ns", "mean", FIGURE_NS, 0, 0},
    [K_MIN] = {"min_ns", "min", FIGURE_NS, 0, 0},
    [K_P50] = {"p50_ns", "p50", FIGURE_NS, 0, 0},
    [K_P90] = {"p90_ns", NULL, FIGURE_NS, 0, 0},
    [K_P99] = {"p99_ns", "p99", FIGURE_NS, 0, 0},
    [K_MAX] = {"max_ns", "max", FIGURE_NS, 0, 0},
    [K_BYTES] = {"byte_count", "bytes", FIGURE_BYTES, 0, 0},
    [K_FAILED] = {"error_count", "failed", FIGURE_COUNT, 0, 0},
    [K_OPEN] = {"open_count", NULL, FIGURE_COUNT, 0, 0},
    [K_NUMBER] = {"number", "number", FIGURE_COUNT, 0, 0},
    [K_TID] = {"tid", NULL, FIGURE_COUNT, 0, 0},
    [K_WORST] = {"worst_begin_ns", NULL, FIGURE_INT, 0, 0},
    [K_STREAM] = {"worst_stream", NULL, FIGURE_COUNT, 0, 0},
    [K_OFFSET] = {"worst_offset", NULL, FIGURE_COUNT, 0, 0},
    [K_THREAD] = {"thread", "thread", FIGURE_TEXT, 0, 0},
    [K_NAME] = {"name", "name", FIGURE_TEXT, 0, 0}};

typedef struct table_of {
    stele_kernel_class of;
    const char *word;  /* word for --show */
    const char *key;   /* key in JSON */
    const char *title; /* title for people */
    bool is_timed, has_bytes, has_errors, has_number, has_threads;
} table_of;

static const table_of tables[] = {
    {STELE_KERNEL_SYSCALL, "syscalls", "syscalls", "System calls", true, false, true, false, true},
    {STELE_KERNEL_DISK, "disks", "disks", "Requests to disks", true, true, false, false, true},
    {STELE_KERNEL_IRQ, "irqs", "irqs", "Interrupts", true, false, false, true, false},
    {STELE_KERNEL_SOFTIRQ, "softirqs", "softirqs", "Softirqs", true, false, false, true, false},
    {STELE_KERNEL_SOFTIRQ_RAISE, "softirqs", "softirq_raises", "Softirqs, from raise to entry",
     true, false, false, true, false},
    {STELE_KERNEL_SEND, "net", "sent", "Packets sent", false, true, false, false, true},
    {STELE_KERNEL_RECEIVE, "net", "received", "Packets received", false, true, false, false, false},
    {STELE_KERNEL_PAGES_TAKEN, "memory", "pages_taken", "Memory taken", false, true, false, false,
     true},
    {STELE_KERNEL_PAGES_GIVEN, "memory", "pages_given", "Memory given back", false, true, false,
     false, true},
    {STELE_KERNEL_FILE, "files", "files", "Reading and writing files", true, true, true, false,
     true},
    {STELE_KERNEL_SOCKET, "sockets", "sockets", "Sending and receiving by socket", true, true, true,
     false, true},
    {STELE_KERNEL_FUTEX, "futexes", "futexes", "Waiting for locks (futex)", true, false, true,
     false, true},
    {STELE_KERNEL_FAULT, "faults", "faults", "Page faults", false, false, false, false, true}};

#define TABLE_COUNT (sizeof tables / sizeof tables[0])

/* Selects the columns for people; JSON and CSV have all. */
static void choose_columns(const kernel_view *v, const table_of *t, figure_column to[K_COLUMNS])
{
    const bool by_thread = v->by_thread && t->has_threads;
    memcpy(to, all_columns, sizeof all_columns);
    for (unsigned i = K_TOTAL; i <= K_MAX; i++)
        if (!t->is_timed)
            to[i].title = NULL;
    to[by_thread ? K_P50 : K_MIN].title = NULL;
    if (by_thread)
        to[K_P99].title = NULL;
    else
        to[K_THREAD].title = NULL;
    if (!t->has_bytes)
        to[K_BYTES].title = NULL;
    if (!t->has_errors)
        to[K_FAILED].title = NULL;
    if (!t->has_number)
        to[K_NUMBER].title = NULL;
}

static void set_row(kernel_view *v, figure *row, const stele_kernel_row *r)
{
    const stele_track *thread = stele_track_get(v->c->context, r->thread);
    row[K_COUNT].number = r->count;
    row[K_TOTAL].number = r->total_ns;
    row[K_MEAN].number = r->count != 0 ? r->total_ns / r->count : 0;
    row[K_MIN].number = r->min_ns;
    row[K_P50].number = r->p50_ns;
    row[K_P90].number = r->p90_ns;
    row[K_P99].number = r->p99_ns;
    row[K_MAX].number = r->max_ns;
    row[K_BYTES].number = r->byte_count;
    row[K_FAILED].number = r->error_count;
    row[K_OPEN].number = r->open_count;
    row[K_NUMBER].number = r->number;
    row[K_TID].number = thread != NULL ? thread->number : 0;
    row[K_WORST].integer = r->worst_begin_ns;
    row[K_STREAM].number = r->worst_stream;
    row[K_OFFSET].number = r->worst_offset;
    row[K_THREAD] = figure_text(thread != NULL ? label_track(v->c, &v->labels, r->thread) : NULL);
    row[K_NAME] = figure_text(label_name(v->c, &v->labels, r->name));
}

static stele_kernel_order parse_order(const options *o)
{
    static const char *const words[] = {"total", "count", "max", "bytes", "name"};
    const char *word = option_value(o, OPTION_KERNEL_RANK);
    stele_kernel_order order = STELE_KERNEL_BY_TOTAL;
    while (order < STELE_KERNEL_BY_NAME && strcmp(words[order], word) != 0)
        order++;
    return order;
}

static bool list_rows(kernel_view *v, const table_of *t, figures *f)
{
    const stele_kernel_order given = parse_order(&v->c->options);
    const stele_kernel_order order = given != STELE_KERNEL_BY_TOTAL || t->is_timed ? given
                                     : t->has_bytes ? STELE_KERNEL_BY_BYTES
                                                    : STELE_KERNEL_BY_COUNT;
    const stele_kernel_row *rows;
    size_t count;
    if (!cli_check(v->c, stele_kernel_rows(v->kernel, t->of, order, &rows, &count), "kernel"))
        return false;
    for (size_t i = 0; i < count; i++) {
        figure *row = figures_add(f);
        if (row == NULL)
            return cli_check(v->c, STELE_ERR_MEMORY, "kernel");
        set_row(v, row, &rows[i]);
    }
    return true;
}

static size_t shown_of(const cli *c, size_t count, bool is_summary)
{
    const options *o = &c->options;
    const bool is_for_people = !option_given(o, OPTION_JSON) && !option_given(o, OPTION_CSV);
    uint64_t top = is_for_people || option_given(o, OPTION_TOP) ? option_number(o, OPTION_TOP) : 0;
    if (is_for_people && is_summary && !option_given(o, OPTION_TOP))
        top = 10;
    return top != 0 && top < count ? (size_t)top : count;
}

/* ---- Output of tables ---- */

/* Writes a table under its title, or as a list of JSON. An empty table is left out for people. */
static void write_table(kernel_view *v, const table_of *t, json *j, bool is_summary)
{
    figure_column columns[K_COLUMNS];
    figures f = {.rows_key = t->key, .columns = columns, .column_count = K_COLUMNS};
    choose_columns(v, t, columns);
    if (list_rows(v, t, &f) && (j != NULL || f.row_count != 0)) {
        const size_t shown = shown_of(v->c, f.row_count, is_summary);
        if (j != NULL) {
            figures_write_list(j, &f, shown);
        } else {
            stele_output_printf(v->c->out, "%s\n", t->title);
            figures_write_text(v->c, &f, shown);
            stele_output_byte(v->c->out, '\n');
        }
    }
    figures_free(&f);
}

static void write_unusual(const cli *c, const stele_kernel_totals *t)
{
    const struct {
        uint64_t count;
        const char *thing, *meaning;
    } all[] = {{t->unmatched_count, "end", "without a begin: in no figure"},
               {t->unplaced_count, "event",
                "of system calls before it is known what the CPU runs: in no figure"},
               {t->other_count, "event", "beyond the limit of rows: in no figure"}};
    char text[PRINT_SIZE];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].count != 0)
            stele_output_printf(c->out, "%s %s\n", print_things(text, all[i].count, all[i].thing),
                                all[i].meaning);
    }
}

static bool is_shown(const char *show, const table_of *t)
{
    return strcmp(show, "summary") == 0 || strcmp(show, t->word) == 0;
}

static void write_json(kernel_view *v, const char *show, const stele_kernel_totals *t)
{
    json j = {.out = v->c->out, .time_suffix = print_time_suffix(v->c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_int(&j, "begin_ns", t->begin_ns);
    json_int(&j, "end_ns", t->end_ns);
    json_uint(&j, "event_count", t->event_count);
    json_uint(&j, "unmatched_count", t->unmatched_count);
    json_uint(&j, "unplaced_count", t->unplaced_count);
    json_uint(&j, "other_count", t->other_count);
    json_uint(&j, "page_count_most", t->page_count_most);
    json_int(&j, "page_count_end", t->page_count_end);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (is_shown(show, &tables[i]))
            write_table(v, &tables[i], &j, true);
    json_close(&j, '}');
}

static void write_csv(kernel_view *v, const char *show)
{
    figure_column columns[K_COLUMNS];
    figures f = {.columns = columns, .column_count = K_COLUMNS};
    bool is_fine = true;
    memcpy(columns, all_columns, sizeof columns);
    for (size_t i = 0; i < TABLE_COUNT && is_fine; i++)
        if (is_shown(show, &tables[i]))
            is_fine = list_rows(v, &tables[i], &f);
    if (is_fine)
        figures_write(v->c, &f, shown_of(v->c, f.row_count, false), NULL, 0);
    figures_free(&f);
}

static void write_all(kernel_view *v)
{
    const options *o = &v->c->options;
    const char *show = option_value(o, OPTION_KERNEL_SHOW);
    stele_kernel_totals totals = STELE_INIT(stele_kernel_totals);
    stele_kernel_get_totals(v->kernel, &totals);
    if (totals.event_count == 0 && v->is_all) {
        cli_lacks(v->c, "events of a kernel");
    } else if (option_given(o, OPTION_JSON)) {
        write_json(v, show, &totals);
    } else if (option_given(o, OPTION_CSV)) {
        write_csv(v, show);
    } else if (totals.event_count == 0) {
        stele_output_text(v->c->out, "No events of a kernel\n");
    } else {
        for (size_t i = 0; i < TABLE_COUNT; i++)
            if (is_shown(show, &tables[i]))
                write_table(v, &tables[i], NULL, strcmp(show, "summary") == 0);
        write_unusual(v->c, &totals);
    }
}

/* ---- The command ---- */

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    kernel_view *v = user;
    return stele_kernel_set_window(v->kernel, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    kernel_view *v = user;
    return stele_kernel_add(v->kernel, segment);
}

static void read_all(kernel_view *v, const inputs *in, selection *selected)
{
    const consumer to = {.ready = ready, .take = take, .user = v};
    stele_reader_stats stats = {0};
    v->is_all = selection_is_all(selected);
    selected->request.field_count = stele_kernel_fields(v->kernel, &selected->request.fields);
    if (cli_read_for_rows(v->c, in, selected, STELE_KERNEL_KINDS, stele_kernel_columns(v->kernel),
                          &to, &stats) &&
        cli_check(v->c, stele_kernel_finish(v->kernel), "kernel"))
        write_all(v);
    cli_conclude(v->c, NULL, &stats);
}

static bool make(kernel_view *v, const stele_request *only)
{
    stele_kernel_options given = STELE_INIT(stele_kernel_options);
    given.by_thread = v->by_thread;
    given.only = only;
    return cli_check(v->c, stele_kernel_new(v->c->context, &given, &v->kernel), "kernel");
}

void command_KERNEL(cli *c)
{
    const options *o = &c->options;
    kernel_view v = {.c = c, .by_thread = option_given(o, OPTION_BY_THREAD)};
    selection selected = {.names = NULL};
    stele_request only;
    inputs in = {.count = 0};
    if (option_given(o, OPTION_CSV) &&
        strcmp(option_value(o, OPTION_KERNEL_SHOW), "summary") == 0) {
        cli_usage(c, "--csv is one table: name it with --show");
    } else if (selection_make(c, &selected)) {
        only = selected.request;
        if (make(&v, &only) && inputs_open(c, &in))
            read_all(&v, &in, &selected);
    }
    stele_kernel_free(v.kernel);
    labels_free(&v.labels);
    inputs_close(&in);
    selection_free(&selected);
}
