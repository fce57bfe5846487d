/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields that are in no stretch: texts, bytes, arrays, integers of more than 64 bits. Invariants:
 *
 * - A field begins at the position, in bits from `data`. Its function returns the position after
 *   it, or POS_FAILED with the reason in the outcome, and reads nothing after `end`.
 * - Nothing is appended before all bits of the field are known to be loaded. If more of the packet
 *   has to be loaded, the whole event is decoded again, and the entries that it has already are
 *   dropped.
 * - Bytes belong to the batch. An entry holds their offset there, as the batch's memory moves when
 *   it grows.
 */
#include <math.h>

#include "core/zeros.h"
#include "formats/ctf/records/decoder.h"
#include "formats/ctf/schema/encodings.h"

/* Bytes that are loaded from the position on, which must be the begin of a byte. */
static size_t bytes_left(const ctf_decoder *r, uint64_t pos)
{
    return pos < r->end ? (size_t)((r->end - pos) >> 3) : 0;
}

/* Converts bytes to bits. A length that damage made is only compared with what is loaded: it must
   stay large and not wrap around to a small number. */
static uint64_t bits_of_bytes(uint64_t size)
{
    return size < UINT64_MAX / 8 ? size * 8 : UINT64_MAX - 7;
}

/* Gives the length, a constant or the value of a slot. Returns false if the slot is not set,
   because the field with the length is in an option that was not selected. */
HOT bool length_get(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *length)
{
    const slot_value *slot;
    *length = o->u.length;
    if ((o->flags & OP_HAS_SLOT) == 0)
        return true;
    slot = &r->slots[o->u.length];
    *length = slot->value;
    if (!slot->is_set)
        decoder_bad(r, CTF452, pos, "a field that says the length", "it is not there");
    return slot->is_set;
}

bool field_length(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *length)
{
    return length_get(r, o, pos, length);
}

/* Appends an entry that points to bytes of the batch. */
static void entry_of_bytes(ctf_decoder *r, const op *o, uint32_t offset, size_t size)
{
    stele_field *entry = batch_push_field(r->batch);
    memcpy(entry, &o->head, sizeof o->head);
    entry->u.bytes.offset = offset;
    entry->u.bytes.size = (uint32_t)size;
}

/*
 * Appends bytes and their entry. Room for entries was made before the program began
 * (decoder_prepare()); room for bytes is made here, as their number is only known now. `from` may
 * be NULL if `size` is 0.
 */
static bool push_bytes(ctf_decoder *r, const op *o, const uint8_t *from, size_t size)
{
    if (size > INT32_MAX || !batch_reserve_bytes(r->batch, (uint32_t)size)) {
        decoder_exhausted(r);
        return false;
    }
    entry_of_bytes(
        r, o, size != 0 ? batch_push_bytes(r->batch, from, (uint32_t)size) : r->batch->byte_count,
        size);
    return true;
}

/*
 * Appends a text in any encoding as UTF-8. UTF-8 and ASCII are copied without a check: sinks check
 * texts when they show them. Other encodings are converted, into room for the longest possible
 * result.
 */
static bool push_text(ctf_decoder *r, const op *o, const uint8_t *from, size_t size)
{
    const ctf_encoding encoding = (ctf_encoding)o->v.encoding;
    const uint32_t offset = r->batch->byte_count;
    bool is_sound;
    size_t made;
    if (encoding <= CTF_ASCII)
        return push_bytes(r, o, from, size);
    if (size > INT32_MAX / 2 ||
        !batch_reserve_bytes(r->batch, (uint32_t)encoding_size_max(encoding, size))) {
        decoder_exhausted(r);
        return false;
    }
    made = encoding_convert(encoding, from, size, r->batch->bytes + offset, &is_sound);
    if (!is_sound)
        decoder_unsound(r, from);
    r->batch->byte_count += (uint32_t)made;
    entry_of_bytes(r, o, offset, made);
    return true;
}

/* ---- Strings and texts ---- */

/* Returns the offset of the first zero, or `size` if there is none. Most strings are short, so a
   few words are examined before memchr() is called. */
static inline size_t find_zero(const uint8_t *from, size_t size)
{
    size_t at = 0;
    for (; at + ZEROS_SIZE <= size && at < 4 * ZEROS_SIZE; at += ZEROS_SIZE) {
        const uint32_t zeros = zeros_find(from + at);
        if (zeros != 0)
            return at + zeros_before(zeros);
    }
    if (at < size) {
        const uint8_t *zero = memchr(from + at, 0, size - at);
        return zero != NULL ? (size_t)(zero - from) : size;
    }
    return size;
}

/* Decodes a string. If its zero is not loaded, one unit more than is loaded is asked for, so that a
   packet that continues is loaded further. */
uint64_t field_string(ctf_decoder *r, const op *o, uint64_t pos)
{
    const ctf_encoding encoding = (ctf_encoding)o->v.encoding;
    const size_t unit = encoding_unit(encoding), left = bytes_left(r, pos);
    const uint8_t *from = r->data + (pos >> 3);
    const size_t size = unit == 1 ? find_zero(from, left) : encoding_find_zero(from, left, unit);
    if (left < unit || size > left - unit)
        return decoder_past_end(r, pos, bits_of_bytes(left - left % unit + unit));
    if ((o->flags & OP_WANTED) != 0 && !push_text(r, o, from, size))
        return POS_FAILED;
    return pos + (size + unit) * 8;
}

/* Appends a text of a stretch, whose bytes are known to be loaded. */
bool field_short_text(ctf_decoder *r, const op *o, const uint8_t *from)
{
    return push_bytes(r, o, from, find_zero(from, (size_t)o->u.length));
}

/* Decodes a text with a length. It ends at its first zero if it has one; the position moves over
   all of it. */
uint64_t field_text(ctf_decoder *r, const op *o, uint64_t pos)
{
    const ctf_encoding encoding = (ctf_encoding)o->v.encoding;
    const size_t unit = encoding_unit(encoding);
    const uint8_t *from = r->data + (pos >> 3);
    uint64_t length;
    size_t size;
    if (!field_length(r, o, pos, &length))
        return POS_FAILED;
    if (length > bytes_left(r, pos))
        return decoder_past_end(r, pos, bits_of_bytes(length));
    size = unit == 1 ? find_zero(from, (size_t)length)
                     : encoding_find_zero(from, (size_t)length, unit);
    return push_text(r, o, from, size) ? pos + length * 8 : POS_FAILED;
}

/* Decodes a BLOB or other bytes with a length. */
uint64_t field_blob(ctf_decoder *r, const op *o, uint64_t pos)
{
    uint64_t length;
    if (!field_length(r, o, pos, &length))
        return POS_FAILED;
    if (length > bytes_left(r, pos))
        return decoder_past_end(r, pos, bits_of_bytes(length));
    return push_bytes(r, o, r->data + (pos >> 3), (size_t)length) ? pos + length * 8 : POS_FAILED;
}

/* Copies a UUID to the packet's head. The array that holds it is decoded like any other afterwards,
   so the position does not move. */
uint64_t field_uuid(ctf_decoder *r, uint64_t pos)
{
    if (bytes_left(r, pos) < sizeof r->head->uuid)
        return decoder_past_end(r, pos, sizeof r->head->uuid * 8);
    if (r->head != NULL) {
        memcpy(r->head->uuid, r->data + (pos >> 3), sizeof r->head->uuid);
        r->head->has |= CTF_ROLE_UUID;
    }
    return pos;
}

/* ---- Arrays of numbers ---- */

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
    entry_of_bytes(r, o, r->batch->byte_count, total);
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
    entry_of_bytes(r, o, r->batch->byte_count, total);
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

/* ---- Operations that only move or check the position ---- */

/* Moves to the next unit if the bit field would cross a boundary of its unit, as GCC does. */
uint64_t field_unit(const ctf_decoder *r, const op *o, uint64_t pos)
{
    const uint64_t in_unit = (pos + r->data_at) % o->v.unit;
    return in_unit + o->u.size > o->v.unit ? pos + o->v.unit - in_unit : pos;
}

/*
 * Checks that fields of different byte orders do not share a byte, which they would fill from
 * different ends. The order is that of the last field; it does not matter at the begin of a byte.
 */
uint64_t field_order(ctf_decoder *r, const op *o, uint64_t pos)
{
    const bit_order order = (o->flags & OP_BIG_ENDIAN) != 0 ? ORDER_BIG : ORDER_LITTLE;
    if ((o->flags & OP_FREE) == 0 && ((pos + r->data_at) & 7) != 0 && r->order != order &&
        r->order != ORDER_UNKNOWN)
        return decoder_bad(r, CTF453, pos,
                           order == ORDER_BIG ? "little-endian bits up to the end of the byte"
                                              : "big-endian bits up to the end of the byte",
                           "a field of the other order");
    r->order = order;
    return pos;
}
