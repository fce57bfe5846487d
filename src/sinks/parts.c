/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

void batch_parts_free(batch_parts *parts)
{
    for (size_t i = 0; i < BATCH_PART_SLOTS; i++)
        free(parts->slots[i].bytes);
}

bool batch_part_keep(batch_part *part, const stele_batch *batch, const void *bytes, size_t size)
{
    if (part->bytes == NULL || part->capacity < size) {
        char *grown = array_reserve_size(part->bytes, 1, &part->capacity, size + 64);
        if (grown == NULL)
            return false;
        part->bytes = grown;
    }
    memcpy(part->bytes, bytes, size);
    part->size = size;
    part->batch = batch;
    part->fill_count = batch->fill_count;
    part->first_offset = batch->events->offset;
    part->first_ticks = batch->events->ticks;
    return true;
}
