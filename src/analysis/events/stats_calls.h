/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_EVENTS_STATS_CALLS_H
#define ANALYSIS_EVENTS_STATS_CALLS_H

#include "analysis/events/stats_state.h"

/* Whether calls are enough to make the statistics, without the events that they are made of. */
bool stats_calls_suffice(stele_stats *s);

/* Makes the calls engine. Returns STELE_ERR_MEMORY if out of memory. */
stele_status stats_calls_new(stele_stats *s);

/* Adds events to the calls engine, which is used in place of the spans engine. */
stele_status stats_calls_add(stele_stats *s, const stele_segment *segment);

#endif
