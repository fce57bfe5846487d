/* SPDX-License-Identifier: Apache-2.0 */
/* Finds members of an object that have the same name as an earlier one, for outputs in which
   each name may occur once and later ones must be renamed. */
#ifndef SINKS_MEMBERS_H
#define SINKS_MEMBERS_H

#include "model/context.h"

/* Marks of names; zeros are valid and mark none. */
typedef struct member_marks {
    uint32_t *seen; /* by name: number of the object in which it was last seen */
    uint32_t seen_count, round;
    bool is_exhausted; /* out of memory: no more repeated names are found */
} member_marks;

void member_marks_free(member_marks *marks);

/* Returns a bit for each member that is set if an earlier one has the same name; bit 63 stands
   for all members from there on. Names that are known in one batch only are compared by number. */
uint64_t members_repeated(member_marks *marks, const stele_context *context,
                          const stele_field *members, uint32_t count);

#define MEMBERS_FEW 4u /* up to so many members are compared with each other, without marks */

/* Like members_repeated(), with a fast path for objects with few members. */
static inline uint64_t members_find_repeated(member_marks *marks, const stele_context *context,
                                             const stele_field *members, uint32_t count)
{
    bool is_plain = count <= MEMBERS_FEW;
    for (uint32_t i = 0; i < count && is_plain; i++) {
        is_plain = members[i].type < STELE_TYPE_RUN_FIRST && members[i].label_count == 0;
        for (uint32_t j = 0; j < i; j++)
            is_plain &= members[i].name != members[j].name;
    }
    return is_plain || stele_field_length(members) >= count
               ? 0
               : members_repeated(marks, context, members, count);
}

#endif
