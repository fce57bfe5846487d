/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/members.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "sinks/value.h"

void member_marks_free(member_marks *marks)
{
    free(marks->seen);
}

/* Makes room for a mark at every name. Returns false if out of memory. */
static bool marks_reserve(member_marks *marks, const stele_context *context)
{
    const uint32_t count = stele_name_count(context);
    uint32_t *seen;
    if (count <= marks->seen_count)
        return true;
    seen = array_fit(marks->seen, sizeof *seen, (size_t)count * 2);
    if (seen == NULL) {
        marks->is_exhausted = true;
        return false;
    }
    memset(seen + marks->seen_count, 0, (count * 2 - marks->seen_count) * sizeof *seen);
    marks->seen = seen;
    marks->seen_count = count * 2;
    return true;
}

uint64_t members_repeated(member_marks *marks, const stele_context *context,
                          const stele_field *members, uint32_t count)
{
    uint64_t repeated = 0;
    unsigned place = 0;
    if (!marks_reserve(marks, context))
        return 0;
    if (++marks->round == 0) {
        memset(marks->seen, 0, marks->seen_count * sizeof *marks->seen);
        marks->round = 1;
    }
    for (uint32_t at = 0; at < count; at += stele_field_length(members + at)) {
        const stele_name name = members[at].name;
        if (field_is_shown(&members[at]) && name < marks->seen_count) {
            if (marks->seen[name] == marks->round)
                repeated |= UINT64_C(1) << place;
            marks->seen[name] = marks->round;
        }
        place += place < 63;
    }
    return repeated;
}
