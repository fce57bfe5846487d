/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pairing_flows.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

void pairing_flows_free(pairing_flows *f)
{
    pair_queues_free(&f->open);
    free(f->works);
}

void pairing_flows_clear(pairing_flows *f)
{
    pair_queues_clear(&f->open);
    if (f->work_count != 0)
        memset(f->works, 0, f->work_count * sizeof *f->works);
}

/* Where the number of the work of a track is kept. Returns NULL if out of memory. */
static uint64_t *work_of(pairing_flows *f, uint32_t track)
{
    if (track >= f->work_count) {
        uint64_t *grown = array_reach(f->works, sizeof *grown, &f->work_count, track);
        if (grown == NULL) {
            f->is_out_of_memory = true;
            return NULL;
        }
        f->works = grown;
    }
    return &f->works[track];
}

bool pairing_flows_follow(pairing_flows *f, const stele_event *event, pair_key key, uint32_t track,
                          uint32_t open_max)
{
    uint64_t *work = work_of(f, track), carried = 0;
    int64_t time_ns;
    bool is_open = false;
    if (work == NULL)
        return false;
    while (pair_queues_pop(&f->open, key, &carried, &time_ns))
        is_open = true;
    if (event->kind != STELE_KIND_FLOW_BEGIN && is_open)
        *work = carried;
    if (event->kind == STELE_KIND_FLOW_END || *work == 0 || f->open.used >= open_max)
        return true;
    return pair_queues_push(&f->open, key, *work, event->time_ns);
}

uint64_t pairing_flows_work(pairing_flows *f, uint32_t track, bool is_end)
{
    uint64_t *work = work_of(f, track);
    if (work == NULL)
        return 0;
    if (!is_end)
        *work = ++f->last;
    return *work;
}
