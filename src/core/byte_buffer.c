/* SPDX-License-Identifier: Apache-2.0 */
#include "core/byte_buffer.h"

#include <stdlib.h>

#include "core/array.h"

bool byte_buffer_grow(byte_buffer *buffer, size_t size)
{
    const size_t wanted = buffer->size + size;
    uint8_t *grown = NULL;
    if (wanted >= size)
        grown =
            array_reserve_size(buffer->bytes, 1, &buffer->capacity, wanted > 4096 ? wanted : 4096);
    if (grown == NULL) {
        buffer->is_lost = true;
        return false;
    }
    buffer->bytes = grown;
    return true;
}
