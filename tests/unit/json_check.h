/* SPDX-License-Identifier: Apache-2.0 */
/* A strict checker for JSON (RFC 8259), which only says whether a text is valid. */
#ifndef UNIT_JSON_CHECK_H
#define UNIT_JSON_CHECK_H

#include <stdbool.h>
#include <string.h>

#include "core/text.h"

typedef struct json_check {
    const char *at, *end;
    unsigned depth;
} json_check;

static inline bool json_value_ok(json_check *json);

static inline void json_space(json_check *json)
{
    while (json->at != json->end && memchr(" \t\r\n", *json->at, 4) != NULL)
        json->at++;
}

static inline bool json_take(json_check *json, char wanted)
{
    if (json->at == json->end || *json->at != wanted)
        return false;
    json->at++;
    return true;
}

static inline bool json_digits_ok(json_check *json)
{
    const char *const start = json->at;
    while (json->at != json->end && *json->at >= '0' && *json->at <= '9')
        json->at++;
    return json->at != start;
}

static inline bool json_number_ok(json_check *json)
{
    json_take(json, '-');
    if (!json_take(json, '0') && !json_digits_ok(json))
        return false;
    if (json_take(json, '.') && !json_digits_ok(json))
        return false;
    if (json_take(json, 'e') || json_take(json, 'E')) {
        if (!json_take(json, '+'))
            json_take(json, '-');
        return json_digits_ok(json);
    }
    return true;
}

/* Checks an escape after its backslash. Refuses surrogates, as no test needs them. */
static inline bool json_escape_ok(json_check *json)
{
    unsigned value = 0;
    if (json->at == json->end)
        return false;
    if (memchr("\"\\/bfnrt", *json->at, 8) != NULL) {
        json->at++;
        return true;
    }
    if (!json_take(json, 'u') || json->end - json->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = memchr(digits, *json->at++, 22);
        if (digit == NULL)
            return false;
        value = value * 16 + (unsigned)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    }
    return value < 0xd800 || value > 0xdfff;
}

static inline bool json_string_ok(json_check *json)
{
    if (!json_take(json, '"'))
        return false;
    while (json->at != json->end && *json->at != '"') {
        const size_t length =
            text_utf8_length((const uint8_t *)json->at, (size_t)(json->end - json->at));
        if (length == 0 || (unsigned char)*json->at < 0x20)
            return false;
        if (json_take(json, '\\')) {
            if (!json_escape_ok(json))
                return false;
        } else {
            json->at += length;
        }
    }
    return json_take(json, '"');
}

/* Checks the members of an object or array, after its opening bracket. */
static inline bool json_members_ok(json_check *json, char close)
{
    json_space(json);
    if (json_take(json, close))
        return true;
    do {
        json_space(json);
        if (close == '}') {
            if (!json_string_ok(json))
                return false;
            json_space(json);
            if (!json_take(json, ':'))
                return false;
        }
        if (!json_value_ok(json))
            return false;
        json_space(json);
    } while (json_take(json, ','));
    return json_take(json, close);
}

static inline bool json_word_ok(json_check *json, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(json->end - json->at) < size || memcmp(json->at, word, size) != 0)
        return false;
    json->at += size;
    return true;
}

static inline bool json_value_ok(json_check *json)
{
    bool is_ok;
    if (++json->depth > 200)
        return false;
    json_space(json);
    if (json->at == json->end)
        return false;
    switch (*json->at) {
    case '{':
        json->at++;
        is_ok = json_members_ok(json, '}');
        break;
    case '[':
        json->at++;
        is_ok = json_members_ok(json, ']');
        break;
    case '"': is_ok = json_string_ok(json); break;
    case 't': is_ok = json_word_ok(json, "true"); break;
    case 'f': is_ok = json_word_ok(json, "false"); break;
    case 'n': is_ok = json_word_ok(json, "null"); break;
    default: is_ok = json_number_ok(json); break;
    }
    json->depth--;
    return is_ok;
}

/* Returns whether a text is one value, with nothing but space around it. */
static inline bool json_is_valid(const char *text, size_t size)
{
    json_check json = {text, text + size, 0};
    if (!json_value_ok(&json))
        return false;
    json_space(&json);
    return json.at == json.end;
}

/* Checks that every line is a value. Returns the number of lines, or the negative number of the
   first line that is not valid. */
static inline long json_lines_count(const char *text)
{
    long count = 0;
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        if (end == NULL || !json_is_valid(text, (size_t)(end - text)))
            return -1 - count;
        count++;
        text = end + 1;
    }
    return count;
}

#endif
