/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/verify_nesting.h"

#include <stdlib.h>

#include "core/array.h"

/* How many open spans are searched for the one that ends. */
#define LOOK_MAX 512u

struct nesting_span {
    uint64_t name;
    uint32_t below; /* index of the span around it + 1; of a span that is not used, of the next */
};

void nesting_free(nesting *n)
{
    free(n->tops);
    free(n->spans);
}

bool nesting_begin(nesting *n, uint32_t track, uint64_t name)
{
    uint32_t number = n->free;
    if (track >= n->track_count) {
        uint32_t *grown = array_reach(n->tops, sizeof *grown, &n->track_count, track);
        if (grown == NULL)
            return false;
        n->tops = grown;
    }
    if (number != 0) {
        n->free = n->spans[number - 1].below;
    } else {
        if (n->count == n->capacity) {
            nesting_span *grown = array_grow(n->spans, sizeof *grown, &n->capacity, 64);
            if (grown == NULL)
                return false;
            n->spans = grown;
        }
        number = ++n->count;
    }
    n->spans[number - 1] = (nesting_span){name, n->tops[track]};
    n->tops[track] = number;
    return true;
}

static void pop(nesting *n, uint32_t track)
{
    const uint32_t number = n->tops[track];
    n->tops[track] = n->spans[number - 1].below;
    n->spans[number - 1].below = n->free;
    n->free = number;
}

bool nesting_end(nesting *n, uint32_t track, uint64_t name)
{
    const uint32_t top = track < n->track_count ? n->tops[track] : 0;
    uint32_t depth = 0, at = top;
    while (name != 0 && at != 0 && n->spans[at - 1].name != name && depth < LOOK_MAX) {
        at = n->spans[at - 1].below;
        depth++;
    }
    if (at == 0 || depth == LOOK_MAX)
        return false;
    for (uint32_t i = 0; i <= depth; i++)
        pop(n, track);
    return depth != 0;
}
