/* SPDX-License-Identifier: Apache-2.0 */
/* How long spans take: percentiles, a histogram, and the longest ones. */
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/histogram.h"
#include "core/sized.h"
#include "core/wide.h"

struct stele_latency {
    stele_latency_figures figures;
    wide_u128 sum_ns;
    histogram durations;
    uint64_t buckets[STELE_LATENCY_BUCKETS];
    stele_span *worst; /* a heap of the longest spans, the shortest of them first */
    uint32_t worst_count, worst_max;
};

stele_status stele_latency_new(uint32_t worst_max, stele_latency **out)
{
    stele_latency *l = calloc(1, sizeof *l);
    *out = NULL;
    if (l == NULL)
        return STELE_ERR_MEMORY;
    l->worst = worst_max != 0 ? malloc(worst_max * sizeof *l->worst) : NULL;
    if (worst_max != 0 && l->worst == NULL) {
        free(l);
        return STELE_ERR_MEMORY;
    }
    l->worst_max = worst_max;
    l->figures.min_ns = UINT64_MAX;
    *out = l;
    return STELE_OK;
}

void stele_latency_free(stele_latency *l)
{
    if (l == NULL)
        return;
    histogram_free(&l->durations);
    free(l->worst);
    free(l);
}

/* Whether `a` ranks after `b` among the longest spans: it is shorter, or as long and later. */
static bool is_after(const stele_span *a, const stele_span *b)
{
    const uint64_t a_ns = stele_span_duration_ns(a), b_ns = stele_span_duration_ns(b);
    return a_ns != b_ns ? a_ns < b_ns : a->id > b->id;
}

static void swap(stele_span *a, stele_span *b)
{
    const stele_span held = *a;
    *a = *b;
    *b = held;
}

static void sift_down(stele_span *heap, uint32_t count)
{
    for (uint32_t at = 0, child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && is_after(&heap[child + 1], &heap[child]))
            child++;
        if (!is_after(&heap[child], &heap[at]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

static void rank(stele_latency *l, const stele_span *span)
{
    uint32_t at = l->worst_count;
    if (l->worst_max == 0)
        return;
    if (l->worst_count == l->worst_max) {
        if (is_after(span, &l->worst[0]))
            return;
        l->worst[0] = *span;
        sift_down(l->worst, l->worst_count);
        return;
    }
    l->worst[l->worst_count++] = *span;
    for (; at != 0 && is_after(&l->worst[at], &l->worst[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&l->worst[at], &l->worst[(at - 1) / 2]);
}

stele_status stele_latency_add(stele_latency *l, const stele_span *span)
{
    const uint64_t duration = stele_span_duration_ns(span);
    stele_latency_figures *figures = &l->figures;
    uint32_t bucket = 0;
    if (span->end == STELE_SPAN_ENTRY_LOST) {
        figures->no_begin_count++;
        return STELE_OK;
    }
    if (span->end == STELE_SPAN_OPEN || span->end == STELE_SPAN_TIMEOUT) {
        figures->open_count++;
        return STELE_OK;
    }
    figures->count++;
    l->sum_ns = u128_add(l->sum_ns, u128_make(0, duration));
    if (duration < figures->min_ns)
        figures->min_ns = duration;
    if (duration > figures->max_ns)
        figures->max_ns = duration;
    for (uint64_t left = duration; left != 0; left >>= 1)
        bucket++;
    l->buckets[bucket]++;
    rank(l, span);
    return histogram_add(&l->durations, duration) ? STELE_OK : STELE_ERR_MEMORY;
}

static uint64_t percentile(const stele_latency *l, unsigned permille)
{
    const uint64_t value = histogram_percentile(&l->durations, permille);
    return value < l->figures.max_ns ? value : l->figures.max_ns;
}

void stele_latency_get(const stele_latency *l, stele_latency_figures *figures)
{
    stele_latency_figures own = l->figures;
    uint64_t rest;
    if (own.count == 0)
        own.min_ns = 0;
    else
        own.mean_ns = u128_low(u128_divide(l->sum_ns, own.count, &rest));
    own.p50_ns = percentile(l, 500);
    own.p90_ns = percentile(l, 900);
    own.p99_ns = percentile(l, 990);
    own.p999_ns = percentile(l, 999);
    sized_give(figures, &own, sizeof own, SIZED_FIRST(stele_latency_figures, no_begin_count));
}

static int compare(const void *a, const void *b)
{
    return is_after(a, b) ? 1 : -1;
}

const stele_span *stele_latency_worst(stele_latency *l, uint32_t *count)
{
    *count = l->worst_count;
    if (l->worst_count > 1)
        qsort(l->worst, l->worst_count, sizeof *l->worst, compare);
    return l->worst;
}

uint64_t stele_latency_bucket(const stele_latency *l, uint32_t index)
{
    return index < STELE_LATENCY_BUCKETS ? l->buckets[index] : 0;
}
