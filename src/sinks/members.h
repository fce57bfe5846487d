/* SPDX-License-Identifier: Apache-2.0 */
/* Which members of an object have the name of one before them: outputs whose objects have a name
   once give later ones another. */
#ifndef SINKS_MEMBERS_H
#define SINKS_MEMBERS_H

#include "model/context.h"

/* Zeros are an empty one. */
typedef struct member_marks {
    uint32_t *seen; /* by name: the round in which it was met last */
    uint32_t seen_count, round;
    bool is_exhausted; /* memory: from then on nothing is found twice */
} member_marks;

void member_marks_free(member_marks *marks);

/*
 * Bit i stands for the i-th member, the last one for all from the 64th on; a bit is set where the
 * name was there before. Names that are known in one batch only differ unless equal by number.
 */
uint64_t members_repeated(member_marks *marks, const stele_context *context,
                          const stele_field *members, uint32_t count);

#define MEMBERS_FEW 4u /* so many are compared with each other, without marks */

/* The same where most objects have a few members, or none. */
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
