/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/write/renumber.h"

#include <stdlib.h>

#include "core/array.h"
#include "formats/heph/read/counters.h"

/* Both are those of the reader, which must find the same sequences and gaps in the copy: counters
   that differ by more are not in the same sequence, and what comes late for an older gap keeps its
   counter. */
#define WINDOW   COUNTERS_WINDOW
#define GAPS_MAX COUNTERS_GAPS_MAX
/* How many free counters of a stream are remembered; further ones are gaps in the copy. */
#define FREE_MAX 16u

/* Counters that were not there when later ones came. They may still come, since streams can be
   shared by threads. */
typedef struct gap {
    uint32_t first, count, shift;
} gap;

struct renumber_stream {
    uint32_t id;
    uint32_t next;      /* the counter that is expected in the trace */
    uint32_t shift;     /* counters of the copy are smaller by this */
    bool has_kept;      /* an event was kept; before that, nothing is missing in the copy */
    gap gaps[GAPS_MAX]; /* the latest ones, as a ring */
    uint32_t gap_count;
    /* counters of the copy that came late and were left out: the next events get them, as a ring */
    uint32_t free[FREE_MAX];
    uint32_t free_at, free_count;
};

void renumber_free(renumbering *r)
{
    free(r->streams);
    hash_table_free(&r->numbers);
}

/* Finds a stream, and makes it if it is new. Returns NULL if there are too many streams (see
   `is_full`), or if memory is exhausted. */
static renumber_stream *stream_find(renumbering *r, uint32_t id, uint32_t counter, bool *is_full)
{
    uint32_t hash;
    *is_full = false;
    if (!hash_table_reserve(&r->numbers))
        return NULL;
    hash = hash_table_hash_u64(&r->numbers, id);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&r->numbers, hash, &at)) != HASH_NONE;)
        if (r->streams[number].id == id)
            return &r->streams[number];
    *is_full = r->count >= r->streams_max;
    if (*is_full)
        return NULL;
    if (r->count == r->capacity) {
        renumber_stream *grown = array_grow(r->streams, sizeof *grown, &r->capacity, 16);
        if (grown == NULL)
            return NULL;
        r->streams = grown;
    }
    r->streams[r->count] = (renumber_stream){.id = id, .next = counter};
    hash_table_put(&r->numbers, hash, r->count);
    return &r->streams[r->count++];
}

/* Takes an event whose counter is less than the expected one: it fills a gap, or repeats another.
 */
static uint32_t take_late(renumber_stream *s, uint32_t counter, bool is_kept)
{
    for (uint32_t i = 0; i < GAPS_MAX && i < s->gap_count; i++) {
        const gap *of = &s->gaps[(s->gap_count - 1 - i) % GAPS_MAX];
        if (counter - of->first >= of->count)
            continue;
        if (!is_kept && s->has_kept && s->free_count < FREE_MAX)
            s->free[(s->free_at + s->free_count++) % FREE_MAX] = counter - of->shift;
        return counter - of->shift;
    }
    return counter - s->shift;
}

/* Takes an event whose counter is the expected one or ahead of it. */
static uint32_t take_ahead(renumber_stream *s, uint32_t counter, bool is_kept)
{
    if (counter != s->next)
        s->gaps[s->gap_count++ % GAPS_MAX] = (gap){s->next, counter - s->next, s->shift};
    s->next = counter + 1;
    if (!is_kept) {
        s->shift += s->has_kept;
        return counter;
    }
    if (s->free_count != 0) {
        const uint32_t freed = s->free[s->free_at];
        s->free_at = (s->free_at + 1) % FREE_MAX;
        s->free_count--;
        s->shift++; /* the counter that the event leaves is for the next one */
        return freed;
    }
    return counter - s->shift;
}

bool renumber_next(renumbering *r, uint32_t stream, uint32_t counter, bool is_kept,
                   uint32_t *changed)
{
    bool is_full;
    renumber_stream *s = stream_find(r, stream, counter, &is_full);
    *changed = counter;
    if (s == NULL)
        return is_full;
    if (s->next - counter <= WINDOW && counter != s->next) {
        *changed = take_late(s, counter, is_kept);
    } else if (counter - s->next < WINDOW) {
        *changed = take_ahead(s, counter, is_kept);
    } else { /* far away: another sequence begins */
        s->next = counter + 1;
        s->shift += !is_kept && s->has_kept;
        *changed = counter - s->shift;
    }
    s->has_kept |= is_kept;
    r->changed_count += is_kept && *changed != counter;
    return true;
}
