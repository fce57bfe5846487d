/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/track_rank.h"

int track_rank_compare(const void *a, const void *b)
{
    const track_rank *x = a, *y = b;
    if (x->is_lossy != y->is_lossy)
        return x->is_lossy ? -1 : 1;
    if (x->busy_ns != y->busy_ns)
        return x->busy_ns > y->busy_ns ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}
