/* SPDX-License-Identifier: Apache-2.0 */
/* Spans, states and flows of each track, in the order of time. */
#include <stdlib.h>

#include "analysis/events/critical.h"

/* ---- Sorting by track and time ---- */

/* Compares by begin. Of two spans that begin at the same time the longer one is the outer one;
   if both are as long, it is the one that arrived later. */
static int time_compare(const void *left, const void *right)
{
    const critical_span *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->around > b->around ? -1 : a->around < b->around;
}

static int span_compare(const void *left, const void *right)
{
    const critical_span *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return time_compare(left, right);
}

static int interval_compare(const void *left, const void *right)
{
    const critical_interval *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int flow_compare(const void *left, const void *right)
{
    const critical_flow *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint32_t depth_of(const critical_span *spans, uint32_t at)
{
    return at != CRITICAL_NONE ? spans[at].depth : 0;
}

/* Sets where a span's way out leads, whose `around` is known: two ways of the same length in a row
   are joined, so that a number of steps that grows with the logarithm of the depth leads past any
   number of spans. */
static void set_jump(critical_span *spans, uint32_t at)
{
    critical_span *span = &spans[at];
    const uint32_t around = span->around;
    const critical_span *out = around != CRITICAL_NONE ? &spans[around] : NULL;
    const uint32_t first = out != NULL ? out->jump : CRITICAL_NONE;
    const uint32_t second = first != CRITICAL_NONE ? spans[first].jump : CRITICAL_NONE;
    span->depth = depth_of(spans, around) + 1;
    span->jump = around;
    span->jump_end_ns = span->end_ns;
    if (first == CRITICAL_NONE ||
        out->depth - depth_of(spans, first) != depth_of(spans, first) - depth_of(spans, second))
        return;
    span->jump = second;
    span->jump_end_ns = later(span->end_ns, later(out->jump_end_ns, spans[first].jump_end_ns));
}

void critical_spans_nest(critical_span *spans, uint32_t count)
{
    uint32_t top = CRITICAL_NONE;
    qsort(spans, count, sizeof *spans, time_compare);
    for (uint32_t i = 0; i < count; i++) {
        while (top != CRITICAL_NONE && spans[top].end_ns <= spans[i].begin_ns)
            top = spans[top].around;
        spans[i].around = top;
        set_jump(spans, i);
        top = i;
    }
}

static uint32_t track_end(const stele_critical *c)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < c->span_count; i++)
        end = c->spans[i].track >= end ? c->spans[i].track + 1 : end;
    for (uint32_t i = 0; i < c->interval_count; i++)
        end = c->intervals[i].track >= end ? c->intervals[i].track + 1 : end;
    for (uint32_t i = 0; i < c->flow_count; i++)
        end = c->flows[i].track >= end ? c->flows[i].track + 1 : end;
    return end;
}

bool critical_lines_make(stele_critical *c)
{
    c->line_count = track_end(c);
    c->lines = calloc((size_t)c->line_count + 1, sizeof *c->lines);
    if (c->lines == NULL)
        return false;
    if (c->span_count != 0)
        qsort(c->spans, c->span_count, sizeof *c->spans, span_compare);
    if (c->interval_count != 0)
        qsort(c->intervals, c->interval_count, sizeof *c->intervals, interval_compare);
    if (c->flow_count != 0)
        qsort(c->flows, c->flow_count, sizeof *c->flows, flow_compare);
    for (uint32_t i = 0; i < c->span_count; i++) {
        critical_line *line = &c->lines[c->spans[i].track];
        line->spans = line->span_count++ == 0 ? &c->spans[i] : line->spans;
    }
    for (uint32_t i = 0; i < c->interval_count; i++) {
        critical_line *line = &c->lines[c->intervals[i].track];
        line->intervals = line->interval_count++ == 0 ? &c->intervals[i] : line->intervals;
    }
    for (uint32_t i = 0; i < c->flow_count; i++) {
        critical_line *line = &c->lines[c->flows[i].track];
        line->flows = line->flow_count++ == 0 ? &c->flows[i] : line->flows;
    }
    for (uint32_t i = 0; i < c->span_count; i += c->lines[c->spans[i].track].span_count)
        critical_spans_nest(&c->spans[i], c->lines[c->spans[i].track].span_count);
    return true;
}

/* ---- Lookup by time ---- */

critical_line critical_line_of(const stele_critical *c, uint32_t track)
{
    return track < c->line_count ? c->lines[track] : (critical_line){.spans = NULL};
}

const critical_span *critical_span_before(const critical_line *line, int64_t time_ns,
                                          int64_t *low_ns)
{
    uint32_t first = 0, end = line->span_count, at;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (line->spans[middle].begin_ns < time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    /* Start from the last span that began before, and go outwards until a span is open at that
       time. */
    for (at = first - 1; first != 0 && at != CRITICAL_NONE;) {
        const critical_span *span = &line->spans[at];
        const bool is_past = span->jump_end_ns < time_ns; /* as are those that the way out passes */
        const int64_t end_ns = is_past ? span->jump_end_ns : span->end_ns;
        *low_ns = later(*low_ns, end_ns < time_ns ? end_ns : span->begin_ns);
        if (span->end_ns >= time_ns)
            return span;
        at = is_past ? span->jump : span->around;
    }
    return NULL;
}

const critical_interval *critical_interval_before(const critical_line *line, int64_t time_ns,
                                                  int64_t *low_ns)
{
    uint32_t first = 0, end = line->interval_count;
    const critical_interval *interval;
    int64_t since_ns;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (line->intervals[middle].begin_ns < time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == 0)
        return NULL;
    interval = &line->intervals[first - 1];
    since_ns = interval->end_ns < time_ns ? interval->end_ns : interval->begin_ns;
    if (since_ns > *low_ns)
        *low_ns = since_ns;
    return interval->end_ns >= time_ns ? interval : NULL;
}

uint32_t critical_flows_by(const critical_line *line, int64_t time_ns)
{
    uint32_t first = 0, end = line->flow_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (line->flows[middle].end_ns <= time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}
