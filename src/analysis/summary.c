/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary.h"

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
    free(s->names);
    free(s->tracks);
    free(s->sorted_names);
    free(s->sorted_tracks);
    free(s);
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

static int64_t event_end_ns(const stele_event *event)
{
    return event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > event->time_ns
               ? (int64_t)event->id
               : event->time_ns;
}

static uint64_t event_end_ticks(const stele_event *event)
{
    return event->kind == STELE_KIND_COMPLETE && event->value > event->ticks ? event->value
                                                                             : event->ticks;
}

static void count_flags(summary_totals *totals, const stele_event *event)
{
    totals->unresolved_count += (event->flags & STELE_FLAG_UNRESOLVED) != 0;
    totals->damaged_count += (event->flags & STELE_FLAG_DAMAGED) != 0;
    totals->clamped_count += (event->flags & STELE_FLAG_CLAMPED) != 0;
}

static void count_time(summary_totals *totals, const stele_event *event)
{
    const int64_t end_ns = event_end_ns(event);
    const uint64_t end_ticks = event_end_ticks(event);
    if (!totals->has_time) {
        totals->has_time = true;
        totals->begin_ns = totals->end_ns = event->time_ns;
        totals->begin_ticks = totals->end_ticks = event->ticks;
    }
    if (event->time_ns < totals->begin_ns)
        totals->begin_ns = event->time_ns;
    if (end_ns > totals->end_ns)
        totals->end_ns = end_ns;
    if (event->ticks < totals->begin_ticks)
        totals->begin_ticks = event->ticks;
    if (end_ticks > totals->end_ticks)
        totals->end_ticks = end_ticks;
}

static void count_name(summary *s, const stele_event *event)
{
    name_count *entry;
    if (event->name >= s->name_count) {
        s->totals.other_name_count++;
        return;
    }
    entry = &s->names[event->name];
    if (entry->count++ == 0)
        entry->kind = event->kind;
}

/* Until a track has its first time, its range is turned inside out. */
static void count_track(summary *s, const stele_event *event)
{
    summary_track *entry;
    if (event->track >= s->track_count)
        return;
    entry = &s->tracks[event->track];
    if (entry->count++ == 0)
        *entry = (summary_track){event->track, 1, INT64_MAX, INT64_MIN};
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    if (event->time_ns < entry->first_ns)
        entry->first_ns = event->time_ns;
    if (event_end_ns(event) > entry->last_ns)
        entry->last_ns = event_end_ns(event);
}

stele_status summary_add(summary *s, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *end = event + segment->count;
    const uint32_t columns = segment->batch->columns;
    if (!tables_reserve(s))
        return STELE_ERR_MEMORY;
    s->totals.event_count += segment->count;
    for (; event < end; event++) {
        if (event->kind < STELE_KIND_COUNT)
            s->totals.kind_counts[event->kind]++;
        if (event->flags != 0)
            count_flags(&s->totals, event);
        if ((columns & STELE_COLUMN_TIME) != 0 && (event->flags & STELE_FLAG_NO_TIME) == 0)
            count_time(&s->totals, event);
        if ((columns & STELE_COLUMN_NAME) != 0)
            count_name(s, event);
        if ((columns & STELE_COLUMN_TRACK) != 0)
            count_track(s, event);
        if (event->kind == STELE_KIND_LOST) {
            s->totals.lost_event_count++;
            if (__builtin_add_overflow(s->totals.lost_count, event->value, &s->totals.lost_count))
                s->totals.lost_count = UINT64_MAX;
        }
    }
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
