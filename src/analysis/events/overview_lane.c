/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/overview_lane.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/bits.h"
#include "core/unset.h"

#define COUNT_MAX (UINT64_MAX >> 2)

/*
 * The longest span of an entry is kept if it has at least 1 / LONGEST_PART of the duration of all.
 */
#define LONGEST_PART 4u

/* Forgets the names that were counted. */
static void forget_names(overview_lane *l)
{
    l->floor = 0;
    for (unsigned i = 0; i < LANE_NAMES; i++) {
        l->names[i] = LANE_NO_NAME;
        l->weights[i] = 0;
    }
}

void lane_init(overview_lane *l, lane_kind kind)
{
    *l = (overview_lane){.kind = (uint8_t)kind, .grain = 1, .last_ns = INT64_MIN};
    forget_names(l);
}

void lane_free(overview_lane *l)
{
    for (unsigned i = 0; i < l->level_count; i++) {
        free(l->levels[i].open);
        free(l->levels[i].pages);
    }
    free(l->levels);
}

/* Adds counts of 62 bits, the most that lane_pack() can write; larger sums become the maximum. */
static inline uint64_t add_counts(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > COUNT_MAX ? COUNT_MAX : sum;
}

/* ---- Joining of entries ---- */

/* Joins the names of two entries: of both names the one with the larger weight is kept; equal
   names add up. */
static void join_names(lane_entry *to, const lane_entry *more)
{
    if (to->u.spans.name == more->u.spans.name) {
        to->u.spans.weight = add_counts(to->u.spans.weight, more->u.spans.weight);
    } else if (more->u.spans.weight > to->u.spans.weight) {
        to->u.spans.name = more->u.spans.name;
        to->u.spans.weight = more->u.spans.weight;
    }
}

void lane_entry_join(lane_kind kind, lane_entry *to, const lane_entry *more)
{
    to->end_ns = more->end_ns;
    to->is_closed = more->is_closed;
    to->count = add_counts(to->count, more->count);
    to->sum = add_counts(to->sum, more->sum);
    switch (kind) {
    case LANE_SPANS:
        if (lane_distance(more->u.spans.begin_ns, more->u.spans.end_ns) >
            lane_distance(to->u.spans.begin_ns, to->u.spans.end_ns)) {
            to->u.spans.begin_ns = more->u.spans.begin_ns;
            to->u.spans.end_ns = more->u.spans.end_ns;
            to->u.spans.longest = more->u.spans.longest;
        }
        join_names(to, more);
        break;
    case LANE_EVENTS: join_names(to, more); break;
    case LANE_COUNTER:
        if (more->u.values.min < to->u.values.min)
            to->u.values.min = more->u.values.min;
        if (more->u.values.max > to->u.values.max)
            to->u.values.max = more->u.values.max;
        to->u.values.last = more->u.values.last;
        break;
    case LANE_INSNS:
        to->u.insns.load_count = add_counts(to->u.insns.load_count, more->u.insns.load_count);
        to->u.insns.store_count = add_counts(to->u.insns.store_count, more->u.insns.store_count);
        break;
    case LANE_LOSSES: break;
    }
}

/* Drops the longest span of an entry if it has only a small part of the duration. */
static void forget_longest(lane_entry *e)
{
    if (e->count < LANE_FAN ||
        lane_distance(e->u.spans.begin_ns, e->u.spans.end_ns) >= e->sum / LONGEST_PART)
        return;
    e->u.spans.begin_ns = e->u.spans.end_ns = e->begin_ns;
    e->u.spans.longest = 0;
}

/* ---- Levels ---- */

static stele_status level_pack(const overview_lane *l, overview_store *store, lane_level *level)
{
    UNSET uint8_t bytes[STORE_RUN_MAX];
    const size_t size =
        lane_put_page((lane_kind)l->kind, store, level->open, level->open_count, bytes);
    stele_status status;
    uint64_t position;
    if (size == 0)
        return STELE_ERR_MEMORY;
    if (level->page_count == level->page_capacity) {
        uint64_t *pages = array_grow(level->pages, sizeof *pages, &level->page_capacity, 4);
        if (pages == NULL)
            return STELE_ERR_MEMORY;
        level->pages = pages;
    }
    status = overview_store_add(store, bytes, size, &position);
    if (status != STELE_OK)
        return status;
    level->pages[level->page_count++] = lane_page(position, size);
    level->open_count = 0;
    return STELE_OK;
}

static lane_level *level_get(overview_lane *l, unsigned index)
{
    lane_level *levels;
    if (index < l->level_count)
        return &l->levels[index];
    levels = array_fit(l->levels, sizeof *levels, (size_t)index + 1);
    if (levels == NULL)
        return NULL;
    l->levels = levels;
    levels[index] = (lane_level){0};
    l->level_count = (uint8_t)(index + 1);
    return &levels[index];
}

/* Sums up the last four entries of a level as one. */
static lane_entry sum_up(const overview_lane *l, const lane_level *level)
{
    const lane_entry *from = level->open + level->open_count - LANE_FAN;
    lane_entry made = from[0];
    for (unsigned i = 1; i < LANE_FAN; i++)
        lane_entry_join((lane_kind)l->kind, &made, &from[i]);
    if (l->kind == LANE_SPANS)
        forget_longest(&made);
    return made;
}

static stele_status level_add(overview_lane *l, overview_store *store, const lane_entry *entry)
{
    lane_entry made = *entry;
    for (unsigned i = 0; i < LANE_LEVELS; i++) {
        lane_level *level = level_get(l, i);
        bool is_full;
        if (level == NULL)
            return STELE_ERR_MEMORY;
        if (level->open_count == level->capacity) {
            lane_entry *open = array_grow(level->open, sizeof *open, &level->capacity, LANE_FAN);
            if (open == NULL)
                return STELE_ERR_MEMORY;
            level->open = open;
        }
        level->open[level->open_count++] = made;
        is_full = level->open_count % LANE_FAN == 0;
        if (is_full)
            made = sum_up(l, level);
        if (level->open_count == LANE_PAGE) {
            const stele_status status = level_pack(l, store, level);
            if (status != STELE_OK)
                return status;
        }
        if (!is_full)
            return STELE_OK;
    }
    return STELE_OK;
}

/* ---- Adding to the lowest level ---- */

/*
 * Counts a name among the few that are kept (the algorithm of Misra and Gries): each name with more
 * than a fifth of the weight is among them at the end, and none has a larger weight than it should.
 */
void lane_count_new_name(overview_lane *l, stele_name name, uint64_t weight)
{
    uint64_t *const weights = l->weights;
    /* Neither the least one of all nor what becomes of it is predictable: there is no branch that
       depends on weights. */
    const unsigned low = weights[1] < weights[0], high = 2u + (weights[3] < weights[2]);
    const unsigned least = low + (high - low) * (weights[high] < weights[low]);
    const uint64_t least_weight = weights[least], raised = l->floor + weight;
    const stele_name least_name = l->names[least];
    const bool stays = raised <= least_weight;
    _Static_assert(LANE_NAMES == 4, "all weights are compared");
    l->floor = stays ? raised : least_weight;
    l->names[least] = stays ? least_name : name;
    weights[least] = stays ? least_weight : raised;
}

void lane_take_best(const overview_lane *l, lane_entry *now)
{
    unsigned best = 0;
    for (unsigned i = 1; i < LANE_NAMES; i++)
        best = l->weights[i] > l->weights[best] ? i : best;
    if (l->weights[best] == l->floor)
        return;
    now->u.spans.name = l->names[best];
    now->u.spans.weight = l->weights[best] - l->floor;
}

/* How many things one entry sums up if a lane has `entries` entries already. */
static uint32_t grain_after(uint64_t entries)
{
    return entries < LANE_SINGLE      ? 1
           : entries < LANE_FEW       ? LANE_GRAIN_FEW
           : entries < LANE_MANY      ? LANE_GRAIN
           : entries < LANE_VERY_MANY ? LANE_GRAIN_MANY
                                      : LANE_GRAIN_MOST;
}

/* Whether the gap before a thing is long compared to the entry before it, so that the entry
   should end. */
static inline bool has_gap(const lane_entry *now, const lane_entry *thing)
{
    return now->count >= LANE_GAP_THINGS && lane_distance(now->end_ns, thing->begin_ns) >>
                                                LANE_GAP_SHIFT >
                                                lane_distance(now->begin_ns, now->end_ns);
}

stele_status lane_close(overview_lane *l, overview_store *store)
{
    stele_status status;
    if (!l->has_now)
        return STELE_OK;
    if (lane_has_names((lane_kind)l->kind))
        lane_take_best(l, &l->now);
    if (l->kind == LANE_SPANS)
        forget_longest(&l->now);
    l->has_now = false;
    forget_names(l);
    status = level_add(l, store, &l->now);
    if (status == STELE_OK)
        l->grain = grain_after(lane_entry_count(l, 0));
    return status;
}

stele_status lane_add(overview_lane *l, overview_store *store, const lane_entry *given)
{
    stele_status status = STELE_OK;
    UNSET lane_entry late;
    const lane_entry *thing = given;
    if (given->begin_ns < l->last_ns) {
        late = *given;
        late.begin_ns = l->last_ns;
        if (late.end_ns <= l->last_ns) {
            late.end_ns = l->last_ns;
            late.is_closed = true;
        }
        thing = &late;
    }
    l->last_ns = thing->end_ns;
    if (l->has_now && (l->now.count >= l->grain || has_gap(&l->now, thing)))
        status = lane_close(l, store);
    if (status != STELE_OK)
        return status;
    if (!l->has_now) {
        l->now = *thing;
        l->has_now = true;
    } else {
        lane_entry_join((lane_kind)l->kind, &l->now, thing);
    }
    if (lane_has_names((lane_kind)l->kind))
        lane_count(l, thing->u.spans.name, thing->u.spans.weight);
    return STELE_OK;
}

stele_status lane_add_span_slow(overview_lane *l, overview_store *store, int64_t begin_ns,
                                int64_t end_ns, stele_name name)
{
    const int64_t from_ns = begin_ns > l->last_ns ? begin_ns : l->last_ns;
    const int64_t until_ns = end_ns > from_ns ? end_ns : from_ns;
    const uint64_t length = lane_distance(from_ns, until_ns);
    return lane_add(l, store,
                    &(lane_entry){.begin_ns = from_ns,
                                  .end_ns = until_ns,
                                  .count = 1,
                                  .sum = length,
                                  .u.spans = {.weight = length,
                                              .begin_ns = from_ns,
                                              .end_ns = until_ns,
                                              .name = name,
                                              .longest = name},
                                  .is_closed = length == 0});
}

stele_status lane_add_moment_slow(overview_lane *l, overview_store *store, int64_t time_ns,
                                  stele_name name)
{
    return lane_add(l, store,
                    &(lane_entry){.begin_ns = time_ns,
                                  .end_ns = time_ns,
                                  .count = 1,
                                  .u.spans = {.weight = 1, .name = name},
                                  .is_closed = true});
}

stele_status lane_add_sample_slow(overview_lane *l, overview_store *store, int64_t time_ns,
                                  double value)
{
    return lane_add(l, store,
                    &(lane_entry){.begin_ns = time_ns,
                                  .end_ns = time_ns,
                                  .count = 1,
                                  .u.values = {value, value, value},
                                  .is_closed = true});
}
