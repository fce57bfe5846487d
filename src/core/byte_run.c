/* SPDX-License-Identifier: Apache-2.0 */
#include "core/byte_run.h"

#include <stdlib.h>

bool byte_run_grow(byte_run *run, size_t size)
{
    size_t capacity = run->capacity != 0 ? run->capacity : 4096;
    uint8_t *grown = NULL;
    while (capacity - run->size < size && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    if (capacity - run->size >= size)
        grown = realloc(run->bytes, capacity);
    if (grown == NULL) {
        run->is_lost = true;
        return false;
    }
    run->bytes = grown;
    run->capacity = capacity;
    return true;
}
