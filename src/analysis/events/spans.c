/* SPDX-License-Identifier: Apache-2.0 */
/* Makes spans from events. The calls engine says which call ends when; copies of the events that
   began them are kept until then. Spans that are not on a stack are found by a key. */
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "analysis/events/spans_state.h"
#include "core/sized.h"

/* ---- Adding of events ---- */

static bool is_after(const stele_spans *s, const stele_event *event)
{
    return event->time_ns >= s->end_ns && s->end_ns != INT64_MAX;
}

/* Takes an event in the window, and those after it that can be taken in the same run. Returns
   the next event. */
static inline const stele_event *take(stele_spans *s, const stele_event *event,
                                      const stele_event *end, uint64_t linked)
{
    s->now.event = event;
    if (!s->has_origin)
        stele_spans_set_origin(s, event->time_ns);
    if (event->time_ns > s->last_ns)
        s->last_ns = event->time_ns;
    if (s->options.timeout_ns != 0 && event->time_ns >= s->sweep_ns)
        spans_sweep(s, event->time_ns);
    if ((linked & STELE_KIND_BIT(event->kind)) == 0)
        return spans_take_calls(s, event, end);
    spans_take_operation(s);
    return event + 1;
}

stele_status spans_add_kinds(stele_spans *s, const stele_segment *segment, uint64_t kinds)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    const uint64_t linked = kinds & ~STELE_CALLS_KINDS;
    s->now.batch = segment->batch;
    while (event != end && s->status == STELE_OK) {
        if ((kinds & STELE_KIND_BIT(event->kind)) == 0 || is_after(s, event)) {
            event++;
        } else if ((event->flags & STELE_FLAG_REPEATED) != 0) {
            s->counts.repeated_count++;
            event++;
        } else {
            event = take(s, event, end, linked);
        }
    }
    if (s->status == STELE_OK && !opened_settle(&s->opened))
        s->status = STELE_ERR_MEMORY;
    if (s->status == STELE_OK)
        s->status = spans_made_flush(&s->made);
    return s->status;
}

stele_status stele_spans_add(stele_spans *s, const stele_segment *segment)
{
    const uint64_t steps = s->options.has_steps ? STELE_KIND_BIT(STELE_KIND_FLOW_STEP) : 0;
    return spans_add_kinds(s, segment, STELE_CALLS_KINDS | SPANS_KINDS_LINKED | steps);
}

stele_status spans_expire(stele_spans *s, uint32_t track, int64_t now_ns)
{
    s->now = (spans_end){NULL, NULL};
    if (s->status == STELE_OK && now_ns != INT64_MIN)
        calls_expire(s->calls, track, now_ns - 1);
    if (s->status == STELE_OK)
        s->status = spans_made_flush(&s->made);
    return s->status;
}

stele_status stele_spans_finish(stele_spans *s)
{
    const int64_t last_ns = s->end_ns != INT64_MAX ? s->end_ns : s->last_ns;
    s->now = (spans_end){NULL, NULL};
    if (s->status != STELE_OK)
        return s->status;
    s->status = stele_calls_finish(s->calls);
    spans_finish_operations(s, last_ns);
    if (s->status == STELE_OK)
        s->status = spans_made_flush(&s->made);
    s->last_ns = s->sweep_ns = INT64_MIN;
    return s->status;
}

void stele_spans_set_least(stele_spans *s, uint64_t duration_ns)
{
    s->least_ns = duration_ns;
    s->least_begin_ns = INT64_MAX;
}

void stele_spans_set_least_begin(stele_spans *s, int64_t begin_ns)
{
    s->least_begin_ns = begin_ns;
}

void stele_spans_set_origin(stele_spans *s, int64_t origin_ns)
{
    s->has_origin = true;
    if (s->only != NULL)
        filter_set_origin(s->only, origin_ns);
}

const stele_call_node *stele_spans_node(const stele_spans *s, uint32_t node)
{
    return stele_calls_node(s->calls, node);
}

stele_status stele_spans_set_window(stele_spans *s, int64_t begin_ns, int64_t end_ns)
{
    const stele_status status = stele_calls_set_window(s->calls, begin_ns, end_ns);
    s->begin_ns = begin_ns;
    s->end_ns = end_ns;
    return status;
}

void stele_spans_get_counts(const stele_spans *s, stele_span_counts *counts)
{
    const stele_call_counts *calls = stele_calls_get_counts(s->calls);
    stele_span_counts own = s->counts;
    own.overlap_count = calls->overlap_count;
    own.cut_count = calls->cut_count;
    own.carried_count += calls->carried_count;
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_span_counts, depth_max));
}

void stele_spans_report(const stele_spans *s)
{
    filter_report(s->only, &s->context->diag);
}

uint32_t stele_spans_columns(const stele_spans *s)
{
    return stele_calls_columns(s->calls) | (s->has_fields ? STELE_COLUMN_FIELDS : 0) |
           (s->only != NULL ? filter_columns(s->only) : 0);
}

static stele_status make_filter(stele_spans *s)
{
    const stele_request *given = s->options.only;
    stele_request request;
    stele_status status;
    s->has_fields = !s->options.no_fields;
    if (given == NULL)
        return STELE_OK;
    request = (stele_request){.names = given->names,
                              .categories = given->categories,
                              .tracks = given->tracks,
                              .where = given->where};
    s->kinds = given->kinds;
    s->options.only = NULL; /* the caller owns the request, which may be gone later */
    status = filter_new_spans(s->context, &request, &s->only);
    if (status == STELE_OK)
        s->has_fields = s->has_fields || (filter_columns(s->only) & STELE_COLUMN_FIELDS) != 0;
    return status;
}

static stele_status prepare(stele_spans *s, stele_context *context, stele_span_fn *fn, void *user)
{
    stele_status status;
    s->context = context;
    s->begin_ns = s->last_ns = s->sweep_ns = INT64_MIN;
    s->end_ns = s->least_begin_ns = INT64_MAX;
    if (s->options.open_max == 0)
        s->options.open_max = context->limits.open_max;
    opened_init(&s->opened, context);
    status = make_filter(s);
    if (status == STELE_OK)
        status = spans_made_init(&s->made, context, fn, user);
    if (status == STELE_OK)
        status = stele_calls_new(context,
                                 &(stele_call_options){.has_tags = true,
                                                       .has_tree = s->options.has_paths,
                                                       .depth_max = s->options.depth_max},
                                 spans_close_calls, s, &s->calls);
    return status;
}

stele_status stele_spans_new(stele_context *context, const stele_span_options *options,
                             stele_span_fn *fn, void *user, stele_spans **out)
{
    stele_spans *s = calloc(1, sizeof *s);
    stele_status status = SIZED_BEGIN(s, stele_spans, stele_span_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(s, context, fn, user);
    if (status != STELE_OK) {
        stele_spans_free(s);
        return status;
    }
    *out = s;
    return STELE_OK;
}

void stele_spans_free(stele_spans *s)
{
    if (s == NULL)
        return;
    filter_free(s->only);
    stele_calls_free(s->calls);
    opened_free(&s->opened);
    spans_made_free(&s->made);
    hash_table_free(&s->last_numbers);
    free(s->lasts);
    free(s->begun);
    free(s->open);
    free(s);
}
