/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/relate.h"

#include <inttypes.h>

#include "core/saturate.h"
#include "model/batch.h"

/* ---- What a request needs to know ---- */

static bool request_has_bound(const stele_request *request, stele_bound_kind kind)
{
    return request->begin.kind == kind || request->end.kind == kind;
}

bool request_needs_clock(const stele_request *request, size_t trace_count)
{
    return trace_count > 1 || request_has_bound(request, STELE_BOUND_WALL);
}

bool request_needs_begin(const stele_request *request, size_t trace_count)
{
    return (trace_count > 0 && request->align_starts) ||
           request_has_bound(request, STELE_BOUND_START);
}

bool request_needs_end(const stele_request *request)
{
    return request_has_bound(request, STELE_BOUND_END);
}

static void related_learn_clock(related *r, const stele_clock *clock)
{
    if (r->has_clock && (r->clock.domain != STELE_CLOCK_NONE || clock->domain == STELE_CLOCK_NONE))
        return;
    r->has_clock = true;
    r->clock = *clock;
}

void related_learn_index(related *r)
{
    for (uint32_t i = 0; i < r->trace->stream_count; i++) {
        const stele_stream *stream =
            stele_stream_get(r->trace->context, r->trace->stream_first + i);
        related_learn_clock(r, &stream->clock);
        if (!stream->has_range)
            continue;
        if (!r->has_begin || stream->begin_ns < r->begin_ns)
            r->begin_ns = stream->begin_ns;
        if (!r->has_end || stream->end_ns > r->end_ns)
            r->end_ns = stream->end_ns;
        r->has_begin = r->has_end = true;
    }
}

void related_learn_batch(related *r, const stele_batch *batch)
{
    const stele_stream *stream = stele_stream_get(r->trace->context, batch->stream);
    const stele_event *event = batch->events;
    if (stream != NULL)
        related_learn_clock(r, &stream->clock);
    while ((event->flags & STELE_FLAG_NO_TIME) && event < batch->events + batch->event_count - 1)
        event++;
    r->has_begin = true;
    r->begin_ns = event->time_ns;
}

/* ---- The common scale of time ---- */

static bool has_same_identity(const stele_clock *a, const stele_clock *b)
{
    return (a->identity[0] | a->identity[1]) != 0 && a->identity[0] == b->identity[0] &&
           a->identity[1] == b->identity[1];
}

bool related_share_clock(const related *a, const related *b)
{
    const stele_clock *first = &a->clock, *second = &b->clock;
    if (!a->has_clock || !b->has_clock || first->domain != second->domain)
        return false;
    return has_same_identity(first, second) ||
           (first->has_wall && second->has_wall && first->wall_ns == second->wall_ns &&
            first->frequency_hz == second->frequency_hz && first->base_ticks == second->base_ticks);
}

/* What the clocks of several traces have in common. */
typedef struct relation {
    const related *first;
    bool is_same; /* all are one clock */
    bool is_wall; /* all know the wall-clock time */
} relation;

static void relation_add(relation *some, const related *r)
{
    if (some->first == NULL)
        *some = (relation){r, true, true};
    else
        some->is_same = some->is_same && related_share_clock(some->first, r);
    some->is_wall = some->is_wall && r->clock.has_wall;
}

static const char *clock_text(stele_clock_domain domain)
{
    static const char *const domains[] = {"without times", "in nanoseconds", "in ticks",
                                          "in instructions"};
    return domains[domain];
}

/* The unit after a number. */
static const char *unit_text(stele_clock_domain domain)
{
    return domain == STELE_CLOCK_INSNS   ? "instructions"
           : domain == STELE_CLOCK_TICKS ? "ticks"
                                         : "ns";
}

static const char *origin_text(const related *r)
{
    return r->clock.has_wall ? "with wall-clock time" : "from an unknown moment";
}

static stele_status refuse(stele_context *context, const related *r, const related *other,
                           const char *expected)
{
    diag_report(&context->diag, &core_codes[STE008], r->trace->info.path, STELE_NO_OFFSET, 0,
                expected, "times %s %s; those of '%s' are %s %s", clock_text(r->clock.domain),
                origin_text(r), other->trace->info.path, clock_text(other->clock.domain),
                origin_text(other));
    return STELE_ERR_CLOCKS;
}

/* Reports that a trace cannot be shifted by seconds, since its clock counts something else. */
static stele_status refuse_shift(stele_context *context, const related *r)
{
    diag_report(&context->diag, &core_codes[STE008], r->trace->info.path, STELE_NO_OFFSET, 0,
                "a clock in nanoseconds, to shift its times", "a clock %s",
                clock_text(r->clock.domain));
    return STELE_ERR_CLOCKS;
}

/* Returns the last trace whose clock has no known relation to that of `first`. */
static const related *find_unrelated(const related *traces, size_t count, const related *first)
{
    for (size_t i = count; i-- > 0;) {
        const related *r = &traces[i];
        if (r->has_clock && r != first && !r->trace->options.has_shift &&
            !(r->clock.has_wall && first->clock.has_wall))
            return r;
    }
    return first;
}

/* ---- Clocks that were aligned by events ---- */

int64_t related_common_time(const related *r, int64_t own_ns)
{
    if (r->drift != 0)
        own_ns = time_drift(own_ns, r->drift, r->drift_from_ns);
    return add_saturated(own_ns, r->shift_ns);
}

int64_t related_own_time(const related *r, int64_t time_ns)
{
    const int64_t own_ns = subtract_saturated(time_ns, r->shift_ns);
    return r->drift != 0 ? time_drift(own_ns, -r->drift / (1 + r->drift), r->drift_from_ns)
                         : own_ns;
}

static bool is_aligned(const related *r)
{
    return r->trace->alignment.struct_size != 0;
}

/* Brings an aligned trace to the scale of `first`, which the alignment refers to. The wall-clock
   time becomes that of `first`, too. */
static void relate_aligned(related *r, const related *first)
{
    const stele_alignment *how = &r->trace->alignment;
    r->drift = how->drift;
    r->drift_from_ns = how->from_ns;
    r->shift_ns = add_saturated(how->offset_ns, first->shift_ns);
    r->offset_ns = r->shift_ns;
    if (r->clock.has_wall && first->clock.has_wall) {
        const int64_t moved_ns = subtract_saturated(first->shift_ns, first->offset_ns);
        const int64_t wall_ns = subtract_saturated(first->clock.wall_ns, moved_ns);
        r->offset_ns = add_saturated(r->shift_ns, subtract_saturated(wall_ns, r->clock.wall_ns));
    }
}

stele_status relate(stele_context *context, related *traces, size_t count,
                    const stele_request *request)
{
    bool are_aligned = false;
    relation all = {0}, unshifted = {0};
    for (size_t i = 0; i < count; i++) {
        if (!traces[i].has_clock)
            continue;
        relation_add(&all, &traces[i]);
        are_aligned = are_aligned || is_aligned(&traces[i]);
        if (!traces[i].trace->options.has_shift && !is_aligned(&traces[i]))
            relation_add(&unshifted, &traces[i]);
        if (traces[i].clock.domain != all.first->clock.domain)
            return refuse(context, &traces[i], all.first, "clocks of one kind");
        if (traces[i].clock.domain != STELE_CLOCK_NS && traces[i].trace->options.shift_ns != 0)
            return refuse_shift(context, &traces[i]);
    }
    if (count > 1 && !request->align_starts && !all.is_same && !all.is_wall &&
        unshifted.first != NULL && !unshifted.is_same && !unshifted.is_wall)
        return refuse(context, find_unrelated(traces, count, unshifted.first), unshifted.first,
                      "wall-clock time in each trace, or one clock for all");
    for (size_t i = 0; i < count; i++) {
        related *r = &traces[i];
        const stele_trace_options *options = &r->trace->options;
        const bool goes_by_wall =
            count > 1 && !all.is_same && !are_aligned &&
            (all.is_wall || (!unshifted.is_same && unshifted.is_wall && !options->has_shift));
        if (request->align_starts)
            r->shift_ns = r->has_begin ? subtract_saturated(0, r->begin_ns) : 0;
        else if (goes_by_wall && r->has_clock)
            r->shift_ns = r->clock.wall_ns;
        if (options->has_shift)
            r->offset_ns = options->shift_ns;
        r->shift_ns = add_saturated(r->shift_ns, r->offset_ns);
        if (is_aligned(r) && i != 0)
            relate_aligned(r, &traces[0]);
    }
    return STELE_OK;
}

/* ---- Bounds on the common scale ---- */

static stele_status refuse_bound(stele_context *context, const related *r, stele_status status,
                                 const char *expected, const char *found)
{
    diag_report(&context->diag, &core_codes[STE009], r != NULL ? r->trace->info.path : NULL,
                STELE_NO_OFFSET, 0, expected, "%s", found);
    return status;
}

static int64_t first_begin(const related *traces, size_t count)
{
    int64_t begin_ns = 0;
    bool has_begin = false;
    for (size_t i = 0; i < count; i++) {
        const int64_t own_ns = related_common_time(&traces[i], traces[i].begin_ns);
        if (traces[i].has_begin && (!has_begin || own_ns < begin_ns))
            begin_ns = own_ns;
        has_begin = has_begin || traces[i].has_begin;
    }
    return begin_ns;
}

bool relate_begin(const related *traces, size_t count, int64_t *begin_ns)
{
    bool has_begin = false;
    for (size_t i = 0; i < count; i++) {
        /* An indexed trace without events has no begin, and needs none. */
        if (!traces[i].has_begin && !traces[i].trace->is_indexed)
            return false;
        has_begin = has_begin || traces[i].has_begin;
    }
    *begin_ns = first_begin(traces, count);
    return has_begin;
}

static stele_status last_end(stele_context *context, const related *traces, size_t count,
                             int64_t *end_ns)
{
    bool has_end = false;
    *end_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const related *r = &traces[i];
        if (!r->trace->is_indexed)
            return refuse_bound(context, r, STELE_ERR_UNSUPPORTED,
                                "an input whose end is known before it is read",
                                "a time before the end, of one that is read from front to back");
        if (r->has_end && (!has_end || related_common_time(r, r->end_ns) > *end_ns))
            *end_ns = related_common_time(r, r->end_ns);
        has_end = has_end || r->has_end;
    }
    return STELE_OK;
}

static stele_status wall_time(stele_context *context, const related *traces, size_t count,
                              int64_t wall_ns, int64_t *time_ns)
{
    bool has_clock = false;
    for (size_t i = 0; i < count; i++) {
        const related *r = &traces[i];
        has_clock = has_clock || r->has_clock;
        *time_ns = add_saturated(subtract_saturated(wall_ns, r->clock.wall_ns),
                                 subtract_saturated(r->shift_ns, r->offset_ns));
        if (r->has_clock && r->clock.has_wall)
            return STELE_OK;
    }
    *time_ns = wall_ns;
    if (!has_clock) /* without a clock there are no events either */
        return STELE_OK;
    return refuse_bound(context, traces, STELE_ERR_ARGUMENT,
                        "a clock that knows the wall-clock time",
                        "a date, for a trace that does not tell its own");
}

/* Converts a bound that is not in ticks to ns on the common scale. */
static stele_status bound_time(stele_context *context, const related *traces, size_t count,
                               const stele_bound *bound, int64_t *time_ns)
{
    stele_status status = STELE_OK;
    switch (bound->kind) {
    case STELE_BOUND_START:
        *time_ns = add_saturated(first_begin(traces, count), bound->value);
        break;
    case STELE_BOUND_END:
        status = last_end(context, traces, count, time_ns);
        *time_ns = subtract_saturated(*time_ns, bound->value);
        break;
    case STELE_BOUND_WALL: status = wall_time(context, traces, count, bound->value, time_ns); break;
    case STELE_BOUND_CLOCK: *time_ns = bound->value; break;
    case STELE_BOUND_NONE:
    case STELE_BOUND_TICKS: break;
    }
    return status;
}

/* Reports a bound that leaves out all events, by so much. */
static void report_outside(stele_context *context, const related *first, const char *expected,
                           const char *found, uint64_t by)
{
    const stele_clock_domain unit = stele_trace_time_unit(first->trace);
    diag_report(&context->diag, &core_codes[STE014], first->trace->info.path, STELE_NO_OFFSET, 0,
                expected, "one that is %s it, by %" PRIu64 " %s%s", found, by, unit_text(unit),
                unit == STELE_CLOCK_NS ? "" : " (a number alone is seconds; @N is a count)");
}

/* Reports a range that can have no events. */
static void report_empty(stele_context *context, const related *traces, size_t count,
                         const stele_request *request, const filter_range *range)
{
    const bool has_begin = request->begin.kind != STELE_BOUND_NONE;
    const bool has_end = request->end.kind != STELE_BOUND_NONE;
    const int64_t first_ns = first_begin(traces, count);
    bool is_known = count > 0, has_some = false;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        has_some = has_some || traces[i].has_begin;
    if (!has_some) /* there are no events at all */
        return;
    if (has_begin && has_end &&
        (range->begin_ns >= range->end_ns || range->begin_ticks >= range->end_ticks)) {
        diag_report(&context->diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0,
                    "a begin before the end", "one that is not: the range is empty");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t end_ns = related_common_time(&traces[i], traces[i].end_ns);
        is_known = is_known && traces[i].has_end;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    if (!is_known)
        return;
    if (has_begin && request->begin.kind != STELE_BOUND_TICKS && range->begin_ns > last_ns)
        report_outside(context, traces, "a begin before the last event", "after",
                       (uint64_t)range->begin_ns - (uint64_t)last_ns);
    else if (has_end && request->end.kind != STELE_BOUND_TICKS && range->end_ns < first_ns)
        report_outside(context, traces, "an end after the first event", "before",
                       (uint64_t)first_ns - (uint64_t)range->end_ns);
}

stele_status relate_bounds(stele_context *context, const related *traces, size_t count,
                           const stele_request *request, filter_range *range)
{
    stele_status status;
    *range = (filter_range){INT64_MIN, INT64_MAX, 0, UINT64_MAX};
    if (request->begin.kind == STELE_BOUND_TICKS)
        range->begin_ticks = (uint64_t)request->begin.value;
    if (request->end.kind == STELE_BOUND_TICKS)
        range->end_ticks = (uint64_t)request->end.value;
    status = bound_time(context, traces, count, &request->begin, &range->begin_ns);
    if (status == STELE_OK)
        status = bound_time(context, traces, count, &request->end, &range->end_ns);
    if (status == STELE_OK)
        report_empty(context, traces, count, request, range);
    return status;
}
