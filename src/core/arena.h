/* SPDX-License-Identifier: Apache-2.0 */
/* An arena: memory that is taken in pieces and freed all at once. A piece never moves. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena_block arena_block;

typedef struct arena {
    arena_block *blocks; /* newest first */
    uint8_t *at, *end;   /* the part of the newest block that is not taken yet */
    size_t size;         /* of all blocks, in bytes */
} arena;

/* Takes `size` bytes, which are 8-byte aligned and not cleared. Returns NULL if out of memory. A
   zeroed arena is empty. */
void *arena_take(arena *a, size_t size);

/* Takes a copy of `size` bytes with a zero byte after them. Returns NULL if out of memory. */
char *arena_copy(arena *a, const void *bytes, size_t size);
void arena_free(arena *a);

#endif
