/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/stacks.h"

#include <stdlib.h>
#include <string.h>

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

static bool tracks_reserve(stacks *s, uint32_t track)
{
    uint32_t *tops;
    if (track < s->track_count)
        return true;
    tops = array_reach(s->tops, sizeof *tops, &s->track_count, track);
    if (tops == NULL)
        return false;
    s->tops = tops;
    return true;
}

/* Takes a free span or makes one. Returns its number, 0 if out of memory. */
static uint32_t span_take(stacks *s)
{
    const uint32_t reused = s->span_free;
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

stele_status stacks_push(stacks *s, uint32_t track, const open_span *span)
{
    uint32_t number;
    if (s->open_count == s->open_max)
        return STELE_ERR_LIMIT;
    if (!tracks_reserve(s, track) || (number = span_take(s)) == 0)
        return STELE_ERR_MEMORY;
    s->spans[number] = *span;
    s->spans[number].below = s->tops[track];
    s->tops[track] = number;
    s->open_count++;
    return STELE_OK;
}

void stacks_pop(stacks *s, uint32_t track)
{
    const uint32_t number = s->tops[track];
    s->tops[track] = s->spans[number].below;
    s->spans[number].below = s->span_free;
    s->span_free = number;
    s->open_count--;
}
