/* SPDX-License-Identifier: Apache-2.0 */
/* Characters and strings as text. Numbers and times are in text_number.c. */
#include "core/text.h"

#include "core/swar.h"

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

/* Marks, by its high bit, the first of eight bytes that needs an escape. */
static inline uint64_t escape_marks(uint64_t word, text_style style)
{
    const uint64_t marks = (word & SWAR_HIGH_BITS) | swar_below(word, 0x20);
    if (style == STYLE_JSON)
        return marks | swar_equal(word, '"') | swar_equal(word, '\\');
    return marks | swar_equal(word, 0x7f);
}

static inline bool is_plain(uint64_t word)
{
    return ((word & SWAR_HIGH_BITS) | swar_below(word, 0x20) | swar_equal(word, '"') |
            swar_equal(word, '\\') | swar_equal(word, 0x7f)) == 0;
}

char *text_copy_plain(char *to, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word;
    for (; size >= SWAR_SIZE; size -= SWAR_SIZE, at += SWAR_SIZE, to += SWAR_SIZE) {
        word = load_le64(at);
        if (!is_plain(word))
            return NULL;
        store_le64(to, word);
    }
    if (size == 0)
        return to;
    word = swar_load_few(at, size, ' ');
    if (!is_plain(word))
        return NULL;
    store_le64(to, word);
    return to + size;
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

/* Appends a string with escapes. Returns true if it has bytes that are not UTF-8. Inlined, so that
   each style has a loop of its own. */
static inline __attribute__((always_inline)) bool text_escape(output *out, const uint8_t *at,
                                                              size_t size, text_style style)
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
            uint64_t word, marks = 0;
            size_t length, count;
            while (stop - at >= SWAR_SIZE) {
                word = load_le64(at);
                store_le64(to, word);
                marks = escape_marks(word, style);
                if (marks != 0)
                    break;
                at += SWAR_SIZE;
                to += SWAR_SIZE;
            }
            count = (size_t)(stop - at);
            if (marks == 0) {
                word = swar_load_few(at, count, ' ');
                store_le64(to, word);
                marks = escape_marks(word, style);
            }
            if (marks != 0)
                count = swar_before(marks);
            at += count;
            to += count;
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
