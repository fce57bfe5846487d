/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an overview, reads traces into it step by step, and reports how far that has come. */
#include <stdlib.h>
#include <string.h>

#include "analysis/events/overview.h"
#include "analysis/events/overview_take.h"
#include "core/sized.h"
#include "flow/reader.h"

#define SIZE_USUAL     ((size_t)64 << 20)
#define EVENTS_AT_ONCE 65536u

/* ---- Engines and reader ---------------------------------------------------------------------- */

/* The part of a request that can be tested on a single event, and that applies to a span by its
   first event. */
static stele_request judged_by(const stele_request *given, bool has_tracks)
{
    stele_request only = {.kinds = given->kinds,
                          .names = given->names,
                          .categories = given->categories,
                          .where = given->where};
    if (has_tracks)
        only.tracks = given->tracks;
    return only;
}

static bool asks_anything(const stele_request *only)
{
    return only->kinds != 0 || only->names.count != 0 || only->categories.count != 0 ||
           only->tracks.count != 0 || only->where != NULL;
}

static stele_status make_pairings(stele_overview *o)
{
    const stele_pairing_options options = {.kinds = STELE_SPANS_KINDS};
    for (size_t i = 0; i < o->trace_count && !o->options.no_pairs; i++) {
        const stele_status status = stele_pairing_new(o->context, &options, &o->pairings[i]);
        if (status != STELE_OK)
            return status;
        if (stele_pairing_wants(o->pairings[i], o->traces[i])) {
            o->has_pairings = true;
            continue;
        }
        stele_pairing_free(o->pairings[i]);
        o->pairings[i] = NULL;
    }
    return STELE_OK;
}

static stele_status make_engines(stele_overview *o, const stele_request *only)
{
    const bool asks = asks_anything(only);
    const stele_call_options calls = {.only = asks ? only : NULL};
    const stele_span_options spans = {.no_fields = true, .only = asks ? only : NULL};
    stele_status status = stele_calls_new(o->context, &calls, overview_take_calls, o, &o->calls);
    if (status == STELE_OK)
        stele_calls_leave_self(o->calls);
    if (status == STELE_OK)
        status = stele_spans_new(o->context, &spans, overview_take_spans, o, &o->spans);
    if (status == STELE_OK && asks)
        status = filter_new(o->context, only, NULL, &o->only);
    return status;
}

static uint32_t columns_of(const stele_overview *o)
{
    uint32_t columns =
        stele_calls_columns(o->calls) | stele_spans_columns(o->spans) | STELE_COLUMN_FIELDS;
    if (o->only != NULL)
        columns |= filter_columns(o->only);
    for (size_t i = 0; i < o->trace_count; i++) {
        if (o->pairings[i] != NULL)
            columns |= stele_pairing_columns(o->pairings[i]);
    }
    return columns;
}

/* Whether all names of events are declared, and none may be that of a switch in a kernel trace: it
   can stand after a category. */
static bool has_no_switches(const stele_trace *trace)
{
    static const char name[] = "sched_switch";
    const size_t size = sizeof name - 1;
    stele_declared_event event = STELE_INIT(stele_declared_event);
    if (trace->ops->declares_names == NULL || !trace->ops->declares_names(trace))
        return false;
    for (size_t i = 0; stele_trace_declared_event(trace, i, &event); i++) {
        const stele_text of = event.name;
        if (of.size >= size && memcmp(of.bytes + of.size - size, name, size) == 0)
            return false;
    }
    return true;
}

/* The kinds of events whose fields are looked at: counters have their values there, and switches
   the threads. Switches of kernel traces are moments, and are followed in the order of time only.
 */
static uint64_t field_kinds_of(const stele_overview *o)
{
    uint64_t kinds = STELE_KIND_BIT(STELE_KIND_COUNTER) | STELE_KIND_BIT(STELE_KIND_SWITCH) |
                     STELE_KIND_BIT(STELE_KIND_WAKE);
    if (o->has_pairings ||
        (o->only != NULL && (filter_columns(o->only) & STELE_COLUMN_FIELDS) != 0))
        return 0;
    for (size_t i = 0; i < o->trace_count && !o->is_by_streams; i++) {
        if (!has_no_switches(o->traces[i]))
            kinds |= STELE_KIND_BIT(STELE_KIND_INSTANT);
    }
    return kinds;
}

static stele_order order_of(const stele_overview *o)
{
    if (o->is_by_streams)
        return STELE_ORDER_STREAMS;
    return o->options.is_early && o->trace_count == 1 ? STELE_ORDER_WINDOW : STELE_ORDER_TIME;
}

static stele_status open_reader(stele_overview *o, const stele_request *given)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_request request = {.struct_size = sizeof request,
                             .columns = columns_of(o),
                             .order = order_of(o),
                             .no_index = o->options.is_early || o->options.is_fresh,
                             .align_starts = given->align_starts,
                             .check = given->check,
                             .begin = given->begin,
                             .end = given->end,
                             .from_start = true,
                             .field_kinds = field_kinds_of(o)};
    stele_status status;
    if (!o->has_pairings)
        request.tracks = given->tracks;
    o->has_track_filter = given->tracks.count != 0;
    for (size_t i = 0; i < o->trace_count; i++) {
        if (!stele_trace_has_insns(o->traces[i]))
            continue;
        status = stele_trace_index(o->traces[i]);
        if (status != STELE_OK && status != STELE_ERR_UNSUPPORTED)
            return status;
        if (overview_has_insns(o, i))
            request.kinds = STELE_KINDS_ALL & ~OVERVIEW_KINDS_INSN;
    }
    o->switch_name = context_own_name(o->context, "sched_switch");
    if (o->switch_name == UINT32_MAX)
        o->switch_name = 0;
    status = o->is_plain && o->is_by_streams && request.kinds == 0
                 ? reader_open_making(o->context, o->traces[0], &request, &o->reader)
                 : stele_reader_open(o->context, o->traces, o->trace_count, &request, &o->reader);
    if (status != STELE_OK)
        return status;
    stele_reader_get_stats(o->reader, &stats);
    o->range_begin_ns = stats.range_begin_ns;
    o->range_end_ns = stats.range_end_ns;
    if (stats.has_begin && o->only != NULL)
        filter_set_origin(o->only, stats.begin_ns);
    if (stats.has_begin)
        stele_spans_set_origin(o->spans, stats.begin_ns);
    status = stele_calls_set_window(o->calls, o->range_begin_ns, o->range_end_ns);
    if (status == STELE_OK)
        status = stele_spans_set_window(o->spans, o->range_begin_ns, o->range_end_ns);
    return status;
}

static stele_status open_all(stele_overview *o)
{
    static const stele_request everything;
    const stele_request *given = o->options.request != NULL ? o->options.request : &everything;
    stele_request only;
    stele_status status = make_pairings(o);
    o->trace_now = stele_trace_get_info(o->traces[0])->number;
    only = judged_by(given, o->has_pairings);
    if (status == STELE_OK)
        status = make_engines(o, &only);
    /* With pairs or several traces, events must come in the order of time; otherwise streams may
       be read one after another. */
    o->is_by_streams = o->options.is_fresh && o->trace_count == 1 && !o->has_pairings;
    if (status == STELE_OK)
        status = overview_begin_insns(o);
    if (status == STELE_OK && !o->is_insns_first)
        status = open_reader(o, given);
    for (size_t i = 0; i < o->trace_count && status == STELE_OK; i++) {
        if (overview_track_node(o, stele_trace_get_info(o->traces[i])->number, 0) == 0)
            status = o->status;
    }
    o->options.request = NULL; /* the caller owns the request, which may be gone later */
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Takes a step of reading instructions, after which the events are read. */
static void step_insns_first(stele_overview *o, uint64_t insn_max)
{
    static const stele_request everything;
    if (overview_step_insns(o, insn_max) || o->status != STELE_OK)
        return;
    o->is_insns_first = false;
    overview_keep_status(o, open_reader(o, &everything));
}

stele_status stele_overview_step(stele_overview *o, uint64_t event_max)
{
    uint64_t taken = 0;
    if (o->status != STELE_OK)
        return o->status;
    overview_begin_findings(o);
    if (o->is_insns_first)
        step_insns_first(o, event_max);
    else if (o->is_read && !overview_step_insns(o, event_max))
        overview_finish(o);
    while (!o->is_insns_first && !o->is_read && o->status == STELE_OK &&
           (taken == 0 || taken < event_max)) {
        const stele_segment *segments;
        size_t count;
        const stele_status status = stele_reader_next_segments(o->reader, &segments, &count);
        if (status == STELE_END) {
            o->is_read = true;
            break;
        }
        overview_keep_status(o, status);
        for (size_t i = 0; status == STELE_OK && i < count; i++)
            taken += segments[i].count;
        if (o->status == STELE_OK)
            overview_take(o, segments, count);
    }
    overview_end_findings(o);
    return o->status;
}

stele_status stele_overview_build(stele_overview *o)
{
    stele_status status = o->status;
    while (status == STELE_OK)
        status = stele_overview_step(o, EVENTS_AT_ONCE);
    return status == STELE_END ? STELE_OK : status;
}

void stele_overview_get_state(const stele_overview *o, stele_overview_state *state)
{
    stele_overview_state own = o->state;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_overview_get_stats(o, &stats);
    if (o->is_by_streams && !own.is_complete)
        own.known_ns = INT64_MIN;
    own.byte_count = stats.byte_count;
    own.byte_total = stats.byte_total;
    own.entry_size = overview_store_size(&o->store, &own.spilled_size);
    for (uint32_t i = 1; i < o->node_count; i++)
        own.entry_count += overview_node_entries(&o->nodes[i]);
    sized_give(state, &own, sizeof own, SIZED_FIRST(stele_overview_state, insn_count));
}

void stele_overview_get_stats(const stele_overview *o, stele_reader_stats *stats)
{
    stele_reader_stats own = o->stats;
    if (o->reader != NULL) {
        own = (stele_reader_stats)STELE_INIT(stele_reader_stats);
        stele_reader_get_stats(o->reader, &own);
    }
    overview_scale_bytes(o, &own);
    sized_give(stats, &own, sizeof own, SIZED_FIRST(stele_reader_stats, byte_total));
}

/* ---- Opening --------------------------------------------------------------------------------- */

stele_status overview_new(stele_context *context, stele_trace *const *traces, size_t count,
                          stele_overview **out)
{
    stele_overview *o = *out = calloc(1, sizeof *o);
    if (o == NULL)
        return STELE_ERR_MEMORY;
    o->context = context;
    o->state.known_ns = INT64_MIN;
    o->options.depth_max = OVERVIEW_DEPTH_USUAL;
    overview_store_init(&o->store, context, SIZE_USUAL);
    o->traces = calloc(count, sizeof *o->traces);
    o->pairings = calloc(count, sizeof *o->pairings);
    o->walk = calloc(1, sizeof *o->walk);
    if (o->traces == NULL || o->pairings == NULL || o->walk == NULL)
        return STELE_ERR_MEMORY;
    memcpy(o->traces, traces, count * sizeof *traces);
    o->trace_count = count;
    return STELE_OK;
}

/* Takes the overview from the index file of the trace, or begins to read the traces. */
static stele_status open_new(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_overview_options *given, bool is_fresh,
                             stele_overview **out)
{
    stele_overview *o;
    stele_status status = overview_new(context, traces, count, out);
    if (status != STELE_OK)
        return status;
    o = *out;
    o->options = *given;
    if (given->depth_max == 0)
        o->options.depth_max = OVERVIEW_DEPTH_USUAL;
    if (given->size_max != 0)
        overview_store_init(&o->store, context, given->size_max);
    o->is_plain = overview_is_plain(o, given->request);
    if (o->is_plain && !is_fresh && overview_take_kept(o, &status))
        return STELE_OK;
    if (status != STELE_OK)
        return status;
    status = output_open_memory(&context->diag, &o->findings);
    if (status != STELE_OK)
        return status;
    overview_begin_findings(o);
    status = open_all(o);
    overview_end_findings(o);
    return status;
}

stele_status stele_overview_open(stele_context *context, stele_trace *const *traces, size_t count,
                                 const stele_overview_options *options, stele_overview **out)
{
    stele_overview_options given;
    stele_status status = STELE_ERR_ARGUMENT;
    *out = NULL;
    if (count == 0 ||
        !sized_take(&given, sizeof given, SIZED_FIRST(stele_overview_options, size_max), options))
        return status;
    status = open_new(context, traces, count, &given, given.is_fresh, out);
    if (status == STELE_ERR_FORMAT && *out != NULL && (*out)->kept != NULL) {
        stele_overview_close(*out);
        status = open_new(context, traces, count, &given, true, out);
    }
    if (status != STELE_OK) {
        stele_overview_close(*out);
        *out = NULL;
    }
    return status;
}

void stele_overview_close(stele_overview *o)
{
    if (o == NULL)
        return;
    stele_reader_close(o->reader);
    stele_insn_reader_free(o->insns);
    stele_calls_free(o->calls);
    stele_spans_free(o->spans);
    stele_sched_free(o->sched);
    filter_free(o->only);
    for (size_t i = 0; i < o->trace_count; i++)
        stele_pairing_free(o->pairings[i]);
    for (uint32_t i = 1; i < o->node_count; i++)
        overview_node_free(&o->nodes[i]);
    hash_table_free(&o->numbers);
    hash_table_free(&o->counter_numbers);
    free(o->counters);
    overview_store_free(&o->store);
    input_close(o->kept);
    output_close(o->findings);
    free(o->kept_findings);
    stele_output_close(o->title);
    free(o->traces);
    free((void *)o->pairings);
    free(o->nodes);
    free(o->track_nodes);
    free(o->sched_names);
    free(o->places);
    free(o->walk);
    free(o->edges);
    free(o);
}
