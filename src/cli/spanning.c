/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spanning.h"

#include "cli/show/print.h"
#include "cli/standing.h"

bool spanning_make(cli *c, spanning *s)
{
    *s = (spanning){.c = c, .options = STELE_INIT(stele_span_options)};
    calling_sort(c);
    if (!joined_make(c) || !calling_make(c, &s->calling))
        return false;
    s->calling.selected.request.kinds = STELE_SPANS_KINDS;
    s->calling.selected.request.order = STELE_ORDER_TIME;
    /* The filter of tracks applies to begins of spans, because pairing can move events of CPUs
       to threads. */
    s->calling.only.tracks = s->calling.selected.request.tracks;
    s->calling.selected.request.tracks = (stele_globs){.count = 0};
    s->options.only = &s->calling.only;
    s->options.timeout_ns = s->calling.timeout_ns;
    return true;
}

void spanning_free(spanning *s)
{
    stele_spans_free(s->spans);
    calling_free(&s->calling);
}

static stele_status ready_spans(void *user, const stele_reader_stats *stats)
{
    spanning *s = user;
    stele_status status =
        stele_spans_set_window(s->spans, stats->range_begin_ns, stats->range_end_ns);
    s->has_origin = stats->has_begin;
    s->origin_ns = stats->begin_ns;
    if (s->has_origin)
        stele_spans_set_origin(s->spans, s->origin_ns);
    if (status == STELE_OK && s->ready != NULL)
        status = s->ready(s->user, stats);
    return status;
}

static stele_status take_spans(void *user, const stele_segment *segment)
{
    spanning *s = user;
    if (!s->has_origin && segment->count != 0) {
        s->has_origin = true;
        s->origin_ns = segment->batch->events[segment->first].time_ns;
    }
    return stele_spans_add(s->spans, segment);
}

static bool make_spans(spanning *s)
{
    cli *c = s->c;
    if (!cli_check(c, stele_spans_new(c->context, &s->options, s->fn, s->user, &s->spans), "spans"))
        return false;
    if (!s->options.has_begins)
        stele_spans_set_least(s->spans, s->calling.duration_min_ns);
    return true;
}

/* Receives a segment in stored order. Ends reading at an event that is earlier than the one
   before, because ids of spans must be in the order of time. */
static stele_status take_standing(void *user, const stele_segment *segment)
{
    spanning *s = user;
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    const uint32_t stream = segment->batch->stream;
    int64_t last_ns = s->last_ns;
    for (; event != end; event++) {
        if (event->time_ns < last_ns || (event->time_ns == last_ns && stream < s->last_stream)) {
            s->is_disordered = true;
            return STELE_END;
        }
        last_ns = event->time_ns;
        s->last_stream = stream;
    }
    s->last_ns = last_ns;
    return take_spans(s, segment);
}

/* Reads a single trace in stored order, if the result is the same. Returns false if it is not. */
static bool read_as_it_stands(spanning *s)
{
    cli *c = s->c;
    if (s->restart == NULL || c->options.argument_count != 1)
        return false;
    s->last_ns = INT64_MIN;
    if (standing_read(c, &s->calling, stele_spans_columns(s->spans),
                      &(consumer){.ready = ready_spans, .take = take_standing, .user = s}) &&
        !s->is_disordered)
        return cli_check(c, stele_spans_finish(s->spans), c->options.arguments[0]);
    stele_spans_free(s->spans);
    s->spans = NULL;
    s->has_origin = false;
    s->restart(s->user);
    return !make_spans(s);
}

bool spanning_read(spanning *s, stele_span_fn *fn, void *user)
{
    cli *c = s->c;
    size_t read_count = 0;
    s->fn = fn;
    s->user = user;
    if (!make_spans(s))
        return false;
    if (read_as_it_stands(s))
        return c->worst != EXIT_USAGE && !c->is_closed;
    for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++) {
        if (!calling_read(c, &s->calling, i, stele_spans_columns(s->spans),
                          &(consumer){.ready = ready_spans, .take = take_spans, .user = s}))
            continue;
        read_count++;
        if (!cli_check(c, stele_spans_finish(s->spans), c->options.arguments[i]))
            break;
    }
    return read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

void spanning_remark(spanning *s)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    char text[PRINT_SIZE];
    if (s->spans == NULL)
        return;
    stele_spans_get_counts(s->spans, &counts);
    const struct {
        uint64_t count;
        const char *thing, *meaning;
    } all[] = {
        {counts.by_end[STELE_SPAN_UNWOUND], "span",
         "left by an exception, or without an end: ended by what is around"},
        {counts.carried_count, "span", "open before the begin: cut there"},
        {counts.by_end[STELE_SPAN_OPEN], "span", "still open at the end: ended there"},
        {counts.by_end[STELE_SPAN_ENTRY_LOST], "end", "without begin"},
        {counts.by_end[STELE_SPAN_TIMEOUT], "span", "without an end in time"},
        {counts.overlap_count, "span", "overlapping others without nesting"},
        {counts.cut_count, "call", "beyond the depth limit: left out"},
        {counts.refused_count, "span", "beyond the limit of open ones: left out"},
        {counts.repeated_count, "event", "repeating others, as forked processes do: left out"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].count != 0)
            cli_remark(s->c, "%s %s", print_things(text, all[i].count, all[i].thing),
                       all[i].meaning);
    }
    calling_remark_pairs(s->c, &s->calling);
    stele_spans_report(s->spans);
}
