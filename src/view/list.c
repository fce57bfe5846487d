/* SPDX-License-Identifier: Apache-2.0 */
#include "view/list.h"

#include <stdlib.h>
#include <string.h>

void *list_fit(void *items, size_t size, size_t count)
{
    /* realloc() may free the array and return NULL if it is asked for no bytes. */
    return count <= SIZE_MAX / 2 / size ? realloc(items, count != 0 ? count * size : 1) : NULL;
}

void *list_grow(void *items, size_t size, size_t *capacity)
{
    const size_t wanted = *capacity != 0 ? *capacity * 2 : 32;
    void *grown = *capacity <= SIZE_MAX / 4 ? list_fit(items, size, wanted) : NULL;
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

void *list_reach(void *items, size_t size, uint32_t *count, uint32_t index)
{
    const uint64_t wanted = (uint64_t)index + index / 2 + 64;
    uint8_t *grown;
    if (index < *count)
        return items;
    if (wanted > UINT32_MAX)
        return NULL;
    grown = list_fit(items, size, (size_t)wanted);
    if (grown == NULL)
        return NULL;
    memset(grown + *count * size, 0, ((size_t)wanted - *count) * size);
    *count = (uint32_t)wanted;
    return grown;
}
