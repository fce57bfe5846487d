/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/peek.h"

#include <stdlib.h>

#include "model/batch.h"

typedef struct peeked {
    producer base;
    producer *from;
    stele_batch *first;  /* NULL once it was delivered */
    stele_status status; /* of the fill that made `first`, if it was not STELE_OK */
} peeked;

static stele_status peeked_fill(producer *self, stele_batch *batch)
{
    peeked *p = (peeked *)self;
    stele_status status = p->status;
    if (p->first != NULL) {
        const stele_batch given = *batch; /* the two batches exchange their memory */
        *batch = *p->first;
        *p->first = given;
        stele_batch_free(p->first);
        p->first = NULL;
    } else if (status == STELE_OK) {
        status = p->from->ops->fill(p->from, batch);
    }
    p->base.lost_count = p->from->lost_count;
    p->base.missing_count = p->from->missing_count;
    p->base.balance = p->from->balance;
    producer_take_bounds(&p->base, p->from);
    return status;
}

static void peeked_close(producer *self)
{
    peeked *p = (peeked *)self;
    p->from->ops->close(p->from);
    stele_batch_free(p->first);
    free(p);
}

stele_status producer_peek(producer *from, const stele_batch **first, producer **out)
{
    static const producer_ops ops = {.fill = peeked_fill, .close = peeked_close};
    peeked *p = calloc(1, sizeof *p);
    *out = NULL;
    if (p == NULL || batch_new_read(0, &p->first) != STELE_OK) {
        free(p);
        from->ops->close(from);
        return STELE_ERR_MEMORY;
    }
    p->base.ops = &ops;
    p->from = from;
    do {
        p->status = from->ops->fill(from, p->first);
    } while (p->status == STELE_OK && p->first->event_count == 0);
    *first = p->status == STELE_OK ? p->first : NULL;
    *out = &p->base;
    return STELE_OK;
}
