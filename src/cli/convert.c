/* SPDX-License-Identifier: Apache-2.0 */
/* stele convert: traces in another format, cut or merged. */
#include <stdio.h>
#include <string.h>

#include "analysis/events/picture.h"
#include "cli/cli.h"
#include "cli/copies.h"
#include "cli/insn/insn.h"
#include "cli/show/print.h"
#include "cli/sinking.h"
#include "formats/format.h"

/* What stands at the end of a conversion: one of the three. */
typedef struct target {
    cli *c;
    const format *format;   /* NULL: a sink */
    const stele_sink *sink; /* NULL: a format */
    stele_writer *writer;
    copies copies;          /* keep the bytes of the records; none: writes events anew */
    stele_picture *picture; /* between the events and a sink that draws them; else NULL */
    output *out;
    const char *path;
    bool is_aligned;    /* several traces, by --align-start */
    bool has_wall;      /* wall_ns is known */
    int64_t wall_ns;    /* wall-clock time at zero, of the first events with one */
    bool has_end;       /* what is open there was not asked for any further */
    bool stops_at_loss; /* what was written cannot be taken back */
} target;

/* ---- Which target? --------------------------------------------------------------------------- */

static bool target_find(cli *c, target *to)
{
    const char *name = option_value(&c->options, OPTION_TO);
    to->path = option_value(&c->options, OPTION_OUTPUT);
    if (to->path == NULL)
        return cli_usage(c, "--output is missing: where to? ('-' is standard output)");
    to->format = name != NULL ? format_find(name) : format_by_name(to->path);
    to->sink = name != NULL ? stele_sink_find(name) : stele_sink_by_name(to->path);
    if (to->format == NULL && to->sink == NULL)
        return cli_usage(c, "'%s' does not tell the format to write: name it with --to", to->path);
    if (to->format != NULL && to->sink != NULL && name == NULL)
        return cli_usage(c, "'%s' may be %s or %s: say which with --to", to->path, to->format->name,
                         to->sink->name);
    if (to->format != NULL)
        to->sink = NULL;
    else if (option_given(&c->options, OPTION_TO_VERSION))
        return cli_usage(c, "--to-version is for trace formats");
    return sinking_fits(c, to->sink);
}

#define TARGET_SETTINGS_MAX 5

/* The options that only the format to write knows. */
static size_t target_settings(const options *o, stele_setting *settings)
{
    static const option_id ids[TARGET_SETTINGS_MAX] = {OPTION_COMPRESS, OPTION_CHECKSUM,
                                                       OPTION_TO_KEY_FILE, OPTION_EVENT_HEADER,
                                                       OPTION_HEADER_ALIGNMENT};
    size_t count = 0;
    for (size_t i = 0; i < TARGET_SETTINGS_MAX; i++)
        if (option_given(o, ids[i]))
            settings[count++] = (stele_setting){option_table[ids[i]].name, option_value(o, ids[i])};
    return count;
}

static bool is_any_given(const options *o, const option_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (option_given(o, ids[i]))
            return true;
    return false;
}

/* Whether records have to be written anew: in another order or layout, with other fields. */
static bool changes_records(const options *o)
{
    static const option_id ids[] = {OPTION_SORT, OPTION_DEBUG_INFO};
    return is_any_given(o, ids, sizeof ids / sizeof *ids) ||
           target_settings(o, (stele_setting[TARGET_SETTINGS_MAX]){{NULL, NULL}}) != 0;
}

static bool changes_times(const options *o)
{
    static const option_id ids[] = {OPTION_OFFSET, OPTION_ALIGN_START, OPTION_CLOCK_OFFSET,
                                    OPTION_CLOCK_OFFSET_NS, OPTION_CLOCK_START};
    return is_any_given(o, ids, sizeof ids / sizeof *ids);
}

/* Traces that keep their format keep the bytes of their records, where the format lets them. */
static bool is_copy(const cli *c, const target *to, const inputs *in)
{
    return to->format != NULL && !changes_records(&c->options) &&
           copies_are_possible(to->format, in->traces, in->count,
                               option_value(&c->options, OPTION_TO_VERSION),
                               changes_times(&c->options));
}

/* What of traces of the target's own format is not in their events. */
static void lose_traces(const target *to, const inputs *in)
{
    for (size_t i = 0; to->format->lose_trace != NULL && i < in->count; i++)
        if (strcmp(to->format->name, stele_trace_get_info(in->traces[i])->format) == 0)
            to->format->lose_trace(to->writer, in->traces[i]);
}

static bool target_open(cli *c, target *to, const inputs *in, const selection *s)
{
    stele_setting settings[TARGET_SETTINGS_MAX];
    const stele_writer_options given = {.replace = option_given(&c->options, OPTION_FORCE),
                                        .version = option_value(&c->options, OPTION_TO_VERSION),
                                        .settings = settings,
                                        .setting_count = target_settings(&c->options, settings)};
    stele_status status;
    status = to->format != NULL
                 ? format_output_open(to->format, &c->out_diag, to->path, given.replace, &to->out)
                 : output_open(&c->out_diag, to->path, given.replace, &to->out);
    if (!cli_check(c, status, to->path))
        return false;
    if (to->sink != NULL && given.version != NULL)
        return cli_usage(c, "%s has no versions to choose from", to->sink->name);
    if (to->sink != NULL && given.setting_count != 0)
        return cli_usage(c, "--%s is for trace formats", settings[0].key);
    to->stops_at_loss = c->is_strict && strcmp(to->path, "-") == 0;
    if (to->sink != NULL) /* opened when the reader is */
        return true;
    if (is_copy(c, to, in)) {
        const bool keeps_all =
            selection_is_all(s) && !option_given(&c->options, OPTION_STREAM_INTERSECTION);
        status = copies_open(&to->copies, c->context, to->format, in->traces, in->count, to->out,
                             given.version, keeps_all);
        if (status != STELE_ERR_UNSUPPORTED)
            return cli_check(c, status, to->path);
        cli_remark(c,
                   "%s: written anew: records can be copied only from where they can be read twice",
                   stele_trace_get_info(in->traces[0])->path);
    }
    if (to->format->writer == NULL)
        return cli_usage(c, "%s can only be read", to->format->name);
    status = format_writer_open(to->format, c->context, to->out, &given, &to->writer);
    if (status == STELE_OK)
        lose_traces(to, in);
    return cli_check(c, status, to->path);
}

static void target_close(target *to)
{
    copies_close(&to->copies);
    stele_writer_close(to->writer);
    stele_picture_free(to->picture);
    if (to->out != NULL)
        output_close(to->out);
}

/* ---- What is lost ---------------------------------------------------------------------------- */

static bool get_loss(const target *to, size_t index, stele_loss *loss)
{
    return to->writer != NULL ? stele_writer_get_loss(to->writer, index, loss)
                              : losses_get(&to->copies.losses, index, loss);
}

static bool has_loss(const target *to)
{
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; get_loss(to, i, &loss); i++)
        if (!loss.is_form)
            return true;
    return false;
}

/* The table of what the target could not carry, or only in another form. */
static void show_losses(cli *c, const target *to)
{
    stele_loss loss = STELE_INIT(stele_loss);
    char text[PRINT_SIZE];
    if (!get_loss(to, 0, &loss))
        return;
    if (has_loss(to))
        cli_exit(c, EXIT_FINDINGS);
    progress_clear(&c->progress);
    fprintf(stderr, "What %s %s:\n%12s  %-12s  %s\n",
            to->format != NULL ? to->format->name : to->sink->name,
            has_loss(to) ? "cannot carry" : "has in another form", "count", "kind", "what");
    for (size_t i = 0; get_loss(to, i, &loss); i++)
        fprintf(stderr, "%12s  %-12s  %s: %s\n", print_count(text, loss.count),
                loss.kind != STELE_KIND_NONE ? stele_kind_text(loss.kind) : "any",
                loss.is_dropped ? "dropped"
                : loss.is_form  ? "form"
                                : "changed",
                loss.what);
}

/* ---- The way from one to the other ----------------------------------------------------------- */

static bool is_chrome(const target *to)
{
    return to->sink != NULL && strcmp(to->sink->name, "chrome") == 0;
}

static stele_status draw(void *user, const stele_segment *segment)
{
    const target *to = user;
    return stele_writer_write(to->writer, segment);
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    target *to = user;
    stele_status status = STELE_OK;
    if (to->sink != NULL)
        status = sinking_open(to->c, to->sink, to->out, stats, &to->writer);
    to->has_end = stats->range_end_ns != INT64_MAX;
    if (status == STELE_OK && is_chrome(to))
        status = stele_picture_new(to->c->context, draw, to, &to->picture);
    if (status == STELE_OK && to->picture != NULL)
        status = stele_picture_set_window(to->picture, stats->range_begin_ns, stats->range_end_ns);
    return status;
}

/* Starts that were brought together have wall-clock times of their own, and a trace has one zero.
 */
static void lose_wall(target *to, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(to->c->context, segment->batch->stream);
    int64_t wall_ns;
    if (stream == NULL || !stele_batch_wall(segment->batch, &stream->clock, &wall_ns))
        return;
    if (to->has_wall && wall_ns != to->wall_ns)
        writer_lose(to->writer, STELE_KIND_NONE,
                    "wall-clock time that is not that of the first trace", LOSS_CHANGED,
                    segment->count);
    if (!to->has_wall)
        to->wall_ns = wall_ns;
    to->has_wall = true;
}

static stele_status take(void *user, const stele_segment *segment)
{
    target *to = user;
    stele_status status;
    if (to->copies.count != 0)
        return copies_keep(&to->copies, segment);
    if (to->is_aligned)
        lose_wall(to, segment);
    status = to->picture != NULL ? stele_picture_add(to->picture, segment)
                                 : stele_writer_write(to->writer, segment);
    return status == STELE_OK && to->stops_at_loss && has_loss(to) ? STELE_END : status;
}

static void choose_columns(const target *to, const inputs *in, stele_request *request)
{
    if (to->copies.count != 0) {
        request->columns = STELE_COLUMN_TIME | STELE_COLUMN_CONTEXT;
        request->order = STELE_ORDER_NONE;
        return;
    }
    request->columns = to->sink != NULL ? to->sink->columns : STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    for (size_t i = 0; i < in->count && to->format != NULL; i++) {
        if (strcmp(stele_trace_get_info(in->traces[i])->format, to->format->name) == 0)
            request->columns |= STELE_COLUMN_RAW;
    }
}

/* As writer_lose(), for a count that may be 0. */
static void lose(const target *to, stele_kind kind, const char *what, loss_extent extent,
                 uint64_t count)
{
    if (count != 0)
        writer_lose(to->writer, kind, what, extent, count);
}

/* What the picture had to mend. */
static stele_status finish_picture(const target *to)
{
    const stele_status status = stele_picture_finish(to->picture);
    const stele_call_counts *counts = stele_picture_get_counts(to->picture);
    lose(to, STELE_KIND_BEGIN, "begin without an end, closed with the trace", false,
         to->has_end ? 0 : counts->by_end[STELE_CALL_OPEN]);
    lose(to, STELE_KIND_BEGIN, "begin without an end, closed with its caller", false,
         counts->by_end[STELE_CALL_UNWOUND]);
    lose(to, STELE_KIND_END, "end without a begin, drawn as an instant", false,
         counts->by_end[STELE_CALL_ENTRY_LOST]);
    lose(to, STELE_KIND_BEGIN, "call deeper than 65,536 others", true, counts->cut_count);
    lose(to, STELE_KIND_BEGIN, "copy of a call that is drawn already", true,
         counts->repeated_count);
    return status;
}

static stele_status finish(target *to)
{
    const stele_status status = to->picture != NULL ? finish_picture(to) : STELE_OK;
    if (status != STELE_OK)
        return status;
    return to->copies.count != 0 ? copies_finish(&to->copies) : stele_writer_finish(to->writer);
}

/* Chrome draws the calls of a trace of instructions, unless some of its events were asked for. */
static bool wants_calls(const target *to, const inputs *in, const selection *s)
{
    return is_chrome(to) && in->count == 1 && stele_trace_has_insns(in->traces[0]) &&
           selection_is_all(s);
}

static stele_status write_calls(cli *c, target *to, const inputs *in)
{
    const stele_reader_stats stats = {.has_begin = true};
    insns s;
    stele_status status = STELE_ERR_ARGUMENT;
    if (insns_make_all(c, &s, OPTION_BINARY))
        status = sinking_open(c, to->sink, to->out, &stats, &to->writer);
    if (status == STELE_OK)
        status = insns_write_calls(c, &s, in->traces[0], to->writer);
    insns_free(&s);
    return status;
}

static stele_status write_events(cli *c, target *to, const inputs *in, stele_request *request,
                                 stele_reader_stats *stats)
{
    const consumer taker = {ready, take, to};
    choose_columns(to, in, request);
    request->from_start = is_chrome(to);
    to->is_aligned =
        to->format != NULL && in->count > 1 && option_given(&c->options, OPTION_ALIGN_START);
    return cli_read(c, in->traces, in->count, request, &taker, stats);
}

static void convert(cli *c, target *to, const inputs *in, selection *s)
{
    stele_reader_stats stats = {0};
    const stele_status status = wants_calls(to, in, s)
                                    ? write_calls(c, to, in)
                                    : write_events(c, to, in, &s->request, &stats);
    if (cli_check(c, status, to->path) && cli_check(c, finish(to), to->path)) {
        show_losses(c, to);
        if (c->is_strict && has_loss(to))
            cli_remark(c, "%s: not written, because of --strict", to->path);
        else
            cli_check(c, output_finish(to->out), to->path);
    }
    cli_conclude(c, NULL, &stats);
}

void command_CONVERT(cli *c)
{
    target to = {.c = c};
    selection s = {.names = NULL};
    inputs in = {.count = 0};
    if (target_find(c, &to) && selection_make(c, &s) && inputs_open(c, &in)) {
        /* A merge of what could be opened would not be what was asked for. */
        if (in.count == c->options.argument_count && target_open(c, &to, &in, &s))
            convert(c, &to, &in, &s);
    }
    target_close(&to);
    inputs_close(&in);
    selection_free(&s);
}
