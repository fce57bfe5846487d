/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include "core/swar.h"

/* ---- Numbers in decimal and hexadecimal ---- */

static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "68697071727374757677787980818283848586878889909192939495969798"
    "99";

#define BLOCK_DIGITS 8
#define BLOCK_LIMIT  UINT64_C(100000000)

/* Makes eight digits at once: the value is split into lanes of four, two and one digits by
   multiplying with rounded-up reciprocals, which are exact for these ranges. The first digit is the
   lowest byte. */
static inline uint64_t block_digits(uint32_t value)
{
    uint64_t lanes, upper;
    lanes = value / 10000 | (uint64_t)(value % 10000) << 32;
    upper = (lanes * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    lanes = upper | (lanes - 100 * upper) << 16;
    upper = (lanes * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return upper | (lanes - 10 * upper) << 8;
}

static void block_store(char *to, uint32_t value)
{
    store_le64(to, block_digits(value) + SWAR_EACH('0'));
}

char *text_padded(char *to, uint64_t value, unsigned digits)
{
    char *const end = to + digits;
    char *at = end;
    for (; at - to >= BLOCK_DIGITS; value /= BLOCK_LIMIT) {
        at -= BLOCK_DIGITS;
        block_store(at, (uint32_t)(value % BLOCK_LIMIT));
    }
    for (; at - to >= 2; value /= 100) {
        at -= 2;
        memcpy(at, digit_pairs + value % 100 * 2, 2);
    }
    if (at != to)
        *to = (char)('0' + value);
    return end;
}

#define COUNT(digits)             ((uint64_t)(digits) << 32)
#define COUNT_FROM(digits, least) (COUNT(digits) - (least))

/* How many digits a value below BLOCK_LIMIT has, without a branch. The table is indexed by the
   highest bit of the value; adding the value to its entry carries into the upper half if the value
   has a digit more. */
static unsigned block_count(uint32_t value)
{
    static const uint64_t counts[] = {COUNT(1),
                                      COUNT(1),
                                      COUNT(1),
                                      COUNT_FROM(2, 10),
                                      COUNT(2),
                                      COUNT(2),
                                      COUNT_FROM(3, 100),
                                      COUNT(3),
                                      COUNT(3),
                                      COUNT_FROM(4, 1000),
                                      COUNT(4),
                                      COUNT(4),
                                      COUNT(4),
                                      COUNT_FROM(5, 10000),
                                      COUNT(5),
                                      COUNT(5),
                                      COUNT_FROM(6, 100000),
                                      COUNT(6),
                                      COUNT(6),
                                      COUNT_FROM(7, 1000000),
                                      COUNT(7),
                                      COUNT(7),
                                      COUNT(7),
                                      COUNT_FROM(8, 10000000),
                                      COUNT(8),
                                      COUNT(8),
                                      COUNT(8)};
    return (unsigned)((value + counts[31 - __builtin_clz(value | 1)]) >> 32);
}

/* Writes a value below BLOCK_LIMIT without leading zeros; 0 as one digit. Always stores 8 bytes. */
static inline char *block_shorten(char *to, uint32_t value)
{
    const unsigned count = block_count(value);
    store_le64(to, (block_digits(value) + SWAR_EACH('0')) >> (BLOCK_DIGITS - count) * 8);
    return to + count;
}

/* Writes a number of more than one block. Not inlined, so that the common short numbers need no
   stack. */
static __attribute__((noinline)) char *blocks_put(char *to, uint64_t value)
{
    const uint64_t upper = value / BLOCK_LIMIT;
    if (upper < BLOCK_LIMIT) {
        to = block_shorten(to, (uint32_t)upper);
    } else {
        to = block_shorten(to, (uint32_t)(upper / BLOCK_LIMIT));
        block_store(to, (uint32_t)(upper % BLOCK_LIMIT));
        to += BLOCK_DIGITS;
    }
    block_store(to, (uint32_t)(value % BLOCK_LIMIT));
    return to + BLOCK_DIGITS;
}

char *text_u64_long(char *to, uint64_t value)
{
    return value < BLOCK_LIMIT ? block_shorten(to, (uint32_t)value) : blocks_put(to, value);
}

char *text_u64_near(char *to, uint64_t value, text_front *kept)
{
    const uint64_t front = value / BLOCK_LIMIT;
    if (front == 0)
        return text_u64(to, value);
    if (front != kept->front) {
        kept->front = front;
        kept->size = (uint32_t)(text_u64(kept->digits, front) - kept->digits);
    }
    memcpy(to, kept->digits, TEXT_U64_SIZE - BLOCK_DIGITS);
    block_store(to + kept->size, (uint32_t)(value - front * BLOCK_LIMIT));
    return to + kept->size + BLOCK_DIGITS;
}

char *text_nine(char *to, uint32_t value)
{
    *to = (char)('0' + value / BLOCK_LIMIT);
    block_store(to + 1, (uint32_t)(value % BLOCK_LIMIT));
    return to + 1 + BLOCK_DIGITS;
}

/* Makes the eight hexadecimal digits of 32 bits, the first in the lowest byte; `ten` is the digit
   of 10. */
static inline uint64_t hex_block(uint32_t value, char ten)
{
    uint64_t lanes = __builtin_bswap32(value), letters;
    lanes = (lanes | lanes << 16) & UINT64_C(0x0000ffff0000ffff);
    lanes = (lanes | lanes << 8) & UINT64_C(0x00ff00ff00ff00ff);
    lanes = (lanes >> 4 | lanes << 8) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    letters = (lanes + SWAR_EACH(6)) >> 4 & SWAR_EACH(1);
    return lanes + SWAR_EACH('0') + letters * (uint8_t)(ten - '0' - 10);
}

static unsigned hex_digits(uint64_t value)
{
    return (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
}

char *text_hex(char *to, uint64_t value, unsigned digits)
{
    const unsigned least = hex_digits(value);
    char all[TEXT_HEX_SIZE];
    if (digits < least)
        digits = least;
    store_le64(all, hex_block((uint32_t)(value >> 32), 'a'));
    store_le64(all + 8, hex_block((uint32_t)value, 'a'));
    memcpy(to, all + TEXT_HEX_SIZE - digits, digits);
    return to + digits;
}

char *text_hex_upper(char *to, uint64_t value)
{
    unsigned digits = hex_digits(value);
    if (digits > BLOCK_DIGITS) {
        digits -= BLOCK_DIGITS;
        store_le64(to, hex_block((uint32_t)(value >> 32), 'A') >> (BLOCK_DIGITS - digits) * 8);
        to += digits;
        digits = BLOCK_DIGITS;
    }
    store_le64(to, hex_block((uint32_t)value, 'A') >> (BLOCK_DIGITS - digits) * 8);
    return to + digits;
}

/* ---- Times as text ---- */

#define NS_PER_S  UINT64_C(1000000000)
#define S_PER_DAY 86400

char *text_seconds(char *to, int64_t ns)
{
    uint64_t distance = (uint64_t)ns;
    if (ns < 0) {
        *to++ = '-';
        distance = 0 - distance;
    }
    to = text_u64(to, distance / NS_PER_S);
    *to++ = '.';
    return text_nine(to, (uint32_t)(distance % NS_PER_S));
}

/* Writes the date of a day, counted from 1970-01-01, in the Gregorian calendar. The method is that
   of Howard Hinnant's "chrono-compatible low-level date algorithms": years begin in March, so that
   the leap day is the last one. */
static char *text_date(char *to, int64_t day)
{
    const int64_t from_march_0 = day + 719468;
    /* Periods of 400 years; not negative, since ns in an int64_t begin in 1677. */
    const uint64_t era = (uint64_t)from_march_0 / 146097;
    const uint64_t day_of_era = (uint64_t)from_march_0 % 146097;
    const uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const uint64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const uint64_t month_from_march = (5 * day_of_year + 2) / 153;
    const uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    to = text_padded(to, era * 400 + year_of_era + (month <= 2), 4);
    *to++ = '-';
    to = text_padded(to, month, 2);
    *to++ = '-';
    return text_padded(to, day_of_year - (153 * month_from_march + 2) / 5 + 1, 2);
}

char *text_wall(char *to, int64_t ns)
{
    int64_t s = ns / (int64_t)NS_PER_S, rest_ns = ns % (int64_t)NS_PER_S, day, second;
    if (rest_ns < 0) {
        rest_ns += (int64_t)NS_PER_S;
        s--;
    }
    day = s / S_PER_DAY;
    second = s % S_PER_DAY;
    if (second < 0) {
        second += S_PER_DAY;
        day--;
    }
    to = text_date(to, day);
    *to++ = 'T';
    to = text_padded(to, (uint64_t)second / 3600, 2);
    *to++ = ':';
    to = text_padded(to, (uint64_t)second / 60 % 60, 2);
    *to++ = ':';
    to = text_padded(to, (uint64_t)second % 60, 2);
    *to++ = '.';
    to = text_nine(to, (uint32_t)rest_ns);
    *to++ = 'Z';
    return to;
}

/* ---- UTF-8 ---- */

static bool is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/*
 * RFC 3629, section 4. The range of the second byte excludes overlong forms, surrogates and values
 * above U+10FFFF:
 *   00..7F
 *   C2..DF 80..BF
 *   E0     A0..BF 80..BF          ED     80..9F 80..BF         E1..EC, EE, EF  80..BF 80..BF
 *   F0     90..BF 80..BF 80..BF   F4     80..8F 80..BF 80..BF  F1..F3          80..BF 80..BF 80..BF
 */
size_t text_utf8_length(const uint8_t *at, size_t left)
{
    uint8_t least = 0x80, most = 0xbf;
    size_t length;
    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (left < length)
        return 0;
    switch (at[0]) {
    case 0xe0: least = 0xa0; break;
    case 0xed: most = 0x9f; break;
    case 0xf0: least = 0x90; break;
    case 0xf4: most = 0x8f; break;
    default: break;
    }
    if (at[1] < least || at[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if (!is_tail(at[i]))
            return 0;
    }
    return length;
}

bool text_is_utf8(const void *bytes, size_t size)
{
    const uint8_t *at = bytes, *const end = at + size;
    while (at != end) {
        size_t length;
        if (end - at >= 8 && (load_native64(at) & SWAR_HIGH_BITS) == 0) {
            at += 8;
            continue;
        }
        length = text_utf8_length(at, (size_t)(end - at));
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* ---- Escaping of strings ---- */

#define PIECE_SIZE    ((size_t)1024)
#define BYTE_SIZE_MAX 6 /* bytes that one byte can become: \u001f */

typedef enum text_style { STYLE_JSON, STYLE_VISIBLE } text_style;

/* How many of eight bytes need no escape, counted from the first, which is in the lowest bits. */
static size_t plain_count(uint64_t word, text_style style)
{
    uint64_t marks = (word & SWAR_HIGH_BITS) | swar_below(word, 0x20);
    if (style == STYLE_JSON)
        marks |= swar_equal(word, '"') | swar_equal(word, '\\');
    else
        marks |= swar_equal(word, 0x7f);
    return swar_before(marks);
}

static uint8_t *json_escape(uint8_t *to, uint8_t byte)
{
    static const char names[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    *to++ = '\\';
    if (byte >= 0x20 || names[byte] != 0) {
        *to++ = byte >= 0x20 ? byte : (uint8_t)names[byte];
        return to;
    }
    memcpy(to, "u00", 3);
    return (uint8_t *)text_hex((char *)to + 3, byte, 2);
}

bool text_is_control(const uint8_t *at, size_t length)
{
    uint32_t character;
    if (length <= 1)
        return length == 0 || *at < 0x20 || *at == 0x7f;
    if (length == 2) {
        character = (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
        return character < 0xa0 || character == 0x61c;
    }
    if (length != 3 || at[0] != 0xe2 || (at[1] != 0x80 && at[1] != 0x81))
        return false;
    character = 0x2000 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    return character == 0x200e || character == 0x200f ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

bool text_is_printable(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        const size_t length = text_utf8_length(bytes + at, size - at);
        if (text_is_control(bytes + at, length))
            return false;
        at += length;
    }
    return size >= TEXT_LEAST;
}

/* Writes a character of two or three bytes as \uHHHH. */
static uint8_t *json_escape_wide(uint8_t *to, const uint8_t *at, size_t length)
{
    const uint32_t character = length == 2 ? (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f)
                                           : (uint32_t)(at[0] & 0x0f) << 12 |
                                                 (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    memcpy(to, "\\u", 2);
    return (uint8_t *)text_hex((char *)to + 2, character, 4);
}

static uint8_t *visible_escape(uint8_t *to, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        memcpy(to, "\\x", 2);
        to = (uint8_t *)text_hex((char *)to + 2, bytes[i], 2);
    }
    return to;
}

/* Writes one character, or one byte that is not UTF-8, escaped where the style needs it. */
static uint8_t *text_character(uint8_t *to, const uint8_t *at, size_t length, text_style style)
{
    if (style == STYLE_JSON) {
        if (length == 0) {
            memcpy(to, "\xef\xbf\xbd", 3);
            return to + 3;
        }
        if (*at < 0x20 || *at == '"' || *at == '\\')
            return json_escape(to, *at);
        if (length > 1 && text_is_control(at, length))
            return json_escape_wide(to, at, length);
    } else if (text_is_control(at, length)) {
        return visible_escape(to, at, length == 0 ? 1 : length);
    }
    memcpy(to, at, length);
    return to + length;
}

/* Appends a string with escapes. Returns true if it has bytes that are not UTF-8. */
static bool text_escape(output *out, const uint8_t *at, size_t size, text_style style)
{
    const uint8_t *end;
    bool is_bad = false;
    if (size == 0)
        return false; /* `at` may be NULL */
    end = at + size;
    while (at != end) {
        const size_t left = (size_t)(end - at);
        const uint8_t *const stop = left > PIECE_SIZE ? at + PIECE_SIZE : end;
        /* The last character may reach beyond the piece, and whole words are stored: room for
           both. */
        uint8_t *to = output_reserve(out, (size_t)(stop - at) * BYTE_SIZE_MAX + 4 * SWAR_SIZE);
        const uint8_t *const start = to;
        if (to == NULL)
            return is_bad;
        while (at < stop) {
            size_t length, count = SWAR_SIZE;
            while (stop - at >= SWAR_SIZE && count == SWAR_SIZE) {
                const uint64_t word = load_le64(at);
                store_le64(to, word);
                count = plain_count(word, style);
                at += count;
                to += count;
            }
            while (at != stop && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
                *to++ = *at++;
            if (at == stop)
                break;
            length = text_utf8_length(at, (size_t)(end - at));
            is_bad |= length == 0;
            to = text_character(to, at, length, style);
            at += length == 0 ? 1 : length;
        }
        output_advance(out, (size_t)(to - start));
    }
    return is_bad;
}

bool text_json(output *out, const void *bytes, size_t size)
{
    return text_escape(out, bytes, size, STYLE_JSON);
}

void text_visible(output *out, const void *bytes, size_t size)
{
    text_escape(out, bytes, size, STYLE_VISIBLE);
}

void text_plain(output *out, const void *bytes, size_t size, const char *ends)
{
    const uint8_t *at = bytes, *const end = at + size;
    while (at != end) {
        const size_t length = text_utf8_length(at, (size_t)(end - at));
        if (text_is_control(at, length) || strchr(ends, *at) != NULL)
            output_byte(out, '_');
        else
            output_write(out, at, length);
        at += length == 0 ? 1 : length;
    }
}

/* Whether a spreadsheet could take a field for a formula: see text_csv(). */
static bool csv_is_formula(const uint8_t *bytes, size_t size)
{
    bool has_sign;
    if (size > 3 && bytes[0] == '@' && bytes[1] == '(' && bytes[2] >= '0' && bytes[2] <= '9')
        return false; /* "@(NUMBER...": a function that is known by number only */
    if (size == 0 || strchr("=+-@\t\r", bytes[0]) == NULL || bytes[0] == 0)
        return false;
    has_sign = (bytes[0] == '-' || bytes[0] == '+') && size > 1;
    for (size_t i = 1; i < size && has_sign; i++)
        has_sign = (bytes[i] >= '0' && bytes[i] <= '9') || bytes[i] == '.';
    return !has_sign;
}

/* Whether a character is a control character other than those of lines and columns. */
static bool csv_is_control(const uint8_t *at, const uint8_t *end, size_t length)
{
    return length != 0 && *at != '\n' && *at != '\t' &&
           !(*at == '\r' && end - at > 1 && at[1] == '\n') && text_is_control(at, length);
}

static bool csv_has_controls(const uint8_t *at, size_t size)
{
    const uint8_t *const end = at + size;
    while (at != end) {
        const size_t length =
            *at >= 0x20 && *at < 0x7f ? 1 : text_utf8_length(at, (size_t)(end - at));
        if (csv_is_control(at, end, length))
            return true;
        at += length == 0 ? 1 : length;
    }
    return false;
}

/* Appends the inside of a quoted field: quotes doubled, control characters escaped. */
static void csv_put_escaped(output *out, const uint8_t *at, size_t size)
{
    const uint8_t *const end = at + size;
    while (at != end) {
        const size_t length = text_utf8_length(at, (size_t)(end - at));
        const size_t taken = length == 0 ? 1 : length;
        if (csv_is_control(at, end, length))
            text_visible(out, at, taken);
        else
            output_write(out, at, taken);
        if (*at == '"')
            output_byte(out, '"');
        at += taken;
    }
}

/* What csv_look() finds in a field: bytes that need quotes around it, and bytes that must be
   checked character by character. */
#define CSV_QUOTED  0x1u
#define CSV_UNUSUAL 0x2u

static inline unsigned csv_word(uint64_t word)
{
    const uint64_t unusual =
        (word & SWAR_HIGH_BITS) | swar_below(word, 0x20) | swar_equal(word, 0x7f);
    const uint64_t quoted = swar_equal(word, ',') | swar_equal(word, '"');
    return (quoted != 0 ? CSV_QUOTED : 0) | (unusual != 0 ? CSV_UNUSUAL : 0);
}

static unsigned csv_look(const uint8_t *at, size_t size)
{
    unsigned found = 0;
    for (; size >= SWAR_SIZE; at += SWAR_SIZE, size -= SWAR_SIZE)
        found |= csv_word(load_le64(at));
    return found | csv_word(swar_load_few(at, size, ' '));
}

static bool csv_needs_quotes(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r')
            return true;
    }
    return false;
}

/* Appends a field without control characters, in quotes, with quotes in it doubled. */
static void csv_put_quoted(output *out, const uint8_t *at, const uint8_t *end)
{
    while (at != end) {
        const size_t left = (size_t)(end - at);
        const uint8_t *const stop = left > PIECE_SIZE ? at + PIECE_SIZE : end;
        uint8_t *to = output_reserve(out, (size_t)(stop - at) * 2 + 1);
        if (to == NULL)
            return;
        /* A quote is stored after each byte, and is kept only after a quote. */
        for (; at != stop; at++) {
            to[0] = *at;
            to[1] = '"';
            to += 1 + (*at == '"');
        }
        output_advance(out, (size_t)(to - out->at));
    }
}

void text_csv_inside(output *out, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if ((csv_look(at, size) & CSV_UNUSUAL) != 0 && csv_has_controls(at, size))
        csv_put_escaped(out, at, size);
    else
        csv_put_quoted(out, at, at + size);
}

void text_csv(output *out, const void *bytes, size_t size)
{
    const uint8_t *at = bytes, *const end = at + size;
    const unsigned found = csv_look(at, size);
    if (csv_is_formula(at, size) || ((found & CSV_UNUSUAL) != 0 && csv_has_controls(at, size))) {
        output_byte(out, '"');
        if (csv_is_formula(at, size))
            output_byte(out, '\'');
        csv_put_escaped(out, at, size);
        output_byte(out, '"');
        return;
    }
    if (found == 0 || !csv_needs_quotes(at, size)) {
        output_write(out, at, size);
        return;
    }
    output_byte(out, '"');
    csv_put_quoted(out, at, end);
    output_byte(out, '"');
}
