/* SPDX-License-Identifier: Apache-2.0 */
/* stele top: shows the busiest names and tracks of a stretch of time, or of one window after
   another while a trace is written. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "cli/top.h"

/* ---- Windows of time ------------------------------------------------------------------------- */

static void window_clear(top *t)
{
    if (t->names.rows != NULL)
        memset(t->names.rows, 0, t->names.count * sizeof *t->names.rows);
    if (t->tracks.rows != NULL)
        memset(t->tracks.rows, 0, t->tracks.count * sizeof *t->tracks.rows);
    t->event_count = t->lost_count = 0;
}

static void window_show(top *t)
{
    if (option_given(&t->c->options, OPTION_JSON))
        top_write_json(t);
    else
        top_write_text(t);
    t->window_count++;
}

/* Ends the current window, and begins the one that contains the time. */
static void window_end(top *t, int64_t time_ns)
{
    const uint64_t steps = ((uint64_t)time_ns - (uint64_t)t->begin_ns) / t->every_ns;
    top_carry_open(t, t->end_ns, true);
    top_run_open(t);
    window_show(t);
    window_clear(t);
    t->begin_ns = (int64_t)((uint64_t)t->begin_ns + steps * t->every_ns);
    if (__builtin_add_overflow(t->begin_ns, (int64_t)t->every_ns, &t->end_ns))
        t->end_ns = INT64_MAX;
}

static void window_begin(top *t, int64_t time_ns)
{
    t->has_window = true;
    top_carry_open(t, t->begin_ns, false);
    t->begin_ns = t->begin_ns > time_ns || t->begin_ns == INT64_MIN ? time_ns : t->begin_ns;
    if (t->every_ns != 0 && __builtin_add_overflow(t->begin_ns, (int64_t)t->every_ns, &t->end_ns))
        t->end_ns = INT64_MAX;
}

/* ---- Reading of events ----------------------------------------------------------------------- */

static bool is_of_span(const stele_event *event)
{
    return (STELE_SPANS_KINDS & STELE_KIND_BIT(event->kind)) != 0;
}

static void count_event(top *t, const stele_event *event)
{
    if (event->kind == STELE_KIND_LOST) {
        t->lost_count += event->value;
        return;
    }
    t->event_count++;
    top_figures_of(t, &t->tracks, event->track)->count++;
    if (!is_of_span(event))
        top_figures_of(t, &t->names, (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name)
            ->count++;
}

/* Notes the latest time, so that the last window includes the ends of COMPLETE events. */
static void see_end(top *t, const stele_event *event)
{
    const int64_t given_ns = event->kind == STELE_KIND_COMPLETE ? (int64_t)event->id : INT64_MIN;
    if (event->time_ns > t->last_ns)
        t->last_ns = event->time_ns;
    if (given_ns > t->last_ns)
        t->last_ns = given_ns;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    top *t = user;
    return stele_spans_add(t->spans, segment);
}

/* Adds an event to the engines. That of scheduling gets those from the first switch on. */
static stele_status add_event(top *t, const stele_event *event, const stele_segment *one)
{
    stele_status status = STELE_OK;
    t->has_runs = t->has_runs || event->kind == STELE_KIND_SWITCH || event->name == t->switch_name;
    if (t->has_runs)
        status = stele_sched_add(t->sched, one);
    if (status != STELE_OK)
        return status;
    return t->pairing != NULL ? stele_pairing_add(t->pairing, one, take_paired, t)
                              : stele_spans_add(t->spans, one);
}

/* Takes a single event, because each may end the window. */
static stele_status take_event(top *t, const stele_batch *batch, uint32_t at)
{
    const stele_event *event = &batch->events[at];
    const stele_segment one = {batch, at, 1};
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return STELE_OK;
    if (!t->has_origin) { /* what is read from front to back begins with its first event */
        t->has_origin = true;
        t->origin_ns = event->time_ns;
    }
    if (event->time_ns >= t->begin_ns || t->begin_ns == INT64_MIN) {
        if (!t->has_window)
            window_begin(t, event->time_ns);
        else if (t->every_ns != 0 && event->time_ns >= t->end_ns)
            window_end(t, event->time_ns);
        count_event(t, event);
        see_end(t, event);
    }
    return add_event(t, event, &one);
}

static stele_status take(void *user, const stele_segment *segment)
{
    top *t = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++)
        status = take_event(t, segment->batch, segment->first + i);
    return status;
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    top *t = user;
    t->begin_ns = stats->range_begin_ns;
    t->end_ns = stats->range_end_ns;
    if (stats->has_begin) {
        t->has_origin = true;
        t->origin_ns = stats->begin_ns;
        if (t->begin_ns < stats->begin_ns)
            t->begin_ns = stats->begin_ns;
    }
    return STELE_OK;
}

/* Whether all traces have a known end to count from. For one that is read from front to back,
   the window is the whole trace. */
static bool have_ends(const inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (!stele_trace_get_info(in->traces[i])->is_seekable)
            return false;
    }
    return true;
}

/* Whether the filter of spans may need any field. */
static bool has_where(const top *t)
{
    return option_given(&t->c->options, OPTION_WHERE);
}

/* Makes the request: the last stretch of the trace, unless bounds are given. */
static bool make_request(top *t, const inputs *in, stele_request *request)
{
    cli *c = t->c;
    const bool is_bound =
        request->begin.kind != STELE_BOUND_NONE || request->end.kind != STELE_BOUND_NONE;
    uint64_t window_ns = WINDOW_USUAL_NS;
    if (!cli_take_length(c, OPTION_BUSIEST_EVERY, &t->every_ns) ||
        !cli_take_length(c, OPTION_BUSIEST_WINDOW, &window_ns))
        return false;
    if (!is_bound && t->every_ns == 0 && have_ends(in))
        request->begin = (stele_bound){STELE_BOUND_END, (int64_t)window_ns};
    request->order = STELE_ORDER_TIME;
    request->from_start = true;
    request->columns = stele_spans_columns(t->spans) |
                       (t->pairing != NULL ? stele_pairing_columns(t->pairing) : 0) |
                       stele_sched_columns(t->sched);
    if (t->pairing == NULL && !has_where(t))
        request->field_count = stele_sched_fields(t->sched, &request->fields);
    return true;
}

static bool make_engines(top *t, const inputs *in, stele_request *only)
{
    cli *c = t->c;
    const stele_span_options given = {.no_fields = true, .has_paths = true, .only = only};
    const stele_pairing_options pairing = {.kinds = STELE_SPANS_KINDS};
    const stele_sched_options sched = {.on_cpu = top_take_run, .user = t};
    bool is_wanted = false;
    t->switch_name = stele_name_intern(c->context, "sched_switch", strlen("sched_switch"));
    if (!cli_check(c, stele_sched_new(c->context, &sched, &t->sched), "sched"))
        return false;
    if (!cli_check(c, stele_spans_new(c->context, &given, top_take_spans, t, &t->spans), "spans"))
        return false;
    if (option_given(&c->options, OPTION_NO_PAIRS))
        return true;
    if (!cli_check(c, stele_pairing_new(c->context, &pairing, &t->pairing), "pairs"))
        return false;
    for (size_t i = 0; i < in->count; i++)
        is_wanted |= stele_pairing_wants(t->pairing, in->traces[i]);
    if (!is_wanted) {
        stele_pairing_free(t->pairing);
        t->pairing = NULL;
    }
    return true;
}

/* Ends the last window, at the last event or at the bound. What is open then ends as it does in
   every other analysis, with what is last on its track, and passes the filter like all others. */
static void conclude(top *t)
{
    if (t->has_window && (t->every_ns != 0 || t->end_ns == INT64_MAX))
        t->end_ns = t->last_ns;
    if (t->has_window && cli_check(t->c, stele_spans_finish(t->spans), "spans")) {
        top_run_open(t);
        window_show(t);
    } else if (!option_given(&t->c->options, OPTION_JSON)) {
        stele_output_text(t->c->out, "No events with a time\n");
    }
}

/* Reports calls that no table counts. */
static void remark_left_out(const top *t)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    char text[PRINT_SIZE];
    stele_spans_get_counts(t->spans, &counts);
    if (counts.cut_count + counts.refused_count != 0)
        cli_remark(t->c, "%s beyond the limits of open ones: in no figure",
                   print_things(text, counts.cut_count + counts.refused_count, "call"));
}

static void read_all(top *t, const inputs *in, stele_request *request)
{
    cli *c = t->c;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    const bool has_json = option_given(&c->options, OPTION_JSON);
    if (has_json) {
        json_open(&t->json, NULL, '{');
        json_uint(&t->json, "version", 1);
        json_open(&t->json, "windows", '[');
    }
    if (cli_check(c,
                  cli_read(c, in->traces, in->count, request,
                           &(consumer){.ready = ready, .take = take, .user = t}, &stats),
                  "reading"))
        conclude(t);
    if (has_json) {
        json_close(&t->json, ']');
        json_close(&t->json, '}');
    }
    remark_left_out(t);
    stele_spans_report(t->spans);
    cli_conclude(c, NULL, &stats);
}

/* Reads the traces and shows their tables once. */
static void show_once(cli *c, const char *rank, unsigned rows_max)
{
    top t = {.c = c,
             .begin_ns = INT64_MIN,
             .end_ns = INT64_MAX,
             .last_ns = INT64_MIN,
             .json = {.out = c->out},
             .rank = rank,
             .rows_max = rows_max};
    selection selected = {.names = NULL};
    inputs in = {.count = 0};
    stele_request only;
    if (selection_make(c, &selected)) {
        only = selected.request;
        selected.request.kinds = 0;
        selected.request.names = selected.request.categories = (stele_globs){.count = 0};
        selected.request.where = NULL;
        if (inputs_open(c, &in) && make_engines(&t, &in, &only) &&
            make_request(&t, &in, &selected.request))
            read_all(&t, &in, &selected.request);
    }
    stele_spans_free(t.spans);
    stele_pairing_free(t.pairing);
    stele_sched_free(t.sched);
    for (uint32_t i = 0; i < t.busy_count; i++)
        free(t.busy[i].items);
    free(t.busy);
    free(t.carried);
    free(t.names.rows);
    free(t.tracks.rows);
    inputs_close(&in);
    selection_free(&selected);
}

/* ---- Live display ---------------------------------------------------------------------------- */

/* How many lines of the screen are not rows of the tables. */
#define LINES_AROUND 8u
#define WAIT_MS      250
#define WAITS        4u /* waits between two checks of the traces */

/* A number that changes when one of the traces grows or is changed. */
static uint64_t version_of(const cli *c)
{
    uint64_t version = 0;
    for (size_t i = 0; i < c->options.argument_count; i++) {
        struct stat about;
        if (stat(c->options.arguments[i], &about) == 0)
            version = version * 31 + (uint64_t)about.st_size +
                      (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec;
    }
    return version;
}

/* Draws the screen anew. Findings are not shown: the last record of a growing trace is often
   incomplete, and 'stele check' is there for them. */
static bool redraw(cli *c, const live *l, const char *rank, bool is_paused)
{
    const unsigned rows = l->rows > LINES_AROUND + 2 ? l->rows - LINES_AROUND : 2;
    stele_context_free(c->context);
    c->context = NULL;
    c->worst = EXIT_CLEAN;
    if (!cli_make_context(c, NULL, NULL, &c->context))
        return false;
    stele_output_text(c->out, "\033[H\033[2J");
    show_once(c, rank, rows);
    print_color(c->out, c->has_color, COLOR_DIM);
    stele_output_printf(c->out, "%s  q quit  s self  t total  c count  p pause",
                        is_paused ? "paused" : "live");
    print_color(c->out, c->has_color, COLOR_NONE);
    return cli_check(c, stele_output_flush(c->out), "standard output") && c->worst != EXIT_USAGE &&
           c->worst != EXIT_UNREADABLE;
}

/* Handles a key. Returns false if it ends the command. */
static bool take_key(char key, const char **rank, bool *is_paused, bool *is_changed)
{
    *is_changed = true;
    switch (key) {
    case 'q': return false;
    case 's': *rank = "self"; break;
    case 't': *rank = "total"; break;
    case 'c': *rank = "count"; break;
    case 'p': *is_paused = !*is_paused; break;
    default: *is_changed = false;
    }
    return true;
}

static void follow(cli *c, live *l)
{
    const char *rank = option_value(&c->options, OPTION_BUSIEST_RANK);
    uint64_t version = version_of(c);
    bool is_paused = false, is_changed = false;
    unsigned waits = 0;
    c->is_quiet = true;
    if (!redraw(c, l, rank, is_paused))
        return;
    while (cli_interrupted() == 0 &&
           take_key(live_wait(l, WAIT_MS), &rank, &is_paused, &is_changed)) {
        const bool is_due = ++waits >= WAITS && !is_paused && version_of(c) != version;
        if (!is_changed && !is_due)
            continue;
        waits = 0;
        version = version_of(c);
        if (!redraw(c, l, rank, is_paused))
            return;
    }
    stele_output_byte(c->out, '\n');
}

void command_BUSIEST(cli *c)
{
    live l;
    if (option_given(&c->options, OPTION_BUSIEST_FOLLOW) && live_begin(&l)) {
        follow(c, &l);
        live_end(&l);
        return;
    }
    show_once(c, option_value(&c->options, OPTION_BUSIEST_RANK), 0);
}
