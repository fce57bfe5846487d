/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and strings as text, fast. The text_* functions write at `to`, which must have room, and
 * give the place after what they wrote; nothing is terminated.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/output.h"

#define TEXT_U64_SIZE 20 /* most bytes of text_u64 and (with sign) text_i64 */
#define TEXT_HEX_SIZE 16 /* of text_hex */

/* Of a value from 10 on. */
char *text_u64_long(char *to, uint64_t value);

/* There must be room for 8 bytes also where there are fewer digits. */
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

/* The digits of numbers that grow slowly: those in front of the last eight are kept. */
typedef struct text_front {
    uint64_t front; /* 0: none are kept */
    char digits[TEXT_U64_SIZE];
    uint32_t size;
} text_front;

/* As text_u64(). There must be room for TEXT_U64_SIZE bytes also where there are fewer digits. */
char *text_u64_near(char *to, uint64_t value, text_front *kept);

/* Lower case, at least `digits` digits, without "0x". */
char *text_hex(char *to, uint64_t value, unsigned digits);

/* Upper case, without zeros in front. There must be room for TEXT_HEX_SIZE bytes also where there
   are fewer digits. */
char *text_hex_upper(char *to, uint64_t value);

/* Exactly `digits` digits with leading zeros; the value must fit. */
char *text_padded(char *to, uint64_t value, unsigned digits);

/* The nine digits of a value below 1,000,000,000: of ns after the point of seconds. */
char *text_nine(char *to, uint32_t value);

/* Seconds with nine decimals: "12.000000345", "-0.000000001". */
char *text_seconds(char *to, int64_t ns);

/* "2024-05-01T10:00:00.123456789Z", for ns since 1970-01-01 UTC; 35 bytes at most. */
#define TEXT_WALL_SIZE 35
char *text_wall(char *to, int64_t ns);

/* The same as appends. */
static inline void output_u64(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_u64(to, value) - to));
}

static inline void output_i64(output *out, int64_t value)
{
    char *to = (char *)output_reserve(out, TEXT_U64_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_i64(to, value) - to));
}

/* With "0x". */
static inline void output_hex(output *out, uint64_t value)
{
    char *to = (char *)output_reserve(out, 2 + TEXT_HEX_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_hex((char *)memcpy(to, "0x", 2) + 2, value, 1) - to));
}

/* Length of a valid UTF-8 sequence at `at` (1 to 4), 0 when it is none. RFC 3629. */
size_t text_utf8_length(const uint8_t *at, size_t left);
bool text_is_utf8(const void *bytes, size_t size);

/* Writes a character, 4 bytes at most, and gives the place after it. */
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

/*
 * Appends the inside of a JSON string (RFC 8259), without quotes. Bytes that are no UTF-8 become
 * U+FFFD; true when there were any.
 */
bool text_json(output *out, const void *bytes, size_t size);

/*
 * Whether a character of this length in bytes, 0 for a byte that is none, controls how others are
 * shown instead of being shown: C0, C1, line separators, marks and overrides of direction.
 */
bool text_is_control(const uint8_t *at, size_t length);

/*
 * Whether bytes without a type are rather text: at least TEXT_LEAST of them, all of them characters
 * that are shown, so that the text says every byte.
 */
#define TEXT_LEAST 4u
bool text_is_printable(const uint8_t *bytes, size_t size);

/* Appends text for people: control characters and invalid UTF-8 as \xHH, `\` as it is. */
void text_visible(output *out, const void *bytes, size_t size);

/* Appends a text on one line in which `ends` (a set of ASCII characters) and what controls or is no
   UTF-8 are replaced by `_`, one for each character. */
void text_plain(output *out, const void *bytes, size_t size, const char *ends);

/*
 * Appends a CSV field (RFC 4180), quoted where it must be. Control characters but line feeds and
 * tabs are \xHH. What programs could take for a formula, which begins with one of = + - @ and is no
 * number, gets a ' in front.
 */
void text_csv(output *out, const void *bytes, size_t size);

/* A part of a field that stands in quotes and does not begin with it: each quote twice, control
   characters as text_csv() writes them. */
void text_csv_inside(output *out, const void *bytes, size_t size);

#endif
