/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the events of a batch have in common, in the form in which a sink writes it: made once a
 * batch instead of once an event. Streams take turns, so it is kept for each of them.
 */
#ifndef SINKS_PARTS_H
#define SINKS_PARTS_H

#include "model/context.h"

#define BATCH_PART_SLOTS 1024 /* streams of one number modulo this share a place */

typedef struct batch_part {
    const stele_batch *batch; /* NULL: not made. What tells that the batch was filled again: */
    uint64_t fill_count;
    uint64_t first_offset, first_ticks; /* of its first event */
    char *bytes;
    size_t size, capacity;
    uint32_t changes; /* VALUE_... that making it found */
} batch_part;

typedef struct batch_parts {
    batch_part slots[BATCH_PART_SLOTS]; /* by the stream's number */
} batch_parts;

void batch_parts_free(batch_parts *parts);

/* Keeps a copy of the bytes for this batch, which holds at least one event; false if out of
   memory. */
bool batch_part_keep(batch_part *part, const stele_batch *batch, const void *bytes, size_t size);

/* The place of the batch's part. */
static inline batch_part *batch_parts_slot(batch_parts *parts, const stele_batch *batch)
{
    return &parts->slots[batch->stream % BATCH_PART_SLOTS];
}

/* Whether what is in the place was made for this filling of the batch. */
static inline bool batch_part_is_made(const batch_part *part, const stele_batch *batch)
{
    return part->batch == batch && part->fill_count == batch->fill_count &&
           part->first_offset == batch->events->offset && part->first_ticks == batch->events->ticks;
}

#endif
