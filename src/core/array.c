/* SPDX-License-Identifier: Apache-2.0 */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

void *array_grow_size(void *items, size_t size, size_t *capacity, size_t few)
{
    const size_t wanted = *capacity != 0 ? *capacity * 2 : few;
    void *grown = *capacity <= SIZE_MAX / 4 && wanted <= SIZE_MAX / 2 / size
                      ? realloc(items, wanted * size)
                      : NULL;
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

void *array_grow(void *items, size_t size, uint32_t *capacity, uint32_t few)
{
    size_t wanted = *capacity;
    void *grown = *capacity <= UINT32_MAX / 2 ? array_grow_size(items, size, &wanted, few) : NULL;
    if (grown != NULL)
        *capacity = (uint32_t)wanted;
    return grown;
}

void *array_reach(void *items, size_t size, uint32_t *count, uint32_t index)
{
    const uint64_t wanted = (uint64_t)index + index / 2 + 64;
    uint8_t *grown;
    if (index < *count)
        return items;
    if (wanted > UINT32_MAX || wanted > SIZE_MAX / size)
        return NULL;
    grown = realloc(items, (size_t)wanted * size);
    if (grown == NULL)
        return NULL;
    memset(grown + *count * size, 0, ((size_t)wanted - *count) * size);
    *count = (uint32_t)wanted;
    return grown;
}
