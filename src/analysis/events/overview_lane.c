/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/overview_lane.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/bits.h"

#define COUNT_MAX (UINT64_MAX >> 2)

/*
 * The longest span of an entry is kept if it has at least 1 / LONGEST_PART of the duration of all.
 */
#define LONGEST_PART 4u

void lane_init(overview_lane *l, lane_kind kind)
{
    *l = (overview_lane){.kind = (uint8_t)kind, .grain = 1, .last_ns = INT64_MIN};
}

void lane_free(overview_lane *l)
{
    for (unsigned i = 0; i < l->level_count; i++) {
        free(l->levels[i].open);
        free(l->levels[i].pages);
    }
    free(l->levels);
}

static inline uint64_t distance(int64_t from_ns, int64_t to_ns)
{
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Adds counts of 62 bits, the most that lane_pack() can write; larger sums become the maximum. */
static inline uint64_t add_counts(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > COUNT_MAX ? COUNT_MAX : sum;
}

/* ---- Packing of entries ---- */

static uint8_t *put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static inline bool take(cursor *from, uint64_t *value)
{
    uint64_t made = 0;
    for (unsigned shift = 0; from->at != from->end && shift < 64; shift += 7) {
        const uint8_t byte = *from->at++;
        if (shift == 63 && byte > 1)
            return false;
        made |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = made;
            return true;
        }
    }
    return false;
}

static bool take_name(cursor *from, stele_name *name)
{
    uint64_t value;
    if (!take(from, &value) || value >= STELE_NAME_LOCAL)
        return false;
    *name = (stele_name)value;
    return true;
}

static uint8_t *put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        *to++ = (uint8_t)(bits >> (8 * i));
    return to;
}

static bool take_double(cursor *from, double *value)
{
    const uint8_t *at = cursor_take(from, 8);
    uint64_t bits = 0;
    if (at == NULL)
        return false;
    for (unsigned i = 0; i < 8; i++)
        bits |= (uint64_t)at[i] << (8 * i);
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Whether the longest span of an entry is written in its page; the longest of a single span is
   the span itself. */
static inline bool has_longest(const lane_entry *e)
{
    return e->count > 1 && e->u.spans.begin_ns != e->u.spans.end_ns;
}

static uint8_t *put_spans(const lane_entry *e, uint8_t *to)
{
    to = put(to, e->sum);
    to = put(to, e->u.spans.name);
    if (e->count == 1)
        return to;
    to = put(to, e->u.spans.weight);
    if (!has_longest(e))
        return to;
    to = put(to, distance(e->begin_ns, e->u.spans.begin_ns));
    to = put(to, distance(e->u.spans.begin_ns, e->u.spans.end_ns));
    return put(to, e->u.spans.longest);
}

static bool take_spans(cursor *from, bool is_longest_there, lane_entry *e)
{
    uint64_t begin, length;
    if (!take(from, &e->sum) || !take_name(from, &e->u.spans.name))
        return false;
    if (e->count == 1) {
        e->u.spans.weight = e->sum;
        e->u.spans.longest = e->u.spans.name;
        e->u.spans.begin_ns = e->begin_ns;
        e->u.spans.end_ns = (int64_t)((uint64_t)e->begin_ns + e->sum);
        return e->sum <= distance(e->begin_ns, e->end_ns);
    }
    if (!take(from, &e->u.spans.weight) || e->u.spans.weight > e->sum)
        return false;
    e->u.spans.begin_ns = e->u.spans.end_ns = e->begin_ns;
    if (!is_longest_there)
        return e->sum <= distance(e->begin_ns, e->end_ns);
    if (!take(from, &begin) || !take(from, &length) || !take_name(from, &e->u.spans.longest))
        return false;
    e->u.spans.begin_ns = (int64_t)((uint64_t)e->begin_ns + begin);
    e->u.spans.end_ns = (int64_t)((uint64_t)e->u.spans.begin_ns + length);
    begin += length;
    return begin >= length && begin <= distance(e->begin_ns, e->end_ns) && length <= e->sum &&
           e->sum <= distance(e->begin_ns, e->end_ns);
}

size_t lane_pack(lane_kind kind, const lane_entry *entries, uint32_t count, uint8_t *to)
{
    const uint8_t *const begin = to;
    uint64_t last = 0;
    for (const lane_entry *e = entries; e != entries + count; e++) {
        to = put(to, (uint64_t)e->begin_ns - last);
        to = put(to, distance(e->begin_ns, e->end_ns));
        to = put(to,
                 e->count << 2 | (kind == LANE_SPANS && has_longest(e) ? 2u : 0u) | e->is_closed);
        last = (uint64_t)e->end_ns;
        switch (kind) {
        case LANE_EVENTS: to = put(put(to, e->u.spans.name), e->u.spans.weight); break;
        case LANE_SPANS: to = put_spans(e, to); break;
        case LANE_LOSSES: to = put(to, e->sum); break;
        case LANE_COUNTER:
            to = put_double(put_double(to, e->u.values.min), e->u.values.max);
            to = put_double(to, e->u.values.last);
            break;
        case LANE_INSNS:
            to = put(put(to, e->sum), e->u.insns.load_count);
            to = put(to, e->u.insns.store_count);
            break;
        }
    }
    return (size_t)(to - begin);
}

static bool take_rest(lane_kind kind, cursor *from, bool is_longest_there, lane_entry *e)
{
    switch (kind) {
    case LANE_EVENTS:
        return take_name(from, &e->u.spans.name) && take(from, &e->u.spans.weight) &&
               e->u.spans.weight <= e->count;
    case LANE_SPANS: return take_spans(from, is_longest_there, e);
    case LANE_LOSSES: return take(from, &e->sum);
    case LANE_COUNTER:
        return take_double(from, &e->u.values.min) && take_double(from, &e->u.values.max) &&
               take_double(from, &e->u.values.last);
    default:
        return take(from, &e->sum) && take(from, &e->u.insns.load_count) &&
               take(from, &e->u.insns.store_count);
    }
}

bool lane_unpack(lane_kind kind, cursor *from, uint32_t count, lane_entry *entries)
{
    uint64_t last = 0, gap, length;
    for (lane_entry *e = entries; e != entries + count; e++) {
        *e = (lane_entry){0};
        bool is_longest_there;
        if (!take(from, &gap) || !take(from, &length) || !take(from, &e->count) || e->count < 4)
            return false;
        e->is_closed = (e->count & 1) != 0;
        is_longest_there = (e->count & 2) != 0;
        e->count >>= 2;
        e->begin_ns = (int64_t)(last + gap);
        e->end_ns = (int64_t)((uint64_t)e->begin_ns + length);
        if (e->end_ns < e->begin_ns || (e != entries && e->begin_ns < (int64_t)last) ||
            !take_rest(kind, from, is_longest_there, e))
            return false;
        last = (uint64_t)e->end_ns;
    }
    return true;
}

stele_status lane_take_page(lane_kind kind, const overview_store *store, cursor *from,
                            uint32_t count, lane_entry *entries)
{
    if (!lane_unpack(kind, from, count, entries))
        return STELE_ERR_READ;
    for (lane_entry *e = entries; e != entries + count && lane_has_names(kind); e++) {
        if (e->u.spans.name >= store->name_count || e->u.spans.longest >= store->name_count)
            return STELE_ERR_READ;
        e->u.spans.name = store->names[e->u.spans.name];
        if (kind == LANE_SPANS)
            e->u.spans.longest = store->names[e->u.spans.longest];
    }
    return STELE_OK;
}

size_t lane_put_page(lane_kind kind, overview_store *store, const lane_entry *entries,
                     uint32_t count, uint8_t *to)
{
    lane_entry own[LANE_PAGE];
    memcpy(own, entries, count * sizeof *own);
    for (lane_entry *e = own; e != own + count && lane_has_names(kind); e++) {
        e->u.spans.name = overview_store_name(store, e->u.spans.name);
        if (kind == LANE_SPANS)
            e->u.spans.longest = overview_store_name(store, e->u.spans.longest);
        if (e->u.spans.name == UINT32_MAX || e->u.spans.longest == UINT32_MAX)
            return 0;
    }
    return lane_pack(kind, own, count, to);
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
        if (distance(more->u.spans.begin_ns, more->u.spans.end_ns) >
            distance(to->u.spans.begin_ns, to->u.spans.end_ns)) {
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
        distance(e->u.spans.begin_ns, e->u.spans.end_ns) >= e->sum / LONGEST_PART)
        return;
    e->u.spans.begin_ns = e->u.spans.end_ns = e->begin_ns;
    e->u.spans.longest = 0;
}

/* ---- Levels ---- */

static stele_status level_pack(const overview_lane *l, overview_store *store, lane_level *level)
{
    uint8_t bytes[STORE_RUN_MAX];
    const size_t size =
        lane_put_page((lane_kind)l->kind, store, level->open, level->open_count, bytes);
    stele_status status;
    if (size == 0)
        return STELE_ERR_MEMORY;
    if (level->page_count == level->page_capacity) {
        uint64_t *pages = array_grow(level->pages, sizeof *pages, &level->page_capacity, 4);
        if (pages == NULL)
            return STELE_ERR_MEMORY;
        level->pages = pages;
    }
    status = overview_store_add(store, bytes, size, &level->pages[level->page_count]);
    if (status != STELE_OK)
        return status;
    level->page_count++;
    level->open_count = 0;
    return STELE_OK;
}

static lane_level *level_get(overview_lane *l, unsigned index)
{
    lane_level *levels;
    if (index < l->level_count)
        return &l->levels[index];
    levels = realloc(l->levels, (index + 1) * sizeof *levels);
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
void lane_count_name(overview_lane *l, stele_name name, uint64_t weight)
{
    uint64_t least = weight;
    for (unsigned i = 0; i < l->name_count; i++) {
        if (l->names[i].name == name) {
            l->names[i].weight += weight;
            return;
        }
        if (l->names[i].weight < least)
            least = l->names[i].weight;
    }
    if (l->name_count == LANE_NAMES) {
        unsigned kept = 0;
        for (unsigned i = 0; i < LANE_NAMES; i++) {
            l->names[i].weight -= least;
            if (l->names[i].weight != 0)
                l->names[kept++] = l->names[i];
        }
        l->name_count = (uint8_t)kept;
        weight -= least;
    }
    if (l->name_count < LANE_NAMES)
        l->names[l->name_count++] = (lane_weight){name, weight};
}

/* Copies the name with the largest weight to the entry that is being made. */
static void take_best(const overview_lane *l, lane_entry *now)
{
    if (l->name_count == 0)
        return;
    now->u.spans.name = l->names[0].name;
    now->u.spans.weight = l->names[0].weight;
    for (unsigned i = 1; i < l->name_count; i++) {
        if (l->names[i].weight <= now->u.spans.weight)
            continue;
        now->u.spans.name = l->names[i].name;
        now->u.spans.weight = l->names[i].weight;
    }
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
    return now->count >= LANE_GAP_THINGS && distance(now->end_ns, thing->begin_ns) >>
                                                LANE_GAP_SHIFT >
                                                distance(now->begin_ns, now->end_ns);
}

stele_status lane_close(overview_lane *l, overview_store *store)
{
    stele_status status;
    if (!l->has_now)
        return STELE_OK;
    if (lane_has_names((lane_kind)l->kind))
        take_best(l, &l->now);
    if (l->kind == LANE_SPANS)
        forget_longest(&l->now);
    l->has_now = false;
    l->name_count = 0;
    status = level_add(l, store, &l->now);
    if (status == STELE_OK)
        l->grain = grain_after(lane_entry_count(l, 0));
    return status;
}

stele_status lane_add(overview_lane *l, overview_store *store, const lane_entry *given)
{
    stele_status status = STELE_OK;
    lane_entry late;
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
        lane_count_name(l, thing->u.spans.name, thing->u.spans.weight);
    return STELE_OK;
}

stele_status lane_add_span_slow(overview_lane *l, overview_store *store, int64_t begin_ns,
                                int64_t end_ns, stele_name name)
{
    const int64_t from_ns = begin_ns > l->last_ns ? begin_ns : l->last_ns;
    const int64_t until_ns = end_ns > from_ns ? end_ns : from_ns;
    const uint64_t length = distance(from_ns, until_ns);
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

/* ---- Visiting of entries ---- */

typedef struct visit {
    const overview_lane *lane;
    overview_store *store;
    lane_walk *walk;
    int64_t begin_ns, end_ns;
    lane_visit_fn *fn;
    void *user;
    unsigned floor; /* entries of this level are given as they are */
    bool is_past;   /* an entry after the range was reached */
    stele_status status;
} visit;

/* Unpacks a page of a level. Returns false with v->status set if it cannot be read. */
static bool page_read(visit *v, unsigned level, uint32_t page)
{
    const uint64_t position = v->lane->levels[level].pages[page];
    lane_walk_level *own = &v->walk->levels[level];
    size_t size;
    const uint8_t *bytes = overview_store_get(v->store, position, &size);
    cursor from = cursor_make(bytes, bytes != NULL ? size : 0);
    own->position = position;
    v->status = lane_take_page((lane_kind)v->lane->kind, v->store, &from, LANE_PAGE, own->entries);
    own->has_page = v->status == STELE_OK;
    return own->has_page;
}

/* An entry of a level. Valid until another page of the level is read. Returns NULL if it cannot
   be read. */
static const lane_entry *entry_get(visit *v, unsigned level, uint64_t number)
{
    const lane_level *of = &v->lane->levels[level];
    const uint32_t page = (uint32_t)(number / LANE_PAGE), at = (uint32_t)(number % LANE_PAGE);
    const lane_walk_level *own = &v->walk->levels[level];
    if (page == of->page_count)
        return &of->open[at];
    if ((!own->has_page || own->position != of->pages[page]) && !page_read(v, level, page))
        return NULL;
    return &own->entries[at];
}

/* The number of the first entry of a level, from `first` on, that does not end before a time. */
static uint64_t find_entry(visit *v, unsigned level, uint64_t first, int64_t time_ns)
{
    const uint64_t count = lane_entry_count(v->lane, level);
    while (first < count) {
        const lane_entry *e = entry_get(v, level, first);
        if (e == NULL || !lane_entry_ends_by(e, time_ns))
            break;
        first++;
    }
    return first;
}

/* The lowest level that has no more than `entry_max` entries in the range. */
static unsigned find_floor(visit *v, uint64_t entry_max)
{
    uint64_t first = 0, last = 0;
    unsigned level = v->lane->level_count;
    if (level == 0 || lane_entry_count(v->lane, 0) <= entry_max)
        return 0;
    while (level-- != 0 && v->status == STELE_OK) {
        first = find_entry(v, level, first * LANE_FAN, v->begin_ns);
        last = find_entry(v, level, last * LANE_FAN, v->end_ns);
        if (last - first > entry_max)
            return level + 1;
    }
    return 0;
}

/* Visits entries of a level and, where the receiver asks for it, those that they sum up. */
static void visit_level(visit *v, unsigned level, uint64_t first, uint64_t end)
{
    const bool is_lowest = level <= v->floor;
    for (uint64_t i = first; i < end && !v->is_past && v->status == STELE_OK; i++) {
        const lane_entry *e = entry_get(v, level, i);
        if (e == NULL || lane_entry_ends_by(e, v->begin_ns))
            continue;
        if (e->begin_ns >= v->end_ns)
            v->is_past = true;
        else if (!v->fn(v->user, e, is_lowest) && !is_lowest)
            visit_level(v, level - 1, i * LANE_FAN, (i + 1) * LANE_FAN);
    }
}

stele_status lane_visit(const overview_lane *l, overview_store *store, lane_walk *walk,
                        int64_t begin_ns, int64_t end_ns, uint64_t entry_max, lane_visit_fn *fn,
                        void *user)
{
    visit v = {l, store, walk, begin_ns, end_ns, fn, user, 0, false, STELE_OK};
    uint64_t done = 0; /* entries of the current level that were visited as part of others */
    v.floor = find_floor(&v, entry_max);
    for (unsigned level = l->level_count; level-- != 0;) {
        const uint64_t count = lane_entry_count(l, level);
        visit_level(&v, level, done, count);
        done = count * LANE_FAN;
    }
    if (v.status == STELE_OK && !v.is_past && l->has_now &&
        !lane_entry_ends_by(&l->now, begin_ns) && l->now.begin_ns < end_ns) {
        lane_entry now = l->now;
        if (lane_has_names((lane_kind)l->kind))
            take_best(l, &now);
        fn(user, &now, true);
    }
    return v.status;
}
