/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/select.h"

#include <stdlib.h>

#include "model/batch.h"

typedef struct selected {
    producer base;
    producer *from;
    selection_of how;
} selected;

static inline bool is_between(const stele_event *event, uint64_t begin, uint64_t end)
{
    return event->offset >= begin && (end == 0 || event->offset < end);
}

/* Keeps only the events of a range of places; the others belong to other parts. Most batches are
   kept as a whole, and no event of them is copied. */
static void keep_places(stele_batch *batch, uint64_t begin, uint64_t end)
{
    uint32_t kept = 0;
    while (kept < batch->event_count && is_between(&batch->events[kept], begin, end))
        kept++;
    for (uint32_t i = kept; i < batch->event_count; i++) {
        const stele_event event = batch->events[i];
        if (is_between(&event, begin, end))
            batch->events[kept++] = event;
    }
    batch->event_count = kept;
}

static stele_status selected_fill(producer *self, stele_batch *batch)
{
    selected *s = (selected *)self;
    const selection_of *how = &s->how;
    stele_status status = s->from->ops->fill(s->from, batch);
    if (status == STELE_OK) {
        if (how->begin_place != 0 || how->end_place != 0)
            keep_places(batch, how->begin_place, how->end_place);
        if (how->drift != 0)
            batch_drift(batch, how->drift, how->drift_from_ns);
        batch_shift(batch, how->shift_ns, how->offset_ns);
        *how->filtered_count += filter_batch(how->filter, batch);
        if (how->pieces != NULL)
            status = pieces_batch(how->pieces, how->index, batch);
    }
    s->base.lost_count = s->from->lost_count;
    s->base.missing_count = s->from->missing_count;
    s->base.balance = s->from->balance;
    producer_take_bounds(&s->base, s->from);
    s->base.has_bounds = s->from->has_bounds && how->shift_ns == 0 && how->drift == 0;
    return status;
}

static void selected_close(producer *self)
{
    selected *s = (selected *)self;
    s->from->ops->close(s->from);
    free(s);
}

stele_status producer_select(producer *from, const selection_of *how, producer **out)
{
    static const producer_ops ops = {.fill = selected_fill, .close = selected_close};
    selected *s;
    *out = from;
    if (how->shift_ns == 0 && how->offset_ns == 0 && how->drift == 0 && how->pieces == NULL &&
        how->begin_place == 0 && how->end_place == 0 &&
        filter_is_open(how->filter, from->kinds != 0 ? from->kinds : STELE_KINDS_ALL))
        return STELE_OK;
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        from->ops->close(from);
        *out = NULL;
        return STELE_ERR_MEMORY;
    }
    *s = (selected){.base = {.ops = &ops, .kinds = from->kinds}, .from = from, .how = *how};
    *out = &s->base;
    return STELE_OK;
}
