/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of statistics: rows that have the same values of some expressions. */
#ifndef ANALYSIS_EVENTS_STATS_GROUPS_H
#define ANALYSIS_EVENTS_STATS_GROUPS_H

#include <stele/stats.h>

#include <math.h>

#include "analysis/events/spread.h"
#include "core/arena.h"
#include "core/table.h"

/* The figures of a group in one interval of time, with those of each expression in `of`. */
typedef struct stats_point {
    stele_stats_point about;
    stele_stats_point_figures of[];
} stats_point;

/* The current value of an expression, which holds until the next row. The extremes include
   values that were replaced at the same time and so held for no time. */
typedef struct stats_held {
    stele_value last, least, greatest; /* numbers, while is_there or has_extremes are set */
    int64_t since_ns;
    uint64_t count; /* how many values were set in the window */
    bool is_there, has_extremes;
} stats_held;

typedef struct stats_group {
    stele_stats_group about; /* must be the first member: callers get a pointer to it */
    stele_value *keys;       /* those of `about` */
    uint8_t *points;
    uint32_t point_count, point_capacity;
    uint32_t number;  /* index of the group in items; UINT32_MAX for the group of all others */
    stats_held *held; /* an element for each expression; NULL: values do not hold */
    spread of[];      /* an element for each expression */
} stats_group;

typedef struct stats_groups {
    stele_context *context;
    uint32_t by_count, of_count, groups_max;
    size_t point_size;
    uint64_t every_ns;
    bool is_held;
    size_t size_max;  /* limit of `room` at the start */
    size_t exact_max; /* how much of that is for exact numbers of different values */
    spread_room room; /* bytes that all groups may still use */
    /* The least size of a group for which there was no room: none as large gets any later, so that
       the rows of one key stay together. */
    size_t refused;
    arena texts; /* texts of keys */
    stats_group **items;
    size_t count, capacity;
    stats_group *other;    /* the group of rows beyond the limit; NULL: there was room for all */
    distinct other_keys;   /* counts the different keys in `other` */
    hash_table numbers;    /* numbers of groups, by their keys */
    stats_group **by_name; /* group of a name, by number of the name, if the name is the only key */
    uint32_t by_name_count;
    stele_value *keys; /* keys of the current row, one for each expression */
    uint64_t cut_rows; /* how many rows are in no interval for lack of room */
} stats_groups;

/* An integer of any type as 128 bits. */
static inline wide_i128 stats_wide_of(const stele_value *v)
{
    switch (v->type) {
    case STELE_VALUE_INT: return i128_of_i64(v->u.i);
    case STELE_VALUE_UINT: return i128_of_u64(v->u.u);
    default: return i128_make(v->u.wide.high, v->u.wide.low);
    }
}

/* A number as a decimal; NaN for what is not a number. */
static inline double stats_number_of(const stele_value *v)
{
    switch (v->type) {
    case STELE_VALUE_INT: return (double)v->u.i;
    case STELE_VALUE_UINT: return (double)v->u.u;
    case STELE_VALUE_WIDE: return ldexp((double)v->u.wide.high, 64) + (double)v->u.wide.low;
    case STELE_VALUE_FLOAT: return v->u.f;
    default: return (double)NAN;
    }
}

bool stats_groups_init(stats_groups *g, stele_context *context, uint32_t by_count,
                       uint32_t of_count);
void stats_groups_free(stats_groups *g);

/* Removes all groups. The limits must be set: this also gives them their room. */
void stats_groups_clear(stats_groups *g);

/* Finds or makes the group for the keys of the current row. Returns NULL if out of memory. */
stats_group *stats_groups_find(stats_groups *g);

/* The group of a name, if the name is the only key and the group is known: a fast path for the
   usual case. Returns NULL otherwise. */
static inline stats_group *stats_groups_named(const stats_groups *g, stele_name name)
{
    return name < g->by_name_count ? g->by_name[name] : NULL;
}

/* The group of a number, which it has. */
static inline stats_group *stats_group_numbered(const stats_groups *g, uint32_t number)
{
    return number < g->count ? g->items[number] : g->other;
}

/* Gives keys that are tracks the names that are known now, which may have become known after the
   first row. */
void stats_groups_name_tracks(const stats_groups *g);

/* Finds or makes an interval of a group. Returns NULL if there is no room or, with `*is_memory`
   set, if out of memory. */
stats_point *stats_group_point(stats_groups *g, stats_group *group, int64_t interval,
                               bool *is_memory);

/* The hash of a value, for numbers of different values. It has no random key, so that estimates are
   the same in each run. */
uint64_t stats_value_hash(const stele_value *value);

#endif
