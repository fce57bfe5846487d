/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of numbers: as one entry with their values in the batch's bytes, or as an entry each. */
#include "formats/ctf/records/fields.h"

/* Gives the bits of `count` elements: there is no gap after the last one. Returns false if that
   does not fit in 64 bits. */
HOT bool elements_size(const op *o, uint64_t count, uint64_t *bits)
{
    *bits = 0;
    if (count == 0)
        return true;
    return !__builtin_mul_overflow(count - 1, (uint64_t)o->v.element.stride, bits) &&
           !__builtin_add_overflow(*bits, (uint64_t)o->v.element.size, bits);
}

/* Loads one number at any bit. Near the end of the loaded bytes it is put together byte by byte, as
   a load of a word would reach beyond. */
static uint64_t element_load(const ctf_decoder *r, const op *o, uint64_t pos)
{
    const uint8_t *at = r->data + (pos >> 3), *end = r->data + r->data_size;
    const unsigned bit = (unsigned)(pos & 7), width = o->v.element.size;
    const uint64_t value = (o->flags & OP_BIG_ENDIAN) != 0 ? bits_load_be(at, end, bit, width)
                                                           : bits_load_le(at, end, bit, width);
    if ((o->flags & OP_REAL) != 0)
        return store_double(float_of_binary32((uint32_t)value));
    return (o->flags & OP_SIGNED) != 0 ? (uint64_t)bits_signed(value, width) : value;
}

/* Stores numbers that begin with a byte and can be loaded where they lie: into an array, or into
   the second word of entries whose first word is the head of operation o[1]. */
HOT void numbers_store(const op *o, const uint8_t *from, uint64_t count, uint8_t *to,
                       bool has_heads)
{
    const size_t stride = o->v.element.stride / 8, step = has_heads ? sizeof(stele_field) : 8;
    const op *const number = o + 1;
    const uint64_t head = number->head;
    const uint8_t *const end = to + count * step;
    /* The loop is compiled for each way to load, so that no number takes a branch. The number is
       the last word of its step in both layouts. */
    switch (number->code) {
#define NUMBERS_OF(code)                                                    \
    case code:                                                              \
        for (; to != end; from += stride, to += step) {                     \
            store_native64(to + step - 8, number_load(code, number, from)); \
            if (has_heads)                                                  \
                store_native64(to, head);                                   \
        }                                                                   \
        break;
        NUMBERS_OF(OP_U8)
        NUMBERS_OF(OP_U16)
        NUMBERS_OF(OP_U32)
        NUMBERS_OF(OP_U64)
        NUMBERS_OF(OP_S8)
        NUMBERS_OF(OP_S16)
        NUMBERS_OF(OP_S32)
        NUMBERS_OF(OP_BINARY32)
        NUMBERS_OF(OP_LE)
        NUMBERS_OF(OP_BE)
#undef NUMBERS_OF
    }
}

/* Stores any numbers: in bulk if each begins with a byte and words can be loaded up to the last of
   them, otherwise one by one. */
HOT void elements_store(const ctf_decoder *r, const op *o, uint64_t pos, uint64_t bits,
                        uint64_t count, uint8_t *to, bool has_heads)
{
    const size_t step = has_heads ? sizeof(stele_field) : 8;
    if (((pos | o->v.element.stride) & 7) == 0 && pos + bits <= r->near_end &&
        o[1].code != OP_FLOAT) {
        numbers_store(o, r->data + (pos >> 3), count, to, has_heads);
        return;
    }
    for (; count != 0; count--, pos += o->v.element.stride, to += step) {
        store_native64(to + step - 8, element_load(r, o, pos));
        if (has_heads)
            store_native64(to, o[1].head);
    }
}

/* elements; up to this many of any size their bits do not overflow, and they need little room. */
#define ELEMENTS_NEAR 4096u

/* Gives the number of elements, which have no gaps between them, and the position after them.
   Returns false if they are many, do not begin with a byte, or do not end before `near_end`. */
HOT bool elements_are_near(const ctf_decoder *r, const op *o, uint64_t pos, uint32_t *count,
                           uint64_t *end)
{
    uint64_t length = o->u.length;
    if ((o->flags & OP_HAS_SLOT) != 0)
        length = r->slots[length].is_set ? r->slots[length].value : UINT64_MAX;
    if (UNLIKELY(length > ELEMENTS_NEAR || (pos & 7) != 0))
        return false;
    *count = (uint32_t)length;
    *end = pos + length * o->v.element.size;
    return *end <= r->near_end;
}

/* Gives the number of elements and their bits. Returns false, with the reason in the outcome, if
   they are not all loaded. */
HOT bool elements_count(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *count, uint64_t *bits)
{
    if (!length_get(r, o, pos, count))
        return false;
    if (!elements_size(o, *count, bits))
        *bits = UINT64_MAX;
    if (pos <= r->end && *bits <= r->end - pos)
        return true;
    decoder_past_end(r, pos, *bits);
    return false;
}

/* Steps over elements. The size is checked, although they are not read: they must be in the
   packet. */
uint64_t field_skip(ctf_decoder *r, const op *o, uint64_t pos)
{
    uint64_t count, bits;
    return elements_count(r, o, pos, &count, &bits) ? pos + bits : POS_FAILED;
}

/* The count is checked against the loaded bytes before room for it is made, so a length that damage
   made takes no memory. */
uint64_t field_any_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry)
{
    uint64_t count, bits;
    uint32_t offset;
    uint8_t *to;
    if (!elements_count(r, o, pos, &count, &bits))
        return POS_FAILED;
    to = count <= INT32_MAX / 8 ? batch_push_array(r->batch, (uint32_t)count, &offset) : NULL;
    if (to == NULL)
        return decoder_exhausted(r);
    entry_put_bytes(entry, o->head, offset, (uint32_t)(count * 8));
    elements_store(r, o, pos, bits, count, to, false);
    return pos + bits;
}

/* The usual case without a further call: few numbers, all loaded, and room in the batch. Arrays of
   numbers are aligned to 8 bytes in the batch. */
uint64_t field_numbers(ctf_decoder *r, const op *o, uint64_t pos, stele_field *entry)
{
    stele_batch *const batch = r->batch;
    const uint32_t offset = (batch->byte_count + 7) & ~7u;
    uint32_t count;
    uint64_t end;
    if (UNLIKELY(!elements_are_near(r, o, pos, &count, &end) ||
                 (uint64_t)offset + count * 8 > batch->byte_capacity))
        return field_any_numbers(r, o, pos, entry);
    entry_put_bytes(entry, o->head, offset, count * 8);
    batch->byte_count = offset + count * 8;
    numbers_store(o, r->data + (pos >> 3), count, batch->bytes + offset, false);
    return end;
}

/* Makes room in the batch and tries again. It is called at the end of its caller, so that the usual
   case saves no registers. */
static __attribute__((noinline)) bool short_numbers_grow(ctf_decoder *r, const op *o,
                                                         const uint8_t *base, stele_field *entry)
{
    if (batch_reserve_bytes(r->batch, (uint32_t)o->u.length * 8 + 8))
        return field_short_numbers(r, o, base, entry);
    decoder_exhausted(r);
    return false;
}

/* The array lies in a stretch, so its bits are known to be loaded. */
bool field_short_numbers(ctf_decoder *r, const op *o, const uint8_t *base, stele_field *entry)
{
    stele_batch *const batch = r->batch;
    const uint32_t size = (uint32_t)o->u.length * 8, offset = (batch->byte_count + 7) & ~7u;
    if (UNLIKELY((uint64_t)offset + size > batch->byte_capacity))
        return short_numbers_grow(r, o, base, entry);
    batch->byte_count = offset + size;
    entry_put_bytes(entry, o->head, offset, size);
    numbers_store(o, base + o->offset, o->u.length, batch->bytes + offset, false);
    return true;
}

/* Appends an entry for the array and one for each element. Room is also made for `reserve` entries,
   those that the rest of the program may append without a check. */
uint64_t field_any_entries(ctf_decoder *r, const op *o, uint64_t pos, uint32_t reserve)
{
    stele_field *entry;
    uint64_t count, bits;
    if (!elements_count(r, o, pos, &count, &bits) || !decoder_count_elements(r, pos, count))
        return POS_FAILED;
    if (!batch_reserve_fields(r->batch, (uint32_t)count + reserve))
        return decoder_exhausted(r);
    entry = &r->batch->fields[r->batch->field_count];
    r->batch->field_count += 1 + (uint32_t)count;
    memcpy(entry, &o->head, sizeof o->head);
    entry->u.run.length = entry->u.run.count = (uint32_t)count;
    elements_store(r, o, pos, bits, count, (uint8_t *)&entry[1], true);
    return pos + bits;
}

/* The usual case of field_any_entries(), with the same checks as field_numbers(). */
uint64_t field_entries(ctf_decoder *r, const op *o, uint64_t pos, uint32_t reserve)
{
    stele_batch *const batch = r->batch;
    stele_field *const entry = &batch->fields[batch->field_count];
    uint32_t count;
    uint64_t end;
    if (UNLIKELY(!elements_are_near(r, o, pos, &count, &end) || count > r->loops_left ||
                 batch->field_capacity - batch->field_count < count + (uint64_t)reserve))
        return field_any_entries(r, o, pos, reserve);
    r->loops_left -= count;
    batch->field_count += 1 + count;
    entry_put(entry, o->head, count | (uint64_t)count << 32);
    numbers_store(o, r->data + (pos >> 3), count, (uint8_t *)&entry[1], true);
    return end;
}
