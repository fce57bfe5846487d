/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once. What it gives never moves. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena_block arena_block;

typedef struct arena {
    arena_block *blocks; /* newest first */
    uint8_t *at, *end;   /* free rest of the newest block */
    size_t size;         /* of all blocks */
} arena;

/* 8-byte aligned, not cleared; NULL when memory is exhausted. A zeroed arena is empty. */
void *arena_take(arena *a, size_t size);

/* A copy of `size` bytes with a zero after them; NULL when memory is exhausted. */
char *arena_copy(arena *a, const void *bytes, size_t size);
void arena_free(arena *a);

#endif
