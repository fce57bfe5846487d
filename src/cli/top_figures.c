/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what names and tracks did in a window of stele top. A span counts with the part of its
 * time in the window; one that is open at its end counts up to there. For self times, it is known
 * of each open span what its callees had taken when the window began.
 */
#include <stdlib.h>
#include <string.h>

#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/top.h"
#include "view/list.h"

figures *top_figures_of(top *t, top_table *of, uint32_t number)
{
    if (number >= of->count) {
        figures *rows = list_reach(of->rows, sizeof *rows, &of->count, number);
        if (rows == NULL) {
            cli_check(t->c, STELE_ERR_MEMORY, "names");
            return &t->nowhere;
        }
        of->rows = rows;
    }
    of->rows[number].number = number;
    return &of->rows[number];
}

/* How many nanoseconds of a span are in the window. */
static uint64_t part_of(const top *t, int64_t begin_ns, int64_t end_ns)
{
    const int64_t from_ns = begin_ns > t->begin_ns ? begin_ns : t->begin_ns;
    const int64_t until_ns = end_ns < t->end_ns ? end_ns : t->end_ns;
    return until_ns > from_ns ? (uint64_t)until_ns - (uint64_t)from_ns : 0;
}

static stretches *stretches_of(top *t, uint32_t track)
{
    if (track >= t->busy_count) {
        stretches *busy = list_reach(t->busy, sizeof *busy, &t->busy_count, track);
        if (busy == NULL)
            return NULL;
        t->busy = busy;
    }
    return &t->busy[track];
}

/* Adds a span that has ended, or the window. Stretches inside of it become part of it; once it
   is outermost, no span can be around them. */
static void add_busy(top *t, uint32_t track, const stele_span *span)
{
    stretches *of = stretches_of(t, track);
    stretch made = {span->begin_ns > t->begin_ns ? span->begin_ns : t->begin_ns,
                    span->end_ns < t->end_ns ? span->end_ns : t->end_ns};
    if (of != NULL && of->count == of->capacity) {
        stretch *items = list_fit(of->items, sizeof *items, (size_t)of->capacity * 2 + 4);
        if (items != NULL) {
            of->items = items;
            of->capacity = of->capacity * 2 + 4;
        }
    }
    if (of == NULL || of->count == of->capacity) {
        cli_check(t->c, STELE_ERR_MEMORY, "tracks");
        return;
    }
    while (of->count != 0 && of->items[of->count - 1].end_ns >= made.begin_ns) {
        const stretch *last = &of->items[--of->count];
        made.begin_ns = last->begin_ns < made.begin_ns ? last->begin_ns : made.begin_ns;
        made.end_ns = last->end_ns > made.end_ns ? last->end_ns : made.end_ns;
    }
    if (made.end_ns > made.begin_ns)
        of->items[of->count++] = made;
    for (; span->depth == 0 && of->count != 0; of->count--)
        top_figures_of(t, &t->tracks, track)->total_ns +=
            part_of(t, of->items[of->count - 1].begin_ns, of->items[of->count - 1].end_ns);
}

static bool is_on_stack(const stele_span *span)
{
    return span->source == STELE_SPAN_CALL || span->source == STELE_SPAN_COMPLETE ||
           span->source == STELE_SPAN_NESTED_PAIR;
}

static int compare_carried(const void *a, const void *b)
{
    const top_carried *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* What the callees of a span had taken before the window began. */
static uint64_t carried_ns(const top *t, uint64_t id)
{
    const top_carried key = {id, 0};
    const top_carried *found = t->carried_count != 0 ? bsearch(&key, t->carried, t->carried_count,
                                                               sizeof key, compare_carried)
                                                     : NULL;
    return found != NULL ? found->child_ns : 0;
}

/* Counts a span, whose callees have taken `child_ns` in all. */
static void count_span(top *t, const stele_span *span, uint64_t child_ns, bool is_repeated)
{
    const uint64_t ns = part_of(t, span->begin_ns, span->end_ns);
    const uint64_t before_ns = carried_ns(t, span->id);
    const uint64_t callees_ns = child_ns > before_ns ? child_ns - before_ns : 0;
    figures *name = top_figures_of(t, &t->names, span->name);
    name->total_ns += is_repeated ? 0 : ns;
    name->self_ns += ns > callees_ns ? ns - callees_ns : 0;
    if (is_on_stack(span))
        add_busy(t, span->track, span);
}

stele_status top_take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    top *t = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        const stele_call_node *node = stele_spans_node(t->spans, span->node);
        if (span->end == STELE_SPAN_ENTRY_LOST || span->source == STELE_SPAN_FLOW ||
            span->end_ns < t->begin_ns)
            continue;
        if (span->end != STELE_SPAN_OPEN)
            top_figures_of(t, &t->names, span->name)->count++;
        count_span(t, span, stele_span_duration_ns(span) - span->self_ns,
                   node != NULL && node->repeats > 1);
    }
    return STELE_OK;
}

/* Whether a span further out on the stack has the same name. */
static bool is_further_out(const top *t, uint32_t track, uint32_t depth, stele_name name)
{
    stele_span span;
    for (uint32_t i = depth; i-- != 0;)
        if (stele_spans_open_at(t->spans, track, i, &span) && span.name == name)
            return true;
    return false;
}

/* Fills in an open span as it is at a time, and what its callees have taken by then. Returns
   false if none is open at that depth. */
static bool open_by(const top *t, uint32_t track, uint32_t depth, int64_t time_ns, stele_span *span,
                    uint64_t *child_ns)
{
    stele_span callee;
    if (!stele_spans_open_at(t->spans, track, depth, span))
        return false;
    *child_ns = stele_span_duration_ns(span) - span->self_ns;
    span->end_ns = span->end_ns < time_ns ? span->end_ns : time_ns;
    if (stele_spans_open_at(t->spans, track, depth + 1, &callee) && callee.begin_ns < span->end_ns)
        *child_ns += (uint64_t)(callee.end_ns < span->end_ns ? callee.end_ns : span->end_ns) -
                     (uint64_t)callee.begin_ns;
    return true;
}

static uint32_t open_depth(const top *t, uint32_t track)
{
    uint32_t depth = 0;
    stele_span span;
    while (stele_spans_open_at(t->spans, track, depth, &span))
        depth++;
    return depth;
}

void top_carry_open(top *t, int64_t time_ns, bool is_counted)
{
    top_carried *made = NULL;
    size_t count = 0, capacity = 0;
    stele_span span;
    uint64_t child_ns;
    for (uint32_t track = 0; track <= stele_track_count(t->c->context); track++) {
        for (uint32_t depth = open_depth(t, track); depth-- != 0;) {
            if (!open_by(t, track, depth, time_ns, &span, &child_ns))
                continue;
            if (is_counted)
                count_span(t, &span, child_ns, is_further_out(t, track, depth, span.name));
            if (count == capacity) {
                top_carried *grown = list_grow(made, sizeof *made, &capacity);
                if (grown == NULL) {
                    cli_check(t->c, STELE_ERR_MEMORY, "spans");
                    break;
                }
                made = grown;
            }
            made[count++] = (top_carried){span.id, child_ns};
        }
    }
    if (count != 0)
        qsort(made, count, sizeof *made, compare_carried);
    free(t->carried);
    t->carried = made;
    t->carried_count = count;
}

/* ---- What CPUs run --------------------------------------------------------------------------- */

static void count_run(top *t, uint32_t cpu, uint32_t thread, int64_t begin_ns, int64_t end_ns)
{
    const uint64_t ns = part_of(t, begin_ns, end_ns);
    if (ns == 0)
        return;
    top_figures_of(t, &t->tracks, cpu)->run_ns += ns;
    if (thread != 0)
        top_figures_of(t, &t->tracks, thread)->run_ns += ns;
}

stele_status top_take_run(void *user, const stele_cpu_interval *interval)
{
    if (interval->state == STELE_CPU_BUSY)
        count_run(user, interval->cpu, interval->thread, interval->begin_ns, interval->end_ns);
    return STELE_OK;
}

static stele_status take_now(void *user, const stele_sched_now *now)
{
    top *t = user;
    if (now->is_cpu && now->state == STELE_CPU_BUSY)
        count_run(t, now->track, now->other, now->since_ns, t->end_ns);
    return STELE_OK;
}

void top_run_open(top *t)
{
    if (t->has_runs)
        stele_sched_give_now(t->sched, take_now, t);
}
