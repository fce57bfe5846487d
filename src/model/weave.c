/* SPDX-License-Identifier: Apache-2.0 */
#include "model/weave.h"

#include "model/run.h"

void weave_free(weave *w)
{
    for (uint32_t i = 0; i < w->heap.count; i++)
        block_free(w->heap.heads[i].input);
    merge_free(&w->heap);
}

static merge_head block_head(block *b, bool by_end)
{
    return (merge_head){event_key(&b->storage->events[b->at], by_end),
                        (uint64_t)block_view(b, b->at)->stream << 32 | b->order, b};
}

bool weave_push(weave *w, block *b)
{
    if (!merge_reserve(&w->heap)) {
        block_free(b);
        return false;
    }
    merge_push(&w->heap, block_head(b, w->by_end));
    w->size += b->size;
    w->event_count += b->storage->event_count;
    return true;
}

/* Lets go of the block whose events were given out, or refills it. */
static stele_status weave_settle(weave *w)
{
    block *b = w->spent;
    if (b == NULL)
        return STELE_OK;
    w->spent = NULL;
    w->size -= b->size;
    if (b->run != NULL) {
        const stele_status status = run_read(b->run, b);
        if (status == STELE_OK) {
            w->size += b->size;
            w->event_count += b->storage->event_count;
            merge_replace(&w->heap, block_head(b, w->by_end));
            return STELE_OK;
        }
        merge_pop(&w->heap);
        pool_give(w->pool, b);
        return status == STELE_END ? STELE_OK : status;
    }
    merge_pop(&w->heap);
    pool_give(w->pool, b);
    return STELE_OK;
}

stele_status weave_next(weave *w, int64_t limit_ns, stele_segment *segment)
{
    const stele_status status = weave_settle(w);
    block *b;
    uint32_t end;
    if (status != STELE_OK)
        return status;
    if (w->heap.count == 0 || w->heap.heads[0].key > limit_ns)
        return STELE_END;
    b = w->heap.heads[0].input;
    end = merge_run(&w->heap, b->storage->events, b->at, block_view_end(b), limit_ns, w->by_end);
    *segment = (stele_segment){block_view(b, b->at), b->at, end - b->at};
    w->event_count -= segment->count;
    b->at = end;
    if (end == b->storage->event_count)
        w->spent = b;
    else
        merge_replace(&w->heap, block_head(b, w->by_end));
    return STELE_OK;
}
