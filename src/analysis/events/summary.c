/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace contains: events by kind, name and track, the range of time, and losses. */
#include <stele/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"
#include "model/context.h"
#include "model/times.h"

/* How often a name occurs, by number of the name; 0: it does not. */
typedef struct name_count {
    uint64_t count;
    uint8_t kind;
} name_count;

struct stele_summary {
    stele_context *context;
    const char *source;
    stele_summary_totals totals;
    name_count *names;
    uint32_t name_count;
    stele_summary_track *tracks; /* by track number */
    uint32_t track_count;
    times *streams; /* by stream number */
    times runs;     /* times of events that have no stream */
    uint32_t stream_count;
    bool has_far; /* a time was far from those before it */
    stele_summary_name *sorted_names;
    stele_summary_track *sorted_tracks;
};

stele_status stele_summary_new(stele_context *context, const char *source, stele_summary **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    (*out)->context = context;
    (*out)->source = source;
    return STELE_OK;
}

void stele_summary_free(stele_summary *s)
{
    if (s == NULL)
        return;
    stele_summary_clear(s);
    free(s);
}

void stele_summary_clear(stele_summary *s)
{
    const stele_summary empty = {.context = s->context, .source = s->source};
    free(s->names);
    free(s->tracks);
    free(s->streams);
    free(s->sorted_names);
    free(s->sorted_tracks);
    *s = empty;
}

/* ---- Counting of events ---- */

/*
 * Grows a table to at least `wanted` entries; new ones are zeros. Returns false if out of memory.
 */
static bool table_grow(void *table, uint32_t *count, uint32_t wanted, size_t size)
{
    void *moved;
    memcpy(&moved, table, sizeof moved);
    moved = array_reach(moved, size, count, wanted != 0 ? wanted - 1 : 0);
    if (moved == NULL)
        return false;
    memcpy(table, &moved, sizeof moved);
    return true;
}

/* Makes room for all streams of the context. Streams with a known range were searched for
   outliers before. Returns false if out of memory. */
static bool streams_reserve(stele_summary *s)
{
    const uint32_t old = s->stream_count, count = stele_stream_count(s->context);
    if (count <= old)
        return true;
    if (!table_grow(&s->streams, &s->stream_count, count, sizeof *s->streams))
        return false;
    for (uint32_t i = old; i < s->stream_count; i++) {
        const stele_stream *stream = stele_stream_get(s->context, i);
        s->streams[i].source = s->source;
        if (stream == NULL || !stream->has_range)
            s->streams[i].diag = &s->context->diag;
    }
    return true;
}

/* Makes room for all names and tracks of the context, so that counting an event needs no check.
   Returns false if out of memory. */
static bool tables_reserve(stele_summary *s)
{
    const uint32_t names = stele_name_count(s->context);
    const uint32_t tracks = stele_track_count(s->context) + 1;
    return (names <= s->name_count ||
            table_grow(&s->names, &s->name_count, names, sizeof *s->names)) &&
           (tracks <= s->track_count ||
            table_grow(&s->tracks, &s->track_count, tracks, sizeof *s->tracks)) &&
           streams_reserve(s);
}

/* The end of a COMPLETE event; the time of any other event, or of one that would end before it
   begins. Both conditions are cheaper to compute than a wrong branch. */
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

static void count_unusual(stele_summary_totals *totals, const stele_event *event)
{
    totals->unresolved_count += (event->flags & STELE_FLAG_UNRESOLVED) != 0;
    totals->damaged_count += (event->flags & STELE_FLAG_DAMAGED) != 0;
    totals->clamped_count += (event->flags & STELE_FLAG_CLAMPED) != 0;
}

/* Counts a mark of lost events, which is not an event of the trace itself. */
static void count_lost(stele_summary_totals *totals, const stele_event *event)
{
    totals->event_count--;
    totals->lost_event_count++;
    if (__builtin_add_overflow(totals->lost_count, event->value, &totals->lost_count))
        totals->lost_count = UINT64_MAX;
}

/* The range of time of some events; begin is after end as long as there are none. */
typedef struct extent {
    int64_t begin_ns, end_ns;
    uint64_t begin_ticks, end_ticks;
} extent;

static inline void count_times(extent *t, const stele_event *event, int64_t end_ns)
{
    const uint64_t end_ticks = event_end_ticks(event);
    t->begin_ns = event->time_ns < t->begin_ns ? event->time_ns : t->begin_ns;
    t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
    t->begin_ticks = event->ticks < t->begin_ticks ? event->ticks : t->begin_ticks;
    t->end_ticks = end_ticks > t->end_ticks ? end_ticks : t->end_ticks;
}

static void add_ticks(stele_summary_totals *totals, uint64_t begin, uint64_t end)
{
    if (!totals->has_time || begin < totals->begin_ticks)
        totals->begin_ticks = begin;
    if (!totals->has_time || end > totals->end_ticks)
        totals->end_ticks = end;
    totals->has_time = true;
}

/* Adds the times of a segment in which some are far from the others, one by one. Ticks of events
   that later turn out to be outliers may be included. */
static void add_far(stele_summary *s, times *own, const stele_segment *segment)
{
    const stele_event *const first = segment->batch->events + segment->first;
    const stele_event *const end = first + segment->count;
    for (const stele_event *event = first; event < end; event++) {
        if ((event->flags & STELE_FLAG_NO_TIME) != 0)
            continue;
        times_add(own, event->time_ns, event->offset, event->size);
        times_add_end(own, event_end_ns(event), event->offset, event->size);
    }
    for (const stele_event *event = first; event < end; event++) {
        if ((event->flags & STELE_FLAG_NO_TIME) == 0 && event->time_ns >= own->begin_ns &&
            event_end_ns(event) <= own->end_ns)
            add_ticks(&s->totals, event->ticks, event_end_ticks(event));
    }
}

/* Adds the range of the first times of a stream, which are near each other. */
static void add_first(times *own, const stele_segment *segment, extent t)
{
    const stele_event *event = segment->batch->events + segment->first;
    while (event->kind == STELE_KIND_LOST || (event->flags & STELE_FLAG_NO_TIME) != 0)
        event++;
    times_add(own, event->time_ns, event->offset, event->size);
    times_widen(own, t.begin_ns, t.end_ns, segment->count - 1);
}

/* Adds the range of a segment's times to that of its stream. */
static void add_extent(stele_summary *s, const stele_segment *segment, extent t)
{
    const uint32_t stream = segment->batch->stream;
    times *own = stream < s->stream_count ? &s->streams[stream] : &s->runs;
    if (t.begin_ns > t.end_ns)
        return;
    if (times_are_near(own, t.begin_ns, t.end_ns)) {
        times_widen(own, t.begin_ns, t.end_ns, segment->count);
    } else if (own->count == 0 && (uint64_t)t.end_ns - (uint64_t)t.begin_ns <= TIMES_REACH_LEAST) {
        add_first(own, segment, t);
    } else {
        s->has_far = true;
        add_far(s, own, segment);
        return;
    }
    add_ticks(&s->totals, t.begin_ticks, t.end_ticks);
}

static inline void count_track(stele_summary_track *entry, const stele_event *event, int64_t end_ns,
                               bool has_time)
{
    if (entry->count++ == 0)
        *entry = (stele_summary_track){event->track, 1, INT64_MAX, INT64_MIN};
    if (!has_time)
        return;
    entry->first_ns = event->time_ns < entry->first_ns ? event->time_ns : entry->first_ns;
    entry->last_ns = end_ns > entry->last_ns ? end_ns : entry->last_ns;
}

/* Flags that are counted, or that change how an event is counted. */
#define FLAGS_UNUSUAL \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_NO_TIME)

static inline void count_name(stele_summary *s, name_count *names, uint32_t names_end,
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

/* Counts events that are alike but for their time, of which two begin the segment: in streams of
   a CPU many of one track follow each other. Returns the first event that differs. */
static inline const stele_event *count_alike(stele_summary *s, const stele_event *event,
                                             const stele_event *end, extent *all)
{
    const stele_event *const first = event;
    name_count *const names = s->names;
    const uint32_t names_end = s->name_count;
    stele_summary_track *track = &s->tracks[first->track];
    extent t = {INT64_MAX, INT64_MIN, UINT64_MAX, 0};
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
        *track = (stele_summary_track){first->track, 0, INT64_MAX, INT64_MIN};
    track->count += (uint64_t)(event - first);
    track->first_ns = t.begin_ns < track->first_ns ? t.begin_ns : track->first_ns;
    track->last_ns = t.end_ns > track->last_ns ? t.end_ns : track->last_ns;
    all->begin_ns = t.begin_ns < all->begin_ns ? t.begin_ns : all->begin_ns;
    all->end_ns = t.end_ns > all->end_ns ? t.end_ns : all->end_ns;
    all->begin_ticks = t.begin_ticks < all->begin_ticks ? t.begin_ticks : all->begin_ticks;
    all->end_ticks = t.end_ticks > all->end_ticks ? t.end_ticks : all->end_ticks;
    return event;
}

/* Counts the events of a segment in one pass for all figures. It is compiled twice: for the
   usual columns and for any others. */
static inline __attribute__((always_inline)) void
count_events(stele_summary *s, const stele_segment *segment, uint32_t columns)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    name_count *const names = s->names;
    stele_summary_track *const tracks = s->tracks;
    const uint32_t names_end = s->name_count, tracks_end = s->track_count;
    extent t = {INT64_MAX, INT64_MIN, UINT64_MAX, 0};
    while (event < end) {
        const int64_t end_ns = event_end_ns(event);
        bool has_time = (columns & STELE_COLUMN_TIME) != 0;
        if ((columns & STELE_SUMMARY_COLUMNS) == STELE_SUMMARY_COLUMNS &&
            event->kind == STELE_KIND_INSTANT && (event->flags & FLAGS_UNUSUAL) == 0 &&
            event->track < tracks_end && event + 1 < end && are_alike(event, event + 1)) {
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
    add_extent(s, segment, t);
}

stele_status stele_summary_add(stele_summary *s, const stele_segment *segment)
{
    const uint32_t columns = segment->batch->columns;
    if (!tables_reserve(s))
        return STELE_ERR_MEMORY;
    s->totals.event_count += segment->count; /* count_lost() takes off the marks of losses */
    if ((columns & STELE_SUMMARY_COLUMNS) == STELE_SUMMARY_COLUMNS)
        count_events(s, segment, STELE_SUMMARY_COLUMNS);
    else
        count_events(s, segment, columns);
    return STELE_OK;
}

stele_status stele_summary_add_run(stele_summary *s, const stele_summary_run *given)
{
    stele_summary_run own;
    const stele_summary_run *run = &own;
    stele_summary_track *track;
    if (!sized_take(&own, sizeof own, SIZED_FIRST(stele_summary_run, end_ticks), given))
        return STELE_ERR_ARGUMENT;
    if (!tables_reserve(s))
        return STELE_ERR_MEMORY;
    s->totals.event_count += run->count;
    s->totals.kind_counts[run->kind] += run->count;
    if (s->runs.count == 0)
        s->runs = (times){.begin_ns = run->begin_ns, .end_ns = run->end_ns};
    times_widen(&s->runs, run->begin_ns, run->end_ns, run->count);
    add_ticks(&s->totals, run->begin_ticks, run->end_ticks);
    if (s->names[0].count == 0)
        s->names[0].kind = (uint8_t)run->kind;
    s->names[0].count += run->count;
    track = &s->tracks[run->track];
    if (track->count == 0)
        *track = (stele_summary_track){run->track, 0, run->begin_ns, run->end_ns};
    track->count += run->count;
    track->first_ns = run->begin_ns < track->first_ns ? run->begin_ns : track->first_ns;
    track->last_ns = run->end_ns > track->last_ns ? run->end_ns : track->last_ns;
    return STELE_OK;
}

/* ---- Parts ---- */

/* Adds the times of a part of a stream. Returns false if they are far from those before. */
static bool merge_times(times *into, const times *from)
{
    if (from->count == 0)
        return true;
    if (into->count == 0) {
        into->begin_ns = from->begin_ns;
        into->end_ns = from->end_ns;
        into->count = from->count;
        into->first_offset = from->first_offset;
        into->first_size = from->first_size;
        return true;
    }
    if (!times_are_near(into, from->begin_ns, from->end_ns))
        return false;
    times_widen(into, from->begin_ns, from->end_ns, from->count);
    return true;
}

static bool merge_all_times(stele_summary *into, const stele_summary *from,
                            const stele_part_map *map)
{
    bool are_near = merge_times(&into->runs, &from->runs);
    for (uint32_t i = 0; i < from->stream_count && are_near; i++) {
        const uint32_t stream = stele_part_map_stream(map, i);
        if (from->streams[i].count != 0)
            are_near = merge_times(&into->streams[stream], &from->streams[i]);
    }
    return are_near;
}

static void merge_totals(stele_summary_totals *into, const stele_summary_totals *from)
{
    into->event_count += from->event_count;
    for (unsigned kind = 0; kind < STELE_KIND_COUNT; kind++)
        into->kind_counts[kind] += from->kind_counts[kind];
    if (from->has_time)
        add_ticks(into, from->begin_ticks, from->end_ticks);
    into->unresolved_count += from->unresolved_count;
    into->damaged_count += from->damaged_count;
    into->clamped_count += from->clamped_count;
    into->lost_event_count += from->lost_event_count;
    if (__builtin_add_overflow(into->lost_count, from->lost_count, &into->lost_count))
        into->lost_count = UINT64_MAX;
}

static void merge_track(stele_summary_track *into, uint32_t track, const stele_summary_track *from)
{
    if (into->count == 0)
        *into = (stele_summary_track){track, 0, INT64_MAX, INT64_MIN};
    into->count += from->count;
    into->first_ns = from->first_ns < into->first_ns ? from->first_ns : into->first_ns;
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
}

stele_status stele_summary_merge(stele_summary *into, stele_summary *from,
                                 const stele_part_map *map)
{
    if (!tables_reserve(into))
        return STELE_ERR_MEMORY;
    if (from->has_far || from->totals.other_name_count != 0 || !merge_all_times(into, from, map))
        return STELE_ERR_UNSUPPORTED;
    merge_totals(&into->totals, &from->totals);
    for (uint32_t i = 0; i < from->name_count; i++) {
        name_count *to = &into->names[stele_part_map_name(map, i)];
        if (from->names[i].count != 0 && to->count == 0)
            to->kind = from->names[i].kind;
        to->count += from->names[i].count;
    }
    for (uint32_t i = 0; i < from->track_count; i++) {
        const uint32_t track = stele_part_map_track(map, i);
        if (from->tracks[i].count != 0)
            merge_track(&into->tracks[track], track, &from->tracks[i]);
    }
    return STELE_OK;
}

/* ---- Results ---- */

static void add_range(stele_summary_totals *totals, const times *own, bool *has_some)
{
    if (own->count == 0)
        return;
    if (!*has_some || own->begin_ns < totals->begin_ns)
        totals->begin_ns = own->begin_ns;
    if (!*has_some || own->end_ns > totals->end_ns)
        totals->end_ns = own->end_ns;
    *has_some = true;
}

const stele_summary_totals *stele_summary_get_totals(stele_summary *s)
{
    bool has_some = false;
    add_range(&s->totals, &s->runs, &has_some);
    for (uint32_t i = 0; i < s->stream_count; i++) {
        times_end(&s->streams[i]);
        add_range(&s->totals, &s->streams[i], &has_some);
    }
    s->totals.has_time = has_some;
    return &s->totals;
}

static int compare_names(const void *a, const void *b)
{
    const stele_summary_name *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int compare_tracks(const void *a, const void *b)
{
    const stele_summary_track *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

stele_status stele_summary_names(stele_summary *s, const stele_summary_name **names, size_t *count)
{
    stele_summary_name *sorted =
        array_fit(s->sorted_names, sizeof *sorted, (size_t)s->name_count + 1);
    *names = NULL;
    *count = 0;
    if (sorted == NULL)
        return STELE_ERR_MEMORY;
    s->sorted_names = sorted;
    for (uint32_t i = 0; i < s->name_count; i++) {
        if (s->names[i].count > 0)
            sorted[(*count)++] = (stele_summary_name){i, s->names[i].kind, s->names[i].count};
    }
    qsort(sorted, *count, sizeof *sorted, compare_names);
    *names = sorted;
    return STELE_OK;
}

stele_status stele_summary_tracks(stele_summary *s, const stele_summary_track **tracks,
                                  size_t *count)
{
    stele_summary_track *sorted =
        array_fit(s->sorted_tracks, sizeof *sorted, (size_t)s->track_count + 1);
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
