/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/stats_groups.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/context.h"

bool stats_groups_init(stats_groups *g, stele_context *context, uint32_t by_count,
                       uint32_t of_count)
{
    g->context = context;
    g->by_count = by_count;
    g->of_count = of_count;
    g->point_size = sizeof(stats_point) + of_count * sizeof(stele_stats_point_figures);
    g->keys = calloc(by_count + 1u, sizeof *g->keys);
    return g->keys != NULL;
}

static void group_free(const stats_groups *g, stats_group *group)
{
    if (group == NULL)
        return;
    for (uint32_t i = 0; i < g->of_count; i++)
        spread_free(&group->of[i]);
    free(group->points);
    free(group);
}

void stats_groups_clear(stats_groups *g)
{
    for (size_t i = 0; i < g->count; i++)
        group_free(g, g->items[i]);
    group_free(g, g->other);
    distinct_free(&g->other_keys);
    hash_table_clear(&g->numbers);
    arena_free(&g->texts);
    if (g->by_name != NULL)
        memset(g->by_name, 0, g->by_name_count * sizeof(stats_group *));
    g->count = 0;
    g->other = NULL;
    g->other_keys = (distinct){.few_count = 0};
    g->cut_rows = 0;
    g->refused = SIZE_MAX;
    g->room = (spread_room){.left = g->size_max - g->exact_max, .exact = g->exact_max};
}

void stats_groups_free(stats_groups *g)
{
    stats_groups_clear(g);
    hash_table_free(&g->numbers);
    free(g->items);
    free(g->by_name);
    free(g->keys);
}

/* ---- Keys of groups ---- */

static uint64_t hash_value(hash_key key, const stele_value *v)
{
    switch (v->type) {
    case STELE_VALUE_TEXT:
        return v->track != 0 ? hash_keyed_pair(key, v->track, STELE_VALUE_RUN)
                             : hash_keyed_bytes(key, v->u.text.bytes, v->u.text.size);
    case STELE_VALUE_INT:
    case STELE_VALUE_UINT:
    case STELE_VALUE_FLOAT: return hash_keyed_pair(key, v->u.u, v->type);
    case STELE_VALUE_WIDE:
        return hash_keyed_pair(key, v->u.wide.low, (uint64_t)v->u.wide.high ^ STELE_VALUE_WIDE);
    default: return hash_keyed_pair(key, 0, v->type);
    }
}

/* The key of hashes that are not looked up by their bits. */
static const hash_key known_key = {HASH_CONSTANT, UINT64_C(0xd6e8feb86659fd93)};

uint64_t stats_value_hash(const stele_value *value)
{
    return hash_value(known_key, value);
}

static uint64_t hash_keys(const stats_groups *g, hash_key key)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < g->by_count; i++)
        hash = hash_keyed_pair(key, hash, hash_value(key, &g->keys[i]));
    return hash;
}

static bool texts_equal(stele_text a, stele_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static bool value_equals(const stele_value *a, const stele_value *b)
{
    if (a->type != b->type || a->track != b->track)
        return false;
    switch (a->type) {
    case STELE_VALUE_TEXT: return a->track != 0 || texts_equal(a->u.text, b->u.text);
    case STELE_VALUE_INT:
    case STELE_VALUE_UINT:
    case STELE_VALUE_FLOAT: return a->u.u == b->u.u;
    case STELE_VALUE_WIDE:
        return a->u.wide.low == b->u.wide.low && a->u.wide.high == b->u.wide.high;
    default: return true;
    }
}

static bool has_keys(const stats_groups *g, const stats_group *group)
{
    for (uint32_t i = 0; i < g->by_count; i++) {
        if (!value_equals(&group->about.keys[i], &g->keys[i]))
            return false;
    }
    return true;
}

/* Copies a text to the arena, for texts that do not live as long as the context. Returns false
   if out of memory. */
static bool text_keep(stats_groups *g, stele_text *text)
{
    text->bytes = text->size != 0 ? arena_copy(&g->texts, text->bytes, text->size) : "";
    return text->bytes != NULL;
}

static bool keys_keep(stats_groups *g, stele_value *to)
{
    for (uint32_t i = 0; i < g->by_count; i++) {
        to[i] = g->keys[i];
        if ((to[i].type == STELE_VALUE_TEXT && (to[i].name & STELE_NAME_LOCAL) != 0 &&
             !text_keep(g, &to[i].u.text)) ||
            (to[i].label.size != 0 && !text_keep(g, &to[i].label)))
            return false;
    }
    return true;
}

/* ---- Groups ---- */

static size_t group_size(const stats_groups *g)
{
    size_t size = sizeof(stats_group) + g->of_count * sizeof(spread) +
                  (g->is_held ? g->of_count * sizeof(stats_held) : 0) +
                  g->by_count * sizeof(stele_value) + 3 * sizeof(void *);
    for (uint32_t i = 0; i < g->by_count; i++) {
        const stele_value *v = &g->keys[i];
        size += v->label.size + (v->type == STELE_VALUE_TEXT ? v->u.text.size : 0);
    }
    return size;
}

static stats_group *group_make(const stats_groups *g)
{
    const size_t size = sizeof(stats_group) + g->of_count * sizeof(spread);
    stats_group *made = calloc(1, size + (g->is_held ? g->of_count * sizeof(stats_held) : 0));
    if (made != NULL && g->is_held)
        made->held = (stats_held *)(void *)&made->of[g->of_count];
    return made;
}

static stats_group *group_other(stats_groups *g)
{
    if (g->other == NULL) {
        stele_value *keys = arena_take(&g->texts, (g->by_count + 1u) * sizeof *keys);
        if (keys == NULL)
            return NULL;
        memset(keys, 0, (g->by_count + 1u) * sizeof *keys);
        g->other = group_make(g);
        if (g->other == NULL)
            return NULL;
        g->other->about.keys = keys;
        g->other->about.is_other = true;
        g->other->number = UINT32_MAX;
    }
    return distinct_add(&g->other_keys, hash_keys(g, known_key), &g->room.exact) ? g->other : NULL;
}

static stats_group *group_add(stats_groups *g, uint64_t hash)
{
    const size_t size = group_size(g);
    stats_group *made;
    stele_value *keys;
    if (size > g->room.left && size < g->refused)
        g->refused = size;
    if (g->count == g->groups_max || size >= g->refused)
        return group_other(g);
    if (g->count == g->capacity) {
        stats_group **grown = array_grow_size(g->items, sizeof *grown, &g->capacity, 64);
        if (grown == NULL)
            return NULL;
        g->items = grown;
    }
    keys = arena_take(&g->texts, (g->by_count + 1u) * sizeof *keys);
    if (keys == NULL || !keys_keep(g, keys))
        return NULL;
    made = group_make(g);
    if (made == NULL)
        return NULL;
    made->about.keys = made->keys = keys;
    made->number = (uint32_t)g->count;
    g->room.left -= size;
    hash_table_put(&g->numbers, (uint32_t)hash, (uint32_t)g->count);
    g->items[g->count++] = made;
    return made;
}

/* Remembers the group of a name, to find it without hashing. Does nothing if out of memory. */
static void name_keep(stats_groups *g, stele_name name, stats_group *group)
{
    if (name >= g->by_name_count) {
        const uint32_t known = stele_name_count(g->context);
        stats_group **grown;
        if (name >= known)
            return;
        grown = array_reach(g->by_name, sizeof(stats_group *), &g->by_name_count, known - 1);
        if (grown == NULL)
            return;
        g->by_name = grown;
    }
    g->by_name[name] = group;
}

stats_group *stats_groups_find(stats_groups *g)
{
    const stele_value *const key = g->keys;
    const bool is_named = g->by_count == 1 && key->type == STELE_VALUE_TEXT && key->track == 0 &&
                          (key->name & STELE_NAME_LOCAL) == 0;
    stats_group *found = is_named ? stats_groups_named(g, key->name) : NULL;
    uint64_t hash;
    if (found != NULL)
        return found;
    if (!hash_table_reserve(&g->numbers))
        return NULL;
    hash = hash_keys(g, g->numbers.key);
    for (uint32_t at = (uint32_t)hash, number;
         (number = hash_table_next(&g->numbers, (uint32_t)hash, &at)) != HASH_NONE;) {
        if (has_keys(g, g->items[number])) {
            found = g->items[number];
            break;
        }
    }
    if (found == NULL)
        found = group_add(g, hash);
    if (is_named && found != NULL && !found->about.is_other)
        name_keep(g, key->name, found);
    return found;
}

void stats_groups_name_tracks(const stats_groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        for (uint32_t k = 0; k < g->by_count; k++) {
            stele_value *key = &g->items[i]->keys[k];
            const stele_track *track =
                key->type == STELE_VALUE_TEXT ? stele_track_get(g->context, key->track) : NULL;
            if (track == NULL)
                continue;
            key->name = track->name;
            key->u.text = stele_name_text(g->context, NULL, track->name);
        }
    }
}

/* ---- Intervals of a group ---- */

static stats_point *point_at(const stats_groups *g, const stats_group *group, uint32_t index)
{
    return (stats_point *)(void *)(group->points + index * g->point_size);
}

/* The index of the first interval with this number or a higher one. Rows come nearly in order,
   so the end is tried first. */
static uint32_t point_search(const stats_groups *g, const stats_group *group, int64_t interval)
{
    uint32_t low = 0, high = group->point_count;
    if (high != 0 && point_at(g, group, high - 1)->about.interval < interval)
        return high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (point_at(g, group, middle)->about.interval < interval)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

stats_point *stats_group_point(stats_groups *g, stats_group *group, int64_t interval,
                               bool *is_memory)
{
    const uint32_t index = point_search(g, group, interval);
    stats_point *point = point_at(g, group, index);
    *is_memory = false;
    if (index < group->point_count && point->about.interval == interval)
        return point;
    if (g->cut_rows != 0 || g->point_size > g->room.left) {
        g->cut_rows++;
        return NULL;
    }
    if (group->point_count == group->point_capacity) {
        uint8_t *grown = array_grow(group->points, g->point_size, &group->point_capacity, 4);
        *is_memory = grown == NULL;
        if (grown == NULL)
            return NULL;
        group->points = grown;
    }
    g->room.left -= g->point_size;
    point = point_at(g, group, index);
    memmove((uint8_t *)point + g->point_size, point, (group->point_count - index) * g->point_size);
    memset(point, 0, g->point_size);
    point->about.interval = interval;
    group->point_count++;
    return point;
}
