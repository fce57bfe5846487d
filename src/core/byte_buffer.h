/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer: bytes in memory that grows as more are appended. A zeroed one is empty. */
#ifndef CORE_BYTE_BUFFER_H
#define CORE_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct byte_buffer {
    uint8_t *bytes;
    size_t size, capacity;
    bool is_lost; /* bytes were dropped, because memory was exhausted */
} byte_buffer;

/* Makes room for `size` more bytes after those in the buffer. Returns false if out of memory. */
bool byte_buffer_grow(byte_buffer *buffer, size_t size);

/* Appends `size` bytes, to be filled by the caller, and returns where they are. Returns NULL if out
   of memory. */
static inline uint8_t *byte_buffer_take(byte_buffer *buffer, size_t size)
{
    uint8_t *at;
    if (buffer->capacity - buffer->size < size && !byte_buffer_grow(buffer, size))
        return NULL;
    at = buffer->bytes + buffer->size;
    buffer->size += size;
    return at;
}

#endif
