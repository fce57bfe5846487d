/* SPDX-License-Identifier: Apache-2.0 */
/* What comparisons see of a profile beyond its rows. */
#ifndef ANALYSIS_EVENTS_PROFILE_H
#define ANALYSIS_EVENTS_PROFILE_H

#include <stele/analysis.h>

#include "analysis/events/histogram.h"

/* How the durations of a name are spread; NULL where it has no calls, and in profiles by track. */
const histogram *profile_durations(const stele_profile *p, stele_name name);

/* The same of its self times, or of the durations where self times are not kept. */
const histogram *profile_selves(const stele_profile *p, stele_name name);

#endif
