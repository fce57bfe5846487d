/* SPDX-License-Identifier: Apache-2.0 */
/* Gives what is open where a request begins or ends as events, for writers of a part of traces. */
#include <stele/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/opened_find.h"
#include "core/array.h"
#include "model/batch.h"
#include "model/context.h"

#define ENDS_IN_BATCH 64u

/* ---- Begins ---- */

typedef struct giving {
    stele_batch *batch;
    stele_name mark; /* name of the field with the time before; 0: the events get none */
    stele_segment_fn *fn;
    void *user;
} giving;

/* Passes one event on, in a batch of its own. */
static stele_status give(void *user, const stele_batch *from, const stele_event *event,
                         uint64_t before_ns)
{
    const giving *g = user;
    stele_batch *to = g->batch;
    stele_event *own;
    stele_batch_clear(to);
    to->stream = from->stream;
    to->shift_ns = from->shift_ns;
    to->offset_ns = from->offset_ns;
    to->columns = from->columns;
    if (!batch_copy_event(to, from, event) || !batch_reserve_fields(to, 1))
        return STELE_ERR_MEMORY;
    own = &to->events[0];
    own->flags &= (uint8_t)~STELE_FLAG_REPEATED;
    if (g->mark != 0) {
        *batch_push_field(to) =
            (stele_field){.name = g->mark, .type = STELE_TYPE_UINT, .width = 64, .u.u = before_ns};
        if (!batch_set_fields(to, own, 0))
            return STELE_ERR_MEMORY;
    }
    return g->fn(g->user, &(stele_segment){to, 0, 1});
}

stele_status stele_give_open(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_request *request, bool has_marks, stele_segment_fn *fn,
                             void *user)
{
    giving g = {.fn = fn, .user = user};
    stele_status status = stele_batch_new(0, &g.batch);
    if (status != STELE_OK)
        return status;
    if (has_marks)
        g.mark = context_own_name(context, "stele.before_ns");
    status = opened_find(context, traces, count, request, true, give, &g);
    stele_batch_free(g.batch);
    return status;
}

/* ---- Ends ---- */

/* Ends that are given once all are known, as the innermost span of a track is found last. Each
   batch holds ends of one stream. */
typedef struct ending {
    stele_batch **batches;
    uint32_t count, capacity;
    stele_name mark; /* name of the field that says that the span had not ended; 0: none */
} ending;

/* Returns the batch that takes the next end, or NULL if out of memory. */
static stele_batch *ending_batch(ending *e, const stele_batch *from)
{
    stele_batch *last = e->count != 0 ? e->batches[e->count - 1] : NULL;
    if (last != NULL && last->event_count != last->event_capacity && last->stream == from->stream)
        return last;
    if (e->count == e->capacity) {
        stele_batch **grown = array_grow(e->batches, sizeof *grown, &e->capacity, 16);
        if (grown == NULL)
            return NULL;
        e->batches = grown;
    }
    if (stele_batch_new(ENDS_IN_BATCH, &last) != STELE_OK)
        return NULL;
    last->stream = from->stream;
    last->shift_ns = from->shift_ns;
    last->offset_ns = from->offset_ns;
    last->columns = from->columns;
    e->batches[e->count++] = last;
    return last;
}

static stele_status note_end(void *user, const stele_batch *from, const stele_event *event,
                             uint64_t before_ns)
{
    ending *e = user;
    stele_event end = *event;
    stele_batch *to;
    (void)before_ns;
    if (event->kind != STELE_KIND_BEGIN)
        return STELE_OK;
    end.kind = STELE_KIND_END;
    end.flags &= (uint8_t)~STELE_FLAG_REPEATED;
    end.field_count = 0;
    to = ending_batch(e, from);
    if (to == NULL || !batch_copy_event(to, from, &end) || !batch_reserve_fields(to, 1))
        return STELE_ERR_MEMORY;
    if (e->mark != 0) {
        *batch_push_field(to) =
            (stele_field){.name = e->mark, .type = STELE_TYPE_BOOL, .width = 1, .u.u = 1};
        if (!batch_set_fields(to, &to->events[to->event_count - 1], 0))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

stele_status stele_give_ends(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_request *request, bool has_marks, stele_segment_fn *fn,
                             void *user)
{
    ending e = {.count = 0};
    stele_status status;
    if (has_marks)
        e.mark = context_own_name(context, "stele.unfinished");
    status = opened_find_at_end(context, traces, count, request, note_end, &e);
    for (uint32_t i = e.count; i > 0; i--) {
        const stele_batch *batch = e.batches[i - 1];
        for (uint32_t k = batch->event_count; k > 0 && status == STELE_OK; k--)
            status = fn(user, &(stele_segment){batch, k - 1, 1});
        stele_batch_free(e.batches[i - 1]);
    }
    free(e.batches);
    return status;
}
