/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields that are in no stretch: texts and bytes (fields.c), arrays of numbers (fields_array.c),
 * numbers of more than 64 bits (fields_big.c). Invariants:
 *
 * - A field begins at the position, in bits from `data`. Its function returns the position after
 *   it, or POS_FAILED with the reason in the outcome, and reads nothing after `end`.
 * - Nothing is appended before all bits of the field are known to be loaded. If more of the packet
 *   has to be loaded, the whole event is decoded again, and the entries that it has already are
 *   dropped.
 * - Bytes belong to the batch. An entry holds their offset there, as the batch's memory moves when
 *   it grows.
 */
#ifndef CTF_FIELDS_H
#define CTF_FIELDS_H

#include "formats/ctf/records/decoder.h"

/* Bytes that are loaded from the position on, which must be the begin of a byte. */
HOT size_t bytes_left(const ctf_decoder *r, uint64_t pos)
{
    return pos < r->end ? (size_t)((r->end - pos) >> 3) : 0;
}

/* Converts bytes to bits. A length that damage made is only compared with what is loaded: it must
   stay large and not wrap around to a small number. */
HOT uint64_t bits_of_bytes(uint64_t size)
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

/* Appends an entry that points to `size` bytes of the batch, from `offset` on. */
void field_put_bytes(ctf_decoder *r, const op *o, uint32_t offset, size_t size);

#endif
