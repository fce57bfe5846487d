/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings and texts that are short and not near the end of what is loaded, which nearly all are.
 * Each function tries one; if it returns false nothing has changed, and a function of fields.c
 * repeats the operation. Bytes are copied in whole words: what a copy writes after the text is
 * free room of the batch, as only text_put() counts bytes.
 */
#ifndef CTF_EXECUTE_TEXT_H
#define CTF_EXECUTE_TEXT_H

#include "core/zeros.h"
#include "formats/ctf/records/execute.h"

/* Bytes of a text that is copied in two words of zeros_copy(). */
#define TEXT_NEAR (2 * ZEROS_SIZE)

/* Whether TEXT_NEAR bytes can be read at the position and written at the end of the batch's
   bytes. */
HOT bool text_is_near(const ctf_decoder *r, const stele_batch *batch, uint64_t pos)
{
    return pos + (uint64_t)TEXT_NEAR * 8 <= r->near_end &&
           batch->byte_capacity - batch->byte_count >= TEXT_NEAR;
}

/* Copies up to TEXT_NEAR bytes while looking for a zero. Returns the number of bytes before the
   first zero, at most `length`. */
HOT uint32_t text_copy(uint8_t *to, const uint8_t *from, uint32_t length)
{
    uint32_t size = zeros_before(zeros_copy(to, from));
    if (size == ZEROS_SIZE && length > ZEROS_SIZE)
        size += zeros_before(zeros_copy(to + ZEROS_SIZE, from + ZEROS_SIZE));
    return size < length ? size : length;
}

/* Appends the entry of a text whose bytes were copied to the end of the batch's bytes. */
HOT void text_put(stele_batch *batch, stele_field *entry, const op *o, uint32_t size)
{
    entry_put_bytes(entry, o->head, batch->byte_count, size);
    batch->byte_count += size;
}

/*
 * Copies a string of fewer than TEXT_NEAR bytes that is not near the end, and searches for its zero
 * meanwhile. Returns false if the string is longer or too near the end; bytes that were copied then
 * do not count.
 */
HOT bool string_copy(const ctf_decoder *r, stele_batch *batch, const op *o, uint64_t *pos,
                     stele_field *entry)
{
    uint32_t size;
    if (UNLIKELY(!text_is_near(r, batch, *pos)))
        return false;
    size = text_copy(batch->bytes + batch->byte_count, r->data + (*pos >> 3), TEXT_NEAR);
    if (UNLIKELY(size == TEXT_NEAR))
        return false;
    text_put(batch, entry, o, size);
    *pos += ((uint64_t)size + 1) * 8;
    return true;
}

/* Steps over a string of fewer than ZEROS_SIZE bytes that is not near the end. Returns false if it
   is longer or too near the end. */
HOT bool string_pass(const ctf_decoder *r, uint64_t *pos)
{
    uint32_t size;
    if (UNLIKELY(*pos + (uint64_t)ZEROS_SIZE * 8 > r->near_end))
        return false;
    size = zeros_before(zeros_find(r->data + (*pos >> 3)));
    if (UNLIKELY(size == ZEROS_SIZE))
        return false;
    *pos += ((uint64_t)size + 1) * 8;
    return true;
}

/* Copies a text whose length is known and at most TEXT_NEAR. Returns false if the length's slot is
   not set, or the text is longer or too near the end. */
HOT bool text_take(const ctf_decoder *r, stele_batch *batch, const op *o, uint64_t *pos,
                   stele_field *entry)
{
    const bool has_slot = (o->flags & OP_HAS_SLOT) != 0;
    const uint64_t length = has_slot ? r->slots[o->u.length].value : o->u.length;
    if (UNLIKELY((has_slot && !r->slots[o->u.length].is_set) || length > TEXT_NEAR ||
                 !text_is_near(r, batch, *pos)))
        return false;
    text_put(batch, entry, o,
             text_copy(batch->bytes + batch->byte_count, r->data + (*pos >> 3), (uint32_t)length));
    *pos += length * 8;
    return true;
}

/* Copies a text of a stretch. It is copied in words that end with the text, because bytes after a
   stretch need not be loaded. */
HOT uint32_t text_copy_short(uint8_t *to, const uint8_t *from, uint32_t length)
{
    const uint64_t zeros = zeros_copy_words(to, from, length);
    const uint32_t size = zeros != 0 ? (uint32_t)__builtin_ctzll(zeros) : length;
    return size < length ? size : length;
}

/* Appends a text of constant length that lies in a stretch. If the batch has too little room,
   field_short_text() enlarges it first. Returns false if out of memory. */
HOT bool text_take_short(ctf_decoder *r, stele_batch *batch, const op *o, const uint8_t *base,
                         stele_field *entry)
{
    if (UNLIKELY(batch->byte_capacity - batch->byte_count < TEXT_NEAR)) {
        entries_set_end(batch, entry);
        return field_short_text(r, o, base + o->offset);
    }
    text_put(
        batch, entry, o,
        text_copy_short(batch->bytes + batch->byte_count, base + o->offset, (uint32_t)o->u.length));
    return true;
}

#endif
