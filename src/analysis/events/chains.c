/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of work that is handed on by flows. The spans engine says what begins and ends on each
 * track; a flow takes the chain from one span to another. A path is a node of a tree in which works
 * and flows alternate; the first work is below the root.
 */
#include <stele/chains.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/histogram.h"
#include "analysis/events/pair_queues.h"
#include "analysis/events/spans_state.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/table.h"
#include "model/context.h"

#define PATHS_MAX  65536u
#define FLOW_KINDS (STELE_CHAINS_KINDS & ~STELE_CALLS_KINDS)

/* A node of the tree of paths: one stage, the last of its path. */
typedef struct node {
    uint32_t parent; /* number of the parent; 0: the root */
    uint32_t depth;  /* how many stages the path has */
    stele_chain_stage stage;
    stele_chain_row row;  /* figures of the chains that ended at this node */
    histogram *durations; /* of the chains that ended here; NULL: none did */
} node;

/* A span that is open. */
typedef struct work {
    stele_name name;
    uint32_t node; /* the stage that it works on; 0: none, and it has handed nothing on */
    bool has_sent;
    int64_t begin_ns;
    int64_t since_ns; /* when the chain reached this span */
    int64_t root_ns;  /* when the first span of the chain began */
} work;

/* A chain between two spans: on its way in a flow, or waiting on a track for the next span. */
typedef struct carried {
    uint32_t node; /* number of the flow's node; 0: no chain */
    uint32_t next; /* index of the next free entry, in an entry that is free */
    int64_t root_ns, sent_ns;
} carried;

typedef struct line {
    work *works;
    uint32_t depth, capacity;
    carried waiting; /* a flow that ended while no span was open */
} line;

struct stele_chains {
    stele_context *context;
    stele_chain_options options;
    stele_spans *spans;
    node *nodes;
    uint32_t node_count, node_capacity;
    hash_table numbers; /* numbers of nodes, by parent, name and kind */
    line *lines;        /* state of tracks, by track number */
    uint32_t line_count;
    carried *flows; /* flows on their way; the queues of `open` hold indexes of this array */
    uint32_t flow_count, flow_capacity, flow_free;
    pair_queues open;
    hash_key keys[2];
    stele_chain_counts counts;
    stele_status status;
    stele_chain_row *rows;
    stele_chain_stage *stages;
};

static void fail(stele_chains *c)
{
    if (c->status == STELE_OK)
        c->status = STELE_ERR_MEMORY;
}

/* ---- Tree of paths --------------------------------------------------------------------------- */

/* The node of a path that is one stage longer, made if needed. Returns 0 if there is no room. */
static uint32_t node_child(stele_chains *c, uint32_t parent, stele_name name, bool is_flow)
{
    uint32_t hash;
    if (!hash_table_reserve(&c->numbers)) {
        fail(c);
        return 0;
    }
    hash = hash_table_hash_pair(&c->numbers, (uint64_t)parent << 1 | is_flow, name);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&c->numbers, hash, &at)) != HASH_NONE;)
        if (c->nodes[number].parent == parent && c->nodes[number].stage.name == name &&
            c->nodes[number].stage.is_flow == is_flow)
            return number;
    if (c->node_count > c->options.paths_max) {
        c->counts.refused_count++;
        return 0;
    }
    if (c->node_count == c->node_capacity) {
        node *grown = array_grow(c->nodes, sizeof *grown, &c->node_capacity, 64);
        if (grown == NULL) {
            fail(c);
            return 0;
        }
        c->nodes = grown;
        if (c->node_count == 0)
            c->nodes[c->node_count++] = (node){.parent = 0};
    }
    c->nodes[c->node_count] = (node){.parent = parent,
                                     .depth = c->nodes[parent].depth + 1,
                                     .stage = {.name = name, .is_flow = is_flow}};
    hash_table_put(&c->numbers, hash, c->node_count);
    return c->node_count++;
}

static void stage_add(stele_chains *c, uint32_t number, int64_t begin_ns, int64_t end_ns)
{
    c->nodes[number].stage.count++;
    if (end_ns > begin_ns)
        c->nodes[number].stage.total_ns += (uint64_t)end_ns - (uint64_t)begin_ns;
}

/* Ends a chain with the span `w`, the last of its path, and counts it. */
static void chain_end(stele_chains *c, const work *w, int64_t end_ns)
{
    node *const at = &c->nodes[w->node];
    stele_chain_row *const row = &at->row;
    const uint64_t ns = end_ns > w->root_ns ? (uint64_t)end_ns - (uint64_t)w->root_ns : 0;
    if (at->depth < 2)
        return; /* nothing was handed on, so this is no chain */
    if (at->durations == NULL)
        at->durations = calloc(1, sizeof *at->durations);
    if (at->durations == NULL || !histogram_add(at->durations, ns)) {
        fail(c);
        return;
    }
    if (row->count == 0 || ns < row->min_ns)
        row->min_ns = ns;
    if (row->count == 0 || ns > row->max_ns) {
        row->max_ns = ns;
        row->worst_begin_ns = w->root_ns;
        row->worst_end_ns = end_ns;
    }
    row->count++;
    row->total_ns += ns;
    c->counts.chain_count++;
}

/* ---- Open spans of tracks -------------------------------------------------------------------- */

static line *line_of(stele_chains *c, uint32_t track)
{
    if (track >= c->line_count) {
        line *grown = array_reach(c->lines, sizeof *grown, &c->line_count, track);
        if (grown == NULL) {
            fail(c);
            return NULL;
        }
        c->lines = grown;
    }
    return &c->lines[track];
}

/* Continues a span's work on the chain that a flow has brought. The chain that it worked on
   until now ends. */
static void take_up(stele_chains *c, work *w, const carried *from, int64_t time_ns)
{
    if (w->node != 0 && !w->has_sent)
        chain_end(c, w, time_ns);
    if (w->node != 0)
        stage_add(c, w->node, w->since_ns, time_ns);
    w->node = node_child(c, from->node, w->name, false);
    w->has_sent = false;
    w->since_ns = time_ns;
    w->root_ns = from->root_ns;
}

static void begin_work(stele_chains *c, const stele_span *span)
{
    line *of = line_of(c, span->track);
    work *made;
    if (of == NULL)
        return;
    if (of->depth == of->capacity) {
        work *grown = array_grow(of->works, sizeof *grown, &of->capacity, 8);
        if (grown == NULL) {
            fail(c);
            return;
        }
        of->works = grown;
    }
    made = &of->works[of->depth++];
    *made = (work){.name = span->name, .begin_ns = span->begin_ns, .since_ns = span->begin_ns};
    if (of->depth == 1 && of->waiting.node != 0)
        take_up(c, made, &of->waiting, span->begin_ns);
    if (of->depth == 1)
        of->waiting.node = 0;
}

static void end_work(stele_chains *c, const stele_span *span)
{
    line *of = line_of(c, span->track);
    const work *w;
    /* An end whose begin is missing closes no span here. */
    if (of == NULL || of->depth == 0 || span->end == STELE_SPAN_ENTRY_LOST)
        return;
    w = &of->works[--of->depth];
    if (w->node == 0)
        return;
    stage_add(c, w->node, w->since_ns, span->end_ns);
    if (!w->has_sent && span->end != STELE_SPAN_OPEN)
        chain_end(c, w, span->end_ns);
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    stele_chains *c = user;
    for (uint32_t i = 0; i < segment->count && c->status == STELE_OK; i++) {
        if (spans[i].source == STELE_SPAN_FLOW || spans[i].source == STELE_SPAN_ASYNC ||
            spans[i].source == STELE_SPAN_PAIR)
            continue;
        if (segment->batch->events[segment->first + i].kind == STELE_KIND_BEGIN)
            begin_work(c, &spans[i]);
        else
            end_work(c, &spans[i]);
    }
    return c->status;
}

/* ---- Flows ----------------------------------------------------------------------------------- */

static pair_key key_of(const stele_chains *c, const stele_event *event)
{
    return (pair_key){hash_keyed_u64(c->keys[0], event->id), hash_keyed_u64(c->keys[1], event->id)};
}

static void receive(stele_chains *c, const stele_event *event)
{
    const pair_key key = key_of(c, event);
    line *of = line_of(c, event->track);
    uint64_t index = 0;
    int64_t time_ns;
    carried *from;
    if (of == NULL)
        return;
    if (!pair_queues_pop(&c->open, key, &index, &time_ns)) {
        c->counts.unbegun_count += event->kind == STELE_KIND_FLOW_END;
        return;
    }
    from = &c->flows[index];
    stage_add(c, from->node, from->sent_ns, event->time_ns);
    if (of->depth != 0)
        take_up(c, &of->works[of->depth - 1], from, event->time_ns);
    else
        of->waiting = *from;
    from->next = c->flow_free;
    c->flow_free = (uint32_t)index + 1;
}

/* Which open span a flow starts from: the innermost one that works on a chain, or else the
   innermost one, which starts a new chain. Returns NULL if no span is open. */
static work *sender_of(stele_chains *c, line *of)
{
    work *w;
    for (uint32_t i = of->depth; i != 0; i--)
        if (of->works[i - 1].node != 0 &&
            c->nodes[of->works[i - 1].node].depth + 2 <= STELE_CHAIN_STAGES_MAX)
            return &of->works[i - 1];
    if (of->depth == 0)
        return NULL;
    w = &of->works[of->depth - 1];
    w->node = node_child(c, 0, w->name, false);
    w->since_ns = w->root_ns = w->begin_ns;
    return w->node != 0 ? w : NULL;
}

static void send(stele_chains *c, const stele_event *event)
{
    line *of = line_of(c, event->track);
    work *w = of != NULL ? sender_of(c, of) : NULL;
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    uint32_t index, to;
    if (w == NULL)
        return;
    if (c->open.used >= c->options.open_max) {
        c->counts.refused_count++;
        return;
    }
    to = node_child(c, w->node, name, true);
    if (to == 0)
        return;
    if (c->flow_free != 0) {
        index = c->flow_free - 1;
        c->flow_free = c->flows[index].next;
    } else {
        if (c->flow_count == c->flow_capacity) {
            carried *grown = array_grow(c->flows, sizeof *grown, &c->flow_capacity, 64);
            if (grown == NULL) {
                fail(c);
                return;
            }
            c->flows = grown;
        }
        index = c->flow_count++;
    }
    c->flows[index] = (carried){.node = to, .root_ns = w->root_ns, .sent_ns = event->time_ns};
    w->has_sent = true;
    if (!pair_queues_push(&c->open, key_of(c, event), index, event->time_ns))
        fail(c);
}

/* ---- Adding of events ------------------------------------------------------------------------ */

stele_status stele_chains_add(stele_chains *c, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    for (uint32_t i = 0; i < segment->count && c->status == STELE_OK; i++, event++) {
        const stele_segment one = {segment->batch, segment->first + i, 1};
        if ((event->flags & (STELE_FLAG_REPEATED | STELE_FLAG_NO_TIME)) != 0)
            continue;
        if ((FLOW_KINDS & STELE_KIND_BIT(event->kind)) != 0)
            c->status = spans_expire(c->spans, event->track, event->time_ns);
        if (c->status != STELE_OK)
            break;
        switch (event->kind) {
        case STELE_KIND_FLOW_BEGIN: send(c, event); break;
        case STELE_KIND_FLOW_END: receive(c, event); break;
        case STELE_KIND_FLOW_STEP:
            receive(c, event);
            send(c, event);
            break;
        default:
            if ((STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) != 0 && c->status == STELE_OK)
                c->status = stele_spans_add(c->spans, &one);
        }
    }
    return c->status;
}

stele_status stele_chains_finish(stele_chains *c)
{
    if (c->status == STELE_OK)
        c->status = stele_spans_finish(c->spans);
    c->counts.unended_count += c->open.used;
    pair_queues_clear(&c->open);
    c->flow_count = c->flow_free = 0;
    for (uint32_t i = 0; i < c->line_count; i++)
        c->lines[i].depth = c->lines[i].waiting.node = 0;
    return c->status;
}

uint32_t stele_chains_columns(const stele_chains *c)
{
    return stele_spans_columns(c->spans) | STELE_COLUMN_VALUE;
}

void stele_chains_get_counts(const stele_chains *c, stele_chain_counts *counts)
{
    stele_chain_counts own = c->counts;
    own.unended_count += c->open.used;
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_chain_counts, refused_count));
}

/* ---- Sorted rows ----------------------------------------------------------------------------- */

static int compare_rows(const void *left, const void *right)
{
    const stele_chain_row *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return a->stages < b->stages ? -1 : a->stages > b->stages;
}

static uint64_t percentile(const node *of, unsigned permille)
{
    const uint64_t value = histogram_percentile(of->durations, permille);
    return value < of->row.max_ns ? value : of->row.max_ns;
}

static void fill_row(const stele_chains *c, const node *of, stele_chain_stage *stages,
                     stele_chain_row *row)
{
    uint32_t at = of->depth;
    *row = of->row;
    row->stages = stages;
    row->stage_count = of->depth;
    for (const node *n = of; at != 0; n = &c->nodes[n->parent])
        stages[--at] = n->stage;
    row->p50_ns = percentile(of, 500);
    row->p90_ns = percentile(of, 900);
    row->p99_ns = percentile(of, 990);
}

stele_status stele_chains_rows(stele_chains *c, const stele_chain_row **rows, size_t *count)
{
    size_t row_count = 0, stage_count = 0, at = 0;
    for (uint32_t i = 1; i < c->node_count; i++) {
        row_count += c->nodes[i].row.count != 0;
        stage_count += c->nodes[i].row.count != 0 ? c->nodes[i].depth : 0;
    }
    free(c->rows);
    free(c->stages);
    c->rows = malloc((row_count + 1) * sizeof *c->rows);
    c->stages = malloc((stage_count + 1) * sizeof *c->stages);
    if (c->rows == NULL || c->stages == NULL)
        return STELE_ERR_MEMORY;
    row_count = 0;
    for (uint32_t i = 1; i < c->node_count; i++) {
        if (c->nodes[i].row.count == 0)
            continue;
        fill_row(c, &c->nodes[i], &c->stages[at], &c->rows[row_count++]);
        at += c->nodes[i].depth;
    }
    qsort(c->rows, row_count, sizeof *c->rows, compare_rows);
    *rows = c->rows;
    *count = row_count;
    return STELE_OK;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

stele_status stele_chains_new(stele_context *context, const stele_chain_options *options,
                              stele_chains **out)
{
    const stele_span_options given = {
        .struct_size = sizeof given, .no_fields = true, .has_begins = true};
    stele_chains *c = calloc(1, sizeof *c);
    stele_status status = SIZED_BEGIN(c, stele_chains, stele_chain_options, open_max, options);
    *out = NULL;
    if (status == STELE_OK)
        status = stele_spans_new(context, &given, take_spans, c, &c->spans);
    if (status != STELE_OK) {
        stele_chains_free(c);
        return status;
    }
    c->context = context;
    if (c->options.paths_max == 0)
        c->options.paths_max = PATHS_MAX;
    if (c->options.open_max == 0)
        c->options.open_max = context->limits.open_max;
    c->keys[0] = hash_key_make();
    c->keys[1] = hash_key_make();
    *out = c;
    return STELE_OK;
}

void stele_chains_free(stele_chains *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; i < c->node_count; i++) {
        if (c->nodes[i].durations != NULL)
            histogram_free(c->nodes[i].durations);
        free(c->nodes[i].durations);
    }
    for (uint32_t i = 0; i < c->line_count; i++)
        free(c->lines[i].works);
    stele_spans_free(c->spans);
    hash_table_free(&c->numbers);
    pair_queues_free(&c->open);
    free(c->nodes);
    free(c->lines);
    free(c->flows);
    free(c->rows);
    free(c->stages);
    free(c);
}
