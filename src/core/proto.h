/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages in the wire format of Protocol Buffers, built in memory. A field is a key (number and
 * wire type) and a value. A message inside of another one is a field with a length, which is only
 * known at its end:
 *
 *     proto_clear(&p);
 *     mark = proto_begin(&p, 1);
 *     proto_uint(&p, 8, timestamp_ns);
 *     proto_end(&p, mark);
 *     output_write(out, p.bytes, p.size);
 *
 * Appending returns no status: if memory is exhausted, `is_exhausted` is set, and all later fields
 * are dropped.
 */
#ifndef CORE_PROTO_H
#define CORE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/load.h"

/* A message that is being built. A zeroed one is empty. */
typedef struct proto {
    uint8_t *bytes;
    size_t size, capacity;
    bool is_exhausted;
} proto;

#define PROTO_VARINT_SIZE 10u /* bytes of the longest varint of 64 bits */
#define PROTO_FAR_SIZE    5u  /* bytes that proto_begin_far() reserves for a length */

void proto_free(proto *p);

/* Grows the memory. Returns false and sets is_exhausted if out of memory. */
bool proto_grow(proto *p, size_t size);

/* Appends a field of bytes. Texts must be valid UTF-8. */
void proto_bytes(proto *p, uint32_t field, const void *bytes, size_t size);

/* Ends a message of 128 bytes or more: moves its bytes up to make room for a length of more than a
   byte. */
void proto_end_long(proto *p, size_t mark);

static inline void proto_clear(proto *p)
{
    p->size = 0;
}

static inline bool proto_reserve(proto *p, size_t size)
{
    return p->capacity - p->size >= size || proto_grow(p, size);
}

static inline uint8_t *proto_put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* Appends a field of a number: uint32, uint64, int32 and int64 (as two's complement of 64 bits),
   bool, enumerations. */
static inline void proto_uint(proto *p, uint32_t field, uint64_t value)
{
    uint8_t *to;
    if (!proto_reserve(p, 2 * PROTO_VARINT_SIZE))
        return;
    to = proto_put_varint(p->bytes + p->size, (uint64_t)field << 3);
    p->size = (size_t)(proto_put_varint(to, value) - p->bytes);
}

/* Appends a field of a double. */
static inline void proto_double(proto *p, uint32_t field, double value)
{
    uint8_t *to;
    if (!proto_reserve(p, 2 * PROTO_VARINT_SIZE))
        return;
    to = proto_put_varint(p->bytes + p->size, (uint64_t)field << 3 | 1);
    store_le64(to, store_double(value));
    p->size = (size_t)(to + 8 - p->bytes);
}

/* Begins a message within the message: appends its key, and one byte for its length. Returns a mark
   for proto_end(). */
static inline size_t proto_begin(proto *p, uint32_t field)
{
    if (!proto_reserve(p, PROTO_VARINT_SIZE + 1))
        return 0;
    p->size = (size_t)(proto_put_varint(p->bytes + p->size, (uint64_t)field << 3 | 2) - p->bytes);
    p->bytes[p->size++] = 0;
    return p->size;
}

static inline void proto_end(proto *p, size_t mark)
{
    if (p->is_exhausted)
        return;
    if (p->size - mark < 0x80)
        p->bytes[mark - 1] = (uint8_t)(p->size - mark);
    else
        proto_end_long(p, mark);
}

/* Begin and end a message as proto_begin() and proto_end() do, with room for any length, all of
   which is written. For messages whose depth of nesting the input chooses: moving their bytes at
   the end of each level would take quadratic time. */
size_t proto_begin_far(proto *p, uint32_t field);
void proto_end_far(proto *p, size_t mark);

#endif
