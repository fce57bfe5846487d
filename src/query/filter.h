/* SPDX-License-Identifier: Apache-2.0 */
/* Selecting events: kinds, time, globs over names, categories and tracks, and expressions. */
#ifndef QUERY_FILTER_H
#define QUERY_FILTER_H

#include <stele/spans.h>

#include "model/trace.h"
#include "query/glob.h"

typedef struct filter filter;

/* Time bounds in force, resolved against the traces: ns for most, ticks where so asked. */
typedef struct filter_range {
    int64_t begin_ns, end_ns;        /* INT64_MIN, INT64_MAX: open */
    uint64_t begin_ticks, end_ticks; /* 0, UINT64_MAX: open */
} filter_range;

/*
 * An event passes when it passes all of these:
 *
 * - kinds: it is one of them.
 * - range: its time is in [begin, end). A COMPLETE event, or a LOST one that knows its end, is in
 *   when it overlaps the range. OBJECT and METADATA events without time (STELE_FLAG_NO_TIME) always
 *   are: they say what holds for the whole trace. Other events without time are judged by the
 *   place that time_ns gives them.
 * - names, categories: a pattern matches its name, the name of its category; both may be empty. A
 *   name is matched as it is shown, too: "category:name".
 * - tracks: a pattern matches its track or the parent of it, by name ("worker*"), by number
 *   ("1234"), or by kind and number ("cpu:3", "cpu 3"); a child also by both numbers ("17:1234");
 *   as it is printed, too ("worker (1234)", "stream 0 / 1", "thread 101 in process 100").
 *   A SWITCH or WAKE event concerns the tracks that it names as much as its CPU: any suffices. An
 *   event on no track matches as the empty name. Names count as far as they are known by then.
 * - where: the expression holds.
 *
 * Compiles a request. `range` NULL is open. An expression that cannot be used is reported (STE009,
 * with the place in it) and gives STELE_ERR_ARGUMENT. What the request points to is copied.
 */
stele_status filter_new(stele_context *context, const stele_request *request,
                        const filter_range *range, filter **out);
void filter_free(filter *f);

/* The same for spans: the expression may use words that only they have. */
stele_status filter_new_spans(stele_context *context, const stele_request *request, filter **out);
bool filter_passes_span(filter *f, const stele_batch *batch, const stele_event *event,
                        const stele_span *span);

/* Whether the expression looks at `dur`, or at what only spans have. */
bool filter_uses_duration(const filter *f);

/* Whether the expression looks at `time`. */
bool filter_uses_time(const filter *f);

/* Whether it looks at more of a span than how long it lasted. */
bool filter_uses_span(const filter *f);

/* True when every event of these kinds passes. */
bool filter_is_open(const filter *f, uint64_t kinds);

/* Columns that it looks at, to be asked of the producers too. */
uint32_t filter_columns(const filter *f);
bool filter_passes(filter *f, const stele_batch *batch, const stele_event *event);

/* Whether what is on a track is wanted, as far as that goes by its track alone. */
bool filter_passes_track(filter *f, uint32_t track);

/* Where `time` of expressions counts from; without it, from the first event that comes. */
void filter_set_origin(filter *f, int64_t origin_ns);

/* Reports (STE014), once all was read, what it asks for and no event had. */
void filter_report(const filter *f, diag_sink *diag);

/* What decoders can ask by kind, category and name alone: the filter's own, to be used while it is
   there. NULL: nothing is left out by these. */
screen *filter_screen(filter *f);

/* Takes the events that do not pass out of the batch; gives how many those were. */
uint32_t filter_batch(filter *f, stele_batch *batch);

#endif
