/* SPDX-License-Identifier: Apache-2.0 */
/* Makes statistics: which rows, expressions and engines they have, and what they ask of a reader.
 */
#include <stele/stats.h>

#include <stdlib.h>

#include "analysis/events/stats_calls.h"
#include "analysis/events/stats_state.h"
#include "core/sized.h"
#include "query/filter.h"

/* The kind of rows if the caller leaves it open: calls if some expression asks for what only
   calls have. */
static stele_stats_rows rows_of(const stele_stats *s, stele_stats_rows wanted)
{
    bool has_duration = s->only != NULL && filter_uses_duration(s->only);
    if (wanted != STELE_STATS_AUTO)
        return wanted;
    if (s->groups.is_held)
        return STELE_STATS_EVENTS;
    for (uint32_t i = 0; i < s->by.count; i++)
        has_duration |= expression_uses_duration(s->by.items[i].e);
    for (uint32_t i = 0; i < s->of.count; i++)
        has_duration |= expression_uses_duration(s->of.items[i].e);
    return has_duration ? STELE_STATS_CALLS : STELE_STATS_EVENTS;
}

static bool uses_time(const expression_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (expression_uses_time(list->items[i].e))
            return true;
    }
    return false;
}

static bool uses_spans(const expression_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (expression_uses_span(list->items[i].e))
            return true;
    }
    return false;
}

/* The engines that make rows of begins and ends. */
static stele_status make_engines(stele_stats *s)
{
    const stele_span_options spans = {.struct_size = sizeof spans,
                                      .no_fields =
                                          (stele_stats_columns(s) & STELE_COLUMN_FIELDS) == 0,
                                      .timeout_ns = s->timeout_ns};
    const stele_status status = stele_spans_new(s->context, &spans, stats_take_spans, s, &s->spans);
    return status == STELE_OK && s->is_of_calls ? stats_calls_new(s) : status;
}

static stele_status make_rows(stele_stats *s, const stele_stats_options *options)
{
    static const uint64_t kinds[] = {[STELE_STATS_EVENTS] =
                                         STELE_KINDS_ALL & ~STELE_KIND_BIT(STELE_KIND_LOST),
                                     [STELE_STATS_CALLS] = STELE_CALLS_KINDS,
                                     [STELE_STATS_SPANS] = STELE_SPANS_KINDS,
                                     [STELE_STATS_COUNTERS] = STELE_KIND_BIT(STELE_KIND_COUNTER)};
    s->rows = rows_of(s, options->rows);
    s->uses_time = uses_time(&s->by) || uses_time(&s->of) ||
                   (s->only != NULL && filter_uses_time(s->only)) || s->groups.every_ns != 0 ||
                   s->groups.is_held;
    s->is_by_name = s->by.count == 1 && expression_is_name(s->by.items[0].e);
    s->kinds = kinds[s->rows];
    if (options->only != NULL && options->only->kinds != 0)
        s->kinds =
            s->rows == STELE_STATS_EVENTS ? options->only->kinds : s->kinds & options->only->kinds;
    if (s->rows == STELE_STATS_EVENTS || s->rows == STELE_STATS_COUNTERS)
        return STELE_OK;
    if (s->groups.is_held)
        return STELE_ERR_ARGUMENT;
    s->is_direct = s->rows == STELE_STATS_CALLS && !uses_spans(&s->by) && !uses_spans(&s->of) &&
                   (s->only == NULL || !filter_uses_span(s->only));
    s->is_name_duration = s->is_direct && s->only == NULL && !s->has_distinct &&
                          s->groups.every_ns == 0 && s->is_by_name && s->of.count == 1 &&
                          expression_is_duration(s->of.items[0].e);
    s->is_of_calls = stats_calls_suffice(s);
    return make_engines(s);
}

static stele_status make(stele_stats *s, const stele_stats_options *options)
{
    const stele_limits *limits = stele_context_limits(s->context);
    const bool is_counters = options->rows == STELE_STATS_COUNTERS;
    /* Events alone know nothing of spans, so that a word of them would be empty everywhere. */
    const bool has_spans = options->rows != STELE_STATS_EVENTS && !is_counters && !options->is_held;
    stele_status status =
        is_counters && (options->by != NULL || options->of != NULL) ? STELE_ERR_ARGUMENT : STELE_OK;
    /* Rows of counters have one expression for each number: its value. */
    if (status == STELE_OK)
        status = expression_list_new(s->context,
                                     is_counters ? "pid,counter=name,id,field=name" : options->by,
                                     has_spans, &s->by);
    if (status == STELE_OK)
        status =
            expression_list_new(s->context, is_counters ? "value" : options->of, has_spans, &s->of);
    if (status == STELE_OK && options->only != NULL) {
        stele_request only = *options->only;
        only.kinds = 0;
        only.tracks = (stele_globs){NULL, 0};
        status = has_spans ? filter_new_spans(s->context, &only, &s->only)
                           : filter_new(s->context, &only, NULL, &s->only);
        if (status == STELE_OK && filter_is_open(s->only, STELE_KINDS_ALL)) {
            filter_free(s->only);
            s->only = NULL;
        }
    }
    if (status == STELE_OK && !stats_groups_init(&s->groups, s->context, s->by.count, s->of.count))
        status = STELE_ERR_MEMORY;
    s->has_distinct = options->has_distinct;
    s->groups.every_ns = options->every_ns;
    s->timeout_ns = options->timeout_ns;
    s->groups.is_held = options->is_held || is_counters;
    s->groups.groups_max = options->groups_max != 0 ? options->groups_max : limits->groups_max;
    s->groups.size_max = options->size_max != 0 ? options->size_max : limits->groups_size_max;
    /* Without different values to count, the keys of groups beyond the limit are all there is. */
    s->groups.exact_max = s->groups.size_max / (s->has_distinct ? 4 : 1024);
    stats_groups_clear(&s->groups);
    return status == STELE_OK ? make_rows(s, options) : status;
}

stele_status stele_stats_new(stele_context *context, const stele_stats_options *given,
                             stele_stats **out)
{
    stele_stats_options options;
    stele_stats *s;
    stele_status status;
    *out = NULL;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_stats_options, size_max), given) ||
        (unsigned)options.rows > STELE_STATS_COUNTERS)
        return STELE_ERR_ARGUMENT;
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    s->context = context;
    s->window = (stats_window){INT64_MIN, INT64_MAX};
    s->time_ns = INT64_MIN;
    status = make(s, &options);
    if (status == STELE_OK)
        *out = s;
    else
        stele_stats_free(s);
    return status;
}

void stele_stats_free(stele_stats *s)
{
    if (s == NULL)
        return;
    stele_spans_free(s->spans);
    stele_calls_free(s->calls);
    filter_free(s->only);
    expression_list_free(&s->by);
    expression_list_free(&s->of);
    stats_groups_free(&s->groups);
    free(s->last_ns);
    free(s);
}

stele_status stele_stats_clear(stele_stats *s)
{
    stele_spans_free(s->spans);
    stele_calls_free(s->calls);
    s->spans = NULL;
    s->calls = NULL;
    stats_groups_clear(&s->groups);
    s->row_count = 0;
    s->is_disordered = s->has_begun = s->has_origin = s->has_window = false;
    for (uint32_t i = 0; i < s->last_count; i++)
        s->last_ns[i] = INT64_MIN;
    s->window = (stats_window){INT64_MIN, INT64_MAX};
    s->time_ns = INT64_MIN;
    if (s->rows == STELE_STATS_EVENTS || s->rows == STELE_STATS_COUNTERS)
        return STELE_OK;
    return make_engines(s);
}

/* ---- What it asks of a reader ---- */

stele_stats_rows stele_stats_get_rows(const stele_stats *s)
{
    return s->rows;
}

uint64_t stele_stats_kinds(const stele_stats *s)
{
    return s->kinds;
}

uint32_t stele_stats_columns(const stele_stats *s)
{
    uint32_t columns =
        expression_list_columns(&s->by) | expression_list_columns(&s->of) | STELE_COLUMN_TIME;
    if (s->only != NULL)
        columns |= filter_columns(s->only);
    if (s->spans != NULL)
        columns |= stele_spans_columns(s->spans);
    if (s->rows == STELE_STATS_COUNTERS)
        columns |= STELE_COLUMN_FIELDS;
    return columns;
}

stele_order stele_stats_request_order(const stele_stats *s)
{
    if (s->uses_time)
        return STELE_ORDER_TIME;
    return s->spans == NULL               ? STELE_ORDER_NONE
           : s->rows == STELE_STATS_CALLS ? STELE_ORDER_STREAMS
                                          : STELE_ORDER_TIME;
}

bool stele_stats_can_try(const stele_stats *s)
{
    return !s->uses_time && s->spans != NULL;
}

bool stele_stats_is_disordered(const stele_stats *s)
{
    return s->is_disordered;
}
