/* SPDX-License-Identifier: Apache-2.0 */
/* Writes traces in another format, cut, merged or repaired: the commands convert, merge and cut. */
#include "cli/converting.h"

#include <stele/analysis.h>
#include <stele/sink.h>

#include <string.h>

#include "cli/aligning.h"
#include "cli/flame_forms.h"
#include "cli/insn/insn.h"
#include "cli/leaving.h"
#include "cli/losing.h"
#include "cli/sinking.h"
#include "cli/verifying.h"

/* Where a conversion writes to: a writer, a copier, or a sink. */
typedef struct target {
    cli *c;
    const conversion *how;
    const char *format; /* name of the format; NULL: `sink` is set */
    const char *sink;   /* name of the sink; NULL: `format` is set */
    stele_writer *writer;
    stele_copier *copier;   /* copies the bytes of records; NULL: events are written anew */
    leaving left;           /* writers of the traces that the copier leaves out */
    bool is_second;         /* read once more, for what was left */
    stele_picture *picture; /* completes spans for a sink that draws them; NULL: not needed */
    stele_output *out;
    const char *path;
    bool is_aligned; /* several traces whose starts --align-start brings together */
    bool has_wall;   /* wall_ns is known */
    int64_t wall_ns; /* wall-clock time at time 0, from the first events that have one */
    uint64_t kinds;  /* of the events that were taken, as bits */
    bool has_end;    /* the request has an end, so spans that are open there are not unfinished */
    /* losses must stop the command at once, because its output cannot be removed */
    bool stops_at_loss;
} target;

/* ---- Choice of the target -------------------------------------------------------------------- */

/* Finds the format or sink that --to or the name of the output says. */
static void target_named(const target *to, const char *name, const char **format, const char **sink)
{
    stele_format_info format_info = STELE_INIT(stele_format_info);
    stele_sink_info sink_info = STELE_INIT(stele_sink_info);
    if (name == NULL) {
        *format = stele_format_for_path(to->path);
        *sink = stele_sink_for_path(to->path);
        return;
    }
    *format = stele_format_find(name, &format_info) ? format_info.name : NULL;
    *sink = stele_sink_find(name, &sink_info) ? sink_info.name : NULL;
}

/* Chooses the target. `own` is the format of all inputs, which is used if the name of the output
   says nothing, or in any case for FORMAT_KEPT. */
static bool target_find(cli *c, target *to, const char *own)
{
    const char *name = option_value(&c->options, OPTION_TO);
    to->path = to->how->path != NULL ? to->how->path : option_value(&c->options, OPTION_OUTPUT);
    if (to->path == NULL)
        return cli_usage(c, "--output is missing: where to? ('-' is standard output)");
    target_named(to, name, &to->format, &to->sink);
    if (name == NULL && own != NULL &&
        (to->how->format == FORMAT_KEPT || (to->format == NULL) == (to->sink == NULL))) {
        to->format = own;
        to->sink = NULL;
    }
    if (name == NULL && to->how->format == FORMAT_NAMED && to->format == NULL &&
        flame_form_for_path(to->path) != FLAME_FORM_COUNT)
        return cli_usage(c, "'%s' names what another command writes (%s): stele flame --format %s",
                         to->path, flame_forms[flame_form_for_path(to->path)].title,
                         flame_forms[flame_form_for_path(to->path)].name);
    if (to->format == NULL && to->sink == NULL)
        return cli_usage(c, "'%s' does not tell the format to write: name it with --to", to->path);
    if (to->format != NULL && to->sink != NULL && name == NULL)
        return cli_usage(c, "'%s' may be %s or %s: say which with --to", to->path, to->format,
                         to->sink);
    if (to->format != NULL)
        to->sink = NULL;
    else if (option_given(&c->options, OPTION_TO_VERSION))
        return cli_usage(c, "--to-version is for trace formats");
    return sinking_fits(c, to->sink) && verifying_fits(c, to->sink, to->path);
}

#define TARGET_SETTINGS_MAX 5

/* Lists the options that only the format to be written knows. Returns how many are given. */
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

/* Whether options require that records are written anew: in another order or layout, or with
   other fields. */
static bool changes_records(const options *o)
{
    static const option_id ids[] = {OPTION_CONVERT_SORT, OPTION_DEBUG_INFO, OPTION_ALIGN_EVENT};
    return is_any_given(o, ids, sizeof ids / sizeof *ids) ||
           target_settings(o, (stele_setting[TARGET_SETTINGS_MAX]){{NULL, NULL}}) != 0;
}

static bool changes_times(const options *o)
{
    static const option_id ids[] = {OPTION_OFFSET, OPTION_ALIGN_START, OPTION_CLOCK_OFFSET,
                                    OPTION_CLOCK_OFFSET_NS, OPTION_CLOCK_START};
    return is_any_given(o, ids, sizeof ids / sizeof *ids);
}

/* Whether nothing is asked for that needs other records. */
static bool may_copy(const cli *c, const target *to)
{
    return to->format != NULL && !to->how->is_anew && !changes_records(&c->options);
}

/* Whether records can be copied: the format stays the same, and supports it. */
static bool is_copy(const cli *c, const target *to, const inputs *in,
                    const stele_copier_options *copying)
{
    return may_copy(c, to) && stele_copier_is_possible(to->format, in->traces, in->count, copying);
}

/* Opens a copier for those of several traces that can be copied, and writers for the others.
   Returns STELE_ERR_UNSUPPORTED if none can be copied. */
static stele_status open_both(cli *c, target *to, const inputs *in, stele_copier_options *copying,
                              const stele_writer_options *given)
{
    stele_status status;
    if (in->count < 2 || !may_copy(c, to) || to->stops_at_loss)
        return STELE_ERR_UNSUPPORTED;
    copying->leaves_others = true;
    status = stele_copier_open(c->context, to->out, to->format, in->traces, in->count, copying,
                               &to->copier);
    return status == STELE_OK
               ? leaving_open(&to->left, c, in, to->copier, to->out, to->format, given)
               : status;
}

/* Counts as losses what traces of the target's own format have beside their events. */
static void lose_traces(const target *to, const inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(to->format, stele_trace_get_info(in->traces[i])->format) == 0)
            stele_writer_add_trace_losses(to->writer, in->traces[i]);
}

/* Whether a copy begins with what is open there. */
static bool wants_open(const cli *c)
{
    return !option_given(&c->options, OPTION_NO_OPEN);
}

static bool target_open(cli *c, target *to, const inputs *in, const selection *s)
{
    stele_setting settings[TARGET_SETTINGS_MAX];
    stele_format_info info = STELE_INIT(stele_format_info);
    const stele_writer_options given = {.replace = option_given(&c->options, OPTION_FORCE),
                                        .version = option_value(&c->options, OPTION_TO_VERSION),
                                        .settings = settings,
                                        .setting_count = target_settings(&c->options, settings)};
    stele_copier_options copying = {.struct_size = sizeof copying,
                                    .version = given.version,
                                    .is_shifted = changes_times(&c->options),
                                    .cut = wants_open(c) ? &s->request : NULL};
    const stele_output_options output_options = cli_output_options(c);
    stele_status status = stele_output_open_for(
        to->path, to->format != NULL ? to->format : to->sink, &output_options, &to->out);
    if (!cli_check(c, status, to->path))
        return false;
    if (to->sink != NULL && given.version != NULL)
        return cli_usage(c, "%s has no versions to choose from", to->sink);
    if (to->sink != NULL && given.setting_count != 0)
        return cli_usage(c, "--%s is for trace formats", settings[0].key);
    to->stops_at_loss = c->is_strict && strcmp(to->path, "-") == 0;
    if (to->sink != NULL) /* a sink is opened when the reader is */
        return true;
    copying.keeps_all = selection_is_all(s) && to->how->keeps == NULL &&
                        !option_given(&c->options, OPTION_STREAM_INTERSECTION);
    /* What 'repair' leaves out is lost. */
    copying.renumbers = to->how->keeps == NULL;
    if (is_copy(c, to, in, &copying)) {
        status = stele_copier_open(c->context, to->out, to->format, in->traces, in->count, &copying,
                                   &to->copier);
        if (status != STELE_ERR_UNSUPPORTED)
            return cli_check(c, status, to->path);
        cli_remark(c,
                   "%s: written anew: records can be copied only from where they can be read twice",
                   stele_trace_get_info(in->traces[0])->path);
    } else if ((status = open_both(c, to, in, &copying, &given)) != STELE_ERR_UNSUPPORTED) {
        return cli_check(c, status, to->path);
    }
    if (!stele_format_find(to->format, &info) || !info.can_write)
        return cli_usage(c, "%s can only be read", to->format);
    status = stele_writer_open_output(c->context, to->out, to->format, &given, &to->writer);
    if (status == STELE_OK)
        lose_traces(to, in);
    return cli_check(c, status, to->path);
}

static void target_close(target *to)
{
    leaving_close(&to->left);
    stele_copier_close(to->copier);
    stele_writer_close(to->writer);
    stele_picture_free(to->picture);
    stele_output_close(to->out);
}

/* ---- Losses ---------------------------------------------------------------------------------- */

static bool get_loss(const void *from, size_t index, stele_loss *loss)
{
    const target *to = from;
    size_t count = 0;
    if (to->writer != NULL)
        return stele_writer_get_loss(to->writer, index, loss);
    if (stele_copier_get_loss(to->copier, index, loss))
        return true;
    while (count < index && stele_copier_get_loss(to->copier, count, loss))
        count++;
    return leaving_get_loss(&to->left, index - count, loss);
}

static bool has_loss(const target *to)
{
    return losses_are_some(get_loss, to);
}

/* ---- Writing of events ----------------------------------------------------------------------- */

/* Whether the target is for a viewer, which needs spans as the calls engine ends them. */
static bool is_drawn(const target *to)
{
    return to->sink != NULL &&
           (strcmp(to->sink, "chrome") == 0 || strcmp(to->sink, "perfetto") == 0);
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
    if (status == STELE_OK && is_drawn(to))
        status = stele_picture_new(to->c->context, draw, to, &to->picture);
    if (to->picture != NULL)
        stele_picture_set_plain_ends(to->picture, strcmp(to->sink, "perfetto") == 0);
    if (status == STELE_OK && to->picture != NULL)
        status = stele_picture_set_window(to->picture, stats->range_begin_ns, stats->range_end_ns);
    return status;
}

static void lose(const target *to, stele_kind kind, const char *what, bool is_dropped,
                 uint64_t count)
{
    const stele_loss loss = {.kind = kind, .what = what, .is_dropped = is_dropped, .count = count};
    stele_writer_add_loss(to->writer, &loss);
}

/* Counts the loss of wall-clock time: traces whose starts were brought together have different
   ones, but the output has a single zero. */
static void lose_wall(target *to, const stele_segment *segment)
{
    const stele_stream *stream = stele_stream_get(to->c->context, segment->batch->stream);
    int64_t wall_ns;
    if (stream == NULL || !stele_batch_wall(segment->batch, &stream->clock, &wall_ns))
        return;
    if (to->has_wall && wall_ns != to->wall_ns)
        lose(to, STELE_KIND_NONE, "wall-clock time that is not that of the first trace", false,
             segment->count);
    if (!to->has_wall)
        to->wall_ns = wall_ns;
    to->has_wall = true;
}

static stele_status take_part(target *to, const stele_segment *segment)
{
    stele_status status;
    if (to->is_second)
        return leaving_take(&to->left, segment);
    if (to->copier != NULL)
        return stele_copier_keep(to->copier, segment);
    if (to->is_aligned)
        lose_wall(to, segment);
    status = to->picture != NULL ? stele_picture_add(to->picture, segment)
                                 : stele_writer_write(to->writer, segment);
    return status == STELE_OK && to->stops_at_loss && has_loss(to) ? STELE_END : status;
}

static stele_status take(void *user, const stele_segment *segment)
{
    target *to = user;
    const stele_event *events = segment->batch->events + segment->first;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; to->copier == NULL && i < segment->count; i++)
        to->kinds |= STELE_KIND_BIT(events[i].kind);
    if (to->how->keeps == NULL)
        return take_part(to, segment);
    for (uint32_t i = 0, from; status == STELE_OK && i < segment->count; i++) {
        for (from = i; i < segment->count && to->how->keeps(to->how->user, &events[i]);)
            i++;
        if (i != from)
            status =
                take_part(to, &(stele_segment){segment->batch, segment->first + from, i - from});
    }
    return status;
}

static void choose_columns(const target *to, const inputs *in, stele_request *request)
{
    stele_sink_info sink = STELE_INIT(stele_sink_info);
    if (to->copier != NULL && !to->is_second) {
        request->columns = STELE_COLUMN_TIME | STELE_COLUMN_CONTEXT;
        request->order = STELE_ORDER_NONE;
        return;
    }
    request->columns = to->sink != NULL && stele_sink_find(to->sink, &sink)
                           ? sink.columns
                           : STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    for (size_t i = 0; i < in->count && to->format != NULL; i++) {
        if (strcmp(stele_trace_get_info(in->traces[i])->format, to->format) == 0)
            request->columns |= STELE_COLUMN_RAW;
    }
}

/* Ends the picture, and counts what it had to repair as losses. */
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
    stele_status status = to->picture != NULL ? finish_picture(to) : STELE_OK;
    if (status != STELE_OK)
        return status;
    if (to->copier == NULL)
        return stele_writer_finish(to->writer);
    status = stele_copier_finish(to->copier);
    return status == STELE_OK ? leaving_finish(&to->left) : status;
}

/* Whether a viewer gets the calls of a trace of instructions: yes, unless only some of its
   events are selected. */
static bool wants_calls(const target *to, const inputs *in, const selection *s)
{
    return is_drawn(to) && in->count == 1 && stele_trace_has_insns(in->traces[0]) &&
           selection_is_all(s);
}

static stele_status write_calls(cli *c, target *to, const inputs *in)
{
    const stele_reader_stats stats = {.has_begin = true, .range_end_ns = INT64_MAX};
    insns s;
    stele_status status = STELE_ERR_ARGUMENT;
    if (insns_make_all(c, &s, OPTION_BINARY))
        status = sinking_open(c, to->sink, to->out, &stats, &to->writer);
    if (status == STELE_OK)
        status = insns_write_calls(c, &s, in->traces[0], to->writer);
    insns_free(&s);
    return status;
}

/* Where a cut begins and ends in traces that are written anew. */
typedef struct cut_edge {
    const target *to;
    const char *what; /* of the loss of form that counts what is made there */
} cut_edge;

static stele_status take_made(void *user, const stele_segment *segment)
{
    const cut_edge *edge = user;
    const target *to = edge->to;
    const stele_loss made = {.struct_size = sizeof made,
                             .kind = (stele_kind)segment->batch->events[segment->first].kind,
                             .what = edge->what,
                             .is_form = true,
                             .count = segment->count};
    stele_writer *const writer =
        to->writer != NULL ? to->writer : leaving_writer(&to->left, segment);
    if (writer == NULL)
        return STELE_OK;
    stele_writer_add_loss(writer, &made);
    return stele_writer_write(writer, segment);
}

/* Whether what is open at an edge of a cut is begun or ended there, in traces that are written
   anew. Says which trace does not allow it. */
static bool makes_edge(cli *c, const target *to, const inputs *in, stele_bound_kind kind,
                       const char *consequence)
{
    const bool is_anew = to->format != NULL && (to->writer != NULL || to->left.count != 0);
    if (!is_anew || to->how->keeps != NULL || !wants_open(c) || kind == STELE_BOUND_NONE)
        return false;
    for (size_t i = 0; i < in->count; i++) {
        const stele_trace_info *about = stele_trace_get_info(in->traces[i]);
        if (!about->is_seekable) {
            cli_remark(c, "%s: %s: it can be read only once", about->path, consequence);
            return false;
        }
    }
    return true;
}

/* Begins what is open where the cut begins, in the traces that are written anew. */
static stele_status write_opened(cli *c, const target *to, const inputs *in,
                                 const stele_request *request)
{
    cut_edge edge = {to, "open when the cut begins, begun there"};
    if (!makes_edge(c, to, in, request->begin.kind, "what is open at --begin is not begun"))
        return STELE_OK;
    return stele_give_open(c->context, in->traces, in->count, request,
                           strcmp(to->format, "xray") != 0, take_made, &edge);
}

/* Ends what is open where the cut ends, in the traces that are written anew. */
static stele_status write_ends(cli *c, const target *to, const inputs *in,
                               const stele_request *request)
{
    cut_edge edge = {to, "open when the cut ends, ended there"};
    if (!makes_edge(c, to, in, request->end.kind, "what is open at --end is not ended"))
        return STELE_OK;
    return stele_give_ends(c->context, in->traces, in->count, request,
                           strcmp(to->format, "xray") != 0, take_made, &edge);
}

static stele_status write_events(cli *c, target *to, const inputs *in, stele_request *request,
                                 stele_reader_stats *stats)
{
    const consumer taker = {.ready = ready, .take = take, .user = to};
    const stele_order order = request->order;
    stele_status status;
    choose_columns(to, in, request);
    request->struct_size = sizeof *request;
    status = write_opened(c, to, in, request);
    if (status != STELE_OK)
        return status;
    request->from_start = request->open_only = is_drawn(to) && wants_open(c);
    to->is_aligned =
        to->format != NULL && in->count > 1 && option_given(&c->options, OPTION_ALIGN_START);
    status = cli_read(c, in->traces, in->count, request, &taker, stats);
    if ((status == STELE_OK || status == STELE_END) && to->left.count != 0) {
        to->is_second = c->report.is_repeated = true;
        request->order = order;
        choose_columns(to, in, request);
        status = cli_read(c, in->traces, in->count, request, &taker, NULL);
        c->report.is_repeated = false;
    }
    if ((status == STELE_OK || status == STELE_END) && cli_interrupted() == 0)
        status = write_ends(c, to, in, request);
    return status;
}

/* Converts the inputs. Returns true if the output is complete and in place. */
static bool convert(cli *c, target *to, const inputs *in, selection *s, stele_reader_stats *stats)
{
    bool is_written = false;
    const stele_status status = wants_calls(to, in, s)
                                    ? write_calls(c, to, in)
                                    : write_events(c, to, in, &s->request, stats);
    if (cli_check(c, status, to->path) && cli_check(c, finish(to), to->path) &&
        losses_leave_something(c, in, to->format != NULL ? to->format : to->sink, 0, to->kinds)) {
        if (!to->how->is_trial)
            losses_show(c, to->format != NULL ? to->format : to->sink, get_loss, to);
        if (c->is_strict && has_loss(to) && !to->how->is_trial)
            cli_remark(c, "%s: not written, because of --strict", to->path);
        else
            is_written = cli_check(c, stele_output_finish(to->out), to->path);
    }
    cli_conclude(c, NULL, stats);
    if (is_written && option_given(&c->options, OPTION_VERIFY))
        verifying_execute(c, s, to->format, to->path, get_loss, to);
    return is_written;
}

const char *inputs_format(const inputs *in)
{
    const char *format = in->count > 0 ? stele_trace_get_info(in->traces[0])->format : NULL;
    for (size_t i = 1; format != NULL && i < in->count; i++)
        if (strcmp(format, stele_trace_get_info(in->traces[i])->format) != 0)
            return NULL;
    return format;
}

/* Opens the target and converts all arguments to it. If one of them could not be opened, nothing
   is written. */
static bool convert_inputs(cli *c, target *to, const inputs *in, selection *s,
                           stele_reader_stats *stats)
{
    return in->count == c->options.argument_count && inputs_align(c, in) &&
           losses_leave_something(c, in, to->format != NULL ? to->format : to->sink,
                                  s->request.kinds, 0) &&
           target_open(c, to, in, s) && convert(c, to, in, s, stats);
}

bool converting_execute(cli *c, const conversion *how, stele_reader_stats *stats)
{
    target to = {.c = c, .how = how};
    selection s = {.names = NULL};
    inputs in = {.count = 0};
    bool is_written = false;
    if (how->format == FORMAT_NAMED
            ? target_find(c, &to, NULL) && selection_make(c, &s) && inputs_open(c, &in)
            : selection_make(c, &s) && inputs_open(c, &in) &&
                  target_find(c, &to, inputs_format(&in)))
        is_written = convert_inputs(c, &to, &in, &s, stats);
    target_close(&to);
    inputs_close(&in);
    selection_free(&s);
    return is_written;
}
