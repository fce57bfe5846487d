/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of call paths, with the time spent at the end of each path itself. */
#include "analysis/events/calls.h"

#include <stele/sched.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"

#include "analysis/events/ranked.h"
#include "analysis/events/samples.h"

/* Sums of one node of the tree. */
typedef struct path_sums {
    uint64_t count, self_ns;
} path_sums;

struct stele_paths {
    stele_context *context;
    stele_path_options options;
    stele_calls *calls;
    path_sums *sums[STELE_PATH_SIDES]; /* sums by node, for each side */
    uint32_t sum_count[STELE_PATH_SIDES];
    unsigned side;
    bool is_sampled;
    stele_path_node *nodes;
    stele_name path[SAMPLE_PATH_MAX];
    stele_sched *sched; /* with the option off_cpu; else NULL */
    stele_name states[STELE_RUN_STATE_COUNT];
};

/* ---- Sums of nodes ---- */

static path_sums *sums_grow(stele_paths *p, uint32_t node)
{
    const unsigned side = p->side;
    path_sums *grown = array_reach(p->sums[side], sizeof *grown, &p->sum_count[side], node);
    if (grown == NULL)
        return NULL;
    p->sums[side] = grown;
    return &grown[node];
}

static inline path_sums *sums_of(stele_paths *p, uint32_t node)
{
    return node < p->sum_count[p->side] ? &p->sums[p->side][node] : sums_grow(p, node);
}

static stele_status take_calls(void *user, const stele_call_span *spans, size_t count)
{
    stele_paths *p = user;
    const stele_path_options *options = &p->options;
    if (options->off_cpu)
        return STELE_OK;
    for (const stele_call_span *call = spans; call != spans + count; call++) {
        path_sums *to;
        if (!call->is_wanted || call->end == STELE_CALL_ENTRY_LOST ||
            call->depth < options->depth_min || call->depth >= options->depth_end ||
            stele_call_duration_ns(call) < options->duration_min_ns)
            continue;
        to = sums_of(p, call->node);
        if (to == NULL)
            return STELE_ERR_MEMORY;
        to->count++;
        to->self_ns += call->self_ns;
    }
    return STELE_OK;
}

static stele_status take_sample(stele_paths *p, const stele_batch *batch, const stele_event *event)
{
    const size_t depth = sample_path(p->context, batch, event, p->path);
    path_sums *to;
    p->is_sampled = true;
    if (depth == 0 || depth - 1 < p->options.depth_min || depth - 1 >= p->options.depth_end)
        return STELE_OK;
    to = sums_of(p, stele_calls_path(p->calls, event->track, p->path, depth));
    if (to == NULL)
        return STELE_ERR_MEMORY;
    to->count += event->value;
    to->self_ns += event->id;
    return STELE_OK;
}

/* ---- Waiting of threads ---- */

/* Adds a wait below the calls that are open on its thread: they do not go on meanwhile. COMPLETE
   events that ended before the wait are still on the stack and are passed over. */
static stele_status take_wait(void *user, const stele_thread_interval *wait)
{
    stele_paths *p = user;
    const uint64_t ns = (uint64_t)wait->end_ns - (uint64_t)wait->begin_ns;
    stele_call_span span;
    size_t depth = 0;
    path_sums *to;
    if (wait->state == STELE_RUN_RUNNING || wait->state == STELE_RUN_UNKNOWN ||
        ns < p->options.duration_min_ns)
        return STELE_OK;
    for (uint32_t i = 0;
         depth < SAMPLE_PATH_MAX - 2 && stele_calls_open_at(p->calls, wait->thread, i, &span);
         i++) {
        if (span.end_ns > wait->begin_ns)
            p->path[depth++] = span.name;
    }
    if (wait->reason != 0)
        p->path[depth++] = wait->reason;
    p->path[depth++] = p->states[wait->state];
    if (depth - 1 < p->options.depth_min || depth - 1 >= p->options.depth_end)
        return STELE_OK;
    to = sums_of(p, stele_calls_path(p->calls, wait->thread, p->path, depth));
    if (to == NULL)
        return STELE_ERR_MEMORY;
    to->count++;
    to->self_ns += ns;
    return STELE_OK;
}

static stele_status make_sched(stele_paths *p)
{
    stele_request tracks = {.kinds = 0};
    stele_sched_options options = STELE_INIT(stele_sched_options);
    if (!p->options.off_cpu)
        return STELE_OK;
    if (p->options.only != NULL)
        tracks.tracks = p->options.only->tracks;
    options.on_thread = take_wait;
    options.user = p;
    options.only = &tracks;
    for (unsigned i = 0; i < STELE_RUN_STATE_COUNT; i++) {
        char text[32];
        const int size =
            snprintf(text, sizeof text, "[%s]", stele_run_state_text((stele_run_state)i));
        p->states[i] = stele_name_intern(p->context, text, (size_t)size);
        if (p->states[i] == UINT32_MAX)
            return STELE_ERR_MEMORY;
    }
    return stele_sched_new(p->context, &options, &p->sched);
}

/* Gives each event to the engine that it is for, calls or scheduling, in the order of events. */
static stele_status add_both(stele_paths *p, const stele_segment *segment)
{
    const stele_event *events = segment->batch->events;
    const uint32_t end = segment->first + segment->count;
    stele_segment run = {segment->batch, segment->first, 0};
    stele_status status = STELE_OK;
    while (run.first < end && status == STELE_OK) {
        const uint64_t kinds = STELE_CALLS_KINDS;
        const bool is_call = (STELE_KIND_BIT(events[run.first].kind) & kinds) != 0;
        run.count = 1;
        while (run.first + run.count < end &&
               ((STELE_KIND_BIT(events[run.first + run.count].kind) & kinds) != 0) == is_call)
            run.count++;
        status = is_call ? stele_calls_add(p->calls, &run, NULL) : stele_sched_add(p->sched, &run);
        run.first += run.count;
    }
    return status;
}

static stele_status prepare(stele_paths *p, stele_context *context)
{
    const stele_call_options wanted = {
        .has_tree = true, .has_track_roots = p->options.by_track, .only = p->options.only};
    stele_status status;
    p->context = context;
    if (p->options.depth_end == 0)
        p->options.depth_end = UINT32_MAX;
    status = stele_calls_new(context, &wanted, take_calls, p, &p->calls);
    return status == STELE_OK ? make_sched(p) : status;
}

stele_status stele_paths_new(stele_context *context, const stele_path_options *options,
                             stele_paths **out)
{
    stele_paths *p = calloc(1, sizeof *p);
    stele_status status = SIZED_BEGIN(p, stele_paths, stele_path_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(p, context);
    if (status != STELE_OK) {
        stele_paths_free(p);
        return status;
    }
    *out = p;
    return STELE_OK;
}

void stele_paths_free(stele_paths *p)
{
    if (p == NULL)
        return;
    stele_calls_free(p->calls);
    stele_sched_free(p->sched);
    for (unsigned side = 0; side < STELE_PATH_SIDES; side++)
        free(p->sums[side]);
    free(p->nodes);
    free(p);
}

uint32_t stele_paths_columns(const stele_paths *p)
{
    /* fields hold the call paths of samples */
    return stele_calls_columns(p->calls) | STELE_COLUMN_FIELDS;
}

stele_status stele_paths_set_window(stele_paths *p, int64_t begin_ns, int64_t end_ns)
{
    if (p->sched != NULL)
        stele_sched_set_window(p->sched, begin_ns, end_ns);
    return stele_calls_set_window(p->calls, begin_ns, end_ns);
}

stele_status stele_paths_add(stele_paths *p, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    bool others = false;
    stele_status status;
    if (p->sched != NULL)
        return add_both(p, segment);
    status = stele_calls_add(p->calls, segment, &others);
    for (uint32_t i = 0; others && i < segment->count && status == STELE_OK; i++, event++) {
        if (event->kind == STELE_KIND_SAMPLE && stele_calls_in_window(p->calls, event->time_ns) &&
            stele_calls_wants(p->calls, segment->batch, event))
            status = take_sample(p, segment->batch, event);
    }
    return status;
}

/* Scheduling ends first: waits that last until the end belong to the calls that are open then. */
static stele_status finish(stele_paths *p)
{
    const stele_status status = p->sched != NULL ? stele_sched_finish(p->sched) : STELE_OK;
    return status == STELE_OK ? stele_calls_finish(p->calls) : status;
}

stele_status stele_paths_turn(stele_paths *p, unsigned side)
{
    const stele_status status = finish(p);
    p->side = side;
    return status;
}

/* ---- Tree ---- */

/* Sums up the figures of whole subtrees. Numbers of children are higher than those of their
   parents, so one pass from the end is enough. */
static void sum_up(stele_paths *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const stele_call_node *from = stele_calls_node(p->calls, i);
        stele_path_node *node = &p->nodes[i];
        *node = (stele_path_node){
            .name = from->name, .parent = from->parent, .folded_count = from->folded_count};
        node->depth = i == 0 ? 0 : p->nodes[from->parent].depth + 1;
        for (unsigned side = 0; side < STELE_PATH_SIDES; side++) {
            const path_sums sums =
                i < p->sum_count[side] ? p->sums[side][i] : (path_sums){.count = 0};
            node->sides[side] =
                (stele_path_figures){sums.count, sums.self_ns, sums.count, sums.self_ns};
        }
    }
    for (uint32_t i = count; i-- > 1;) {
        for (unsigned side = 0; side < STELE_PATH_SIDES; side++) {
            const stele_path_figures *from = &p->nodes[i].sides[side];
            stele_path_figures *to = &p->nodes[p->nodes[i].parent].sides[side];
            to->total_count += from->total_count;
            to->total_ns += from->total_ns;
        }
    }
}

/* Links the children of each node in the order of the ranks; the last is put in front first. */
static void link_children(stele_path_node *nodes, const ranked *ranks, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        stele_path_node *node = &nodes[ranks[i].index];
        node->sibling = nodes[node->parent].child;
        nodes[node->parent].child = ranks[i].index;
    }
}

stele_status stele_paths_tree(stele_paths *p, bool by_count, stele_path_tree *tree)
{
    stele_path_tree own = {.is_sampled = p->is_sampled};
    const stele_status status = finish(p);
    const uint32_t count = stele_calls_node_count(p->calls);
    ranked *ranks;
    if (status != STELE_OK)
        return status;
    free(p->nodes);
    p->nodes = malloc(count * sizeof *p->nodes);
    ranks = malloc(count * sizeof *ranks);
    if (p->nodes == NULL || ranks == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    sum_up(p, count);
    own.nodes = p->nodes;
    own.count = count;
    for (uint32_t i = 1; i < count; i++) {
        const stele_path_figures *a = &p->nodes[i].sides[0], *b = &p->nodes[i].sides[1];
        ranks[i - 1] =
            (ranked){by_count ? a->total_count + b->total_count : a->total_ns + b->total_ns,
                     stele_name_text(p->context, NULL, p->nodes[i].name), i, i};
        if (p->nodes[i].depth > own.depth_max)
            own.depth_max = p->nodes[i].depth;
    }
    qsort(ranks, count - 1, sizeof *ranks, ranked_compare);
    link_children(p->nodes, ranks, count - 1);
    free(ranks);
    sized_give(tree, &own, sizeof own, SIZED_FIRST(stele_path_tree, is_sampled));
    return STELE_OK;
}

const stele_call_counts *stele_paths_get_counts(const stele_paths *p)
{
    return stele_calls_get_counts(p->calls);
}

void stele_paths_report(const stele_paths *p)
{
    stele_calls_report(p->calls);
}
