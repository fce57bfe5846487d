/* SPDX-License-Identifier: Apache-2.0 */
/* Selecting events: kinds, time, globs over names, categories and tracks, and expressions. */
#ifndef QUERY_FILTER_H
#define QUERY_FILTER_H

#include <stele/spans.h>

#include "model/trace.h"
#include "query/glob.h"

typedef struct filter filter;

/* The bounds of time of a request, converted for the traces: to ns, or to ticks if the user gave
   ticks. */
typedef struct filter_range {
    int64_t begin_ns, end_ns;        /* INT64_MIN, INT64_MAX: no bound */
    uint64_t begin_ticks, end_ticks; /* 0, UINT64_MAX: no bound */
} filter_range;

/*
 * Compiles a filter from a request. `range` NULL is open. All that the request points to is copied.
 * An expression that cannot be used is reported (STE009, with the place in it) and gives
 * STELE_ERR_ARGUMENT.
 *
 * An event passes if it passes all of these:
 *
 * - kinds: its kind is in the set.
 * - range: its time is in [begin, end). A COMPLETE event, or a LOST one that knows its end, passes
 *   if it overlaps the range. OBJECT and METADATA events without time (STELE_FLAG_NO_TIME) always
 *   pass: they say what holds for the whole trace. Other events without time are judged by their
 *   time_ns.
 * - names, categories: a pattern matches the event's name, or the name of its category; both may be
 *   empty. A pattern for names can also match the name as it is shown: "category:name".
 * - tracks: a pattern matches the track or its parent, by name ("worker*"), by number ("1234"), or
 *   by kind and number ("cpu:3", "cpu 3"); a child also by both numbers ("17:1234"); or as the
 *   track is printed ("worker (1234)", "stream 0 / 1", "thread 101 in process 100"). A SWITCH or
 *   WAKE event passes by its CPU or by any track that it names. An event on no track has the empty
 *   name. Names count that are known at that time.
 * - where: the expression holds.
 */
stele_status filter_new(stele_context *context, const stele_request *request,
                        const filter_range *range, filter **out);
void filter_free(filter *f);

/* filter_new_spans() compiles a filter for spans, whose expression may use words that only they
   have; filter_passes_span() judges a span with its event. */
stele_status filter_new_spans(stele_context *context, const stele_request *request, filter **out);
bool filter_passes_span(filter *f, const stele_batch *batch, const stele_event *event,
                        const stele_span *span);

/* Whether the expression uses `dur` or a word that only spans have. */
bool filter_uses_duration(const filter *f);

/* Whether the expression uses `time`. */
bool filter_uses_time(const filter *f);

/* Whether the expression uses more of a span than its duration. */
bool filter_uses_span(const filter *f);

/* Whether every event of these kinds passes. */
bool filter_is_open(const filter *f, uint64_t kinds);

/* The columns that the filter uses, to be requested from producers. */
uint32_t filter_columns(const filter *f);
bool filter_passes(filter *f, const stele_batch *batch, const stele_event *event);

/* Whether what is on a track can pass, judged by the track alone. */
bool filter_passes_track(filter *f, uint32_t track);

/* Sets the time from which `time` of expressions counts; by default it counts from the first
   event. */
void filter_set_origin(filter *f, int64_t origin_ns);

/* Reports (STE014) what the filter asks for and no event had, the first time it is called. To be
   called when everything was read; the filter may be NULL. */
void filter_report(filter *f, diag_sink *diag);

/* The screen of the filter, by which decoders leave out fields; it lives as long as the filter.
   NULL: the filter lets decoders leave out nothing. */
screen *filter_screen(filter *f);

/* Removes the events that do not pass from a batch. Returns how many those were. */
uint32_t filter_batch(filter *f, stele_batch *batch);

#endif
