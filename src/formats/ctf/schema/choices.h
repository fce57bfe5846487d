/* SPDX-License-Identifier: Apache-2.0 */
/* Which option of a variant a value of its tag selects. */
#ifndef CTF_CHOICES_H
#define CTF_CHOICES_H

#include "formats/ctf/schema/ranges.h"
#include "formats/ctf/schema/targets.h"

/* The option that each label of the tag's enumeration names (CTF 1.8; one `_` in front may be an
   escape), RANGE_NONE where there is none. To be freed; NULL if out of memory. */
uint32_t *choices_of_labels(const ctf_class *variant, const ctf_class *tag);

/* The table gives the option's index. Returns false if out of memory. */
bool choices_make(range_table *table, arena *memory, const ctf_class *variant,
                  const target_user *tag);

#endif
