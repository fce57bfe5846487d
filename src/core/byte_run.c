/* SPDX-License-Identifier: Apache-2.0 */
#include "core/byte_run.h"

#include <stdlib.h>

uint8_t *byte_run_take(byte_run *run, size_t size)
{
    uint8_t *at;
    if (run->capacity - run->size < size) {
        size_t capacity = run->capacity != 0 ? run->capacity : 4096;
        uint8_t *grown = NULL;
        while (capacity - run->size < size && capacity <= SIZE_MAX / 4)
            capacity *= 2;
        if (capacity - run->size >= size)
            grown = realloc(run->bytes, capacity);
        if (grown == NULL) {
            run->is_lost = true;
            return NULL;
        }
        run->bytes = grown;
        run->capacity = capacity;
    }
    at = run->bytes + run->size;
    run->size += size;
    return at;
}
