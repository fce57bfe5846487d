/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the inputs of a command, makes requests from its options, and reads. */
#include <stele/symbols.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/binaries.h"
#include "cli/cli.h"
#include "cli/dividing.h"

/* ---- Inputs ---------------------------------------------------------------------------------- */

void cli_note_times(cli *c, stele_clock_domain times, bool is_further)
{
    if (is_further && times != c->times) {
        if (!c->has_mixed_times)
            cli_remark(c, "times of some traces are nanoseconds, of others numbers of instructions "
                          "or ticks: all are shown as nanoseconds");
        c->has_mixed_times = true;
        times = STELE_CLOCK_NS;
    }
    c->times = times;
}

stele_trace *cli_open(cli *c, size_t index)
{
    size_t count;
    const char *const *paths = joined_paths(c, index, &count);
    stele_trace *trace = cli_open_paths(c, index, paths, count);
    if (trace != NULL)
        cli_note_times(c, stele_trace_time_unit(trace), false);
    return trace;
}

bool inputs_open(cli *c, inputs *in)
{
    *in = (inputs){.traces = calloc(c->options.argument_count, sizeof *in->traces)};
    if (in->traces == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "inputs");
    if (!joined_make(c))
        return false;
    for (size_t i = 0; i < c->options.argument_count; i++) {
        in->traces[in->count] = cli_open(c, i);
        if (in->traces[in->count] != NULL)
            in->count++;
        else if (c->worst == EXIT_USAGE)
            return false;
    }
    /* Commands that show such times together refuse clocks of different kinds. */
    for (size_t i = 0; i < in->count; i++) {
        const stele_clock_domain times = stele_trace_time_unit(in->traces[i]);
        cli_note_times(c, i == 0 || times == c->times ? times : STELE_CLOCK_NS, false);
    }
    return in->count > 0;
}

void inputs_close(inputs *in)
{
    for (size_t i = in->count; i-- > 0;)
        stele_trace_close(in->traces[i]);
    free(in->traces);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool parse_bound(cli *c, option_id id, stele_bound *bound)
{
    const char *text = option_value(&c->options, id), *why = NULL;
    if (text == NULL || stele_bound_parse(text, bound, &why))
        return true;
    return cli_usage(c, "--%s '%s': %s", option_table[id].name, text, why);
}

static bool collect_globs(cli *c, option_id id, const char ***list, stele_globs *globs)
{
    const options *o = &c->options;
    *list = calloc(o->use_count + 1, sizeof **list);
    if (*list == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "options");
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == id)
            (*list)[globs->count++] = o->uses[i].value;
    }
    globs->patterns = *list;
    return true;
}

static uint64_t collect_kinds(const options *o)
{
    uint64_t kinds = 0;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id != OPTION_KIND)
            continue;
        for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
            if (fnmatch(o->uses[i].value, stele_kind_text(kind), 0) == 0)
                kinds |= STELE_KIND_BIT(kind);
        }
    }
    return kinds;
}

static stele_order parse_order(const options *o)
{
    const char *how = option_given(o, OPTION_CONVERT_SORT) ? option_value(o, OPTION_CONVERT_SORT)
                                                           : option_value(o, OPTION_SORT);
    if (option_given(o, OPTION_UNSORTED) || strcmp(how, "none") == 0)
        return STELE_ORDER_NONE;
    return strcmp(how, "window") == 0 ? STELE_ORDER_WINDOW
           : strcmp(how, "full") == 0 ? STELE_ORDER_FULL
                                      : STELE_ORDER_TIME;
}

/* Sets the order for a trace that is followed: events are shown as they come, sorted within a
   window of time. */
static bool follow_order(cli *c, stele_request *request)
{
    uint64_t hold_ns = 0;
    if (!option_given(&c->options, OPTION_FOLLOW))
        return true;
    if (!option_given(&c->options, OPTION_SORT) && request->order == STELE_ORDER_TIME)
        request->order = STELE_ORDER_WINDOW;
    if (!cli_take_length(c, OPTION_HOLD, &hold_ns))
        return false;
    request->window_ns = (int64_t)hold_ns;
    return true;
}

bool selection_make(cli *c, selection *s)
{
    stele_request *request = &s->request;
    *s = (selection){.names = NULL};
    request->struct_size = sizeof *request;
    request->kinds = collect_kinds(&c->options);
    request->order = parse_order(&c->options);
    request->align_starts = option_given(&c->options, OPTION_ALIGN_START);
    request->where = option_value(&c->options, OPTION_WHERE);
    return follow_order(c, request) && parse_bound(c, OPTION_BEGIN, &request->begin) &&
           parse_bound(c, OPTION_END, &request->end) &&
           collect_globs(c, OPTION_NAME, &s->names, &request->names) &&
           collect_globs(c, OPTION_CATEGORY, &s->categories, &request->categories) &&
           collect_globs(c, OPTION_TRACK, &s->tracks, &request->tracks);
}

bool selection_is_all(const selection *s)
{
    const stele_request *request = &s->request;
    return request->begin.kind == STELE_BOUND_NONE && request->end.kind == STELE_BOUND_NONE &&
           request->kinds == 0 && request->where == NULL && request->names.count == 0 &&
           request->categories.count == 0 && request->tracks.count == 0;
}

void selection_free(selection *s)
{
    free(s->names);
    free(s->categories);
    free(s->tracks);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Opens debug information for --debug-info. `*info` is NULL without the option. */
static stele_status open_debug_info(const cli *c, stele_debug_info **info)
{
    const options *o = &c->options;
    const stele_debug_info_options given = {
        .target_prefix = option_value(o, OPTION_DEBUG_INFO_TARGET_PREFIX),
        .debug_folder = option_value(o, OPTION_DEBUG_INFO_DIR),
        .full_path = option_given(o, OPTION_DEBUG_INFO_FULL_PATH)};
    *info = NULL;
    return option_given(o, OPTION_DEBUG_INFO) ? stele_debug_info_new(c->context, &given, info)
                                              : STELE_OK;
}

static stele_status take_with_info(const stele_segment *segment, stele_debug_info *info,
                                   const consumer *to)
{
    stele_segment with_info = *segment;
    const stele_status status = stele_debug_info_apply(info, segment, &with_info);
    return status == STELE_OK ? to->take(to->user, &with_info) : status;
}

static stele_status take(cli *c, const stele_segment *segment, stele_debug_info *info,
                         const consumer *to)
{
    if (c->binaries != NULL)
        binaries_see(c->binaries, segment);
    return info != NULL ? take_with_info(segment, info, to) : to->take(to->user, segment);
}

/* Passes on the parts of a segment that are in the intersection of its recording. */
static stele_status take_parts(cli *c, const stele_segment *segment,
                               const stele_intersection *spans, stele_debug_info *info,
                               const consumer *to)
{
    stele_segment part = {segment->batch, segment->first, 0};
    stele_status status = STELE_OK;
    while (status == STELE_OK && stele_intersection_next(spans, segment, &part))
        status = take(c, &part, info, to);
    return status;
}

static stele_status take_all(cli *c, const stele_segment *segments, size_t count,
                             const stele_intersection *spans, stele_debug_info *info,
                             const consumer *to)
{
    const stele_segment *const end = segments + count;
    stele_status status = STELE_OK;
    if (spans == NULL && info == NULL && c->binaries == NULL) {
        for (; segments != end && status == STELE_OK; segments++)
            status = to->take(to->user, segments);
        return status;
    }
    for (; segments != end && status == STELE_OK; segments++)
        status =
            spans == NULL ? take(c, segments, info, to) : take_parts(c, segments, spans, info, to);
    return status;
}

static stele_status pull(cli *c, stele_reader *reader, const stele_intersection *spans,
                         stele_debug_info *info, const consumer *to)
{
    const stele_segment *segments;
    stele_status status;
    size_t count;
    do {
        status = stele_reader_next_segments(reader, &segments, &count);
        if (status == STELE_OK)
            status = take_all(c, segments, count, spans, info, to);
        if (status == STELE_OK && c->shown != NULL && stele_reader_waits(reader))
            status = stele_writer_flush(c->shown);
    } while (status == STELE_OK && (cli_interrupted() == 0 || c->is_following));
    return cli_interrupted() != 0 && !c->is_following ? STELE_ERR_CLOSED : status;
}

static void read_more(cli *c, size_t size)
{
    stele_reader_stats stats = {.byte_total = 0};
    c->reading->size += size;
    if (!c->progress.is_on)
        return; /* the statistics are a sum over all streams */
    if (c->reading->reader != NULL)
        stele_reader_get_stats(c->reading->reader, &stats);
    if (stats.byte_total != 0)
        progress_update(&c->progress, stats.byte_count, stats.byte_total);
    else
        progress_update(&c->progress, c->reading->size, c->reading->total);
}

void cli_read_more(void *user, size_t size)
{
    cli *c = user;
    if (c->reading == NULL)
        return;
    if (c->reading->lock != NULL)
        pthread_mutex_lock(c->reading->lock);
    read_more(c, size);
    if (c->reading->lock != NULL)
        pthread_mutex_unlock(c->reading->lock);
}

static stele_status open_and_pull(cli *c, stele_trace *const *traces, size_t count,
                                  const stele_request *request, const stele_intersection *spans,
                                  const consumer *to, stele_reader_stats *stats)
{
    stele_reader *reader = NULL;
    stele_debug_info *info = NULL;
    stele_status status = stele_reader_open(c->context, traces, count, request, &reader);
    if (status == STELE_OK) {
        stele_reader_get_stats(reader, stats);
        if (to->ready != NULL)
            status = to->ready(to->user, stats);
    }
    if (status == STELE_OK)
        status = open_debug_info(c, &info);
    if (status == STELE_OK) {
        c->reading->reader = reader;
        status = pull(c, reader, spans, info, to);
        stele_reader_get_stats(reader, stats);
        c->reading->reader = NULL;
    }
    stele_debug_info_free(info);
    stele_reader_close(reader);
    return status;
}

/* Applies --stream-intersection: limits the request to the time that all streams have in common.
   Errors are reported. */
static stele_status find_intersection(cli *c, stele_trace *const *traces, size_t count,
                                      stele_request *request, stele_intersection **spans)
{
    uint32_t unknown;
    stele_status status;
    status = stele_intersection_new(c->context, traces, count, spans, &unknown);
    if (status == STELE_ERR_UNSUPPORTED && unknown != UINT32_MAX) {
        cli_usage(c, "--stream-intersection: it is not known when stream %u begins and ends",
                  (unsigned)unknown);
        return STELE_ERR_ARGUMENT;
    }
    if (status == STELE_OK)
        stele_intersection_bound(*spans, request);
    return status;
}

void cli_allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

stele_status cli_read(cli *c, stele_trace *const *traces, size_t count,
                      const stele_request *request, const consumer *to, stele_reader_stats *stats)
{
    stele_reader_stats unused = STELE_INIT(stele_reader_stats);
    stele_request bounded = *request;
    stele_intersection *spans = NULL;
    reading_now now = {.reader = NULL};
    stele_status status = STELE_OK;
    cli_allow_files();
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    c->reading = &now;
    if (option_given(&c->options, OPTION_STREAM_INTERSECTION))
        status = find_intersection(c, traces, count, &bounded, &spans);
    if (stats == NULL)
        stats = &unused;
    if (status == STELE_OK) {
        if (count != 1 || !dividing_read(c, traces[0], &bounded, to, stats, &status))
            status = open_and_pull(c, traces, count, &bounded, spans, to, stats);
        if (c->binaries != NULL)
            binaries_judge(c);
    }
    c->reading = NULL;
    progress_clear(&c->progress);
    stele_intersection_free(spans);
    return status;
}

bool cli_read_for_rows(cli *c, const inputs *in, selection *selected, uint64_t kinds,
                       uint32_t columns, const consumer *to, stele_reader_stats *stats)
{
    stele_request *request = &selected->request;
    request->kinds = kinds;
    request->columns = columns;
    request->order = STELE_ORDER_TIME;
    request->names = request->categories = request->tracks = (stele_globs){.count = 0};
    request->where = NULL;
    request->from_start = true;
    if (c->binaries != NULL)
        request->field_count = 0;
    cli_check(c, cli_read(c, in->traces, in->count, request, to, stats), "reading");
    return c->worst != EXIT_USAGE && !c->is_closed;
}
