/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sets of integer ranges of CTF 2: labels, flags, and values that select options. */
#ifndef CTF_JSON_RANGE_H
#define CTF_JSON_RANGE_H

#include "formats/ctf/metadata/json_front.h"

/* Which integers a range set may hold. */
typedef enum range_values { RANGE_ANY, RANGE_UNSIGNED, RANGE_SIGNED } range_values;

/* Reads a set of ranges, [[low, high], ...]. Returns false after reporting, or if out of memory. */
bool json_ranges(json_front *front, const json_value *set, range_values values,
                 const ctf_range **ranges, uint32_t *count);

/* Reads the labels of an integer or the flags of a bit map: {"NAME": range set, ...}. Returns false
   after reporting, or if out of memory. */
bool json_mappings(json_front *front, const json_value *object, range_values values,
                   ctf_class *type);

/* Checks that no value selects two options of a variant. Returns false after reporting, or if out
   of memory. */
bool json_options_check(json_front *front, const ctf_class *type);

#endif
