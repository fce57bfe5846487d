/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane: things of one kind that come in the order of time and do not overlap, summed up in
 * entries. An entry of the lowest level sums up one thing while there are few, and 16 once there
 * are many; one of any level above sums up four of the level below. So any stretch of time is made
 * of few entries, and only where it begins and ends those of the lowest level are looked at.
 *
 * Entries of a level are packed by the page, and kept in a store that all lanes share.
 */
#ifndef ANALYSIS_EVENTS_OVERVIEW_LANE_H
#define ANALYSIS_EVENTS_OVERVIEW_LANE_H

#include "analysis/events/overview_store.h"
#include "core/cursor.h"

#define LANE_FAN    4u  /* entries that one of the level above sums up */
#define LANE_PAGE   32u /* entries that are packed together; a multiple of LANE_FAN */
#define LANE_LEVELS 24u /* more than there can be */
#define LANE_NAMES  4u  /* that are counted while an entry is made */

typedef enum lane_kind {
    LANE_EVENTS,  /* moments, with names */
    LANE_SPANS,   /* spans of a row, with names */
    LANE_COUNTER, /* samples of a counter */
    LANE_LOSSES,  /* gaps, with how many events were lost in them */
    LANE_INSNS    /* runs of instructions, with their accesses */
} lane_kind;

/* What is summed up, also one thing alone. */
typedef struct lane_entry {
    int64_t begin_ns, end_ns; /* of the first and the last */
    uint64_t count;
    uint64_t sum; /* spans: their durations; losses: events lost; instructions: how many */
    union {
        struct {
            uint64_t weight;          /* of the name: of spans ns, else how many */
            int64_t begin_ns, end_ns; /* of the longest span */
            stele_name name;          /* that has the most, as far as was counted */
            stele_name longest;       /* name of the longest span */
        } spans;
        struct {
            double min, max, last;
        } values;
        struct {
            uint64_t load_count, store_count;
        } insns;
    } u;
    bool is_closed; /* the last has no length: end_ns is when it happened */
} lane_entry;

typedef struct lane_level {
    lane_entry *open;              /* the last entries, which are not packed yet */
    uint32_t open_count, capacity; /* of those */
    uint32_t page_count, page_capacity;
    uint64_t *pages; /* positions in the store */
} lane_level;

typedef struct lane_weight {
    stele_name name;
    uint64_t weight;
} lane_weight;

typedef struct overview_lane {
    lane_level *levels;
    uint8_t level_count, kind;
    uint8_t name_count; /* of `names` */
    bool has_now;
    uint32_t grain;  /* things that make an entry */
    int64_t last_ns; /* end of what came last; INT64_MIN: nothing did */
    lane_entry now;  /* is being made */
    lane_weight names[LANE_NAMES];
} overview_lane;

void lane_init(overview_lane *l, lane_kind kind);
void lane_free(overview_lane *l);

/* Adds a thing. What is before the end of the last one, as times that step back would have it,
   begins there. STELE_ERR_MEMORY, STELE_ERR_WRITE. */
stele_status lane_add(overview_lane *l, overview_store *store, const lane_entry *thing);

/* The same of a span, and of a moment with a name. */
stele_status lane_add_span_slow(overview_lane *l, overview_store *store, int64_t begin_ns,
                                int64_t end_ns, stele_name name);
stele_status lane_add_moment_slow(overview_lane *l, overview_store *store, int64_t time_ns,
                                  stele_name name);

/* Counts a name of the entry that is being made. */
void lane_count_name(overview_lane *l, stele_name name, uint64_t weight);

/* Entries of the lowest level up to which they are of one thing, then of four, and so on: the more
   there are, the less the picture of a window needs of each. */
#define LANE_SINGLE     128u
#define LANE_FEW        224u
#define LANE_MANY       1024u
#define LANE_VERY_MANY  2048u
#define LANE_GRAIN_FEW  4u
#define LANE_GRAIN      16u
#define LANE_GRAIN_MANY 32u
#define LANE_GRAIN_MOST 256u
/* An entry of at least so many things ends before a gap that is so many times as long as it is. */
#define LANE_GAP_THINGS 4u
#define LANE_GAP_SHIFT  3u

/* Whether a thing that begins then goes to the entry that is being made: nearly always, once there
   are many. */
static inline bool lane_goes_on(const overview_lane *l, int64_t begin_ns)
{
    const lane_entry *now = &l->now;
    return l->has_now && begin_ns >= l->last_ns && now->count < l->grain &&
           (now->count < LANE_GAP_THINGS || ((uint64_t)begin_ns - (uint64_t)now->end_ns) >>
                                                LANE_GAP_SHIFT <=
                                                (uint64_t)now->end_ns - (uint64_t)now->begin_ns);
}

static inline void lane_count(overview_lane *l, stele_name name, uint64_t weight)
{
    if (l->name_count != 0 && l->names[0].name == name)
        l->names[0].weight += weight;
    else
        lane_count_name(l, name, weight);
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

/* Ends the entry that is being made: what comes next is in another one. */
stele_status lane_close(overview_lane *l, overview_store *store);

/* How many entries a level has. */
static inline uint64_t lane_entry_count(const overview_lane *l, unsigned level)
{
    return (uint64_t)l->levels[level].page_count * LANE_PAGE + l->levels[level].open_count;
}

/* The packed form of a page. */
size_t lane_pack(lane_kind kind, const lane_entry *entries, uint32_t count, uint8_t *to);

/* Unpacks so many entries from what stands there; false: it is not a valid page. */
bool lane_unpack(lane_kind kind, cursor *from, uint32_t count, lane_entry *entries);

/* Whether entries of the kind have names. */
static inline bool lane_has_names(lane_kind kind)
{
    return kind == LANE_EVENTS || kind == LANE_SPANS;
}

/* Entries of a page that stands there, with names of the context. STELE_ERR_READ: it is not valid.
 */
stele_status lane_take_page(lane_kind kind, const overview_store *store, cursor *from,
                            uint32_t count, lane_entry *entries);

/* The packed form of entries with names of the context; gives its size, 0: memory. */
size_t lane_put_page(lane_kind kind, overview_store *store, const lane_entry *entries,
                     uint32_t count, uint8_t *to);

/* Adds one entry to another, which is before it. */
void lane_entry_join(lane_kind kind, lane_entry *to, const lane_entry *more);

/* Whether an entry ends before a time, or by then without anything that happened at it. */
static inline bool lane_entry_ends_by(const lane_entry *e, int64_t time_ns)
{
    return e->end_ns < time_ns || (e->end_ns == time_ns && !e->is_closed);
}

/* ---- Walking ---- */

/* Receives entries that lie in the range, or reach into it, in the order of time. False where the
   four that it is made of are to come instead; `is_lowest` says that they do not. */
typedef bool lane_visit_fn(void *user, const lane_entry *entry, bool is_lowest);

/* The page of a level that was unpacked last. */
typedef struct lane_walk_level {
    bool has_page;
    uint64_t position; /* of the page in the store */
    lane_entry entries[LANE_PAGE];
} lane_walk_level;

/* What walking takes. */
typedef struct lane_walk {
    lane_walk_level levels[LANE_LEVELS];
} lane_walk;

/*
 * Walks over what is in [begin_ns, end_ns). Entries of the lowest level that has no more than
 * `entry_max` there are not replaced by what they are made of. STELE_ERR_READ.
 */
stele_status lane_visit(const overview_lane *l, overview_store *store, lane_walk *walk,
                        int64_t begin_ns, int64_t end_ns, uint64_t entry_max, lane_visit_fn *fn,
                        void *user);

#endif
