/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks of an overview: lookup, spans and samples, the order in which they are shown, and titles.
 */
#include "analysis/events/overview.h"

#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"
#include "model/batch.h"

/* The largest number of rows of all tracks together. */
#define ROWS_MAX (1u << 17)
/* How many ids of one counter get a track of their own. The others share one track with the id
   ID_OTHER. */
#define IDS_MAX  64u
#define ID_OTHER UINT64_MAX
/* Once there are this many tracks, no more counters get one. */
#define COUNTERS_MAX (1u << 16)
/* The largest depth of tracks inside of tracks; deeper ones are cut. */
#define TRACK_DEPTH_MAX 64u

const char *stele_overview_kind_text(stele_overview_kind kind)
{
    static const char *const texts[STELE_OVERVIEW_KIND_COUNT] = {
        "none", "trace", "track", "counter", "operations", "sched", "insns"};
    return kind < STELE_OVERVIEW_KIND_COUNT ? texts[kind] : texts[0];
}

/* ---- Lookup ---------------------------------------------------------------------------------- */

lane_kind overview_moments(stele_overview_kind kind)
{
    return kind == STELE_OVERVIEW_COUNTER ? LANE_COUNTER
           : kind == STELE_OVERVIEW_INSNS ? LANE_INSNS
                                          : LANE_EVENTS;
}

static uint32_t node_make(stele_overview *o, const overview_node *like)
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
    *n = *like;
    n->all_from_ns = INT64_MAX;
    lane_init(&n->moments, overview_moments((stele_overview_kind)n->kind));
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

static bool is_alike(const overview_node *a, const overview_node *b)
{
    return a->kind == b->kind && a->parent == b->parent && a->trace == b->trace &&
           a->name == b->name && a->field == b->field && a->id == b->id;
}

static uint32_t node_hash(const stele_overview *o, const overview_node *like)
{
    return hash_table_hash_pair(&o->numbers, (uint64_t)like->parent << 32 | like->name,
                                like->id ^ (uint64_t)like->field << 32 ^
                                    (uint64_t)like->kind << 24 ^ like->trace);
}

/* Finds a node that has no track in the model. Returns its number, 0 if there is none. */
static uint32_t node_lookup(const stele_overview *o, const overview_node *like)
{
    const uint32_t hash = o->numbers.slots != NULL ? node_hash(o, like) : 0;
    uint32_t number;
    for (uint32_t at = hash; (number = hash_table_next(&o->numbers, hash, &at)) != HASH_NONE;)
        if (is_alike(&o->nodes[number], like))
            return number;
    return 0;
}

/*
 * Finds a node that has no track in the model, or makes it. Returns its number, 0 if out of memory.
 */
static uint32_t node_find(stele_overview *o, const overview_node *like)
{
    uint32_t number = node_lookup(o, like);
    if (number != 0)
        return number;
    if (!hash_table_reserve(&o->numbers)) {
        o->status = STELE_ERR_MEMORY;
        return 0;
    }
    number = node_make(o, like);
    if (number != 0)
        hash_table_put(&o->numbers, node_hash(o, like), number);
    return number;
}

uint32_t overview_child_node(stele_overview *o, uint32_t parent, stele_overview_kind kind,
                             stele_name name, stele_name field, uint64_t id)
{
    return node_find(o, &(overview_node){.kind = (uint8_t)kind,
                                         .parent = parent,
                                         .trace = o->nodes[parent].trace,
                                         .track = o->nodes[parent].track,
                                         .name = name,
                                         .field = field,
                                         .id = id});
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
    uint32_t path[TRACK_DEPTH_MAX], depth = 0, number;
    const stele_track *known = stele_track_get(o->context, track);
    if (known == NULL)
        return 0;
    for (uint32_t at = track; depth < TRACK_DEPTH_MAX && at != 0 && o->track_nodes[at] == 0;) {
        const stele_track *of = stele_track_get(o->context, at);
        path[depth++] = at;
        at = of != NULL && of->parent < o->track_node_count ? of->parent : 0;
    }
    while (depth-- != 0) {
        const stele_track *of = stele_track_get(o->context, path[depth]);
        const uint32_t parent =
            of->parent != 0 && of->parent < o->track_node_count ? o->track_nodes[of->parent] : 0;
        overview_node like = {.kind = STELE_OVERVIEW_TRACK,
                              .trace = of->source,
                              .track = path[depth],
                              .parent = parent};
        if (parent == 0)
            like.parent = overview_track_node(o, of->source, 0);
        number = like.parent != 0 ? node_make(o, &like) : 0;
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
        return node_find(o, &(overview_node){.kind = STELE_OVERVIEW_TRACE, .trace = trace});
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
    stele_status status;
    if (n->event_count++ == 0 || value < n->min)
        n->min = value;
    if (n->event_count == 1 || value > n->max)
        n->max = value;
    overview_widen(n, time_ns, time_ns);
    status = lane_add(&n->moments, &o->store,
                      &(lane_entry){.begin_ns = time_ns,
                                    .end_ns = time_ns,
                                    .count = 1,
                                    .u.values = {value, value, value},
                                    .is_closed = true});
    if (o->status == STELE_OK)
        o->status = status;
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

/* Where the number of ids of one value of a counter is kept. Returns NULL if out of memory. */
static uint32_t *ids_of(stele_overview *o, uint32_t above, stele_name name, stele_name field)
{
    uint32_t hash, number;
    if (!hash_table_reserve(&o->counter_numbers))
        return NULL;
    hash = hash_table_hash_pair(&o->counter_numbers, above, (uint64_t)name << 32 | field);
    for (uint32_t at = hash;
         (number = hash_table_next(&o->counter_numbers, hash, &at)) != HASH_NONE;) {
        const overview_counter *c = &o->counters[number];
        if (c->above == above && c->name == name && c->field == field)
            return &o->counters[number].id_count;
    }
    if (o->counter_count == o->counter_capacity) {
        overview_counter *grown = array_grow(o->counters, sizeof *grown, &o->counter_capacity, 16);
        if (grown == NULL)
            return NULL;
        o->counters = grown;
    }
    o->counters[o->counter_count] = (overview_counter){above, name, field, 0};
    hash_table_put(&o->counter_numbers, hash, o->counter_count);
    return &o->counters[o->counter_count++].id_count;
}

/* The node of one value of a counter, made if needed. Returns its number, 0 if out of memory. */
static uint32_t counter_node(stele_overview *o, uint32_t above, stele_name name, stele_name field,
                             uint64_t id)
{
    overview_node like = {.kind = STELE_OVERVIEW_COUNTER,
                          .parent = above,
                          .trace = o->nodes[above].trace,
                          .track = o->nodes[above].track,
                          .name = name,
                          .field = field,
                          .id = id};
    uint32_t number = node_lookup(o, &like);
    uint32_t *ids;
    if (number != 0)
        return number;
    ids = ids_of(o, above, name, field);
    if (ids == NULL) {
        o->status = STELE_ERR_MEMORY;
        return 0;
    }
    if (*ids == IDS_MAX || o->node_count >= COUNTERS_MAX)
        like.id = ID_OTHER;
    else
        ++*ids;
    return node_find(o, &like);
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

/* ---- Order of tracks ------------------------------------------------------------------------- */

typedef struct sort_key {
    uint32_t number, parent;
    unsigned rank;
    uint64_t first, second;
} sort_key;

/* The rank of a node among its siblings. Processes and others that contain tracks come after
   those that do not. */
static unsigned rank_of(const overview_node *n, const stele_track *track)
{
    static const uint8_t ranks[STELE_TRACK_KIND_COUNT] = {
        [STELE_TRACK_CPU] = 10,    [STELE_TRACK_PROCESS] = 11,   [STELE_TRACK_THREAD] = 12,
        [STELE_TRACK_STREAM] = 13, [STELE_TRACK_SUBSTREAM] = 14, [STELE_TRACK_PROVIDER] = 15,
        [STELE_TRACK_OTHER] = 16};
    switch (n->kind) {
    case STELE_OVERVIEW_TRACE: return 0;
    case STELE_OVERVIEW_SCHED: return 1;
    case STELE_OVERVIEW_INSNS: return 2;
    case STELE_OVERVIEW_COUNTER: return 3;
    case STELE_OVERVIEW_OPERATIONS: return 4;
    default: return track != NULL && track->kind < STELE_TRACK_KIND_COUNT ? ranks[track->kind] : 17;
    }
}

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static sort_key key_of(const stele_overview *o, uint32_t number)
{
    const overview_node *n = &o->nodes[number];
    const stele_track *track = stele_track_get(o->context, n->track);
    const bool is_track = n->kind == STELE_OVERVIEW_TRACK && track != NULL;
    return (sort_key){.number = number,
                      .parent = n->parent,
                      .rank = rank_of(n, track),
                      .first = is_track                          ? track->number
                               : n->kind == STELE_OVERVIEW_TRACE ? n->trace
                                                                 : n->name,
                      .second = is_track ? 0 : n->id};
}

/* Appends all nodes below `parent` to the order. The children of node i are keys[first[i]] to
   keys[first[i + 1] - 1]. */
static void place_below(stele_overview *o, const sort_key *keys, const uint32_t *first,
                        uint32_t parent, uint32_t depth)
{
    for (uint32_t i = first[parent]; i < first[parent + 1]; i++) {
        const uint32_t number = keys[i].number;
        o->nodes[number].place = o->place_count;
        o->nodes[number].depth = depth;
        o->places[o->place_count++] = number;
        if (depth <= TRACK_DEPTH_MAX + 2)
            place_below(o, keys, first, number, depth + 1);
    }
}

/* Makes the order of tracks anew if there are new nodes. Returns false if out of memory. */
static bool places_make(stele_overview *o)
{
    const uint32_t count = o->node_count > 0 ? o->node_count - 1 : 0;
    sort_key *keys;
    uint32_t *first, *places;
    if (o->place_count == count)
        return true;
    keys = malloc(count * sizeof *keys);
    first = calloc((size_t)count + 2, sizeof *first);
    places = array_fit(o->places, sizeof *places, count);
    if (places != NULL)
        o->places = places;
    if (keys == NULL || first == NULL || places == NULL) {
        free(keys);
        free(first);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key_of(o, i + 1);
        first[keys[i].parent + 1]++;
    }
    for (uint32_t i = 0; i <= count; i++)
        first[i + 1] += first[i];
    qsort(keys, count, sizeof *keys, compare_keys);
    o->place_count = 0;
    place_below(o, keys, first, 0, 0);
    free(keys);
    free(first);
    return true;
}

uint32_t stele_overview_track_count(const stele_overview *o)
{
    return o->node_count > 0 ? o->node_count - 1 : 0;
}

uint32_t stele_overview_track_at(stele_overview *o, uint32_t place)
{
    if (place >= stele_overview_track_count(o) || !places_make(o))
        return 0;
    return place < o->place_count ? o->places[place] : 0;
}

/* Fills in the numbers of the process and the thread that a track is in. */
static void take_ids(const stele_overview *o, uint32_t track, stele_overview_track *to)
{
    for (unsigned depth = 0; track != 0 && depth < TRACK_DEPTH_MAX; depth++) {
        const stele_track *of = stele_track_get(o->context, track);
        if (of == NULL)
            return;
        if (of->kind == STELE_TRACK_THREAD && !to->has_thread) {
            to->has_thread = true;
            to->thread = of->number;
        } else if (of->kind == STELE_TRACK_PROCESS && !to->has_process) {
            to->has_process = true;
            to->process = of->number;
        }
        track = of->parent;
    }
}

bool stele_overview_get_track(stele_overview *o, uint32_t number, stele_overview_track *to)
{
    const overview_node *n = &o->nodes[number];
    const stele_track *track;
    stele_overview_track own;
    if (number == 0 || number >= o->node_count || !places_make(o))
        return false;
    track = stele_track_get(o->context, n->track);
    own = (stele_overview_track){.number = number,
                                 .parent = n->parent,
                                 .depth = n->depth,
                                 .place = n->place,
                                 .kind = (stele_overview_kind)n->kind,
                                 .track_kind = track != NULL ? track->kind : STELE_TRACK_NONE,
                                 .trace = n->trace,
                                 .track = n->track,
                                 .name = n->name,
                                 .field = n->field,
                                 .id = n->id,
                                 .has_range = n->has_range,
                                 .begin_ns = n->begin_ns,
                                 .end_ns = n->end_ns,
                                 .event_count = n->event_count,
                                 .span_count = n->span_count,
                                 .lost_count = n->lost_count,
                                 .busy_ns = n->busy_ns,
                                 .row_count = n->row_count,
                                 .min = n->min,
                                 .max = n->max};
    if (n->kind == STELE_OVERVIEW_TRACK && track != NULL)
        own.name = track->name;
    take_ids(o, n->track, &own);
    sized_give(to, &own, sizeof own, SIZED_FIRST(stele_overview_track, max));
    return true;
}

/* ---- Titles ---------------------------------------------------------------------------------- */

static void put_name(stele_overview *o, stele_name name)
{
    const stele_text text = stele_name_text(o->context, NULL, name);
    stele_output_visible(o->title, text.bytes, text.size);
}

static void put_trace(stele_overview *o, uint32_t trace)
{
    for (size_t i = 0; i < o->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(o->traces[i]);
        if (info->number == trace)
            stele_output_visible(o->title, info->path, strlen(info->path));
    }
}

static void put_counter(stele_overview *o, const overview_node *n)
{
    const stele_text value = stele_name_text(o->context, NULL, n->field);
    put_name(o, n->name);
    if (n->id == ID_OTHER)
        stele_output_text(o->title, " (others)");
    else if (n->id != 0)
        stele_output_printf(o->title, n->name != 0 ? " %" PRIu64 : "%" PRIu64, n->id);
    if (value.size != 0 && n->field != n->name) {
        stele_output_text(o->title, ": ");
        put_name(o, n->field);
    }
}

stele_text stele_overview_title(stele_overview *o, uint32_t number)
{
    stele_text text = {.bytes = ""};
    stele_output *made = NULL;
    const overview_node *n;
    if (number == 0 || number >= o->node_count || stele_output_open_memory(NULL, &made) != STELE_OK)
        return text;
    stele_output_close(o->title);
    o->title = made;
    n = &o->nodes[number];
    switch (n->kind) {
    case STELE_OVERVIEW_TRACE: put_trace(o, n->trace); break;
    case STELE_OVERVIEW_COUNTER: put_counter(o, n); break;
    case STELE_OVERVIEW_OPERATIONS: stele_output_text(made, "operations"); break;
    case STELE_OVERVIEW_SCHED: stele_output_text(made, "running"); break;
    case STELE_OVERVIEW_INSNS: stele_output_text(made, "instructions"); break;
    default: text = stele_track_line(o->context, n->track);
    }
    if (n->kind == STELE_OVERVIEW_TRACK)
        return text;
    text.bytes = (const char *)stele_output_memory(made, &text.size);
    return text;
}
