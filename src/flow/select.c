/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/select.h"

#include <stdlib.h>

#include "model/batch.h"

typedef struct selected {
    producer base;
    producer *from;
    int64_t shift_ns, offset_ns;
    filter *filter;
    uint64_t *filtered_count;
} selected;

static stele_status selected_fill(producer *self, stele_batch *batch)
{
    selected *s = (selected *)self;
    const stele_status status = s->from->ops->fill(s->from, batch);
    if (status == STELE_OK) {
        batch_shift(batch, s->shift_ns, s->offset_ns);
        *s->filtered_count += filter_batch(s->filter, batch);
    }
    s->base.lost_count = s->from->lost_count;
    s->base.missing_count = s->from->missing_count;
    s->base.balance = s->from->balance;
    return status;
}

static void selected_close(producer *self)
{
    selected *s = (selected *)self;
    s->from->ops->close(s->from);
    free(s);
}

stele_status producer_select(producer *from, int64_t shift_ns, int64_t offset_ns, filter *f,
                             uint64_t *filtered_count, producer **out)
{
    static const producer_ops ops = {selected_fill, selected_close};
    selected *s;
    *out = from;
    if (shift_ns == 0 && offset_ns == 0 &&
        filter_is_open(f, from->kinds != 0 ? from->kinds : STELE_KINDS_ALL))
        return STELE_OK;
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        from->ops->close(from);
        *out = NULL;
        return STELE_ERR_MEMORY;
    }
    *s = (selected){.base = {.ops = &ops, .kinds = from->kinds},
                    .from = from,
                    .shift_ns = shift_ns,
                    .offset_ns = offset_ns,
                    .filter = f,
                    .filtered_count = filtered_count};
    *out = &s->base;
    return STELE_OK;
}
