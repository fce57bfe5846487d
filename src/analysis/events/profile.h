/* SPDX-License-Identifier: Apache-2.0 */
/* What comparisons read from a profile beyond its rows. */
#ifndef ANALYSIS_EVENTS_PROFILE_H
#define ANALYSIS_EVENTS_PROFILE_H

#include <stele/analysis.h>

#include "analysis/events/histogram.h"

/* The durations of all calls of a name; NULL if it has no calls, and in profiles by track. */
const histogram *profile_durations(const stele_profile *p, stele_name name);

/* The self times of all calls of a name, or their durations if self times are not kept. NULL if
   it has no calls, and in profiles by track. */
const histogram *profile_selves(const stele_profile *p, stele_name name);

#endif
