/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checked reads of a run of bytes: take() once for a record or a part of it, then load at fixed
 * offsets from the pointer it gives. A cursor is two pointers: keep it in locals.
 */
#ifndef CORE_CURSOR_H
#define CORE_CURSOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

/* NULL is no bytes. */
static inline cursor cursor_make(const uint8_t *bytes, size_t size)
{
    static const uint8_t nothing;
    if (bytes == NULL)
        bytes = &nothing; /* a place that may be added to */
    return (cursor){bytes, bytes + size};
}

static inline size_t cursor_left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The next `size` bytes, stepped over; NULL, and nothing changes, when fewer are left. */
static inline const uint8_t *cursor_take(cursor *c, size_t size)
{
    const uint8_t *at = c->at;
    if (cursor_left(c) < size)
        return NULL;
    c->at = at + size;
    return at;
}

#endif
