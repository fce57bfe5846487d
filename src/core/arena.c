/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    /* Aligned, so that the memory after the header is aligned, too. */
    _Alignas(8) arena_block *next;
};

#define BLOCK_SIZE_MIN ((size_t)512)
#define BLOCK_SIZE_MAX ((size_t)64 << 10)

/* A block is as large as all blocks before it together, within limits: an arena of few bytes takes
   little memory, one of many bytes takes few blocks. */
static size_t block_size_next(const arena *a)
{
    return a->size < BLOCK_SIZE_MIN   ? BLOCK_SIZE_MIN
           : a->size < BLOCK_SIZE_MAX ? a->size
                                      : BLOCK_SIZE_MAX;
}

void *arena_take(arena *a, size_t size)
{
    uint8_t *at;
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 7) & ~(size_t)7;
    if (a->at == NULL || (size_t)(a->end - a->at) < size) {
        const size_t header = sizeof(arena_block), next_size = block_size_next(a);
        /* A large piece gets a block of its own, so that the rest of the newest block stays in
           use. */
        const bool is_large = size > next_size / 4;
        const size_t block_size = is_large ? header + size : next_size;
        arena_block *block = malloc(block_size);
        if (block == NULL)
            return NULL;
        a->size += block_size;
        if (is_large && a->blocks != NULL) {
            block->next = a->blocks->next;
            a->blocks->next = block;
            return block + 1;
        }
        block->next = a->blocks;
        a->blocks = block;
        a->at = (uint8_t *)(block + 1);
        a->end = (uint8_t *)block + block_size;
    }
    at = a->at;
    a->at += size;
    return at;
}

char *arena_copy(arena *a, const void *bytes, size_t size)
{
    char *copy = arena_take(a, size + 1);
    if (copy == NULL)
        return NULL;
    if (size != 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void arena_free(arena *a)
{
    arena_block *block = a->blocks;
    while (block != NULL) {
        arena_block *next = block->next;
        free(block);
        block = next;
    }
    *a = (arena){0};
}
