/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers of events that are one operation each (either.c), where they are not near the end of what
 * is loaded: what they say, and the position after them. Others go to event_either().
 */
#ifndef CTF_EXECUTE_HEADER_H
#define CTF_EXECUTE_HEADER_H

#include "formats/ctf/records/execute.h"

/*
 * Reads a compact header that ends before `near_end`. `e` says where its numbers are; `is_usual`:
 * see OP_EITHER_1. For EITHER_1 and EITHER_2 both are constants, and so are shifts and masks. Sets
 * `*base` to the byte of the position after it. Returns false for an extended header, or near the
 * end.
 */
HOT bool either_near(ctf_decoder *r, const op *o, const op_either *e, bool is_big_endian,
                     bool is_usual, uint64_t *pos, const uint8_t **base)
{
    const uint64_t at = is_usual ? (*pos + 7) & ~UINT64_C(7) : aligned(r, *pos, (uint32_t)o->mask);
    const uint8_t *const from = r->data + (at >> 3);
    uint64_t word, id;
    if (UNLIKELY(at + 64 > r->near_end))
        return false;
    /* One load gives both numbers: either_place_first() has made sure of that. */
    word = is_big_endian ? load_be64(from) : load_le64(from);
    id = word >> e->id.shift & e->id.mask;
    /* Nothing has changed yet, so event_either() can begin anew. */
    if (UNLIKELY(id == e->escape))
        return false;
    if (!is_usual)
        either_keep(r, o, id);
    either_tell(r, &r->clocks[is_usual ? 0 : o->v.header.clock], id, word >> e->compact_time.shift,
                e->compact_time.mask);
    *base = from + (e->compact_size >> 3);
    *pos = at + e->compact_size;
    return true;
}

/* Reads an extended header that ends before `near_end`; traces with many event classes have no
   other headers. Returns false for a compact one, or near the end. */
HOT bool extended_near(ctf_decoder *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const op_either *const e = o->u.either;
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    const uint64_t at = aligned(r, *pos, (uint32_t)o->mask);
    const uint8_t *const from = r->data + (at >> 3);
    if (UNLIKELY(at + e->extended_size > r->near_end ||
                 place_load(&e->id, from, is_big_endian) != e->escape))
        return false;
    either_keep(r, o, e->escape);
    either_tell(r, &r->clocks[o->v.header.clock], place_load(&e->extended_id, from, is_big_endian),
                place_load(&e->extended_time, from, is_big_endian), e->extended_time.mask);
    *base = from + (e->extended_size >> 3);
    *pos = at + e->extended_size;
    return true;
}

/* Reads a header of an id and a timestamp that ends before `near_end`. Returns false near the end.
 */
HOT bool stamped_near(ctf_decoder *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const op_either *const e = o->u.either;
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    const uint64_t at = aligned(r, *pos, (uint32_t)o->mask);
    const uint8_t *const from = r->data + (at >> 3);
    if (UNLIKELY(at + e->compact_size > r->near_end))
        return false;
    either_tell(r, &r->clocks[o->v.header.clock], place_load(&e->id, from, is_big_endian),
                place_load(&e->compact_time, from, is_big_endian), e->compact_time.mask);
    *base = from + (e->compact_size >> 3);
    *pos = at + e->compact_size;
    return true;
}

/* Reads a header of STAMPED_64 that ends before `near_end`. Returns false near the end. */
HOT bool stamped_64_near(ctf_decoder *r, const op *o, uint64_t *pos, const uint8_t **base)
{
    const op_either *const e = o->u.either;
    const uint64_t at = (*pos + 7) & ~UINT64_C(7);
    const uint8_t *const from = r->data + (at >> 3);
    if (UNLIKELY(at + e->compact_size > r->near_end))
        return false;
    either_tell(r, &r->clocks[o->v.header.clock], load_le64(from + e->id.offset) & e->id.mask,
                load_le64(from + e->compact_time.offset), UINT64_MAX);
    *base = from + (e->compact_size >> 3);
    *pos = at + e->compact_size;
    return true;
}

#endif
