/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the entries of a lane that are in a range of time. */
#include "analysis/events/overview_lane.h"

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
    const uint64_t number = v->lane->levels[level].pages[page];
    lane_walk_level *own = &v->walk->levels[level];
    size_t size;
    const uint8_t *bytes = overview_store_get(v->store, lane_page_position(number), &size);
    cursor from = cursor_make(bytes, bytes != NULL ? size : 0);
    own->page = number;
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
    if ((!own->has_page || own->page != of->pages[page]) && !page_read(v, level, page))
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
            lane_take_best(l, &now);
        fn(user, &now, true);
    }
    return v.status;
}
