/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/seek_making.h"

#include <stdlib.h>

typedef struct noting {
    producer base;
    producer *from;
    seek_making *making;
    seek_builder blocks;
    bool is_building;
} noting;

void seek_making_begin(seek_making *making, stele_trace *trace)
{
    *making = (seek_making){.trace = trace, .left = trace->stream_count};
    if (!trace->is_indexed && trace->ops->note_index != NULL)
        trace->ops->note_index(trace);
    if (trace->is_indexed && trace->seek == NULL && trace->ops->save_index != NULL &&
        trace->stream_count != 0 &&
        trace->ops->seeks_in_file_order == (trace->ops->file_blocks != NULL))
        making->index = seek_index_new(trace->stream_count);
}

void seek_making_end(seek_making *making)
{
    seek_index_free(making->index);
    making->index = NULL;
}

/* Gives the blocks to the trace, once they are complete. */
static void give(seek_making *making)
{
    stele_trace *trace = making->trace;
    seek_index *index = making->index;
    if (trace->ops->file_blocks != NULL &&
        !trace->ops->file_blocks(trace, index, SEEK_BLOCK_SIZE)) {
        seek_making_end(making);
        return;
    }
    seek_index_free_grains(index);
    trace->seek = index;
    making->index = NULL;
}

static void stop_building(noting *n)
{
    if (n->is_building)
        seek_builder_close(&n->blocks);
    n->is_building = false;
}

static stele_status noting_fill(producer *self, stele_batch *batch)
{
    noting *n = (noting *)self;
    producer *from = n->from;
    stele_status status;
    if (n->is_building)
        seek_builder_await(&n->blocks);
    status = from->ops->fill(from, batch);
    if (status == STELE_OK && n->is_building) {
        seek_builder_take(&n->blocks, batch);
    } else if (n->is_building) {
        stop_building(n);
        if (status == STELE_END && --n->making->left == 0)
            give(n->making);
    }
    n->base.lost_count = from->lost_count;
    n->base.missing_count = from->missing_count;
    n->base.balance = from->balance;
    producer_take_bounds(&n->base, from);
    return status;
}

static void noting_close(producer *self)
{
    noting *n = (noting *)self;
    stop_building(n);
    n->from->ops->close(n->from);
    free(n);
}

stele_status producer_make_blocks(seek_making *making, uint32_t stream, producer *from,
                                  producer **out)
{
    static const producer_ops ops = {.fill = noting_fill, .close = noting_close};
    stele_trace *trace = making->trace;
    noting *n;
    *out = from;
    if (making->index == NULL || from->ops->mark == NULL || stream == PRODUCE_ALL)
        return STELE_OK;
    n = calloc(1, sizeof *n);
    if (n == NULL || seek_builder_open(&n->blocks, making->index, stream - trace->stream_first,
                                       SEEK_BLOCK_SIZE, from, &trace->context->diag) != STELE_OK) {
        free(n);
        from->ops->close(from);
        *out = NULL;
        return STELE_ERR_MEMORY;
    }
    n->base = (producer){.ops = &ops, .kinds = from->kinds, .stop = UINT64_MAX};
    n->base.balance = from->balance;
    n->from = from;
    n->making = making;
    n->is_building = true;
    if (trace->ops->file_blocks != NULL)
        seek_builder_want_grains(&n->blocks);
    *out = &n->base;
    return STELE_OK;
}
