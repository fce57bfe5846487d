/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/stacks.h"

#include <stdlib.h>

#include "core/array.h"

void stacks_init(stacks *s, uint32_t open_max)
{
    *s = (stacks){.open_max = open_max};
}

void stacks_free(stacks *s)
{
    free(s->spans);
    free(s->tops);
}

uint32_t stacks_make_span(stacks *s, uint32_t track)
{
    const uint32_t reused = s->span_free;
    if (track >= s->track_count) {
        uint32_t *tops = array_reach(s->tops, sizeof *tops, &s->track_count, track);
        if (tops == NULL)
            return 0;
        s->tops = tops;
    }
    if (reused != 0) {
        s->span_free = s->spans[reused].below;
        return reused;
    }
    if (s->span_count + 1 >= s->span_capacity) {
        open_span *spans = array_grow(s->spans, sizeof *spans, &s->span_capacity, 256);
        if (spans == NULL)
            return 0;
        s->spans = spans;
    }
    return ++s->span_count;
}
