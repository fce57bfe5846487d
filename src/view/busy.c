/* SPDX-License-Identifier: Apache-2.0 */
#include "view/busy.h"

#include <stdlib.h>
#include <string.h>

#include "view/list.h"

#define STRETCHES_MAX 4096u

static uint64_t length_of(const busy_stretch *s)
{
    return (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
}

/* Forgets the older half of the stretches. */
static void drop_half(busy_track *t)
{
    const size_t dropped = t->count / 2;
    t->has_floor = true;
    t->floor_ns = t->stretches[dropped - 1].end_ns;
    t->count -= dropped;
    memmove(t->stretches, t->stretches + dropped, t->count * sizeof *t->stretches);
}

bool busy_add(busy_tracks *b, uint32_t track, int64_t begin_ns, int64_t end_ns, uint64_t *busy_ns)
{
    busy_stretch made = {begin_ns, end_ns > begin_ns ? end_ns : begin_ns};
    busy_track *t;
    if (track >= b->count) {
        busy_track *grown = list_reach(b->tracks, sizeof *grown, &b->count, track);
        if (grown == NULL)
            return false;
        b->tracks = grown;
    }
    t = &b->tracks[track];
    /* Spans come as they begin or as they end; those that overlap become one stretch. */
    while (t->count != 0 && t->stretches[t->count - 1].end_ns >= made.begin_ns) {
        const busy_stretch *last = &t->stretches[--t->count];
        *busy_ns -= length_of(last);
        if (last->begin_ns < made.begin_ns)
            made.begin_ns = last->begin_ns;
        if (last->end_ns > made.end_ns)
            made.end_ns = last->end_ns;
    }
    if (t->has_floor && made.begin_ns < t->floor_ns)
        made.begin_ns = made.end_ns > t->floor_ns ? t->floor_ns : made.end_ns;
    if (t->count == STRETCHES_MAX)
        drop_half(t);
    if (t->count == t->capacity) {
        busy_stretch *grown = list_grow(t->stretches, sizeof *grown, &t->capacity);
        if (grown == NULL)
            return false;
        t->stretches = grown;
    }
    t->stretches[t->count++] = made;
    *busy_ns += length_of(&made);
    return true;
}

void busy_free(busy_tracks *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        free(b->tracks[i].stretches);
    free(b->tracks);
    *b = (busy_tracks){.tracks = NULL};
}
