/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps text that all events of a batch have in common, in the form in which a sink writes it, so
 * that it is made once for each batch. Streams take turns, so one is kept for each slot of streams.
 */
#ifndef SINKS_PARTS_H
#define SINKS_PARTS_H

#include "model/context.h"

#define BATCH_PART_SLOTS 1024 /* streams with the same number modulo this share a slot */

typedef struct batch_part {
    /* NULL: not made. The next three members show whether the batch was filled again. */
    const stele_batch *batch;
    uint64_t fill_count;
    uint64_t first_offset, first_ticks; /* offset and ticks of the batch's first event */
    char *bytes;
    size_t size, capacity;
    uint32_t changes; /* VALUE_... bits of what was changed when it was made */
} batch_part;

typedef struct batch_parts {
    batch_part slots[BATCH_PART_SLOTS]; /* by the number of the stream */
} batch_parts;

void batch_parts_free(batch_parts *parts);

/*
 * Keeps a copy of the bytes for a batch, which must have an event. Returns false if out of memory.
 */
bool batch_part_keep(batch_part *part, const stele_batch *batch, const void *bytes, size_t size);

/* The slot for the part of a batch. */
static inline batch_part *batch_parts_slot(batch_parts *parts, const stele_batch *batch)
{
    return &parts->slots[batch->stream % BATCH_PART_SLOTS];
}

/* Whether the part in a slot was made for the current contents of the batch. */
static inline bool batch_part_is_made(const batch_part *part, const stele_batch *batch)
{
    return part->batch == batch && part->fill_count == batch->fill_count &&
           part->first_offset == batch->events->offset && part->first_ticks == batch->events->ticks;
}

#endif
