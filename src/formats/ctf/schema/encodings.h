/* SPDX-License-Identifier: Apache-2.0 */
/* Converts texts in UTF-16 and UTF-32 to UTF-8. */
#ifndef CTF_ENCODINGS_H
#define CTF_ENCODINGS_H

#include "formats/ctf/schema/schema.h"

/* Bytes of a code unit: 1, 2 or 4. */
static inline size_t encoding_unit(ctf_encoding encoding)
{
    return encoding <= CTF_ASCII ? 1 : encoding <= CTF_UTF16BE ? 2 : 4;
}

/* Returns the offset in bytes of the first code unit that is zero, or `size` if there is none. */
size_t encoding_find_zero(const uint8_t *from, size_t size, size_t unit);

/* Returns an upper bound of the bytes of UTF-8 that `size` bytes convert to. */
size_t encoding_size_max(ctf_encoding encoding, size_t size);

/* Converts to UTF-8 and returns the size of the result. What is not a valid character becomes
   U+FFFD and sets `*is_sound` to false. */
size_t encoding_convert(ctf_encoding encoding, const uint8_t *from, size_t size, uint8_t *converted,
                        bool *is_sound);

#endif
