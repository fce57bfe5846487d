/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a trace, and finds out which format it has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/follow.h"
#include "core/path.h"
#include "core/sized.h"
#include "formats/format.h"

/* Collects what an input shows of itself before it is read. */
static stele_status probe_make(source *from, format_probe *probe)
{
    input *in = source_input(from);
    *probe = (format_probe){.source = from,
                            .name = path_base(in != NULL ? in->name : source_path(from))};
    if (in == NULL)
        return STELE_OK;
    const stele_status status = input_peek(in, &probe->head, &probe->head_size);
    probe->head_is_all = in->has_size ? in->size == probe->head_size : in->is_ended;
    return status;
}

/* Gives the format that is surest of an input; among equally sure ones, the first in the registry.
   NULL when no format takes the input. */
static const format *recognise(const format_probe *probe, char *reason)
{
    const format *best = NULL;
    int best_score = PROBE_NO;
    for (size_t i = 0; i < format_count(); i++) {
        char why[PROBE_REASON_SIZE] = "";
        const int score = format_at(i)->probe(probe, why);
        if (score > best_score) {
            best_score = score;
            best = format_at(i);
            memcpy(reason, why, sizeof why);
        }
    }
    return best;
}

#define MEMBERS_TRIED 64u

/* Whether a member of a set is a trace by itself, of any format. */
static bool is_trace(source *from, size_t member)
{
    char why[PROBE_REASON_SIZE];
    format_probe probe = {.source = from, .name = path_base(source_member_at(from, member)->name)};
    input *in = NULL;
    int score = PROBE_NO;
    if (source_open_member(from, member, &in) != STELE_OK)
        return false;
    if (input_peek(in, &probe.head, &probe.head_size) == STELE_OK && probe.head_size != 0) {
        probe.head_is_all = in->has_size ? in->size == probe.head_size : in->is_ended;
        for (size_t k = 0; k < format_count() && score < PROBE_PLAUSIBLE; k++)
            score = format_at(k)->probe(&probe, why);
    }
    input_close(in);
    return score >= PROBE_PLAUSIBLE;
}

/* Reports a set that is not a trace: files that are traces each, or other files. */
static void report_unknown_set(stele_context *context, source *from)
{
    const size_t count = source_member_count(from);
    const size_t tried = count < MEMBERS_TRIED ? count : MEMBERS_TRIED;
    size_t first = 0;
    while (first < tried && !is_trace(from, first))
        first++;
    if (first < tried)
        diag_report(
            &context->diag, &core_codes[STE002], source_path(from), STELE_NO_OFFSET, 0,
            "the files of one trace", "%zu files of which each may be a trace, such as '%s': %s",
            count, source_member_at(from, first)->name,
            source_is_folder(source_path(from)) ? "name them (DIR/*)" : "unpack and name them");
    else
        diag_report(&context->diag, &core_codes[STE002], source_path(from), STELE_NO_OFFSET, 0,
                    "files of a known format",
                    count != 0 ? "%zu files that no format knows, such as '%s'" : "no files", count,
                    count != 0 ? source_member_at(from, 0)->name : "");
}

/* Reports what the input begins with instead of a known format. */
static void report_unknown(stele_context *context, const format_probe *probe)
{
    const char *path = source_path(probe->source);
    char seen[3 * 16 + 1] = "";
    if (probe->head == NULL) {
        report_unknown_set(context, probe->source);
        return;
    }
    for (size_t i = 0; i < probe->head_size && i < 16; i++)
        snprintf(seen + 3 * i, 4, " %02x", probe->head[i]);
    diag_report(&context->diag, &core_codes[STE002], path, 0,
                probe->head_size < 16 ? probe->head_size : 16, "the first bytes of a known format",
                probe->head_size == 0 ? "no bytes%s" : "bytes%s", seen);
}

static stele_status choose(stele_context *context, const format_probe *probe, const char *forced,
                           const format **chosen, char *reason)
{
    if (forced == NULL) {
        *chosen = recognise(probe, reason);
        if (*chosen == NULL)
            report_unknown(context, probe);
    } else {
        *chosen = format_find(forced);
        snprintf(reason, PROBE_REASON_SIZE, "named by the user");
        if (*chosen == NULL)
            diag_report(&context->diag, &core_codes[STE009], source_path(probe->source),
                        STELE_NO_OFFSET, 0, "the name of a format", "'%s'", forced);
    }
    return *chosen != NULL ? STELE_OK : STELE_ERR_FORMAT;
}

/* ---- Opening traces ---- */

/* Makes the part that every trace has; gives NULL if out of memory. The trace then owns the
   source. */
static stele_trace *trace_new(stele_context *context, source *from, const format *f,
                              const stele_trace_options *options, const char *reason)
{
    const input *in = source_input(from);
    stele_trace *trace = calloc(1, f->trace_size);
    stele_trace_info *info;
    if (trace == NULL)
        return NULL;
    info = &trace->info;
    info->reason = arena_copy(&trace->texts.bytes, reason, strlen(reason));
    if (info->reason == NULL) {
        trace_texts_free(&trace->texts);
        free(trace);
        return NULL;
    }
    trace->ops = f->ops;
    trace->format = f;
    trace->context = context;
    trace->source = from;
    trace->options = *options;
    trace->options.format = f->name;
    info->path = source_path(from);
    info->format = f->name;
    info->title = f->title;
    info->version = "";
    info->packing = source_packing(from);
    info->is_seekable = !options->is_followed && (in == NULL || in->is_seekable);
    info->size = source_stored_size(from);
    info->has_size = info->size != 0 || (in != NULL && in->has_size);
    info->number = context->trace_count;
    return trace;
}

static stele_status trace_start(stele_trace *trace)
{
    stele_status status = trace->ops->open != NULL ? trace->ops->open(trace) : STELE_OK;
    if (status == STELE_ERR_MEMORY)
        status = context_lacks_memory(trace->context, trace->info.path);
    /* The settings are no longer needed, and they belong to the caller. */
    trace->options.settings = NULL;
    trace->options.setting_count = 0;
    if (status == STELE_OK)
        trace->context->trace_count++;
    return status;
}

/* Checks whether a set of files can be followed. */
static stele_status check_followed(stele_context *context, const source *from, const format *f)
{
    if (f->follows_folders)
        return STELE_OK;
    diag_report(&context->diag, &core_codes[STE009], source_path(from), STELE_NO_OFFSET, 0,
                "a file, a pipe or a folder of CTF to follow",
                "a folder of another format, of which each file can be followed alone");
    return STELE_ERR_UNSUPPORTED;
}

/* Opens a trace from a source, which it takes over. */
static stele_status trace_open_source(stele_context *context, source *from,
                                      const stele_trace_options *given, stele_trace **out)
{
    stele_trace_options options;
    char reason[PROBE_REASON_SIZE] = "";
    const format *f = NULL;
    format_probe probe;
    stele_trace *trace = NULL;
    stele_status status = STELE_OK;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_trace_options, setting_count),
                    given))
        status = STELE_ERR_ARGUMENT;
    if (status == STELE_OK)
        status = probe_make(from, &probe);
    if (status == STELE_OK)
        status = choose(context, &probe, options.format, &f, reason);
    if (status == STELE_OK && options.is_followed && source_input(from) == NULL)
        status = check_followed(context, from, f);
    /* The format is known by now, so that an input without an end that no format knows, such as a
       device, is not copied first. */
    if (status == STELE_OK && options.is_reread)
        status = source_make_seekable(from, context->temp_dir);
    if (status == STELE_OK)
        status = format_check_settings(context, from, f, &options);
    if (status == STELE_OK) {
        trace = trace_new(context, from, f, &options, reason);
        status = trace != NULL ? trace_start(trace) : STELE_ERR_MEMORY;
    }
    if (status == STELE_OK)
        *out = trace;
    else if (trace != NULL)
        stele_trace_close(trace);
    else
        source_close(from);
    return status;
}

/* Gives the waiting time in milliseconds. A time below one millisecond is rounded up, because 0
   means without an end. */
static int64_t idle_ms(const stele_trace_options *options)
{
    return options->idle_ns > 0 && options->idle_ns < 1000000 ? 1 : options->idle_ns / 1000000;
}

/* Counts the files that are not empty and not on their way to another name. `*last` becomes the
   index of the last of them. */
static size_t count_begun(const source *from, size_t *last)
{
    size_t count = 0;
    for (size_t i = 0; i < source_member_count(from); i++) {
        const source_member *member = source_member_at(from, i);
        if (member->size == 0 || path_base(member->name)[0] == '.')
            continue;
        *last = i;
        count++;
    }
    return count;
}

/* Waits until there is something in a folder, and opens it. */
static stele_status await_folder(stele_context *context, const char *path, int64_t limit_ms,
                                 source **from)
{
    follow waiting;
    size_t ignored;
    bool is_over = false;
    stele_status status;
    follow_begin(&waiting, limit_ms);
    follow_add(&waiting, path);
    for (;;) {
        status = source_open_growing(&context->diag, path, from);
        if (status != STELE_OK || count_begun(*from, &ignored) != 0 || is_over)
            break;
        source_close(*from);
        is_over = !follow_sleep(&waiting, &context->diag, 0);
    }
    follow_end(&waiting);
    return status;
}

/* Opens a folder that is to be followed, as a whole. If it holds just one file that is a trace by
   itself, opens that file. */
static stele_status open_followed_folder(stele_context *context, const char *path, int64_t limit_ms,
                                         source **from)
{
    char reason[PROBE_REASON_SIZE] = "", *only;
    format_probe probe;
    size_t number;
    stele_status status = await_folder(context, path, limit_ms, from);
    if (status == STELE_OK)
        status = probe_make(*from, &probe);
    if (status != STELE_OK || count_begun(*from, &number) != 1 || recognise(&probe, reason) != NULL)
        return status;
    only = source_member_path(*from, number);
    source_close(*from);
    *from = NULL;
    if (only == NULL)
        return STELE_ERR_MEMORY;
    status = source_open_followed(&context->diag, only, context->temp_dir, limit_ms, from);
    free(only);
    return status;
}

static stele_status open_followed(stele_context *context, const char *path,
                                  const stele_trace_options *options, source **from)
{
    const int64_t limit_ms = idle_ms(options);
    if (strcmp(path, "-") != 0 && source_is_folder(path))
        return open_followed_folder(context, path, limit_ms, from);
    return source_open_followed(&context->diag, path, context->temp_dir, limit_ms, from);
}

stele_status stele_trace_open(stele_context *context, const char *path,
                              const stele_trace_options *options, stele_trace **trace)
{
    source *from;
    stele_trace_options given;
    stele_status status;
    *trace = NULL;
    if (path == NULL ||
        !sized_take(&given, sizeof given, SIZED_FIRST(stele_trace_options, setting_count), options))
        return STELE_ERR_ARGUMENT;
    diag_forget(&context->diag);
    status = given.is_followed ? open_followed(context, path, &given, &from)
                               : source_open(&context->diag, path, context->temp_dir, &from);
    return status == STELE_OK ? trace_open_source(context, from, options, trace) : status;
}

stele_status stele_trace_open_parts(stele_context *context, const char *name,
                                    const char *const *paths, size_t count,
                                    const stele_trace_options *options, stele_trace **trace)
{
    source *from;
    const stele_status status =
        source_open_parts(&context->diag, name, paths, count, context->temp_dir, &from);
    *trace = NULL;
    return status == STELE_OK ? trace_open_source(context, from, options, trace) : status;
}

bool stele_trace_is_part(const stele_trace *a, const stele_trace *b)
{
    return a->format == b->format && a->format->is_part != NULL &&
           source_input(a->source) == NULL && source_input(b->source) == NULL &&
           a->format->is_part(a, b);
}

stele_status stele_trace_open_memory(stele_context *context, const char *name, const void *bytes,
                                     size_t size, const stele_trace_options *options,
                                     stele_trace **trace)
{
    source *from;
    stele_status status;
    diag_forget(&context->diag);
    status = source_open_memory(&context->diag, name, bytes, size, context->temp_dir, &from);
    *trace = NULL;
    return status == STELE_OK ? trace_open_source(context, from, options, trace) : status;
}

/* ---- Opened traces and paths ---- */

stele_status stele_trace_dump(stele_trace *trace, const stele_dump_request *given)
{
    stele_dump_request request;
    if (!sized_take(&request, sizeof request, SIZED_FIRST(stele_dump_request, user), given) ||
        request.fn == NULL)
        return STELE_ERR_ARGUMENT;
    return format_dump(trace, &request);
}

bool stele_path_is_set(const char *path)
{
    return source_path_is_set(path);
}

bool stele_path_is_beside(const char *a, const char *b)
{
    for (size_t i = 0; i < format_count(); i++) {
        const format *of = format_at(i);
        if (of->is_beside != NULL && of->is_beside(a, b))
            return access(a, R_OK) == 0 && access(b, R_OK) == 0;
    }
    return false;
}

void stele_trace_group_parts(stele_trace *const *traces, size_t count, size_t *first)
{
    for (size_t i = 0; i < count; i++) {
        first[i] = i;
        for (size_t k = 0; traces[i] != NULL && k < i; k++) {
            const size_t other = first[k], mine = first[i];
            if (other == mine || traces[k] == NULL || !stele_trace_is_part(traces[i], traces[k]))
                continue;
            /* Two parts that belong to a third one are parts of one trace, too. */
            for (size_t j = 0; j <= i; j++)
                if (first[j] == (other > mine ? other : mine))
                    first[j] = other > mine ? mine : other;
        }
    }
}
