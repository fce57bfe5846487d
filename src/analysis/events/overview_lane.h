/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane: things of one kind that come in the order of time and do not overlap, summed up in
 * entries. An entry of the lowest level sums up one thing as long as there are few, and more of
 * them the longer the lane gets. An entry of any other level sums up four of the level below. So
 * any stretch of time consists of few entries, and those of the lowest level are needed only at its
 * two ends.
 *
 * Entries of a level are packed in pages (overview_pages.c), which are kept in a store that all
 * lanes share. A range of time is visited from the highest level down (overview_visit.c).
 */
#ifndef ANALYSIS_EVENTS_OVERVIEW_LANE_H
#define ANALYSIS_EVENTS_OVERVIEW_LANE_H

#include "analysis/events/overview_store.h"
#include "core/cursor.h"

#define LANE_FAN    4u  /* how many entries one of the level above sums up */
#define LANE_PAGE   32u /* how many entries a page has; a multiple of LANE_FAN */
#define LANE_LEVELS 24u /* more levels than a lane can have */
#define LANE_NAMES  4u  /* how many names are counted while an entry is made */

typedef enum lane_kind {
    LANE_EVENTS,  /* single moments, with names */
    LANE_SPANS,   /* spans of a row, with names */
    LANE_COUNTER, /* samples of a counter */
    LANE_LOSSES,  /* gaps, with how many events were lost in them */
    LANE_INSNS    /* runs of instructions, with their accesses */
} lane_kind;

/* An entry of a lane: the sum of some things of its kind, or a single one. */
typedef struct lane_entry {
    int64_t begin_ns, end_ns; /* begin of the first thing, end of the last one */
    uint64_t count;
    uint64_t sum; /* spans: their durations in ns; losses: events lost; instructions: how many */
    union {
        struct {
            /* weight of `name`: nanoseconds of its spans, or how many moments have it */
            uint64_t weight;
            int64_t begin_ns, end_ns; /* begin and end of the longest span */
            stele_name name;    /* the name with the largest weight, as far as weights are known */
            stele_name longest; /* name of the longest span */
        } spans;
        struct {
            double min, max, last;
        } values;
        struct {
            uint64_t load_count, store_count;
        } insns;
    } u;
    bool is_closed; /* the last thing has no length: it happened at end_ns */
} lane_entry;

typedef struct lane_level {
    lane_entry *open;              /* the last entries, which are not packed yet */
    uint32_t open_count, capacity; /* number and capacity of the entries in `open` */
    uint32_t page_count, page_capacity;
    uint64_t *pages; /* see lane_page() */
} lane_level;

/* A page: its position in the store, with its size in bytes in the lowest LANE_SIZE_BITS bits. */
#define LANE_SIZE_BITS 13u

static inline uint64_t lane_page(uint64_t position, size_t size)
{
    return position << LANE_SIZE_BITS | size;
}

static inline uint64_t lane_page_position(uint64_t page)
{
    return page >> LANE_SIZE_BITS;
}

static inline size_t lane_page_size(uint64_t page)
{
    return (size_t)(page & ((1u << LANE_SIZE_BITS) - 1));
}

_Static_assert(STORE_RUN_MAX < 1u << LANE_SIZE_BITS, "the size of a page fits in its bits");

/* In overview_lane.names: no name. */
#define LANE_NO_NAME UINT32_MAX

typedef struct overview_lane {
    lane_level *levels;
    uint8_t level_count, kind;
    bool has_now;
    uint32_t grain;  /* how many things make one entry */
    int64_t last_ns; /* end of the last thing; INT64_MIN: nothing was added */
    /* Of a row: its last span has no end, and lasts from open_ns to what was read last. */
    bool is_open;
    int64_t open_ns, open_end_ns;
    lane_entry now; /* the entry that is being made */
    /* Names that are counted: each has by how much its weight is above the floor, which rises
       instead of all weights being lowered. LANE_NO_NAME where none is in use. */
    stele_name names[LANE_NAMES];
    uint64_t weights[LANE_NAMES];
    uint64_t floor;
} overview_lane;

void lane_init(overview_lane *l, lane_kind kind);
void lane_free(overview_lane *l);

/* Adds a thing. One that begins before the end of the last one, because times stepped back, is
   cut to begin there. Returns STELE_ERR_MEMORY or STELE_ERR_WRITE. */
stele_status lane_add(overview_lane *l, overview_store *store, const lane_entry *thing);

/* Add a span, a moment with a name, or a sample of a counter that does not go to the entry being
   made; see lane_add(). */
stele_status lane_add_span_slow(overview_lane *l, overview_store *store, int64_t begin_ns,
                                int64_t end_ns, stele_name name);
stele_status lane_add_moment_slow(overview_lane *l, overview_store *store, int64_t time_ns,
                                  stele_name name);
stele_status lane_add_sample_slow(overview_lane *l, overview_store *store, int64_t time_ns,
                                  double value);

/* Counts a name that is not among the names of the entry that is being made. */
void lane_count_new_name(overview_lane *l, stele_name name, uint64_t weight);

/*
 * Limits of the number of entries of the lowest level, and how many things an entry sums up below
 * each limit: one each up to LANE_SINGLE, LANE_GRAIN_FEW up to LANE_FEW, and so on. The more
 * entries there are, the less a picture needs of each.
 */
#define LANE_SINGLE     128u
#define LANE_FEW        224u
#define LANE_MANY       1024u
#define LANE_VERY_MANY  2048u
#define LANE_GRAIN_FEW  4u
#define LANE_GRAIN      16u
#define LANE_GRAIN_MANY 32u
#define LANE_GRAIN_MOST 256u
/* An entry with LANE_GAP_THINGS things or more ends before a gap that is 1 << LANE_GAP_SHIFT
   times as long as the entry itself. */
#define LANE_GAP_THINGS 4u
#define LANE_GAP_SHIFT  3u

/* Whether a thing that begins at a time goes to the entry that is being made. That is the usual
   case once there are many things. */
static inline bool lane_goes_on(const overview_lane *l, int64_t begin_ns)
{
    const lane_entry *now = &l->now;
    return l->has_now && begin_ns >= l->last_ns && now->count < l->grain &&
           (now->count < LANE_GAP_THINGS || ((uint64_t)begin_ns - (uint64_t)now->end_ns) >>
                                                LANE_GAP_SHIFT <=
                                                (uint64_t)now->end_ns - (uint64_t)now->begin_ns);
}

/* Counts a name for the entry that is being made. */
static inline void lane_count(overview_lane *l, stele_name name, uint64_t weight)
{
    const stele_name *const names = l->names;
    const unsigned found = (names[0] == name ? 1u : 0u) | (names[1] == name ? 2u : 0u) |
                           (names[2] == name ? 4u : 0u) | (names[3] == name ? 8u : 0u);
    if (found != 0)
        l->weights[__builtin_ctz(found)] += weight;
    else
        lane_count_new_name(l, name, weight);
}

static inline stele_status lane_add_span(overview_lane *l, overview_store *store, int64_t begin_ns,
                                         int64_t end_ns, stele_name name)
{
    lane_entry *now = &l->now;
    const uint64_t length = (uint64_t)end_ns - (uint64_t)begin_ns;
    if (end_ns < begin_ns || !lane_goes_on(l, begin_ns))
        return lane_add_span_slow(l, store, begin_ns, end_ns, name);
    if (length > (uint64_t)now->u.spans.end_ns - (uint64_t)now->u.spans.begin_ns) {
        now->u.spans.begin_ns = begin_ns;
        now->u.spans.end_ns = end_ns;
        now->u.spans.longest = name;
    }
    now->end_ns = l->last_ns = end_ns;
    now->is_closed = length == 0;
    now->count++;
    now->sum += length;
    lane_count(l, name, length);
    return STELE_OK;
}

static inline stele_status lane_add_moment(overview_lane *l, overview_store *store, int64_t time_ns,
                                           stele_name name)
{
    if (!lane_goes_on(l, time_ns))
        return lane_add_moment_slow(l, store, time_ns, name);
    l->now.end_ns = l->last_ns = time_ns;
    l->now.count++;
    lane_count(l, name, 1);
    return STELE_OK;
}

static inline stele_status lane_add_sample(overview_lane *l, overview_store *store, int64_t time_ns,
                                           double value)
{
    lane_entry *now = &l->now;
    if (!lane_goes_on(l, time_ns))
        return lane_add_sample_slow(l, store, time_ns, value);
    if (value < now->u.values.min)
        now->u.values.min = value;
    if (value > now->u.values.max)
        now->u.values.max = value;
    now->u.values.last = value;
    now->end_ns = l->last_ns = time_ns;
    now->count++;
    return STELE_OK;
}

/* Ends the entry that is being made; the next thing begins another one. */
stele_status lane_close(overview_lane *l, overview_store *store);

/* How many entries a level has. */
static inline uint64_t lane_entry_count(const overview_lane *l, unsigned level)
{
    return (uint64_t)l->levels[level].page_count * LANE_PAGE + l->levels[level].open_count;
}

/* Packs the entries of a page into `to`. Returns the size in bytes. */
size_t lane_pack(lane_kind kind, const lane_entry *entries, uint32_t count, uint8_t *to);

/* Unpacks `count` entries. Returns false if the bytes are not a valid page. */
bool lane_unpack(lane_kind kind, cursor *from, uint32_t count, lane_entry *entries);

/* Whether entries of the kind have names. */
static inline bool lane_has_names(lane_kind kind)
{
    return kind == LANE_EVENTS || kind == LANE_SPANS;
}

/* Unpacks the entries of a page, with names of the context. Returns STELE_ERR_READ if the bytes
   are not a valid page. */
stele_status lane_take_page(lane_kind kind, const overview_store *store, cursor *from,
                            uint32_t count, lane_entry *entries);

/* Writes entries to a page at `to`, with names by their numbers in the store. Returns the size of
   the page in bytes, 0 if out of memory. */
size_t lane_put_page(lane_kind kind, overview_store *store, const lane_entry *entries,
                     uint32_t count, uint8_t *to);

/* Nanoseconds from one time to a later one. */
static inline uint64_t lane_distance(int64_t from_ns, int64_t to_ns)
{
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Adds the entry `more` to `to`, which is before it in time. */
void lane_entry_join(lane_kind kind, lane_entry *to, const lane_entry *more);

/* Whether nothing of an entry happened at or after a time. */
static inline bool lane_entry_ends_by(const lane_entry *e, int64_t time_ns)
{
    return e->end_ns < time_ns || (e->end_ns == time_ns && !e->is_closed);
}

/* Copies the name with the largest weight to the entry that is being made. */
void lane_take_best(const overview_lane *l, lane_entry *now);

/* ---- Visiting of entries ---- */

/*
 * Receives the entries that are in the range, or partly in it, in the order of time. Returns false
 * to get the four entries that this one sums up instead, which is ignored if `is_lowest` is set.
 */
typedef bool lane_visit_fn(void *user, const lane_entry *entry, bool is_lowest);

/* The last page of a level that was unpacked. */
typedef struct lane_walk_level {
    bool has_page;
    uint64_t page; /* which one, as in lane_level.pages */
    lane_entry entries[LANE_PAGE];
} lane_walk_level;

/* The memory that a visit needs, which can be used for many of them. */
typedef struct lane_walk {
    lane_walk_level levels[LANE_LEVELS];
} lane_walk;

/*
 * Visits what is in [begin_ns, end_ns). Entries of the lowest level that has at most `entry_max`
 * entries there are given as they are, without those that they sum up. Returns STELE_ERR_READ if a
 * page cannot be read.
 */
stele_status lane_visit(const overview_lane *l, overview_store *store, lane_walk *walk,
                        int64_t begin_ns, int64_t end_ns, uint64_t entry_max, lane_visit_fn *fn,
                        void *user);

#endif
