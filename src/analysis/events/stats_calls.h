/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_EVENTS_STATS_CALLS_H
#define ANALYSIS_EVENTS_STATS_CALLS_H

#include "analysis/events/stats_state.h"

/* Whether what is asked is known of calls without the events that they are made of. */
bool stats_calls_suffice(stele_stats *s);

/* Makes the engine of calls. Returns STELE_ERR_MEMORY. */
stele_status stats_calls_new(stele_stats *s);

/* Takes events in place of the engine of spans. */
stele_status stats_calls_add(stele_stats *s, const stele_segment *segment);

#endif
