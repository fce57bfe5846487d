/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of integer ranges of CTF 2: labels, flags, and what selects an option. */
#ifndef CTF_JSON_RANGE_H
#define CTF_JSON_RANGE_H

#include "formats/ctf/metadata/json_front.h"

/* Which integers a range set may hold. */
typedef enum range_values { RANGE_ANY, RANGE_UNSIGNED, RANGE_SIGNED } range_values;

/* A set of ranges, [[low, high], ...]. Returns false after reporting, or if out of memory. */
bool json_ranges(json_front *front, const json_value *set, range_values values,
                 const ctf_range **ranges, uint32_t *count);

/* Labels of integers or flags of bit maps: {"NAME": range set, ...}. */
bool json_mappings(json_front *front, const json_value *object, range_values values,
                   ctf_class *type);

/* A value selects one option of a variant; reports where it selects two. */
bool json_options_check(json_front *front, const ctf_class *type);

#endif
