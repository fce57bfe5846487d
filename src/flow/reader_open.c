/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a reader of several traces: makes one flow of segments from a request.
 *
 *     producers --shift, filter--> --order--> one flow a stream --merge--> segments
 *
 * A trace whose streams can be read separately is read so: ordering then needs little memory, since
 * each stream is nearly in order. Otherwise one producer reads all of it in the order of the
 * records.
 */
#include <stdlib.h>
#include <string.h>

#include "core/saturate.h"
#include "core/sized.h"
#include "flow/divide.h"
#include "flow/narrow.h"
#include "flow/peek.h"
#include "flow/reader.h"
#include "flow/relate.h"
#include "flow/request.h"
#include "flow/seek.h"
#include "model/batch.h"

/* Streams that are read separately, over all traces: each may be a file, of which a process may
  have 1,024 open by default. */
#define STREAMS_MAX 1000u
/* Up to so many streams get full batches, and more memory than their windows need. */
#define STREAMS_FEW 16u
/* Capacity of batches in events, if there are more than STREAMS_FEW streams. */
#define BATCH_SMALL 64u
/* Capacity where streams are read in turn: events of many streams are sorted together. */
#define BATCH_LARGE     16384u
#define WINDOW_SMALLEST ((size_t)16 << 10)
/* Events that a window holds of a trace that was not indexed. */
#define EARLY_EVENTS (512u << 10)
/* More streams than these are read one after the other where the range is short. */
#define STREAMS_IN_TURN 64u
#define ORDER_SMALLEST  ((size_t)64 << 10)

/* What is only needed while a reader is opened. */
typedef struct opening {
    stele_reader *reader;
    stele_request request; /* copy of the request with defaults filled in */
    related *related;      /* one element for each reading */
    filter_range range;
    flow **flows; /* flows of all readings, in their order */
    size_t flow_count, flow_total;
    /* The part of the request is one of trace_ops.has_parts: it needs no index. */
    bool is_unindexed_part;
    bool makes_blocks; /* see reader_open_making() */
} opening;

/* ---- Indexing ---- */

/* The index of the next reading whose trace is to be indexed: no other one of its format goes
   before. */
static size_t next_to_index(const stele_reader *reader)
{
    size_t next = reader->trace_count;
    for (size_t i = 0; i < reader->trace_count; i++) {
        const stele_trace *a = reader->readings[i].trace;
        const stele_trace *b = next < reader->trace_count ? reader->readings[next].trace : NULL;
        if (!reader->readings[i].is_looked_at &&
            (b == NULL ||
             (a->ops == b->ops && a->ops->goes_before != NULL && a->ops->goes_before(a, b))))
            next = i;
    }
    return next;
}

/* Whether the streams of a trace are known, and it can be read stream by stream. */
static bool knows_streams(const stele_trace *trace)
{
    return trace->is_indexed || trace->has_streams;
}

/* Whether the request can do without the times of streams. */
static bool needs_no_times(const opening *o)
{
    const size_t count = o->reader->trace_count;
    return o->request.part_count <= 1 && !request_needs_clock(&o->request, count) &&
           !request_needs_begin(&o->request, count) && !request_needs_end(&o->request) &&
           o->request.begin.kind == STELE_BOUND_NONE && o->request.end.kind == STELE_BOUND_NONE;
}

/* Indexes a trace, or, if the request can do without reading all of it for that, only loads a saved
   index, or finds its streams. */
static stele_status index_one(const opening *o, stele_trace *trace)
{
    const bool is_left = o->request.no_index && o->request.order == STELE_ORDER_WINDOW &&
                         trace->ops->is_nearly_ordered && source_input(trace->source) != NULL;
    if (o->request.no_index && trace->ops->find_streams != NULL && needs_no_times(o))
        return trace_find_streams(trace);
    return is_left ? trace_load_index(trace) : trace_index(trace);
}

/* Indexes the traces that can be read more than once, if the request needs it. */
static stele_status index_traces(opening *o)
{
    const stele_request *request = &o->request;
    const size_t count = o->reader->trace_count;
    stele_status status = STELE_OK;
    if ((request->part_count <= 1 || o->is_unindexed_part) && request->order == STELE_ORDER_NONE &&
        !request_needs_clock(request, count) && !request_needs_begin(request, count) &&
        !request_needs_end(request))
        return STELE_OK;
    for (size_t done = 0; done < count && status == STELE_OK; done++) {
        const size_t i = next_to_index(o->reader);
        reading *r = &o->reader->readings[i];
        const input *in = source_input(r->trace->source);
        r->is_looked_at = true;
        if (!r->trace->info.is_seekable)
            continue;
        status = index_one(o, r->trace);
        if (status == STELE_OK && request_needs_end(request))
            status = trace_find_ends(r->trace);
        r->stored_from = in != NULL ? in->stored_at : 0;
        related_learn_index(&o->related[i]);
    }
    return status;
}

/* How late an event of the stream can be, in ns; INT64_MAX: not known. */
static int64_t stream_lateness(const stele_stream *stream, const stele_request *request)
{
    if (request->order_by_end || request->order == STELE_ORDER_FULL)
        return INT64_MAX;
    if (stream->is_ordered)
        return 0;
    return stream->has_lateness ? stream->lateness_ns : INT64_MAX;
}

/* Whether windows over the streams, one each, need little memory. If events are spread evenly, a
   stream holds the share of itself that its lateness is of its range; an event in memory takes
   about twice the bytes of its record. */
static bool streams_fit(const stele_trace *trace, const stele_request *request)
{
    double part_max = 0;
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        const stele_stream *stream = stele_stream_get(trace->context, trace->stream_first + i);
        const int64_t lateness_ns = stream_lateness(stream, request);
        const double range_ns = (double)stream->end_ns - (double)stream->begin_ns + 1;
        if (lateness_ns == INT64_MAX)
            return false;
        if ((double)lateness_ns / range_ns > part_max)
            part_max = (double)lateness_ns / range_ns;
    }
    return part_max == 0 ||
           (trace->info.has_size && part_max * 2 * (double)trace->info.size <=
                                        (double)trace->context->limits.sort_size_max / 2);
}

/* Chooses what the requested part of a single trace is: some of its streams, or a range of
   places. */
static void plan_part(opening *o)
{
    reading *r = &o->reader->readings[0];
    const stele_trace *trace = r->trace;
    const uint32_t part = o->request.part, part_count = o->request.part_count;
    const uint64_t streams = trace->is_indexed ? trace->stream_count : 0;
    o->reader->is_part = true;
    r->flow_count = 1;
    if (o->is_unindexed_part) {
        o->flow_total = 1;
        return;
    }
    if (streams > 1) {
        r->flow_first = (uint32_t)(streams * part / part_count);
        r->flow_count = (uint32_t)(streams * (part + 1) / part_count) - r->flow_first;
    } else if (trace->ops->cut == NULL ||
               !trace->ops->cut(trace, part, part_count, &r->begin_place, &r->end_place)) {
        r->flow_count = part == 0;
    }
    o->flow_total = r->flow_count;
}

static bool make_flows(opening *o)
{
    o->flows = calloc(o->flow_total + 1, sizeof *o->flows);
    o->reader->producers = calloc(o->flow_total + 1, sizeof *o->reader->producers);
    return o->flows != NULL && o->reader->producers != NULL;
}

/* The number of streams of a trace that are asked for, if it is read stream by stream. */
static uint32_t wanted_streams(const opening *o, const stele_trace *trace)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->stream_count; i++)
        count += request_wants_stream(&o->request, trace->stream_first + i);
    return count;
}

/* Decides which traces are read stream by stream. Returns false if out of memory. */
static bool plan_flows(opening *o)
{
    stele_reader *reader = o->reader;
    uint64_t stream_count = 0;
    if (o->request.part_count > 1) {
        plan_part(o);
        return make_flows(o);
    }
    for (size_t i = 0; i < reader->trace_count; i++) {
        const stele_trace *trace = reader->readings[i].trace;
        stream_count += knows_streams(trace) ? wanted_streams(o, trace) : 1;
    }
    for (size_t i = 0; i < reader->trace_count; i++) {
        reading *r = &reader->readings[i];
        r->flow_count = 1;
        if (o->request.order != STELE_ORDER_NONE && knows_streams(r->trace) &&
            r->trace->stream_count != 0 && stream_count <= STREAMS_MAX &&
            (stream_count <= STREAMS_FEW || streams_fit(r->trace, &o->request)))
            r->flow_count = r->trace->stream_count;
        o->flow_total += r->flow_count > 1 ? wanted_streams(o, r->trace) : 1;
    }
    return make_flows(o);
}

/* ---- Producers of the traces ---- */

/* Converts a time of the common scale to the trace's own; open ends stay open. */
static int64_t own_time(const related *r, int64_t time_ns)
{
    return time_ns == INT64_MIN || time_ns == INT64_MAX ? time_ns : related_own_time(r, time_ns);
}

/* Converts a bound to the trace's own scale. With a drift `slack_ns` is added, since producers may
   deliver more than the range, never less. */
static int64_t own_bound(const related *r, int64_t time_ns, int64_t slack_ns)
{
    const int64_t own_ns = own_time(r, time_ns);
    return r->drift == 0 || own_ns == INT64_MIN || own_ns == INT64_MAX
               ? own_ns
               : add_saturated(own_ns, slack_ns);
}

/* The time, on the trace's own scale, before which only events that begin open calls are needed;
   INT64_MIN: all are needed. Moments may turn out to be pairs, so traces with moments need all. */
static int64_t open_time(const opening *o, size_t index)
{
    const bool is_enough = o->request.from_start && o->request.open_only &&
                           !o->reader->readings[index].trace->ops->has_moments;
    return is_enough ? own_time(&o->related[index], o->reader->stats.range_begin_ns) : INT64_MIN;
}

static stele_status produce(opening *o, size_t index, uint32_t stream, producer **out)
{
    stele_reader *reader = o->reader;
    stele_trace *trace = reader->readings[index].trace;
    const size_t window_size = reader->context->limits.window_size;
    produce_request request = {.stream = stream,
                               .columns = o->request.columns,
                               .kinds = o->request.kinds,
                               .check = o->request.check,
                               .begin_ns = own_bound(&o->related[index], o->range.begin_ns, -2),
                               .end_ns = own_bound(&o->related[index], o->range.end_ns, 2),
                               .begin_ticks = o->range.begin_ticks,
                               .screen = reader->screen,
                               .fields = reader->fields.count != 0 ? &reader->fields : NULL,
                               .window_size = window_size,
                               .begin_place = reader->readings[index].begin_place,
                               .end_place = reader->readings[index].end_place};
    if (o->is_unindexed_part) {
        request.part = o->request.part;
        request.part_count = o->request.part_count;
    }
    stele_status status;
    if (o->flow_total > STREAMS_FEW) {
        request.window_size = window_size * STREAMS_FEW / o->flow_total;
        if (request.window_size < WINDOW_SMALLEST)
            request.window_size = WINDOW_SMALLEST;
    }
    if (trace->is_consumed) {
        diag_report(&reader->context->diag, &core_codes[STE009], trace->info.path, STELE_NO_OFFSET,
                    0, "an input that can be read more than once",
                    "another reading of one that is read from front to back");
        return STELE_ERR_UNSUPPORTED;
    }
    status = trace->ops->produce(trace, &request, out);
    if (status == STELE_OK)
        status = producer_seek(trace, &request, open_time(o, index), *out, out);
    if (status == STELE_OK && o->makes_blocks)
        status = producer_make_blocks(&reader->making, stream, *out, out);
    if (status == STELE_OK) {
        trace->is_consumed = !trace->info.is_seekable;
        reader->producers[reader->producer_count++] = *out;
        reader->may_wait |= stream == PRODUCE_ALL;
    }
    return status;
}

/* Reads the first events of traces without an index, if the request needs to know their clock or
   begin. */
static stele_status peek_traces(opening *o)
{
    const size_t count = o->reader->trace_count;
    if (!request_needs_clock(&o->request, count) && !request_needs_begin(&o->request, count))
        return STELE_OK;
    for (size_t i = 0; i < count; i++) {
        reading *r = &o->reader->readings[i];
        const stele_batch *first;
        producer *from;
        stele_status status;
        if (r->trace->is_indexed)
            continue;
        status = produce(o, i, PRODUCE_ALL, &from);
        if (status == STELE_OK)
            status = producer_peek(from, &first, &r->peeked);
        if (status != STELE_OK)
            return status;
        if (first != NULL)
            related_learn_batch(&o->related[i], first);
    }
    return STELE_OK;
}

/* ---- Flows of the traces ---- */

/* The lateness on the common scale, from that on the trace's own. */
static int64_t late_after_drift(const related *r, int64_t lateness_ns)
{
    return r->drift == 0 || lateness_ns <= 0 || lateness_ns == INT64_MAX
               ? lateness_ns
               : add_saturated(time_drift(lateness_ns, r->drift > 0 ? r->drift : 0, 0), 2);
}

static stele_status open_flow(opening *o, size_t index, uint32_t stream, int64_t lateness_ns)
{
    stele_reader *reader = o->reader;
    reading *r = &reader->readings[index];
    order_options options = {.by_end = o->request.order_by_end,
                             .lateness_ns = late_after_drift(&o->related[index], lateness_ns),
                             .size_max = reader->context->limits.sort_size_max / o->flow_total,
                             .hold_ms = request_hold_ms(&o->request, r->trace),
                             .events_max = o->request.no_index ? EARLY_EVENTS : 0,
                             .stats = &reader->order,
                             .context = reader->context};
    flow **out = &o->flows[o->flow_count];
    producer *from = r->peeked;
    stele_status status = STELE_OK;
    r->peeked = NULL;
    if (from == NULL)
        status = produce(o, index, stream, &from);
    if (status == STELE_OK)
        status = producer_select(from,
                                 &(selection_of){.shift_ns = o->related[index].shift_ns,
                                                 .offset_ns = o->related[index].offset_ns,
                                                 .drift = o->related[index].drift,
                                                 .drift_from_ns = o->related[index].drift_from_ns,
                                                 .filter = reader->filter,
                                                 .pieces = reader->pieces,
                                                 .index = index,
                                                 .filtered_count = &reader->stats.filtered_count,
                                                 .begin_place = r->begin_place,
                                                 .end_place = r->end_place},
                                 &from);
    if (status != STELE_OK)
        return status;
    if (options.size_max < ORDER_SMALLEST && reader->context->limits.sort_size_max > ORDER_SMALLEST)
        options.size_max = ORDER_SMALLEST;
    if (o->flow_total > STREAMS_FEW && stream != PRODUCE_ALL)
        options.batch_events = BATCH_SMALL;
    if (r->is_in_turn)
        options.batch_events = BATCH_LARGE;
    if (o->request.order == STELE_ORDER_WINDOW && o->request.window_ns > 0 &&
        o->request.window_ns < options.lateness_ns)
        options.lateness_ns = o->request.window_ns;
    if (o->request.order == STELE_ORDER_NONE)
        status = flow_plain(from, out);
    else if (o->request.order == STELE_ORDER_WINDOW)
        status = flow_window(from, &options, out);
    else
        status = flow_sort(from, &options, out);
    o->flow_count += status == STELE_OK;
    return status;
}

/* Merges the flows of a trace, which are those from `first` on, if the order requires it. */
static stele_status join_trace_flows(opening *o, const stele_trace *trace, size_t first)
{
    const size_t count = o->flow_count - first;
    flow *merged;
    stele_status status;
    if (o->request.order != STELE_ORDER_STREAMS || count < 2 || divide_by_threads(trace))
        return STELE_OK;
    o->flow_count = first; /* flow_merge() owns them */
    status = flow_merge(&o->flows[first], count, o->request.order_by_end, &merged);
    if (status == STELE_OK)
        o->flows[o->flow_count++] = merged;
    return status;
}

/* Makes the flows of one trace: one for each stream, or one for all, with any disorder between
   streams. */
static stele_status open_trace_flows(opening *o, size_t index)
{
    const reading *r = &o->reader->readings[index];
    const stele_trace *trace = r->trace;
    const size_t first = o->flow_count;
    stele_status status = STELE_OK;
    if (r->flow_count == 1 && r->flow_first == 0 &&
        (o->is_unindexed_part || !(o->reader->is_part && trace->stream_count > 1))) {
        const bool is_stream = o->request.order != STELE_ORDER_NONE && knows_streams(trace) &&
                               trace->stream_count == 1;
        return open_flow(
            o, index, is_stream ? trace->stream_first : PRODUCE_ALL,
            is_stream ? stream_lateness(stele_stream_get(trace->context, trace->stream_first),
                                        &o->request)
                      : INT64_MAX);
    }
    for (uint32_t i = 0; i < r->flow_count && status == STELE_OK; i++) {
        const uint32_t stream = trace->stream_first + r->flow_first + i;
        if (!request_wants_stream(&o->request, stream))
            continue;
        status = open_flow(o, index, stream,
                           stream_lateness(stele_stream_get(trace->context, stream), &o->request));
    }
    return status == STELE_OK ? join_trace_flows(o, trace, first) : status;
}

/* Makes one flow of all flows. */
static stele_status join_flows(opening *o)
{
    const size_t count = o->flow_count;
    o->flow_count = 0; /* the flow that is made owns the flows */
    if (o->request.order == STELE_ORDER_NONE || o->request.order == STELE_ORDER_STREAMS)
        return flow_concat(o->flows, count, &o->reader->flow);
    return flow_merge(o->flows, count, o->request.order_by_end, &o->reader->flow);
}

/* The end of the last event of all traces; INT64_MAX if it is not known. */
static int64_t last_end(const opening *o)
{
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < o->reader->trace_count; i++) {
        const stele_trace *trace = o->reader->readings[i].trace;
        if (!trace->is_indexed || trace->stream_count == 0)
            return INT64_MAX;
        for (uint32_t k = 0; k < trace->stream_count; k++) {
            const stele_stream *stream = stele_stream_get(trace->context, trace->stream_first + k);
            const int64_t end_ns = related_common_time(&o->related[i], stream->end_ns);
            if (!stream->has_range)
                return INT64_MAX;
            if (end_ns > last_ns)
                last_ns = end_ns;
        }
    }
    return last_ns;
}

/* Sets the range in the statistics, and opens its begin if events before it are wanted, too. An end
   after the last event is an open one: what ends with that event is not cut. */
static void range_tell(opening *o)
{
    stele_reader_stats *stats = &o->reader->stats;
    const int64_t last_ns = o->range.end_ns != INT64_MAX ? last_end(o) : INT64_MAX;
    stats->range_begin_ns = o->range.begin_ns;
    stats->range_end_ns =
        last_ns != INT64_MAX && o->range.end_ns > last_ns ? INT64_MAX : o->range.end_ns;
    if (o->request.from_start)
        o->range.begin_ns = INT64_MIN;
}

/* Has traces with many streams read one stream after the other where the range is short. */
static void narrow_flows(opening *o)
{
    const stele_request *request = &o->request;
    for (size_t i = 0; i < o->reader->trace_count; i++) {
        reading *r = &o->reader->readings[i];
        const stele_trace *trace = r->trace;
        if (request->order == STELE_ORDER_TIME && !request->check && request->part_count <= 1 &&
            trace->ops->reads_in_turn && r->flow_count > STREAMS_IN_TURN &&
            wanted_streams(o, trace) == r->flow_count &&
            narrow_is_range(trace, own_time(&o->related[i], o->range.begin_ns),
                            own_time(&o->related[i], o->range.end_ns),
                            o->reader->context->limits.sort_size_max)) {
            o->flow_total -= r->flow_count - 1;
            r->flow_count = 1;
            r->is_in_turn = true;
        }
    }
}

/* Sets which events need fields: where all bytes are checked, all do. */
static void choose_screen(opening *o)
{
    const stele_request *request = &o->request;
    stele_reader *reader = o->reader;
    if (reader->filter == NULL || request->check)
        return;
    reader->screen = filter_screen(reader->filter);
    if (request->field_kinds != 0 && request->where == NULL && reader->pieces == NULL)
        reader->screen = kind_screen_begin(&reader->kinds, request->field_kinds, reader->screen);
}

static stele_status open_flows(opening *o)
{
    stele_reader *reader = o->reader;
    stele_status status = request_complete(reader->context, &o->request);
    if (status == STELE_OK)
        status = index_traces(o);
    if (status == STELE_OK && !plan_flows(o))
        status = STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = peek_traces(o);
    if (status == STELE_OK)
        status = relate(reader->context, o->related, reader->trace_count, &o->request);
    if (status == STELE_OK)
        status =
            relate_bounds(reader->context, o->related, reader->trace_count, &o->request, &o->range);
    range_tell(o);
    if (status == STELE_OK)
        narrow_flows(o);
    if (status == STELE_OK)
        status = pieces_new(reader->context, o->related, reader->trace_count, &reader->pieces);
    if (reader->pieces != NULL)
        o->request.columns |= PIECES_COLUMNS;
    if (status == STELE_OK)
        status = filter_new(reader->context, &o->request, &o->range, &reader->filter);
    choose_screen(o);
    reader->is_bounded = reader->is_part || o->range.begin_ns != INT64_MIN ||
                         o->range.end_ns != INT64_MAX || o->range.begin_ticks != 0 ||
                         o->range.end_ticks != UINT64_MAX;
    reader->stats.has_begin =
        relate_begin(o->related, reader->trace_count, &reader->stats.begin_ns);
    if (status == STELE_OK && reader->stats.has_begin)
        filter_set_origin(reader->filter, reader->stats.begin_ns);
    if (o->makes_blocks)
        seek_making_begin(&reader->making, reader->readings[0].trace);
    for (size_t i = 0; i < reader->trace_count && status == STELE_OK; i++)
        status = open_trace_flows(o, i);
    return status == STELE_OK ? join_flows(o) : status;
}

static void opening_end(opening *o)
{
    for (size_t i = 0; i < o->flow_count; i++)
        flow_close(o->flows[i]);
    free(o->flows);
    free(o->related);
}

/* ---- The reader as a whole ---- */

static stele_reader *reader_new(stele_context *context, stele_trace *const *traces, size_t count,
                                related *known)
{
    stele_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->context = context;
    reader->readings = calloc(count + 1, sizeof *reader->readings);
    if (reader->readings == NULL) {
        free(reader);
        return NULL;
    }
    reader->trace_count = count;
    for (size_t i = 0; i < count; i++) {
        reader->readings[i].trace = known[i].trace = traces[i];
        reader->is_followed |= traces[i]->options.is_followed;
    }
    return reader;
}

/* Copies the names of the fields that are wanted, if others can be left out. Returns false if out
   of memory. */
static bool fields_take(stele_reader *reader, const stele_request *request)
{
    field_names *fields = &reader->fields;
    if (request->field_count == 0 || request->where != NULL || request->check)
        return true;
    fields->names = calloc(request->field_count, sizeof *fields->names);
    for (size_t i = 0; fields->names != NULL && i < request->field_count; i++) {
        fields->names[fields->count] = strdup(request->fields[i]);
        if (fields->names[fields->count] == NULL)
            return false;
        fields->count++;
    }
    return fields->names != NULL;
}

static stele_status reader_make(stele_context *context, stele_trace *const *traces, size_t count,
                                const stele_request *request, bool is_unindexed_part,
                                bool makes_blocks, stele_reader **out)
{
    opening o = {.range = {INT64_MIN, INT64_MAX, 0, UINT64_MAX},
                 .is_unindexed_part = is_unindexed_part,
                 .makes_blocks = makes_blocks};
    stele_status status = STELE_ERR_MEMORY;
    *out = NULL;
    if (!sized_take(&o.request, sizeof o.request, SIZED_FIRST(stele_request, where), request) ||
        !request_check(context, traces, count, &o.request) ||
        (o.request.part_count > 1 && !divide_is_possible(count, &o.request)))
        return STELE_ERR_ARGUMENT;
    diag_forget(&context->diag);
    o.related = calloc(count + 1, sizeof *o.related);
    if (o.related != NULL)
        o.reader = reader_new(context, traces, count, o.related);
    if (o.reader != NULL && fields_take(o.reader, &o.request))
        status = open_flows(&o);
    opening_end(&o);
    if (status != STELE_OK) {
        stele_reader_close(o.reader);
        return status == STELE_ERR_MEMORY ? context_lacks_memory(context, NULL) : status;
    }
    *out = o.reader;
    return STELE_OK;
}

stele_status stele_reader_open(stele_context *context, stele_trace *const *traces, size_t count,
                               const stele_request *request, stele_reader **out)
{
    return reader_make(context, traces, count, request, false, false, out);
}

stele_status reader_open_part(stele_context *context, stele_trace *trace,
                              const stele_request *request, uint32_t part, uint32_t part_count,
                              stele_reader **out)
{
    stele_request of_part = *request;
    of_part.part = part;
    of_part.part_count = part_count;
    return reader_make(context, &trace, 1, &of_part, true, false, out);
}

stele_status reader_open_making(stele_context *context, stele_trace *trace,
                                const stele_request *request, stele_reader **out)
{
    return reader_make(context, &trace, 1, request, false, true, out);
}
