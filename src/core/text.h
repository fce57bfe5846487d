/* SPDX-License-Identifier: Apache-2.0 */
/* Fast formatting of numbers and strings. Functions text_* write at `to`, where there must be room,
   and return the position after what they wrote; they write no final zero. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/load.h"
#include "core/output.h"

#define TEXT_U64_SIZE 20 /* bytes that text_u64(), and text_i64() with sign, write at most */
#define TEXT_HEX_SIZE 16 /* bytes that text_hex() writes at most */

/* Writes a value of 10 or more in decimal; see text_u64(). */
char *text_u64_long(char *to, uint64_t value);

/* Writes a number in decimal. There must be room for 8 bytes even if it has fewer digits. */
static inline char *text_u64(char *to, uint64_t value)
{
    *to = (char)('0' + value);
    return value < 10 ? to + 1 : text_u64_long(to, value);
}

static inline char *text_i64(char *to, int64_t value)
{
    const uint64_t sign = value < 0;
    *to = '-';
    return text_u64(to + sign, ((uint64_t)value ^ (0 - sign)) + sign);
}

/* Digits are made in blocks of eight: a block has values below this limit. */
#define TEXT_BLOCK       8u
#define TEXT_BLOCK_LIMIT UINT64_C(100000000)

/* Makes eight digits at once, as characters: the value is split into lanes of four, two and one
   digits by multiplying with rounded-up reciprocals, which are exact for these ranges. The first
   digit is the lowest byte. */
static inline uint64_t text_block(uint32_t value)
{
    uint64_t lanes, upper;
    lanes = value / 10000 | (uint64_t)(value % 10000) << 32;
    upper = (lanes * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    lanes = upper | (lanes - 100 * upper) << 16;
    upper = (lanes * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return (upper | (lanes - 10 * upper) << 8) + UINT64_C(0x3030303030303030);
}

/* Keeps the leading digits of a number, all but the last eight, for the next number: those of
   times, say, seldom differ. All zeros is a valid start. */
typedef struct text_front {
    uint64_t front; /* the leading digits as a number; 0: none are kept */
    char digits[16];
    uint32_t size;
} text_front;

/* Keeps the digits of other leading digits, `front`. */
void text_front_set(text_front *kept, uint64_t front);

/* Writes a number in decimal, with the digits in `kept` where they fit. There must be room for
   TEXT_U64_SIZE bytes even if it has fewer digits. */
static inline char *text_u64_near(char *to, uint64_t value, text_front *kept)
{
    const uint64_t front = value / TEXT_BLOCK_LIMIT;
    if (front == 0)
        return text_u64(to, value);
    if (front != kept->front)
        text_front_set(kept, front);
    memcpy(to, kept->digits, sizeof kept->digits);
    store_le64(to + kept->size, text_block((uint32_t)(value - front * TEXT_BLOCK_LIMIT)));
    return to + kept->size + TEXT_BLOCK;
}

/* Writes a number divided by 1000, with exactly three decimals: "0.001", "17.250". There must be
   room for TEXT_U64_SIZE + 8 bytes. */
char *text_thousands(char *to, uint64_t value);

/* Writes a number as text_thousands() does, but copies the leading digits in `kept` if they fit. */
static inline char *text_thousands_near(char *to, uint64_t value, text_front *kept)
{
    const uint64_t front = value / TEXT_BLOCK_LIMIT;
    uint64_t digits;
    if (front == 0)
        return text_thousands(to, value);
    if (front != kept->front)
        text_front_set(kept, front);
    digits = text_block((uint32_t)(value - front * TEXT_BLOCK_LIMIT));
    memcpy(to, kept->digits, sizeof kept->digits);
    to += kept->size;
    store_le64(to, digits);
    store_le32(to + 5, (uint32_t)(digits >> 40) << 8 | '.');
    return to + TEXT_BLOCK + 1;
}

/* Writes nanoseconds as seconds with nine decimals, "12.000000345", with the digits in `kept` where
   they fit. Such a front must not be used for other numbers. There must be room for
   TEXT_U64_SIZE + 8 bytes. */
void text_front_set_seconds(text_front *kept, uint64_t front);

static inline char *text_seconds_near(char *to, uint64_t ns, text_front *kept)
{
    const uint64_t front = ns / TEXT_BLOCK_LIMIT;
    if (front != kept->front || kept->size == 0)
        text_front_set_seconds(kept, front);
    memcpy(to, kept->digits, sizeof kept->digits);
    store_le64(to + kept->size, text_block((uint32_t)(ns - front * TEXT_BLOCK_LIMIT)));
    return to + kept->size + TEXT_BLOCK;
}

/* Writes lower-case hexadecimal digits, with leading zeros up to `digits`, without "0x". */
char *text_hex(char *to, uint64_t value, unsigned digits);

/* Writes upper-case hexadecimal digits without leading zeros. There must be room for TEXT_HEX_SIZE
   bytes even if there are fewer digits. */
char *text_hex_upper(char *to, uint64_t value);

/* Writes exactly `digits` decimal digits, with leading zeros; the value must fit. */
char *text_padded(char *to, uint64_t value, unsigned digits);

/* Writes the nine digits of a value below 1,000,000,000, such as the nanoseconds of a time in
   seconds. */
char *text_nine(char *to, uint32_t value);

/* Writes nanoseconds as seconds with nine decimals: "12.000000345", "-0.000000001". */
char *text_seconds(char *to, int64_t ns);

/* Bytes that text_wall() writes at most, for ns since 1970-01-01 UTC:
   "2024-05-01T10:00:00.123456789Z". */
#define TEXT_WALL_SIZE 35
char *text_wall(char *to, int64_t ns);

/* Appends a number to an output as text_u64() writes it. */
static inline void output_u64(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_u64(to, value) - to));
}

/* Appends a number to an output as text_i64() writes it. */
static inline void output_i64(output *out, int64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_i64(to, value) - to));
}

/* Appends a number to an output in hexadecimal, with "0x". */
static inline void output_hex(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, 2 + TEXT_HEX_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_hex((char *)memcpy(to, "0x", 2) + 2, value, 1) - to));
}

/* Length in bytes (1 to 4) of the UTF-8 sequence at `at` (RFC 3629); 0 if it is not valid. */
size_t text_utf8_length(const uint8_t *at, size_t left);
bool text_is_utf8(const void *bytes, size_t size);

/* Writes a character in UTF-8, 4 bytes at most, and returns the position after it. */
static inline char *text_put_utf8(char *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (char)point;
        return to;
    }
    if (point < 0x800) {
        *to++ = (char)(0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            *to++ = (char)(0xe0 | point >> 12);
        } else {
            *to++ = (char)(0xf0 | point >> 18);
            *to++ = (char)(0x80 | (point >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (point & 0x3f));
    return to;
}

/* Copies a text of ASCII without control characters, quotes and backslashes, and returns the
   position after it. Returns NULL if the text has anything else. There must be room for 8 bytes
   more. */
char *text_copy_plain(char *to, const void *bytes, size_t size);

/* Appends the inside of a JSON string (RFC 8259), without quotes. Bytes that are not UTF-8 become
   U+FFFD; returns true if there were any. */
bool text_json(output *out, const void *bytes, size_t size);

/* Whether a character controls how others are shown instead of being shown: C0, C1, line
   separators, marks and overrides of direction. `length` is its size in bytes, 0 for a byte that is
   not valid UTF-8. */
bool text_is_control(const uint8_t *at, size_t length);

/* Whether bytes without a type are probably text: at least TEXT_LEAST bytes, all of them characters
   that are shown, so that the text shows every byte. */
#define TEXT_LEAST 4u
bool text_is_printable(const uint8_t *bytes, size_t size);

/* Appends text for people: control characters and bytes that are not UTF-8 become \xHH; `\` stays
   as it is. */
void text_visible(output *out, const void *bytes, size_t size);

/* Appends a text on one line: each ASCII character in `ends`, each control character and each byte
   that is not UTF-8 is replaced by `_`. */
void text_plain(output *out, const void *bytes, size_t size, const char *ends);

/* Appends a CSV field (RFC 4180), in quotes where it needs them. Control characters except line
   feeds and tabs become \xHH. A field that a spreadsheet could take for a formula, because it
   begins with one of = + - @ and is not a number, gets a ' in front. */
void text_csv(output *out, const void *bytes, size_t size);

/* Appends a part of a CSV field that is inside of quotes and not at its begin: quotes are doubled,
   control characters are as in text_csv(). */
void text_csv_inside(output *out, const void *bytes, size_t size);

#endif
