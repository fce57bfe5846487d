/* SPDX-License-Identifier: Apache-2.0 */
/* Flows that do not change the order of events. */
#include "flow/flow.h"

#include <stdlib.h>

#include "model/batch.h"

void flow_close(flow *f)
{
    if (f != NULL)
        f->ops->close(f);
}

/* ---- The flow of one producer ---- */

typedef struct plain_flow {
    flow base;
    producer *from;
    stele_batch *batch;
    stele_segment segment;
} plain_flow;

static stele_status plain_pull(flow *self)
{
    plain_flow *plain = (plain_flow *)self;
    stele_batch *batch = plain->batch;
    do {
        const stele_status status = plain->from->ops->fill(plain->from, batch);
        if (status != STELE_OK)
            return status;
    } while (batch->event_count == 0);
    plain->segment = (stele_segment){batch, 0, batch->event_count};
    return flow_give(self, &plain->segment, 1, batch->event_count);
}

static void plain_close(flow *self)
{
    plain_flow *plain = (plain_flow *)self;
    plain->from->ops->close(plain->from);
    stele_batch_free(plain->batch);
    free(plain);
}

stele_status flow_plain(producer *from, flow **out)
{
    static const flow_ops ops = {plain_pull, plain_close};
    plain_flow *plain = malloc(sizeof *plain);
    stele_batch *batch = NULL;
    *out = NULL;
    if (plain == NULL || batch_new_read(0, &batch) != STELE_OK) {
        free(plain);
        from->ops->close(from);
        return STELE_ERR_MEMORY;
    }
    *plain = (plain_flow){.base = {.ops = &ops}, .from = from, .batch = batch};
    *out = &plain->base;
    return STELE_OK;
}

/* ---- The flow of several flows, one after the other ---- */

typedef struct concat_flow {
    flow base;
    stele_status status; /* STELE_END, or the first error of a flow; returned at the end */
    size_t at, count;
    flow *from[];
} concat_flow;

static stele_status concat_pull(flow *self)
{
    concat_flow *concat = (concat_flow *)self;
    while (concat->at < concat->count) {
        flow *from = concat->from[concat->at];
        const uint64_t before = from->event_count;
        const stele_status status = from->ops->pull(from);
        if (status == STELE_OK)
            return flow_give(self, from->at, (uint32_t)(from->end - from->at),
                             from->event_count - before);
        if (concat->status == STELE_END)
            concat->status = status;
        concat->at++;
    }
    return concat->status;
}

static void concat_close(flow *self)
{
    concat_flow *concat = (concat_flow *)self;
    for (size_t i = 0; i < concat->count; i++)
        flow_close(concat->from[i]);
    free(concat);
}

stele_status flow_concat(flow *const *from, size_t count, flow **out)
{
    static const flow_ops ops = {concat_pull, concat_close};
    concat_flow *concat = malloc(sizeof *concat + count * sizeof(flow *));
    *out = NULL;
    if (concat == NULL) {
        for (size_t i = 0; i < count; i++)
            flow_close(from[i]);
        return STELE_ERR_MEMORY;
    }
    *concat = (concat_flow){.base = {.ops = &ops}, .status = STELE_END, .count = count};
    for (size_t i = 0; i < count; i++)
        concat->from[i] = from[i];
    *out = &concat->base;
    return STELE_OK;
}
