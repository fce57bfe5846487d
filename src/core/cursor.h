/* SPDX-License-Identifier: Apache-2.0 */
/* Checked reads from a range of bytes: take() once for a record or a part of it, then load at fixed
   offsets from the pointer that it returns. A cursor is two pointers: keep it in locals. */
#ifndef CORE_CURSOR_H
#define CORE_CURSOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

/* Makes a cursor over `size` bytes; `bytes` may be NULL if `size` is 0. */
static inline cursor cursor_make(const uint8_t *bytes, size_t size)
{
    static const uint8_t nothing;
    if (bytes == NULL)
        bytes = &nothing; /* adding 0 to NULL would not be defined */
    return (cursor){bytes, bytes + size};
}

static inline size_t cursor_left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* Moves the cursor over the next `size` bytes and returns them. Returns NULL, and does not move, if
   fewer are left. */
static inline const uint8_t *cursor_take(cursor *c, size_t size)
{
    const uint8_t *at = c->at;
    if (cursor_left(c) < size)
        return NULL;
    c->at = at + size;
    return at;
}

#endif
