/* SPDX-License-Identifier: Apache-2.0 */
/* What comparisons read from a profile beyond its rows. */
#ifndef ANALYSIS_EVENTS_PROFILE_H
#define ANALYSIS_EVENTS_PROFILE_H

#include <stele/analysis.h>

#include "analysis/events/histogram.h"

/* Whether a name has calls; not in profiles by track. */
bool profile_has(const stele_profile *p, stele_name name);

/* Add the durations of all calls of a name to a histogram, or their self times; durations again if
   self times are not kept. A name without calls adds nothing. Return false if out of memory. */
bool profile_add_durations(const stele_profile *p, stele_name name, histogram *to);
bool profile_add_selves(const stele_profile *p, stele_name name, histogram *to);

#endif
