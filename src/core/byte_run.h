/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes one after the other, in memory that grows. A zeroed one is empty. */
#ifndef CORE_BYTE_RUN_H
#define CORE_BYTE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct byte_run {
    uint8_t *bytes;
    size_t size, capacity;
    bool is_lost; /* memory was exhausted; what follows is dropped */
} byte_run;

/* Makes room for `size` more bytes after those that are there. Returns false if out of memory. */
bool byte_run_grow(byte_run *run, size_t size);

/* Appends `size` bytes and returns where they are, to be filled; NULL if out of memory. */
static inline uint8_t *byte_run_take(byte_run *run, size_t size)
{
    uint8_t *at;
    if (run->capacity - run->size < size && !byte_run_grow(run, size))
        return NULL;
    at = run->bytes + run->size;
    run->size += size;
    return at;
}

#endif
