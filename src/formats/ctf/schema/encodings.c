/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/encodings.h"

#include "core/load.h"
#include "core/text.h"

#define REPLACEMENT 0xfffdu
#define NO_POINT    UINT32_MAX

size_t encoding_find_zero(const uint8_t *from, size_t size, size_t unit)
{
    for (size_t at = 0; at + unit <= size; at += unit) {
        if (unit == 2 ? load_native16(from + at) == 0 : load_native32(from + at) == 0)
            return at;
    }
    return size;
}

size_t encoding_size_max(ctf_encoding encoding, size_t size)
{
    /* 2 bytes become 3 at most, 4 become at most 4, and an incomplete unit at the end becomes 3. */
    return (encoding <= CTF_UTF16BE ? size / 2 * 3 : size) + 3;
}

static uint32_t unit_load(ctf_encoding encoding, const uint8_t *from)
{
    switch (encoding) {
    case CTF_UTF16LE: return load_le16(from);
    case CTF_UTF16BE: return load_be16(from);
    case CTF_UTF32LE: return load_le32(from);
    default: return load_be32(from);
    }
}

size_t encoding_convert(ctf_encoding encoding, const uint8_t *from, size_t size, uint8_t *converted,
                        bool *is_sound)
{
    const size_t unit = encoding_unit(encoding);
    char *const first = (char *)converted, *to = first;
    size_t at = 0;
    *is_sound = true;
    while (at < size) {
        uint32_t point = NO_POINT;
        if (size - at >= unit) {
            point = unit_load(encoding, from + at);
            at += unit;
        } else {
            at = size;
        }
        if (unit == 2 && point >= 0xd800 && point < 0xdc00 && size - at >= 2) {
            const uint32_t low = unit_load(encoding, from + at);
            if (low >= 0xdc00 && low < 0xe000) {
                point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                at += 2;
            }
        }
        if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
            point = REPLACEMENT;
            *is_sound = false;
        }
        to = text_put_utf8(to, point);
    }
    return (size_t)(to - first);
}
