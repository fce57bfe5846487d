/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of 16-bit and 32-bit units. */
#ifndef CTF_ENCODINGS_H
#define CTF_ENCODINGS_H

#include "formats/ctf/schema/schema.h"

/* Bytes of a unit: 1, 2 or 4. */
static inline size_t encoding_unit(ctf_encoding encoding)
{
    return encoding <= CTF_ASCII ? 1 : encoding <= CTF_UTF16BE ? 2 : 4;
}

/* The offset of the first unit that is zero; `size` when there is none. */
size_t encoding_find_zero(const uint8_t *from, size_t size, size_t unit);

/* Most bytes of UTF-8 that `size` bytes become. */
size_t encoding_size_max(ctf_encoding encoding, size_t size);

/* Converts to UTF-8 and gives its size; what is no character becomes U+FFFD: not `*is_sound`. */
size_t encoding_convert(ctf_encoding encoding, const uint8_t *from, size_t size, uint8_t *converted,
                        bool *is_sound);

#endif
