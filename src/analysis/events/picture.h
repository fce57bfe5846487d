/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events for those who draw spans by their begins and ends. What the calls engine finds out is put
 * into the events themselves, so that whoever draws them needs no stack: every begin has its end,
 * at its place in the nesting and with the name, the category and, unless it has fields of its own,
 * the fields of the begin. An end whose begin is missing becomes an instant.
 *
 * With a window, what is open when it begins is given there anew, and what has not ended ends with
 * it: a picture of the window is that stretch of the picture of the whole. Fields that begin with
 * "stele." tell what was made.
 */
#ifndef ANALYSIS_EVENTS_PICTURE_H
#define ANALYSIS_EVENTS_PICTURE_H

#include "analysis/events/calls.h"

typedef struct stele_picture stele_picture;

/* Receives the events, in the order in which they were added. A segment holds for the call. */
typedef stele_status stele_picture_fn(void *user, const stele_segment *segment);

/* STELE_ERR_MEMORY. */
stele_status stele_picture_new(stele_context *context, stele_picture_fn *fn, void *user,
                               stele_picture **out);
void stele_picture_free(stele_picture *p);

/*
 * Only what lies in [begin_ns, end_ns) is given, INT64_MIN and INT64_MAX being open ends. Events
 * from before are to be added, too: they tell which spans, asynchronous operations and flows are
 * open then, and which threads run. To be called before the first event.
 */
stele_status stele_picture_set_window(stele_picture *p, int64_t begin_ns, int64_t end_ns);

/* Events are to be in the order of time. */
stele_status stele_picture_add(stele_picture *p, const stele_segment *segment);

/* Ends what is open. */
stele_status stele_picture_finish(stele_picture *p);

/* Of calls that were given: see stele_call_counts. */
const stele_call_counts *stele_picture_get_counts(const stele_picture *p);

#endif
