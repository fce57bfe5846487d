/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/insn.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"

#define THREADS_MAX 64u

void command_INSN(cli *c)
{
    help_command(c->out, COMMAND_INSN, c->has_color);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* A number in decimal, or in hexadecimal behind "0x"; gives the place behind it, NULL when there is
   none. */
static const char *parse_number(const char *at, uint64_t *number)
{
    const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    errno = 0;
    *number = strtoull(at, &end, is_hex ? 16 : 10);
    return errno == 0 ? end : NULL;
}

/* "3", "1..4", "2..", "..5": both ends are in. */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    const char *at = text;
    *first = 0;
    *last = UINT64_MAX;
    if (*at != '.')
        at = parse_number(at, first);
    if (at != NULL && *at == 0 && at != text) {
        *last = *first;
        return true;
    }
    if (at == NULL || at[0] != '.' || at[1] != '.')
        return false;
    at += 2;
    if (*at != 0)
        at = parse_number(at, last);
    return at != NULL && *at == 0 && *first <= *last;
}

static bool range_usage(cli *c, option_id id, const char *text)
{
    return cli_usage(c, "--%s takes FIRST..LAST, such as 0..99 or 0x400000.., not '%s'",
                     option_table[id].name, text);
}

/* A range of numbers as begin and end. */
static bool take_range(cli *c, option_id id, uint64_t *begin, uint64_t *end)
{
    const char *text = option_value(&c->options, id);
    uint64_t last;
    if (text == NULL)
        return true;
    if (!parse_range(text, begin, &last))
        return range_usage(c, id, text);
    *end = last != UINT64_MAX ? last + 1 : last;
    return true;
}

static bool take_pc_range(cli *c, insns *s, const char *text)
{
    uint64_t first, last;
    if (!parse_range(text, &first, &last))
        return range_usage(c, OPTION_PC_RANGE, text);
    return insn_filter_add(&s->filter, first, last) || cli_check(c, STELE_ERR_MEMORY, "options");
}

static bool take_level(cli *c, insns *s, const char *text)
{
    if (text[0] < '0' || text[0] > '3' || text[1] != 0)
        return cli_usage(c, "--level takes 0, 1, 2 or 3, not '%s'", text);
    s->filter.levels |= (uint8_t)(1u << (text[0] - '0'));
    return true;
}

static bool take_thread(cli *c, insns *s, const char *text)
{
    uint64_t *grown = realloc(s->threads, (s->thread_count + 1) * sizeof *grown);
    const char *end;
    if (grown == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "options");
    s->threads = grown;
    end = parse_number(text, &grown[s->thread_count]);
    if (end == NULL || *end != 0)
        return cli_usage(c, "--thread takes a number, not '%s'", text);
    s->thread_count++;
    return true;
}

/* "FILE", "FILE@0x5500000000" */
static bool take_binary(cli *c, insns *s, const char *text)
{
    const char *mark = strrchr(text, '@'), *end = NULL;
    diag_sink diag = {.fn = report_add, .user = &c->report};
    uint64_t address;
    char *path;
    stele_status status;
    if (mark != NULL)
        end = parse_number(mark + 1, &address);
    if (end == NULL || *end != 0)
        mark = NULL;
    path = strndup(text, mark != NULL ? (size_t)(mark - text) : strlen(text));
    status = path != NULL ? code_add(s->code, &diag, path, mark != NULL ? &address : NULL)
                          : STELE_ERR_MEMORY;
    free(path);
    return cli_check(c, status, text);
}

/* The places of all functions that the glob names. */
static bool take_symbol(cli *c, insns *s, const char *glob)
{
    code_place place;
    bool is_found = false;
    for (size_t i = 0; code_place_at(s->code, i, &place); i++) {
        if (fnmatch(glob, place.name, 0) != 0)
            continue;
        is_found = true;
        if (!insn_filter_add(&s->filter, place.address,
                             place.address + (place.size != 0 ? place.size - 1 : 0)))
            return cli_check(c, STELE_ERR_MEMORY, "options");
    }
    return is_found || cli_usage(c, "no function '%s' in any --binary", glob);
}

/* Binaries come first, so that there are symbols. */
static bool take_uses(cli *c, insns *s)
{
    const options *o = &c->options;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_INSN_BINARY && !take_binary(c, s, o->uses[i].value))
            return false;
    }
    for (size_t i = 0; i < o->use_count; i++) {
        const char *value = o->uses[i].value;
        bool is_fine = true;
        switch (o->uses[i].id) {
        case OPTION_PC_RANGE: is_fine = take_pc_range(c, s, value); break;
        case OPTION_LEVEL: is_fine = take_level(c, s, value); break;
        case OPTION_THREAD: is_fine = take_thread(c, s, value); break;
        case OPTION_SYMBOL: is_fine = take_symbol(c, s, value); break;
        default: break;
        }
        if (!is_fine)
            return false;
    }
    insn_filter_sort(&s->filter);
    return true;
}

bool insns_make(cli *c, insns *s)
{
    *s = (insns){.request = INSN_REQUEST_ALL};
    if (option_given(&c->options, OPTION_JSON) && option_given(&c->options, OPTION_CSV))
        return cli_usage(c, "--json and --csv exclude each other");
    return cli_check(c, code_new(&s->code), "options") &&
           take_range(c, OPTION_INSN_RANGE, &s->request.insn_begin, &s->request.insn_end) &&
           take_range(c, OPTION_SNAPSHOT_RANGE, &s->request.snapshot_begin,
                      &s->request.snapshot_end) &&
           take_uses(c, s);
}

void insns_free(insns *s)
{
    insn_filter_free(&s->filter);
    code_free(s->code);
    free(s->threads);
}

/* ---- Findings of parts ----------------------------------------------------------------------- */

/* A finding that is told when its part's turn comes. */
typedef struct kept_finding {
    stele_diag diag;
    char *source, *expected, *found;
} kept_finding;

typedef struct kept_findings {
    kept_finding *list;
    size_t count, capacity;
    uint64_t forgotten_count; /* memory was exhausted */
} kept_findings;

static char *copy_text(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void keep_finding(void *user, const stele_diag *diag)
{
    kept_findings *kept = user;
    kept_finding *to;
    if (kept->count == kept->capacity) {
        const size_t capacity = kept->capacity * 2 + 16;
        kept_finding *grown = realloc(kept->list, capacity * sizeof *grown);
        if (grown == NULL) {
            kept->forgotten_count++;
            return;
        }
        kept->list = grown;
        kept->capacity = capacity;
    }
    to = &kept->list[kept->count++];
    *to = (kept_finding){*diag, copy_text(diag->source), copy_text(diag->expected),
                         copy_text(diag->found)};
    to->diag.source = to->source;
    to->diag.expected = to->expected;
    to->diag.found = to->found != NULL ? to->found : "";
}

static void tell_findings(cli *c, const kept_findings *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        report_add(&c->report, &kept->list[i].diag);
    if (kept->forgotten_count != 0)
        cli_check(c, STELE_ERR_MEMORY, "findings");
}

static void kept_free(kept_findings *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        free(kept->list[i].source);
        free(kept->list[i].expected);
        free(kept->list[i].found);
    }
    free(kept->list);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* One part of a stream on its way to a fork. */
typedef struct part {
    cli *c; /* of the part that shows the progress; NULL for others */
    const insn_filter *filter;
    insn_take_fn *take;
    void *user;
    uint64_t total;
    insn_producer *from;
    insn_batch *batch;
    kept_findings kept;
    diag_sink diag;
    pthread_t thread;
    bool is_running;
    stele_status status;
} part;

static void *part_run(void *user)
{
    part *p = user;
    stele_status status = STELE_OK;
    while (status == STELE_OK && cli_interrupted() == 0) {
        status = insn_produce(p->from, p->batch);
        if (status == STELE_OK && insn_filter_apply(p->filter, p->batch) != 0)
            status = p->take(p->user, p->batch);
        if (p->c != NULL && status == STELE_OK)
            progress_update(&p->c->progress, p->batch->offset, p->total);
    }
    p->status = cli_interrupted() != 0 ? STELE_ERR_CLOSED : status;
    return NULL;
}

static void part_close(part *p)
{
    insn_producer_close(p->from);
    insn_batch_free(p->batch);
    kept_free(&p->kept);
}

static stele_status part_open(part *p, stele_trace *trace, const insn_request *request)
{
    stele_status status = insn_batch_new(0, &p->batch);
    return status == STELE_OK ? trace_produce_insns(trace, request, &p->from) : status;
}

static bool status_is_end(stele_status status)
{
    return status == STELE_OK || status == STELE_END;
}

static void add_losses(insns *s, const insn_producer *from)
{
    s->skipped_size += from->skipped_size;
    s->stray_count += from->stray_count;
}

/* The whole of a stream, in order. */
static stele_status read_stream(cli *c, insns *s, stele_trace *trace, uint32_t stream,
                                const insn_consumer *to)
{
    part p = {.c = c,
              .filter = &s->filter,
              .take = to->take,
              .user = to->user,
              .total = stele_trace_get_info(trace)->size};
    insn_request request = s->request;
    request.stream = stream;
    p.status = part_open(&p, trace, &request);
    if (p.status == STELE_OK) {
        part_run(&p);
        add_losses(s, p.from);
    }
    part_close(&p);
    return p.status;
}

/* Runs the parts at the same time, the first one here. */
static void parts_run(part *parts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        parts[i].is_running = pthread_create(&parts[i].thread, NULL, part_run, &parts[i]) == 0;
    part_run(&parts[0]);
    for (uint32_t i = 1; i < count; i++) {
        if (parts[i].is_running)
            pthread_join(parts[i].thread, NULL);
        else
            part_run(&parts[i]);
    }
}

/* Puts the forks together, if the parts are the whole; `*is_whole` tells. */
static stele_status parts_join(cli *c, insns *s, part *parts, uint32_t count,
                               const insn_consumer *to, bool *is_whole)
{
    stele_status status = STELE_OK;
    *is_whole = true;
    for (uint32_t i = 0; i < count; i++) {
        *is_whole &= !parts[i].from->is_astray;
        if (status == STELE_OK && !status_is_end(parts[i].status))
            status = parts[i].status;
    }
    for (uint32_t i = 0; i < count && *is_whole; i++) {
        tell_findings(c, &parts[i].kept);
        add_losses(s, parts[i].from);
        if (status != STELE_OK)
            continue;
        status = to->join(to->user, parts[i].user);
        parts[i].user = NULL;
    }
    return status;
}

/* A stream in parts; `*is_whole` is false when they did not fit, and nothing was done. */
static stele_status read_parts(cli *c, insns *s, stele_trace *trace, uint32_t stream,
                               uint32_t count, const insn_consumer *to, bool *is_whole)
{
    part parts[THREADS_MAX] = {0};
    insn_request request = s->request;
    stele_status status = STELE_OK;
    uint32_t opened = 0;
    *is_whole = true;
    request.stream = stream;
    request.part_count = count;
    for (; opened < count && status == STELE_OK; opened++) {
        part *p = &parts[opened];
        p->c = opened == 0 ? c : NULL;
        p->filter = &s->filter;
        p->take = to->take;
        p->total = stele_trace_get_info(trace)->size / count;
        p->diag = (diag_sink){.fn = keep_finding, .user = &p->kept};
        request.part = opened;
        request.diag = &p->diag;
        status = to->fork(to->user, &p->user);
        if (status == STELE_OK)
            status = part_open(p, trace, &request);
    }
    if (status == STELE_OK) {
        parts_run(parts, count);
        status = parts_join(c, s, parts, count, to, is_whole);
    }
    for (uint32_t i = 0; i < opened; i++) {
        if (parts[i].user != NULL)
            to->drop(parts[i].user);
        part_close(&parts[i]);
    }
    return status;
}

static bool wants_stream(const insns *s, const stele_stream *stream, const stele_trace *trace)
{
    bool is_wanted = s->thread_count == 0;
    if (stream->trace != stele_trace_get_info(trace)->number)
        return false;
    for (size_t i = 0; i < s->thread_count; i++)
        is_wanted |= s->threads[i] == stream->number;
    return is_wanted;
}

/* How many parts of a stream can be read at once: ranges are counted from its begin. */
static uint32_t part_count(const cli *c, const insns *s, const insn_consumer *to)
{
    const uint64_t wanted = option_number(&c->options, OPTION_THREADS);
    const insn_request *request = &s->request;
    if (to->fork == NULL || request->insn_begin != 0 || request->insn_end != UINT64_MAX ||
        request->snapshot_begin != 0 || request->snapshot_end != UINT64_MAX || wanted == 0)
        return 1;
    return wanted < THREADS_MAX ? (uint32_t)wanted : THREADS_MAX;
}

/* Makes the streams of the trace known. */
static stele_status find_streams(insns *s, stele_trace *trace)
{
    insn_producer *from;
    const stele_status status = trace_produce_insns(trace, &s->request, &from);
    insn_producer_close(from);
    return status;
}

static stele_status read_trace(cli *c, insns *s, stele_trace *trace, const insn_consumer *to)
{
    const uint32_t count = part_count(c, s, to);
    bool is_wanted = false;
    stele_status status = find_streams(s, trace);
    for (uint32_t i = 0; status == STELE_OK && i < stele_stream_count(c->context); i++) {
        bool is_whole = false;
        if (!wants_stream(s, stele_stream_get(c->context, i), trace))
            continue;
        is_wanted = true;
        if (count > 1)
            status = read_parts(c, s, trace, i, count, to, &is_whole);
        if (status == STELE_OK && !is_whole)
            status = read_stream(c, s, trace, i, to);
        if (status == STELE_END)
            status = STELE_OK;
    }
    if (status == STELE_OK && !is_wanted)
        cli_usage(c, "%s: no such thread", stele_trace_get_info(trace)->path);
    return status;
}

bool insns_read(cli *c, insns *s, size_t index, const insn_consumer *to)
{
    const char *path = c->options.arguments[index];
    stele_trace *trace;
    stele_status status;
    report_begin(&c->report);
    trace = cli_open(c, index);
    if (trace == NULL)
        return false;
    cli_catch_interrupts();
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    status = read_trace(c, s, trace, to);
    progress_clear(&c->progress);
    if (status == STELE_ERR_UNSUPPORTED)
        cli_usage(c, "%s: %s has no instructions", path, stele_trace_get_info(trace)->format);
    else
        cli_check(c, status, path);
    cli_conclude(c, path, NULL);
    stele_trace_close(trace);
    return status == STELE_OK;
}

bool insns_read_all(cli *c, insns *s, const insn_consumer *to)
{
    size_t read_count = 0;
    for (size_t i = 0; i < c->options.argument_count && c->worst != EXIT_USAGE; i++)
        read_count += insns_read(c, s, i, to);
    return read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

size_t insns_shown(const cli *c, size_t count)
{
    const options *o = &c->options;
    const bool is_report = option_given(o, OPTION_JSON) || option_given(o, OPTION_CSV);
    const uint64_t top =
        is_report && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    return top != 0 && top < count ? (size_t)top : count;
}
