/* SPDX-License-Identifier: Apache-2.0 */
#include "core/proto.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define FIRST_CAPACITY 4096u

void proto_free(proto *p)
{
    free(p->bytes);
    *p = (proto){.bytes = NULL};
}

bool proto_grow(proto *p, size_t size)
{
    const size_t wanted = p->size + size;
    uint8_t *grown = NULL;
    if (!p->is_exhausted && wanted >= size)
        grown = array_reserve_size(p->bytes, 1, &p->capacity,
                                   wanted < FIRST_CAPACITY ? FIRST_CAPACITY : wanted);
    if (grown == NULL) {
        p->is_exhausted = true;
        return false;
    }
    p->bytes = grown;
    return true;
}

void proto_bytes(proto *p, uint32_t field, const void *bytes, size_t size)
{
    uint8_t *to;
    if (size > SIZE_MAX / 4 || !proto_reserve(p, size + 2 * PROTO_VARINT_SIZE)) {
        p->is_exhausted = true;
        return;
    }
    to = proto_put_varint(p->bytes + p->size, (uint64_t)field << 3 | 2);
    to = proto_put_varint(to, size);
    memcpy(to, bytes, size);
    p->size = (size_t)(to + size - p->bytes);
}

void proto_end_long(proto *p, size_t mark)
{
    const size_t size = p->size - mark;
    uint8_t length[PROTO_VARINT_SIZE];
    const size_t length_size = (size_t)(proto_put_varint(length, size) - length);
    if (!proto_reserve(p, length_size))
        return;
    memmove(p->bytes + mark - 1 + length_size, p->bytes + mark, size);
    memcpy(p->bytes + mark - 1, length, length_size);
    p->size += length_size - 1;
}

size_t proto_begin_far(proto *p, uint32_t field)
{
    if (!proto_reserve(p, PROTO_VARINT_SIZE + PROTO_FAR_SIZE))
        return 0;
    p->size = (size_t)(proto_put_varint(p->bytes + p->size, (uint64_t)field << 3 | 2) - p->bytes);
    p->size += PROTO_FAR_SIZE;
    return p->size;
}

void proto_end_far(proto *p, size_t mark)
{
    uint64_t size = p->size - mark;
    if (p->is_exhausted)
        return;
    for (unsigned i = 0; i < PROTO_FAR_SIZE; i++, size >>= 7)
        p->bytes[mark - PROTO_FAR_SIZE + i] =
            (uint8_t)((size & 0x7f) | (i + 1 < PROTO_FAR_SIZE ? 0x80 : 0));
}
