/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/summary.h"

#include <stdlib.h>
#include <string.h>

/* By number of the name; count 0 has not come up. */
typedef struct name_count {
    uint64_t count;
    uint8_t kind;
} name_count;

struct summary {
    const stele_context *context;
    summary_totals totals;
    name_count *names;
    uint32_t name_count;
    summary_track *tracks; /* by number of the track */
    uint32_t track_count;
    summary_name *sorted_names;
    summary_track *sorted_tracks;
};

stele_status summary_new(const stele_context *context, summary **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    (*out)->context = context;
    return STELE_OK;
}

void summary_free(summary *s)
{
    if (s == NULL)
        return;
    summary_clear(s);
    free(s);
}

void summary_clear(summary *s)
{
    const summary empty = {.context = s->context};
    free(s->names);
    free(s->tracks);
    free(s->sorted_names);
    free(s->sorted_tracks);
    *s = empty;
}

/* ---- Counting ---- */

/* Grows a table to `wanted` cleared entries and some more; false when memory is exhausted. */
static bool table_grow(void *table, uint32_t *count, uint32_t wanted, size_t size)
{
    const size_t grown = (size_t)wanted + wanted / 2 + 64;
    void *moved;
    memcpy(&moved, table, sizeof moved);
    moved = realloc(moved, grown * size);
    if (moved == NULL)
        return false;
    memset((char *)moved + *count * size, 0, (grown - *count) * size);
    memcpy(table, &moved, sizeof moved);
    *count = (uint32_t)grown;
    return true;
}

/* Tables have room for all names and tracks of the context, so that events need no look. */
static bool tables_reserve(summary *s)
{
    const uint32_t names = stele_name_count(s->context);
    const uint32_t tracks = stele_track_count(s->context) + 1;
    return (names <= s->name_count ||
            table_grow(&s->names, &s->name_count, names, sizeof *s->names)) &&
           (tracks <= s->track_count ||
            table_grow(&s->tracks, &s->track_count, tracks, sizeof *s->tracks));
}

/* An event without an end of its own, or with one before its begin, ends where it stands. Both
   conditions are cheaper to compute than to guess. */
static int64_t event_end_ns(const stele_event *event)
{
    const int64_t end_ns = (int64_t)event->id;
    const bool has_end = (event->kind == STELE_KIND_COMPLETE) & (end_ns > event->time_ns);
    return has_end ? end_ns : event->time_ns;
}

static uint64_t event_end_ticks(const stele_event *event)
{
    const bool has_end = (event->kind == STELE_KIND_COMPLETE) & (event->value > event->ticks);
    return has_end ? event->value : event->ticks;
}

static void count_unusual(summary_totals *totals, const stele_event *event)
{
    totals->unresolved_count += (event->flags & STELE_FLAG_UNRESOLVED) != 0;
    totals->damaged_count += (event->flags & STELE_FLAG_DAMAGED) != 0;
    totals->clamped_count += (event->flags & STELE_FLAG_CLAMPED) != 0;
}

/* What was lost when the trace was recorded is told by marks, which are not events of it. */
static void count_lost(summary_totals *totals, const stele_event *event)
{
    totals->event_count--;
    totals->lost_event_count++;
    if (__builtin_add_overflow(totals->lost_count, event->value, &totals->lost_count))
        totals->lost_count = UINT64_MAX;
}

/* Ranges of time of all events of a segment; turned inside out while there is none. */
typedef struct times {
    int64_t begin_ns, end_ns;
    uint64_t begin_ticks, end_ticks;
} times;

static inline void count_times(times *t, const stele_event *event, int64_t end_ns)
{
    const uint64_t end_ticks = event_end_ticks(event);
    t->begin_ns = event->time_ns < t->begin_ns ? event->time_ns : t->begin_ns;
    t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
    t->begin_ticks = event->ticks < t->begin_ticks ? event->ticks : t->begin_ticks;
    t->end_ticks = end_ticks > t->end_ticks ? end_ticks : t->end_ticks;
}

static void add_times(summary_totals *totals, times t)
{
    if (t.begin_ns > t.end_ns)
        return;
    if (!totals->has_time || t.begin_ns < totals->begin_ns)
        totals->begin_ns = t.begin_ns;
    if (!totals->has_time || t.end_ns > totals->end_ns)
        totals->end_ns = t.end_ns;
    if (!totals->has_time || t.begin_ticks < totals->begin_ticks)
        totals->begin_ticks = t.begin_ticks;
    if (!totals->has_time || t.end_ticks > totals->end_ticks)
        totals->end_ticks = t.end_ticks;
    totals->has_time = true;
}

static inline void count_track(summary_track *entry, const stele_event *event, int64_t end_ns,
                               bool has_time)
{
    if (entry->count++ == 0)
        *entry = (summary_track){event->track, 1, INT64_MAX, INT64_MIN};
    if (!has_time)
        return;
    entry->first_ns = event->time_ns < entry->first_ns ? event->time_ns : entry->first_ns;
    entry->last_ns = end_ns > entry->last_ns ? end_ns : entry->last_ns;
}

/* Flags that are counted, or change what is. */
#define FLAGS_UNUSUAL \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_NO_TIME)

static inline void count_name(summary *s, name_count *names, uint32_t names_end,
                              const stele_event *event)
{
    if (event->name >= names_end)
        s->totals.other_name_count++;
    else if (names[event->name].count++ == 0)
        names[event->name].kind = event->kind;
}

static inline bool are_alike(const stele_event *a, const stele_event *b)
{
    return a->track == b->track && a->kind == b->kind && a->flags == b->flags;
}

/* Events that begin with two alike, and have nothing but their time: in streams of a CPU many
   follow each other on one track. The first event behind them. */
static inline const stele_event *count_alike(summary *s, const stele_event *event,
                                             const stele_event *end, times *all)
{
    const stele_event *const first = event;
    name_count *const names = s->names;
    const uint32_t names_end = s->name_count;
    summary_track *track = &s->tracks[first->track];
    times t = {INT64_MAX, INT64_MIN, UINT64_MAX, 0};
    do {
        t.begin_ns = event->time_ns < t.begin_ns ? event->time_ns : t.begin_ns;
        t.end_ns = event->time_ns > t.end_ns ? event->time_ns : t.end_ns;
        t.begin_ticks = event->ticks < t.begin_ticks ? event->ticks : t.begin_ticks;
        t.end_ticks = event->ticks > t.end_ticks ? event->ticks : t.end_ticks;
        count_name(s, names, names_end, event);
        event++;
    } while (event < end && are_alike(first, event));
    s->totals.kind_counts[first->kind] += (uint64_t)(event - first);
    if (track->count == 0)
        *track = (summary_track){first->track, 0, INT64_MAX, INT64_MIN};
    track->count += (uint64_t)(event - first);
    track->first_ns = t.begin_ns < track->first_ns ? t.begin_ns : track->first_ns;
    track->last_ns = t.end_ns > track->last_ns ? t.end_ns : track->last_ns;
    all->begin_ns = t.begin_ns < all->begin_ns ? t.begin_ns : all->begin_ns;
    all->end_ns = t.end_ns > all->end_ns ? t.end_ns : all->end_ns;
    all->begin_ticks = t.begin_ticks < all->begin_ticks ? t.begin_ticks : all->begin_ticks;
    all->end_ticks = t.end_ticks > all->end_ticks ? t.end_ticks : all->end_ticks;
    return event;
}

/* One pass for all figures, compiled for the usual columns and for others. */
static inline __attribute__((always_inline)) void
count_events(summary *s, const stele_event *event, const stele_event *end, uint32_t columns)
{
    name_count *const names = s->names;
    summary_track *const tracks = s->tracks;
    const uint32_t names_end = s->name_count, tracks_end = s->track_count;
    times t = {INT64_MAX, INT64_MIN, UINT64_MAX, 0};
    while (event < end) {
        const int64_t end_ns = event_end_ns(event);
        bool has_time = (columns & STELE_COLUMN_TIME) != 0;
        if ((columns & SUMMARY_COLUMNS) == SUMMARY_COLUMNS && event->kind == STELE_KIND_INSTANT &&
            (event->flags & FLAGS_UNUSUAL) == 0 && event->track < tracks_end && event + 1 < end &&
            are_alike(event, event + 1)) {
            event = count_alike(s, event, end, &t);
            continue;
        }
        if (event->kind == STELE_KIND_LOST) {
            count_lost(&s->totals, event++);
            continue;
        }
        if (event->kind < STELE_KIND_COUNT)
            s->totals.kind_counts[event->kind]++;
        if ((event->flags & FLAGS_UNUSUAL) != 0) {
            count_unusual(&s->totals, event);
            has_time &= (event->flags & STELE_FLAG_NO_TIME) == 0;
        }
        if (has_time)
            count_times(&t, event, end_ns);
        if ((columns & STELE_COLUMN_TRACK) != 0 && event->track < tracks_end)
            count_track(&tracks[event->track], event, end_ns, has_time);
        if ((columns & STELE_COLUMN_NAME) != 0)
            count_name(s, names, names_end, event);
        event++;
    }
    add_times(&s->totals, t);
}

stele_status summary_add(summary *s, const stele_segment *segment)
{
    const stele_event *first = segment->batch->events + segment->first;
    const stele_event *end = first + segment->count;
    const uint32_t columns = segment->batch->columns;
    if (!tables_reserve(s))
        return STELE_ERR_MEMORY;
    s->totals.event_count += segment->count; /* less the marks of loss, see count_lost() */
    if ((columns & SUMMARY_COLUMNS) == SUMMARY_COLUMNS)
        count_events(s, first, end, SUMMARY_COLUMNS);
    else
        count_events(s, first, end, columns);
    return STELE_OK;
}

stele_status summary_add_run(summary *s, const summary_run *run)
{
    summary_track *track;
    if (!tables_reserve(s))
        return STELE_ERR_MEMORY;
    s->totals.event_count += run->count;
    s->totals.kind_counts[run->kind] += run->count;
    add_times(&s->totals, (times){run->begin_ns, run->end_ns, run->begin_ticks, run->end_ticks});
    if (s->names[0].count == 0)
        s->names[0].kind = (uint8_t)run->kind;
    s->names[0].count += run->count;
    track = &s->tracks[run->track];
    if (track->count == 0)
        *track = (summary_track){run->track, 0, run->begin_ns, run->end_ns};
    track->count += run->count;
    track->first_ns = run->begin_ns < track->first_ns ? run->begin_ns : track->first_ns;
    track->last_ns = run->end_ns > track->last_ns ? run->end_ns : track->last_ns;
    return STELE_OK;
}

/* ---- Figures ---- */

const summary_totals *summary_get_totals(const summary *s)
{
    return &s->totals;
}

static int compare_names(const void *a, const void *b)
{
    const summary_name *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int compare_tracks(const void *a, const void *b)
{
    const summary_track *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

stele_status summary_names(summary *s, const summary_name **names, size_t *count)
{
    summary_name *sorted = realloc(s->sorted_names, (s->name_count + 1) * sizeof *sorted);
    *names = NULL;
    *count = 0;
    if (sorted == NULL)
        return STELE_ERR_MEMORY;
    s->sorted_names = sorted;
    for (uint32_t i = 0; i < s->name_count; i++) {
        if (s->names[i].count > 0)
            sorted[(*count)++] = (summary_name){i, s->names[i].kind, s->names[i].count};
    }
    qsort(sorted, *count, sizeof *sorted, compare_names);
    *names = sorted;
    return STELE_OK;
}

stele_status summary_tracks(summary *s, const summary_track **tracks, size_t *count)
{
    summary_track *sorted = realloc(s->sorted_tracks, (s->track_count + 1) * sizeof *sorted);
    *tracks = NULL;
    *count = 0;
    if (sorted == NULL)
        return STELE_ERR_MEMORY;
    s->sorted_tracks = sorted;
    for (uint32_t i = 0; i < s->track_count; i++) {
        if (s->tracks[i].count > 0)
            sorted[(*count)++] = s->tracks[i];
    }
    qsort(sorted, *count, sizeof *sorted, compare_tracks);
    *tracks = sorted;
    return STELE_OK;
}
