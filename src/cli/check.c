/* SPDX-License-Identifier: Apache-2.0 */
/* stele check: checks traces against the rules of their format, and their events against each
   other. */
#include <stele/analysis.h>

#include "cli/checking.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

typedef struct checking {
    cli *c;
    json *j; /* JSON output; NULL: text */
} checking;

/* ---- Output of findings ---- */

static void show_line(void *user, const stele_diag *diag, const char *line)
{
    const checking *self = user;
    (void)diag;
    stele_output_text(self->c->out, line);
    if (self->c->is_screen || self->c->is_following)
        stele_output_flush(self->c->out);
}

static void show_json(void *user, const stele_diag *diag, const char *line)
{
    json *j = ((const checking *)user)->j;
    (void)line;
    if (diag == NULL)
        return;
    json_open(j, NULL, '{');
    json_text(j, "severity", stele_severity_text(diag->code->severity));
    json_text(j, "code", diag->code->code);
    json_text(j, "title", diag->code->title);
    json_text(j, "source", diag->source);
    if (diag->offset != STELE_NO_OFFSET)
        json_uint(j, "offset", diag->offset);
    else
        json_null(j, "offset");
    json_uint(j, "bit", diag->bit);
    json_uint(j, "size", diag->size);
    if (diag->line != 0) {
        json_uint(j, "line", diag->line);
        json_uint(j, "column", diag->column);
    }
    json_text(j, "expected", diag->expected);
    json_text(j, "found", diag->found);
    json_uint(j, "lost_count", diag->lost_count);
    json_close(j, '}');
}

/* ---- Summary of a trace ---- */

/* Marks of lost events stand in the stream of events and are counted apart, as `info` does. */
static void summarize_text(cli *c, const char *path, uint64_t event_count, uint64_t mark_count)
{
    const report *r = &c->report;
    char text[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_text(c->out, path);
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_printf(c->out, ": %s", print_things(text, r->counts[STELE_ERROR], "error"));
    stele_output_printf(c->out, ", %s", print_things(text, r->counts[STELE_WARNING], "warning"));
    stele_output_printf(c->out, ", %s", print_things(text, r->counts[STELE_NOTE], "note"));
    stele_output_printf(c->out, " in %s", print_things(text, event_count - mark_count, "event"));
    if (mark_count != 0)
        stele_output_printf(c->out, " and %s of loss", print_things(text, mark_count, "mark"));
    stele_output_byte(c->out, '\n');
    for (size_t i = 0; i < r->code_count; i++) {
        print_padded(c->out, print_count(text, r->codes[i].count), -12);
        stele_output_text(c->out, "  ");
        print_padded(c->out, r->codes[i].code->code, 8);
        print_padded(c->out, stele_severity_text(r->codes[i].code->severity), 9);
        stele_output_printf(c->out, "%s\n", r->codes[i].code->title);
    }
}

static void summarize_json(cli *c, json *j, const stele_trace *trace, bool is_complete,
                           const stele_reader_stats *stats, uint64_t mark_count)
{
    const report *r = &c->report;
    json_text(j, "format", trace != NULL ? stele_trace_get_info(trace)->format : NULL);
    json_bool(j, "is_complete", is_complete);
    json_uint(j, "event_count", stats->event_count);
    json_uint(j, "lost_event_count", mark_count);
    json_uint(j, "lost_count", stats->lost_count);
    json_uint(j, "missing_count", stats->missing_count);
    json_uint(j, "error_count", r->counts[STELE_ERROR]);
    json_uint(j, "warning_count", r->counts[STELE_WARNING]);
    json_uint(j, "note_count", r->counts[STELE_NOTE]);
    json_open(j, "codes", '[');
    for (size_t i = 0; i < r->code_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "code", r->codes[i].code->code);
        json_text(j, "severity", stele_severity_text(r->codes[i].code->severity));
        json_text(j, "title", r->codes[i].code->title);
        json_uint(j, "count", r->codes[i].count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- Checking of traces ---- */

/* Whether every event is read, in order. Otherwise nesting and pairing cannot be judged. */
static bool is_whole(const options *o)
{
    static const option_id filters[] = {OPTION_BEGIN, OPTION_END,      OPTION_NAME, OPTION_TRACK,
                                        OPTION_KIND,  OPTION_CATEGORY, OPTION_WHERE};
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        if (option_given(o, filters[i]))
            return false;
    }
    return true;
}

static stele_status judge(void *user, const stele_segment *segment)
{
    return stele_check_add(user, segment);
}

/* Counts the events that say that others are lost, where events are not judged. */
static stele_status count_marks(void *user, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    for (uint32_t i = 0; i < segment->count; i++)
        *(uint64_t *)user += event[i].kind == STELE_KIND_LOST;
    return STELE_OK;
}

bool check_trace(cli *c, stele_trace *trace, const stele_request *request,
                 stele_reader_stats *stats, uint64_t *mark_count)
{
    const char *path = stele_trace_get_info(trace)->path;
    const bool judges = is_whole(&c->options) && request->order != STELE_ORDER_NONE;
    consumer to = {.take = count_marks, .user = mark_count};
    stele_check *check = NULL;
    bool is_complete;
    *mark_count = 0;
    if (!judges)
        cli_remark(c, "%s: nesting and pairing are not judged: events are left out or unsorted",
                   path);
    else if (!cli_check(c, stele_check_new(c->context, path, &check), path))
        return false;
    if (judges)
        to = (consumer){.take = judge, .user = check};
    is_complete = cli_check(c, cli_read(c, &trace, 1, request, &to, stats), path);
    if (is_complete && judges)
        is_complete = cli_check(c, stele_check_finish(check), path);
    if (judges)
        *mark_count = stele_check_loss_count(check);
    stele_check_free(check);
    return is_complete;
}

static void check_argument(cli *c, size_t index, const stele_request *request, json *j)
{
    const char *path = c->options.arguments[index];
    stele_reader_stats stats = {0};
    uint64_t mark_count = 0;
    bool is_complete = false;
    report_begin(&c->report);
    if (j != NULL) {
        json_open(j, NULL, '{');
        json_text(j, "path", path);
        json_open(j, "findings", '[');
    } else if (index > 0) {
        stele_output_byte(c->out, '\n');
    }
    stele_trace *trace = cli_open(c, index);
    if (trace != NULL)
        is_complete = check_trace(c, trace, request, &stats, &mark_count);
    cli_conclude(c, path, &stats);
    if (j != NULL) {
        json_close(j, ']');
        summarize_json(c, j, trace, is_complete, &stats, mark_count);
        json_close(j, '}');
    } else {
        summarize_text(c, path, stats.event_count, mark_count);
    }
    stele_trace_close(trace);
}

void command_CHECK(cli *c)
{
    json document = {.out = c->out}, *j = option_given(&c->options, OPTION_JSON) ? &document : NULL;
    checking self = {.c = c, .j = j};
    selection s;
    c->report.show = j != NULL ? show_json : show_line;
    c->report.show_user = &self;
    c->report.has_color = c->has_color;
    if (selection_make(c, &s) && joined_make(c)) {
        s.request.check = true;
        s.request.columns = STELE_CHECK_COLUMNS;
        if (j != NULL) {
            json_open(j, NULL, '{');
            json_uint(j, "version", 1);
            json_open(j, "traces", '[');
        }
        for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++)
            check_argument(c, i, &s.request, j);
        if (j != NULL) {
            json_close(j, ']');
            json_close(j, '}');
        }
    }
    selection_free(&s);
    c->report.show = NULL;
}
