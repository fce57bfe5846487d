/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts and bytes that are in no stretch, and operations that only move the position. What holds
 * for all fields is in fields.h.
 */
#include "formats/ctf/records/fields.h"

#include "core/zeros.h"
#include "formats/ctf/schema/encodings.h"

void field_put_bytes(ctf_decoder *r, const op *o, uint32_t offset, size_t size)
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
    field_put_bytes(
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
    field_put_bytes(r, o, offset, made);
    return true;
}

bool field_length(ctf_decoder *r, const op *o, uint64_t pos, uint64_t *length)
{
    return length_get(r, o, pos, length);
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
    if (!length_get(r, o, pos, &length))
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
    if (!length_get(r, o, pos, &length))
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
