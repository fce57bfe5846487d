/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/ahead.h"

#include <stdlib.h>

#include "model/batch.h"

#define BATCHES 8u

/* A batch that was filled, and why it was not filled further. */
typedef struct filled {
    stele_batch *batch; /* NULL until the first one is needed */
    decode_outcome outcome;
} filled;

struct ctf_ahead {
    ahead_job job;
    ahead *threads;
    ctf_content *content;
    uint32_t columns;
    filled ring[BATCHES];
    uint32_t made, taken; /* numbers of batches; `made` is changed by whoever has the job */
    /* Bytes must be loaded before a thread can go on; how the last batch ended does not count. */
    bool needs_bytes;
    /* Events follow that only the caller can decode. */
    bool needs_caller;
};

/* ---- Filling of batches ---- */

/* Decodes loaded bytes without changing anything that decoders share. */
static decode_outcome fill(const ctf_ahead *a, stele_batch *batch)
{
    ctf_decoder *decoder = a->content->decoder;
    decode_outcome outcome;
    decoder_freeze(decoder, true);
    outcome = decoder_events(decoder, &a->content->view, batch);
    decoder_freeze(decoder, false);
    return outcome;
}

static bool fill_next(ahead_job *job)
{
    ctf_ahead *a = (ctf_ahead *)job;
    const uint32_t made = a->made;
    filled *next = &a->ring[made % BATCHES];
    stele_batch_clear(next->batch);
    next->batch->columns = a->columns;
    next->outcome = fill(a, next->batch);
    __atomic_store_n(&a->made, made + 1, __ATOMIC_RELEASE);
    return next->outcome == DECODE_OK &&
           made + 1 - __atomic_load_n(&a->taken, __ATOMIC_ACQUIRE) < BATCHES;
}

/* Makes the batches, as large as the one that is asked for. Returns false if out of memory. */
static bool reserve(ctf_ahead *a, uint32_t event_capacity)
{
    for (uint32_t i = 0; i < BATCHES; i++) {
        if (a->ring[i].batch == NULL &&
            batch_new_read(event_capacity, &a->ring[i].batch) != STELE_OK)
            return false;
    }
    return a->ring[0].batch->event_capacity == event_capacity;
}

/* ---- What the caller does ---- */

/* Loads the bytes from the decoder's position on. Returns false if the caller must see to it: at
   the end of the content, or where the bytes are not there. Nobody must have the job. */
static bool load(ctf_ahead *a)
{
    ctf_content *content = a->content;
    const uint64_t position = decoder_position(content->decoder);
    uint64_t want = 1;
    if (!a->needs_bytes && a->ring[(a->made - 1) % BATCHES].outcome == DECODE_MORE) {
        want = decoder_want_size(content->decoder);
        if (want <= content->view.size && position / 8 == content->view.offset)
            want = content->view.size + 1;
    }
    return position < content->content_bits &&
           content_load(content, position / 8, want, &content->view);
}

/* Has a thread go on where it can, once half of the batches are taken. */
static void go_on(ctf_ahead *a)
{
    decode_outcome last;
    if (a->needs_caller || __atomic_load_n(&a->made, __ATOMIC_ACQUIRE) - a->taken > BATCHES / 2 ||
        !ahead_is_idle(a->threads, &a->job))
        return;
    last = a->needs_bytes ? DECODE_MORE : a->ring[(a->made - 1) % BATCHES].outcome;
    if (last == DECODE_OK || (last == DECODE_MORE && load(a)))
        a->needs_bytes = !ahead_post(a->threads, &a->job);
}

/* Decodes on the caller's thread, while others may decode as well. Returns false if that is not
   enough. */
static bool decode_beside(ctf_ahead *a, stele_batch *batch, decode_outcome *outcome)
{
    const uint32_t before = batch->event_count;
    a->needs_bytes = true;
    if (!load(a))
        return false;
    *outcome = fill(a, batch);
    content_note(a->content, batch, before);
    a->needs_caller = *outcome == DECODE_BAD || *outcome == DECODE_MEMORY;
    return *outcome == DECODE_END || batch->event_count != before;
}

/* Decodes on the caller's thread, with all that may take. */
static decode_outcome decode_alone(ctf_ahead *a, stele_batch *batch)
{
    decode_outcome outcome;
    ahead_stop(a->threads);
    outcome = content_events(a->content, batch);
    ahead_go_on(a->threads);
    a->needs_caller = false;
    return outcome;
}

static decode_outcome decode_here(ctf_ahead *a, stele_batch *batch)
{
    decode_outcome outcome;
    if (a->needs_caller || !decode_beside(a, batch, &outcome))
        outcome = decode_alone(a, batch);
    else if (outcome != DECODE_END)
        outcome = DECODE_OK;
    a->needs_bytes = true;
    if (outcome == DECODE_OK && reserve(a, batch->event_capacity))
        go_on(a);
    return outcome;
}

/* Exchanges an empty batch with the next one that was filled. */
static decode_outcome take(ctf_ahead *a, stele_batch *batch)
{
    filled *next = &a->ring[a->taken % BATCHES];
    const decode_outcome outcome = next->outcome;
    const stele_batch empty = *batch;
    *batch = *next->batch;
    *next->batch = empty;
    batch->fill_count = empty.fill_count;
    batch->stream = empty.stream;
    batch->file = empty.file;
    batch->packet = empty.packet;
    content_note(a->content, batch, 0);
    a->needs_caller = outcome == DECODE_BAD || outcome == DECODE_MEMORY;
    __atomic_store_n(&a->taken, a->taken + 1, __ATOMIC_RELEASE);
    go_on(a);
    return outcome;
}

static bool has_filled(const ctf_ahead *a)
{
    return __atomic_load_n(&a->made, __ATOMIC_ACQUIRE) != a->taken;
}

decode_outcome ctf_ahead_events(ctf_ahead *a, stele_batch *batch)
{
    decode_outcome outcome = DECODE_OK;
    if (!has_filled(a))
        ahead_call_back(a->threads, &a->job);
    if (!has_filled(a))
        return decode_here(a, batch);
    outcome = take(a, batch);
    return outcome == DECODE_END ? DECODE_END : DECODE_OK;
}

/* ---- Making and freeing ---- */

ctf_ahead *ctf_ahead_new(ahead *threads, ctf_content *content, uint32_t columns)
{
    ctf_ahead *a = calloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    *a = (ctf_ahead){
        .job.run = fill_next, .threads = threads, .content = content, .columns = columns};
    a->needs_bytes = true;
    return a;
}

void ctf_ahead_free(ctf_ahead *a)
{
    if (a == NULL)
        return;
    ahead_call_back(a->threads, &a->job);
    for (uint32_t i = 0; i < BATCHES; i++)
        stele_batch_free(a->ring[i].batch);
    free(a);
}
