/* SPDX-License-Identifier: Apache-2.0 */
#include "core/byte_buffer.h"

#include <stdlib.h>

bool byte_buffer_grow(byte_buffer *buffer, size_t size)
{
    size_t capacity = buffer->capacity != 0 ? buffer->capacity : 4096;
    uint8_t *grown = NULL;
    while (capacity - buffer->size < size && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    if (capacity - buffer->size >= size)
        grown = realloc(buffer->bytes, capacity);
    if (grown == NULL) {
        buffer->is_lost = true;
        return false;
    }
    buffer->bytes = grown;
    buffer->capacity = capacity;
    return true;
}
