/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace holds, in figures: the contents of `stele info`. Fixed memory but for the names. */
#ifndef ANALYSIS_EVENTS_SUMMARY_H
#define ANALYSIS_EVENTS_SUMMARY_H

#include "model/context.h"

typedef struct stele_summary stele_summary;

typedef struct stele_summary_name {
    stele_name name;
    uint8_t kind; /* of the first event with this name */
    uint64_t count;
} stele_summary_name;

typedef struct stele_summary_track {
    uint32_t track;
    uint64_t count;
    int64_t first_ns, last_ns; /* first > last: none of its events has a time */
} stele_summary_track;

typedef struct stele_summary_totals {
    uint64_t event_count; /* without LOST events, which no other figure holds either */
    uint64_t kind_counts[STELE_KIND_COUNT];
    uint64_t other_name_count; /* events with names beyond the limit: counts by name are then
                                  approximate, and are to be shown so */
    bool has_time;
    int64_t begin_ns, end_ns; /* first time, last time or end of a complete event, of all events
                                 whose time is not far from all others */
    uint64_t begin_ticks, end_ticks;
    uint64_t unresolved_count, damaged_count, clamped_count;
    uint64_t lost_count;       /* sum of the LOST events' counts */
    uint64_t lost_event_count; /* LOST events: marks of loss */
} stele_summary_totals;

/* Columns to ask for: no fields. */
#define STELE_SUMMARY_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/* `source` is the path that findings are reported with; it must stay. */
stele_status stele_summary_new(stele_context *context, const char *source, stele_summary **out);
void stele_summary_free(stele_summary *s);

/* Forgets all events. */
void stele_summary_clear(stele_summary *s);
stele_status stele_summary_add(stele_summary *s, const stele_segment *segment);

/* Many events of one kind and track, without names, that need no look each. */
typedef struct stele_summary_run {
    stele_kind kind;
    uint32_t track;
    uint64_t count;
    int64_t begin_ns, end_ns; /* first and last, as the next two */
    uint64_t begin_ticks, end_ticks;
} stele_summary_run;

stele_status stele_summary_add_run(stele_summary *s, const stele_summary_run *run);

/* To be called once all events were added: reports those whose time is far from all others
   (STE015), which the range of times leaves out. */
const stele_summary_totals *stele_summary_get_totals(stele_summary *s);

/* Sorted by count, most first (equal counts by number of the name or track); valid until the next
   call on the summary. STELE_ERR_MEMORY. */
stele_status stele_summary_names(stele_summary *s, const stele_summary_name **names, size_t *count);
stele_status stele_summary_tracks(stele_summary *s, const stele_summary_track **tracks,
                                  size_t *count);

#endif
