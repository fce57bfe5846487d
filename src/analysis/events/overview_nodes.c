/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of an overview: lookup, rows, and samples of counters. */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"
#include "model/batch.h"

/* The largest number of rows of all tracks together. */
#define ROWS_MAX (1u << 17)
/* How many ids of one counter get a track of their own. The others share one track with the id
   OVERVIEW_ID_OTHER. */
#define IDS_MAX 64u
/* Once there are this many tracks, no more counters get one. */
#define COUNTERS_MAX (1u << 16)

/* ---- Lookup ---------------------------------------------------------------------------------- */

lane_kind overview_moments(stele_overview_kind kind)
{
    return kind == STELE_OVERVIEW_COUNTER ? LANE_COUNTER
           : kind == STELE_OVERVIEW_INSNS ? LANE_INSNS
                                          : LANE_EVENTS;
}

/* What identifies a node; one that has a track in the model is found by that alone. */
typedef struct node_id {
    uint64_t id;
    uint32_t parent, trace;
    stele_name name, field;
    stele_overview_kind kind;
} node_id;

static uint32_t node_make(stele_overview *o, const node_id *id, uint32_t track)
{
    overview_node *n;
    if (o->node_count == o->node_capacity) {
        overview_node *nodes = array_grow(o->nodes, sizeof *nodes, &o->node_capacity, 64);
        if (nodes == NULL) {
            o->status = STELE_ERR_MEMORY;
            return 0;
        }
        o->nodes = nodes;
    }
    if (o->node_count == 0)
        memset(&o->nodes[o->node_count++], 0, sizeof *o->nodes);
    n = &o->nodes[o->node_count];
    *n = (overview_node){.kind = (uint8_t)id->kind,
                         .parent = id->parent,
                         .trace = id->trace,
                         .track = track,
                         .name = id->name,
                         .field = id->field,
                         .id = id->id,
                         .all_from_ns = INT64_MAX};
    lane_init(&n->moments, overview_moments(id->kind));
    return o->node_count++;
}

void overview_node_free(overview_node *n)
{
    lane_free(&n->moments);
    if (n->losses != NULL)
        lane_free(n->losses);
    if (n->all != NULL)
        lane_free(n->all);
    for (uint32_t i = 0; i < n->row_count; i++)
        lane_free(&n->rows[i]);
    free(n->losses);
    free(n->all);
    free(n->rows);
    free(n->stretches);
}

static uint64_t lane_entries(const overview_lane *l)
{
    uint64_t count = l->has_now;
    for (unsigned i = 0; i < l->level_count; i++)
        count += lane_entry_count(l, i);
    return count;
}

uint64_t overview_node_entries(const overview_node *n)
{
    uint64_t count = lane_entries(&n->moments);
    if (n->losses != NULL)
        count += lane_entries(n->losses);
    if (n->all != NULL)
        count += lane_entries(n->all);
    for (uint32_t i = 0; i < n->row_count; i++)
        count += lane_entries(&n->rows[i]);
    return count;
}

static inline bool is_node(const overview_node *n, const node_id *id)
{
    return n->kind == id->kind && n->parent == id->parent && n->trace == id->trace &&
           n->name == id->name && n->field == id->field && n->id == id->id;
}

static uint32_t node_hash(const stele_overview *o, const node_id *id)
{
    return hash_table_hash_pair(&o->numbers, (uint64_t)id->parent << 32 | id->name,
                                id->id ^ (uint64_t)id->field << 32 ^ (uint64_t)id->kind << 24 ^
                                    id->trace);
}

/* Finds a node that has no track in the model. Returns its number, 0 if there is none. */
static uint32_t node_lookup(const stele_overview *o, const node_id *id)
{
    const uint32_t hash = o->numbers.slots != NULL ? node_hash(o, id) : 0;
    uint32_t number;
    for (uint32_t at = hash; (number = hash_table_next(&o->numbers, hash, &at)) != HASH_NONE;)
        if (is_node(&o->nodes[number], id))
            return number;
    return 0;
}

/* Makes a node that has no track in the model. Returns its number, 0 if out of memory. */
static uint32_t node_add(stele_overview *o, const node_id *id)
{
    uint32_t number;
    if (!hash_table_reserve(&o->numbers)) {
        o->status = STELE_ERR_MEMORY;
        return 0;
    }
    number = node_make(o, id, id->parent != 0 ? o->nodes[id->parent].track : 0);
    if (number != 0)
        hash_table_put(&o->numbers, node_hash(o, id), number);
    return number;
}

/*
 * Finds a node that has no track in the model, or makes it. Returns its number, 0 if out of memory.
 */
static uint32_t node_find(stele_overview *o, const node_id *id)
{
    const uint32_t number = node_lookup(o, id);
    return number != 0 ? number : node_add(o, id);
}

/* The id of a node below another one. */
static node_id child_id(const stele_overview *o, uint32_t parent, stele_overview_kind kind,
                        stele_name name, stele_name field, uint64_t id)
{
    return (node_id){.kind = kind,
                     .parent = parent,
                     .trace = o->nodes[parent].trace,
                     .name = name,
                     .field = field,
                     .id = id};
}

uint32_t overview_child_node(stele_overview *o, uint32_t parent, stele_overview_kind kind,
                             stele_name name, stele_name field, uint64_t id)
{
    const node_id wanted = child_id(o, parent, kind, name, field, id);
    uint32_t number = o->nodes[parent].last_child;
    if (number != 0 && is_node(&o->nodes[number], &wanted))
        return number;
    number = node_find(o, &wanted);
    o->nodes[parent].last_child = number;
    return number;
}

static bool track_nodes_grow(stele_overview *o, uint32_t track)
{
    uint32_t *nodes = array_reach(o->track_nodes, sizeof *nodes, &o->track_node_count, track);
    if (nodes == NULL)
        return false;
    o->track_nodes = nodes;
    return true;
}

/* Makes the node of a track, after those of the tracks around it, the outermost one first. */
static uint32_t track_node_make(stele_overview *o, uint32_t track)
{
    uint32_t path[OVERVIEW_TRACKS_MAX], depth = 0, number;
    const stele_track *known = stele_track_get(o->context, track);
    if (known == NULL)
        return 0;
    for (uint32_t at = track; depth < OVERVIEW_TRACKS_MAX && at != 0 && o->track_nodes[at] == 0;) {
        const stele_track *of = stele_track_get(o->context, at);
        path[depth++] = at;
        at = of != NULL && of->parent < o->track_node_count ? of->parent : 0;
    }
    while (depth-- != 0) {
        const stele_track *of = stele_track_get(o->context, path[depth]);
        const uint32_t parent =
            of->parent != 0 && of->parent < o->track_node_count ? o->track_nodes[of->parent] : 0;
        node_id id = {.kind = STELE_OVERVIEW_TRACK, .trace = of->source, .parent = parent};
        if (parent == 0)
            id.parent = overview_track_node(o, of->source, 0);
        number = id.parent != 0 ? node_make(o, &id, path[depth]) : 0;
        if (number == 0)
            return 0;
        o->track_nodes[path[depth]] = number;
    }
    return o->track_nodes[track];
}

uint32_t overview_track_node_slow(stele_overview *o, uint32_t trace, uint32_t track)
{
    uint32_t number;
    if (track == 0 || track > stele_track_count(o->context))
        return node_find(o, &(node_id){.kind = STELE_OVERVIEW_TRACE, .trace = trace});
    if (stele_track_count(o->context) >= o->track_node_count &&
        !track_nodes_grow(o, stele_track_count(o->context) + 1)) {
        o->status = STELE_ERR_MEMORY;
        return 0;
    }
    number = o->track_nodes[track];
    return number != 0 ? number : track_node_make(o, track);
}

/* ---- Spans and samples ----------------------------------------------------------------------- */

overview_lane *overview_row(stele_overview *o, overview_node *n, uint32_t row)
{
    if (row >= o->options.depth_max || o->row_total + (row - n->row_count + 1) > ROWS_MAX) {
        if (row >= n->row_count)
            return NULL;
    }
    while (n->row_count <= row) {
        if (n->row_count == n->row_capacity) {
            overview_lane *rows = array_grow(n->rows, sizeof *rows, &n->row_capacity, 2);
            if (rows == NULL) {
                o->status = STELE_ERR_MEMORY;
                return NULL;
            }
            n->rows = rows;
        }
        lane_init(&n->rows[n->row_count++], LANE_SPANS);
        o->row_total++;
    }
    return &n->rows[row];
}

void overview_note_open(overview_node *n, uint32_t row, int64_t begin_ns, int64_t end_ns)
{
    if (row >= n->row_count)
        return;
    n->rows[row].is_open = true;
    n->rows[row].open_ns = begin_ns;
    n->rows[row].open_end_ns = end_ns;
}

static void add_sample(stele_overview *o, uint32_t number, int64_t time_ns, double value)
{
    overview_node *n = &o->nodes[number];
    if (n->event_count++ == 0 || value < n->min)
        n->min = value;
    if (n->event_count == 1 || value > n->max)
        n->max = value;
    overview_widen(n, time_ns, time_ns);
    overview_keep_status(o, lane_add_sample(&n->moments, &o->store, time_ns, value));
}

/* Converts a field of a counter to a number. Returns false if it is not a number, or is raw or
   context data. */
static bool value_of(const stele_field *field, double *value)
{
    if ((field->hint & (STELE_HINT_RAW | STELE_HINT_CONTEXT)) != 0)
        return false;
    switch (field->type) {
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT: *value = (double)field->u.u; return true;
    case STELE_TYPE_INT: *value = (double)field->u.i; return true;
    case STELE_TYPE_FLOAT: *value = field->u.f; return *value == *value;
    default: return false;
    }
}

/* Makes one value of a counter. Returns its index in o->counters, HASH_NONE if out of memory. */
static uint32_t counter_make(stele_overview *o, const overview_counter *like, uint32_t hash)
{
    if (o->counter_count == o->counter_capacity) {
        overview_counter *grown = array_grow(o->counters, sizeof *grown, &o->counter_capacity, 16);
        if (grown == NULL)
            return HASH_NONE;
        o->counters = grown;
    }
    o->counters[o->counter_count] = *like;
    hash_table_put(&o->counter_numbers, hash, o->counter_count);
    return o->counter_count++;
}

static inline bool is_counter(const overview_counter *c, uint32_t above, stele_name name,
                              stele_name field)
{
    return c->above == above && c->name == name && c->field == field;
}

/* Finds one value of a counter, or makes it. Returns its index in o->counters, HASH_NONE if out of
   memory. */
static uint32_t counter_find(stele_overview *o, uint32_t above, stele_name name, stele_name field)
{
    uint32_t hash, number;
    if (!hash_table_reserve(&o->counter_numbers))
        return HASH_NONE;
    hash = hash_table_hash_pair(&o->counter_numbers, above, (uint64_t)name << 32 | field);
    for (uint32_t at = hash;
         (number = hash_table_next(&o->counter_numbers, hash, &at)) != HASH_NONE;) {
        if (is_counter(&o->counters[number], above, name, field))
            return number;
    }
    return counter_make(o, &(overview_counter){.above = above, .name = name, .field = field}, hash);
}

/* One value of a counter, made if needed. Returns NULL if out of memory. */
static inline overview_counter *counter_of(stele_overview *o, uint32_t above, stele_name name,
                                           stele_name field)
{
    const uint32_t last = o->nodes[above].last_counter;
    uint32_t number;
    if (last != 0 && is_counter(&o->counters[last - 1], above, name, field))
        return &o->counters[last - 1];
    number = counter_find(o, above, name, field);
    if (number == HASH_NONE) {
        o->status = STELE_ERR_MEMORY;
        return NULL;
    }
    o->nodes[above].last_counter = number + 1;
    return &o->counters[number];
}

/* Finds the node of an id of a value of a counter, or makes it; ids beyond the limit share one.
   Returns its number, 0 if out of memory. */
static uint32_t counter_node_find(stele_overview *o, overview_counter *c, uint64_t id)
{
    node_id wanted = child_id(o, c->above, STELE_OVERVIEW_COUNTER, c->name, c->field, id);
    const uint32_t known = node_lookup(o, &wanted);
    if (known != 0)
        return known;
    if (c->id_count != IDS_MAX && o->node_count < COUNTERS_MAX) {
        c->id_count++;
        return node_find(o, &wanted);
    }
    if (c->others == 0) {
        wanted.id = OVERVIEW_ID_OTHER;
        c->others = node_find(o, &wanted);
    }
    return c->others;
}

/* The node of one value of a counter, made if needed. Returns its number, 0 if out of memory. */
static inline uint32_t counter_node(stele_overview *o, uint32_t above, stele_name name,
                                    stele_name field, uint64_t id)
{
    overview_counter *c = counter_of(o, above, name, field);
    if (c == NULL || (c->last != 0 && c->last_id == id))
        return c != NULL ? c->last : 0;
    c->last = counter_node_find(o, c, id);
    c->last_id = id;
    return c->last;
}

void overview_add_counter(stele_overview *o, uint32_t node, const stele_batch *batch,
                          const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    for (uint32_t at = 0; at < count && o->status == STELE_OK;) {
        const stele_field *field = &batch->fields[first + at];
        double value;
        at += stele_field_length(field);
        if ((field->name & STELE_NAME_LOCAL) == 0 && value_of(field, &value)) {
            const uint32_t number = counter_node(o, node, name, field->name, event->id);
            if (number != 0)
                add_sample(o, number, event->time_ns, value);
        }
    }
}
