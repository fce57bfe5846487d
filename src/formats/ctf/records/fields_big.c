/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that 64 bits cannot hold, or may not: LEB128, long integers, long floating point. */
#include "formats/ctf/records/fields.h"

#include <math.h>

/* ---- Variable-length integers (LEB128) ---- */

/*
 * Gives the value of `size` bytes of LEB128. Returns false if it has more than 64 bits.
 *
 *    byte   7      6 ... 0
 *           more   7 bits, least significant first; the sign of signed numbers is bit 6 of the last
 */
static bool varint_take(const uint8_t *from, size_t size, bool is_signed, uint64_t *value)
{
    uint64_t sum = 0;
    /* Nine bytes have 63 bits. Bit 0 of the tenth is the value's highest bit; its other bits must
       be copies of the sign, or 0. */
    for (size_t i = 0; i < size && i < 10; i++)
        sum |= (uint64_t)(from[i] & 0x7f) << (7 * i);
    if (is_signed && size < 10 && (from[size - 1] & 0x40) != 0)
        sum |= UINT64_MAX << (7 * size);
    *value = sum;
    if (size < 10)
        return true;
    if (size > 10)
        return false;
    return is_signed ? from[9] == 0 || from[9] == 0x7f : from[9] <= 1;
}

/* Appends a LEB128 number of more than 64 bits as an integer of many bytes. */
static bool varint_push_big(ctf_decoder *r, const op *o, const uint8_t *from, size_t size)
{
    const bool is_negative = (o->flags & OP_SIGNED) != 0 && (from[size - 1] & 0x40) != 0;
    const size_t bits = size * 7; /* an unsigned number keeps a 0 as its highest bit */
    const size_t total = (o->flags & OP_SIGNED) != 0 ? (bits + 7) / 8 : bits / 8 + 1;
    uint8_t *to;
    if (total > INT32_MAX || !batch_reserve_bytes(r->batch, (uint32_t)total)) {
        decoder_exhausted(r);
        return false;
    }
    to = r->batch->bytes + r->batch->byte_count;
    memset(to, is_negative ? 0xff : 0, total);
    for (size_t i = 0; i < bits; i++) {
        const unsigned bit = (unsigned)from[i / 7] >> (i % 7) & 1u;
        to[i / 8] = (uint8_t)((to[i / 8] & ~(1u << (i % 8))) | bit << (i % 8));
    }
    field_put_bytes(r, o, r->batch->byte_count, total);
    r->batch->byte_count += (uint32_t)total;
    return true;
}

uint64_t field_varint(ctf_decoder *r, const op *o, uint64_t pos, bool *is_big)
{
    const uint8_t *from = r->data + (pos >> 3);
    const size_t left = bytes_left(r, pos);
    size_t size = 0;
    uint64_t value;
    *is_big = false;
    while (size < left && (from[size] & 0x80) != 0)
        size++;
    /* All loaded bytes say that another one follows. */
    if (size == left)
        return decoder_past_end(r, pos, bits_of_bytes(left + 1));
    size++;
    if (!varint_take(from, size, (o->flags & OP_SIGNED) != 0, &value)) {
        if ((o->flags & OP_WIDE) != 0)
            return decoder_bad(r, CTF456, pos, "a number of 64 bits at most", "%zu bytes", size);
        if ((o->flags & OP_WANTED) != 0 && !varint_push_big(r, o, from, size))
            return POS_FAILED;
        *is_big = true;
    }
    /* Operations after OP_VARINT take the value from the scratch, as from a stretch. */
    r->varint_width = size < 10 ? (unsigned)size * 7 : 64;
    store_le64(r->scratch, value);
    return pos + size * 8;
}

/* ---- Integers and floating point numbers of more than 64 bits ---- */

/* Loads bits `from` to from + width - 1 of the value of a field at the position, counted from its
   least significant bit, in any byte and bit order; width is at most 64. */
static uint64_t part_load(const ctf_decoder *r, const op *o, uint64_t pos, uint64_t from,
                          unsigned width)
{
    const bool is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0;
    const bool is_reversed = (o->flags & OP_REVERSED) != 0;
    const uint64_t first = is_reversed ? o->u.size - from - width : from;
    const uint64_t at = pos + (is_big_endian ? o->u.size - first - width : first);
    const uint8_t *bytes = r->data + (at >> 3), *end = r->data + r->data_size;
    const uint64_t value = is_big_endian ? bits_load_be(bytes, end, (unsigned)(at & 7), width)
                                         : bits_load_le(bytes, end, (unsigned)(at & 7), width);
    return is_reversed ? bits_reversed(value, width) : value;
}

/* Appends an integer of more than 64 bits, or whether any of its bits is set if it is a Boolean. */
uint64_t field_big(ctf_decoder *r, const op *o, uint64_t pos)
{
    const uint64_t size = o->u.size;
    const bool is_signed = (o->flags & OP_SIGNED) != 0;
    /* An unsigned number keeps a 0 as its highest bit. */
    const size_t whole = (size_t)(size / 8) + 1;
    const size_t total = is_signed && size % 8 == 0 ? whole - 1 : whole;
    uint64_t any = 0;
    uint8_t *to;
    if (pos > r->end || size > r->end - pos)
        return decoder_past_end(r, pos, size);
    if (!batch_reserve_bytes(r->batch, (uint32_t)whole + 8))
        return decoder_exhausted(r);
    to = r->batch->bytes + r->batch->byte_count;
    /*
     * From the least significant bits up, 64 at a time: the batch's bytes are little-endian,
     * regardless of the field's order. The last store may write beyond the number, for which there
     * is room.
     */
    for (uint64_t at = 0; at < size; at += 64) {
        const unsigned width = size - at < 64 ? (unsigned)(size - at) : 64;
        uint64_t value = part_load(r, o, pos, at, width);
        any |= value;
        if (is_signed && at + width == size)
            value = (uint64_t)bits_signed(value, width);
        store_le64(to + at / 8, value);
    }
    if (size % 64 == 0)
        to[size / 8] = 0;
    field_put_bytes(r, o, r->batch->byte_count, total);
    r->batch->byte_count += (uint32_t)total;
    if (r->batch->fields[r->batch->field_count - 1].type == STELE_TYPE_BOOL)
        r->batch->fields[r->batch->field_count - 1].u.u = any != 0;
    return pos + size;
}

/* Returns (significand / 2^63) * 2^exponent, rounded to the nearest double once. The lowest bit of
   the significand is set if any bit below it would be. */
static double float_scale(uint64_t significand, int64_t exponent)
{
    const int64_t lowest = exponent - 63; /* exponent of the significand's bit 0 */
    int64_t drop;
    if (exponent > 1100)
        return HUGE_VAL;
    if (exponent >= -1022 || significand == 0)
        return ldexp((double)significand, (int)(lowest > -4000 ? lowest : -4000));
    drop = -1074 - lowest; /* subnormal doubles have fewer bits: round at the last one of those */
    if (drop > 64)
        return 0;
    if (drop == 64)
        return significand > UINT64_C(1) << 63 ? ldexp(1, -1074) : 0;
    if (drop > 0) {
        const uint64_t kept = significand >> drop, rest = significand & bits_mask((unsigned)drop);
        const uint64_t half = UINT64_C(1) << (drop - 1);
        significand = kept + (rest > half || (rest == half && (kept & 1) != 0));
        return ldexp((double)significand, -1074);
    }
    return ldexp((double)significand, (int)lowest);
}

/* Makes a double of exponent and fraction. The fraction begins at bit 63; `is_inexact` if it has
   further bits that are set. */
static double float_make(uint64_t exponent, unsigned exponent_bits, uint64_t fraction,
                         bool is_inexact)
{
    const int64_t bias = (int64_t)(UINT64_C(1) << (exponent_bits - 1)) - 1;
    const uint64_t rest = fraction >> 1 | (fraction & 1) | is_inexact;
    if (exponent == bits_mask(exponent_bits))
        return fraction == 0 && !is_inexact ? HUGE_VAL : (double)NAN;
    if (exponent == 0)
        return float_scale(rest, 1 - bias);
    return float_scale(UINT64_C(1) << 63 | rest, (int64_t)exponent - bias);
}

double float_of_bits(uint64_t bits, uint32_t format)
{
    const unsigned exponent_bits = format & 0xffff, fraction_bits = (format >> 16) - 1;
    const uint64_t fraction = fraction_bits != 0 ? bits << (64 - fraction_bits) : 0;
    const uint64_t exponent = bits >> fraction_bits & bits_mask(exponent_bits);
    double value;
    if (exponent_bits == 8 && fraction_bits == 23)
        return float_of_binary32((uint32_t)bits);
    value = float_make(exponent, exponent_bits, fraction, false);
    return (bits >> (fraction_bits + exponent_bits) & 1) != 0 ? -value : value;
}

/* Appends a floating point number of more than 64 bits as a double. */
uint64_t field_big_float(ctf_decoder *r, const op *o, uint64_t pos)
{
    const unsigned exponent_bits = o->v.format & 0xffff;
    const uint64_t fraction_bits = (o->v.format >> 16) - 1;
    const unsigned top = fraction_bits < 64 ? (unsigned)fraction_bits : 64;
    uint64_t fraction = 0, exponent, rest = 0;
    stele_field *entry;
    double value;
    if (pos > r->end || o->u.size > r->end - pos)
        return decoder_past_end(r, pos, o->u.size);
    if (top != 0)
        fraction = part_load(r, o, pos, fraction_bits - top, top) << (64 - top);
    /* The 64 highest bits of the fraction make the value; of the others it only matters for
       rounding whether any is set. */
    for (uint64_t at = 0; at < fraction_bits - top; at += 64)
        rest |=
            part_load(r, o, pos, at,
                      fraction_bits - top - at < 64 ? (unsigned)(fraction_bits - top - at) : 64);
    exponent = part_load(r, o, pos, fraction_bits, exponent_bits);
    value = float_make(exponent, exponent_bits, fraction, rest != 0);
    if (part_load(r, o, pos, o->u.size - 1, 1) != 0)
        value = -value;
    entry = batch_push_field(r->batch);
    memcpy(entry, &o->head, sizeof o->head);
    entry->u.f = value;
    return pos + o->u.size;
}
