/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which an overview shows its tracks, what it says of each, and their titles. */
#include "analysis/events/overview.h"

#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"

const char *stele_overview_kind_text(stele_overview_kind kind)
{
    static const char *const texts[STELE_OVERVIEW_KIND_COUNT] = {
        "none", "trace", "track", "counter", "operations", "sched", "insns"};
    return kind < STELE_OVERVIEW_KIND_COUNT ? texts[kind] : texts[0];
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
        if (depth <= OVERVIEW_TRACKS_MAX + 2)
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
    for (unsigned depth = 0; track != 0 && depth < OVERVIEW_TRACKS_MAX; depth++) {
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
    if (n->id == OVERVIEW_ID_OTHER)
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
