/* SPDX-License-Identifier: Apache-2.0 */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

void *array_fit(void *items, size_t size, size_t count)
{
    /* realloc() may free the array and return NULL if it is asked for no bytes. */
    const size_t bytes = count * size;
    return count <= SIZE_MAX / 2 / size ? realloc(items, bytes != 0 ? bytes : 1) : NULL;
}

void *array_grow_size(void *items, size_t size, size_t *capacity, size_t few)
{
    const size_t wanted = *capacity != 0 ? *capacity * 2 : few;
    void *grown = *capacity <= SIZE_MAX / 4 ? array_fit(items, size, wanted) : NULL;
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

/* The capacity that an array should get which has `capacity` items and needs `wanted`. */
static size_t capacity_for(size_t capacity, size_t wanted)
{
    return capacity <= SIZE_MAX / 4 && capacity * 2 > wanted ? capacity * 2 : wanted;
}

void *array_reserve_size(void *items, size_t size, size_t *capacity, size_t wanted)
{
    const size_t made = capacity_for(*capacity, wanted);
    void *grown;
    if (items != NULL && wanted <= *capacity)
        return items;
    grown = array_fit(items, size, made);
    if (grown != NULL)
        *capacity = made;
    return grown;
}

void *array_reserve(void *items, size_t size, uint32_t *capacity, size_t wanted)
{
    const size_t made = capacity_for(*capacity, wanted);
    void *grown;
    if (items != NULL && wanted <= *capacity)
        return items;
    grown = made <= UINT32_MAX ? array_fit(items, size, made) : NULL;
    if (grown != NULL)
        *capacity = (uint32_t)made;
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
