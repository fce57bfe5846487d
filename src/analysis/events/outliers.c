/* SPDX-License-Identifier: Apache-2.0 */
/* For each name: how long its spans take, copies of the longest spans, and copies of a random
   sample, of which the one nearest to the median is shown for comparison. */
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/histogram.h"
#include "analysis/events/opened.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/table.h"

#define FACTOR    3u
#define PER_NAME  16u
#define NAMES_MAX 65536u
#define SAMPLES   8u
/* With fewer spans a 99th percentile says nothing, and the name is left out. */
#define COUNT_LEAST 100u

typedef struct kept {
    stele_span span;
    uint32_t slot; /* number of the copy of its event */
} kept;

typedef struct of_name {
    stele_name name;
    histogram durations;
    uint64_t count;
    uint64_t random; /* state of the random generator for the samples */
    kept *longest;   /* the longest spans, the longest one first */
    kept samples[SAMPLES];
    uint32_t longest_count;
} of_name;

struct stele_outliers {
    stele_context *context;
    stele_outlier_options options;
    opened copies;
    of_name **names;
    uint32_t name_count, name_capacity;
    hash_table numbers; /* numbers in the list of names, by name */
    stele_outlier *rows;
    uint64_t other_count;
};

static of_name *name_get(stele_outliers *o, stele_name name)
{
    uint32_t hash;
    of_name *made;
    if (!hash_table_reserve(&o->numbers))
        return NULL;
    hash = hash_table_hash_u64(&o->numbers, name);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&o->numbers, hash, &at)) != HASH_NONE;)
        if (o->names[number]->name == name)
            return o->names[number];
    if (o->name_count == o->name_capacity) {
        of_name **names = array_grow(o->names, sizeof *names, &o->name_capacity, 64);
        if (names == NULL)
            return NULL;
        o->names = names;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->longest = malloc(o->options.per_name * sizeof *made->longest);
    if (made->longest == NULL) {
        free(made);
        return NULL;
    }
    made->name = name;
    made->random = UINT64_C(88172645463325252);
    o->names[o->name_count] = made;
    hash_table_put(&o->numbers, hash, o->name_count++);
    return made;
}

static bool keep(stele_outliers *o, kept *to, const stele_batch *batch, const stele_event *event,
                 const stele_span *span)
{
    to->slot = opened_add(&o->copies, batch, event);
    to->span = *span;
    return to->slot != 0;
}

/* Inserts a span among the longest of its name if it is one of them. Returns false if out of
   memory. */
static bool take_longest(stele_outliers *o, of_name *of, const stele_batch *batch,
                         const stele_event *event, const stele_span *span)
{
    const uint64_t duration = stele_span_duration_ns(span);
    uint32_t at = of->longest_count;
    kept made;
    if (at == o->options.per_name && duration <= stele_span_duration_ns(&of->longest[at - 1].span))
        return true;
    if (!keep(o, &made, batch, event, span))
        return false;
    if (at == o->options.per_name)
        opened_remove(&o->copies, of->longest[--at].slot);
    for (; at != 0 && stele_span_duration_ns(&of->longest[at - 1].span) < duration; at--)
        of->longest[at] = of->longest[at - 1];
    of->longest[at] = made;
    if (of->longest_count < o->options.per_name)
        of->longest_count++;
    return true;
}

/* Makes the span one of the samples or not, so that every span of the name has the same chance
   (reservoir sampling). */
static bool take_sample(stele_outliers *o, of_name *of, const stele_batch *batch,
                        const stele_event *event, const stele_span *span)
{
    uint64_t at = of->count - 1;
    if (of->count > SAMPLES) {
        of->random ^= of->random << 13;
        of->random ^= of->random >> 7;
        of->random ^= of->random << 17;
        at = of->random % of->count;
        if (at >= SAMPLES)
            return true;
        opened_remove(&o->copies, of->samples[at].slot);
    }
    return keep(o, &of->samples[at], batch, event, span);
}

stele_status stele_outliers_add(stele_outliers *o, const stele_segment *segment,
                                const stele_span *spans)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        of_name *of;
        if (spans[i].end > STELE_SPAN_TAIL || event->kind != STELE_KIND_COMPLETE)
            continue;
        if (o->name_count == NAMES_MAX) {
            o->other_count++;
            continue;
        }
        of = name_get(o, spans[i].name);
        if (of == NULL)
            return STELE_ERR_MEMORY;
        of->count++;
        if (!histogram_add(&of->durations, stele_span_duration_ns(&spans[i])) ||
            !take_longest(o, of, segment->batch, event, &spans[i]) ||
            !take_sample(o, of, segment->batch, event, &spans[i]))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static const kept *near_median(const of_name *of, uint64_t p50_ns)
{
    const kept *best = &of->samples[0];
    uint64_t best_ns = UINT64_MAX;
    for (uint32_t i = 0; i < SAMPLES && i < of->count; i++) {
        const uint64_t ns = stele_span_duration_ns(&of->samples[i].span);
        const uint64_t away = ns > p50_ns ? ns - p50_ns : p50_ns - ns;
        if (away < best_ns) {
            best = &of->samples[i];
            best_ns = away;
        }
    }
    return best;
}

/* Sorts by how many times longer a span is than the 99th percentile of its name, the most
   extreme one first. */
static int compare(const void *a, const void *b)
{
    const stele_outlier *x = a, *y = b;
    const double x_times = (double)stele_span_duration_ns(&x->span) / ((double)x->p99_ns + 1);
    const double y_times = (double)stele_span_duration_ns(&y->span) / ((double)y->p99_ns + 1);
    if (x_times != y_times)
        return x_times > y_times ? -1 : 1;
    return x->span.id < y->span.id ? -1 : 1;
}

static void set_segment(const stele_outliers *o, const kept *from, stele_segment *segment)
{
    *segment = (stele_segment){o->copies.batch, o->copies.slots[from->slot].at, 1};
}

stele_status stele_outliers_rows(stele_outliers *o, const stele_outlier **rows, size_t *count)
{
    size_t found = 0;
    free(o->rows);
    o->rows = malloc(((size_t)o->name_count * o->options.per_name + 1) * sizeof *o->rows);
    if (o->rows == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < o->name_count; i++) {
        const of_name *of = o->names[i];
        const uint64_t p50_ns = histogram_percentile(&of->durations, 500);
        const uint64_t p99_ns = histogram_percentile(&of->durations, 990);
        const kept *median = near_median(of, p50_ns);
        for (uint32_t k = 0; k < of->longest_count && of->count >= COUNT_LEAST; k++) {
            const kept *from = &of->longest[k];
            const uint64_t duration = stele_span_duration_ns(&from->span);
            stele_outlier *row = &o->rows[found];
            if (duration / o->options.factor <= p99_ns)
                break;
            *row = (stele_outlier){.span = from->span,
                                   .median = median->span,
                                   .count = of->count,
                                   .p50_ns = p50_ns,
                                   .p99_ns = p99_ns};
            set_segment(o, from, &row->segment);
            set_segment(o, median, &row->median_segment);
            found++;
        }
    }
    if (found > 1)
        qsort(o->rows, found, sizeof *o->rows, compare);
    *rows = o->rows;
    *count = found;
    return STELE_OK;
}

stele_status stele_outliers_new(stele_context *context, const stele_outlier_options *options,
                                stele_outliers **out)
{
    stele_outliers *o = calloc(1, sizeof *o);
    const stele_status status =
        SIZED_BEGIN(o, stele_outliers, stele_outlier_options, per_name, options);
    *out = NULL;
    if (status != STELE_OK) {
        free(o);
        return status;
    }
    if (o->options.factor == 0)
        o->options.factor = FACTOR;
    if (o->options.per_name == 0)
        o->options.per_name = PER_NAME;
    o->context = context;
    opened_init(&o->copies, context);
    *out = o;
    return STELE_OK;
}

void stele_outliers_free(stele_outliers *o)
{
    if (o == NULL)
        return;
    for (uint32_t i = 0; i < o->name_count; i++) {
        histogram_free(&o->names[i]->durations);
        free(o->names[i]->longest);
        free(o->names[i]);
    }
    opened_free(&o->copies);
    hash_table_free(&o->numbers);
    free(o->names);
    free(o->rows);
    free(o);
}
