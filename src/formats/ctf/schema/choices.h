/* SPDX-License-Identifier: Apache-2.0 */
/* Which option of a variant a value of its tag selects. */
#ifndef CTF_CHOICES_H
#define CTF_CHOICES_H

#include "formats/ctf/schema/ranges.h"
#include "formats/ctf/schema/targets.h"

/*
 * Returns for each label of the tag's enumeration the index of the option that it names (CTF 1.8,
 * where one leading `_` may be an escape), RANGE_NONE where no option has that name. The caller
 * frees the array. Returns NULL if out of memory.
 */
uint32_t *choices_of_labels(const ctf_class *variant, const ctf_class *tag);

/* Fills in the table that finds the index of the selected option by the tag's value. Returns false
   if out of memory. */
bool choices_make(range_table *table, arena *memory, const ctf_class *variant,
                  const target_user *tag);

#endif
