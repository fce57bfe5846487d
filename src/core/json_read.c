/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"

#define VALUES_MAX ((uint32_t)8 << 20) /* about 256 MiB of values */

static bool refuse(json_tree *tree, json_fault fault, uint32_t place, const char *expected,
                   const char *found)
{
    if (tree->on_fault != NULL)
        tree->on_fault(tree->user, fault, place, expected, found);
    return false;
}

bool json_refuse_here(json_tree *tree, const char *expected)
{
    const unsigned char byte = (unsigned char)tree->text[tree->at];
    char found[32];
    if (tree->at >= tree->size || byte == JSON_SEPARATOR)
        return refuse(tree, JSON_NOT_VALID, tree->at, expected, "the end of the fragment");
    snprintf(found, sizeof found, byte >= 0x20 && byte < 0x7f ? "'%c'" : "byte 0x%02x", byte);
    return refuse(tree, JSON_NOT_VALID, tree->at, expected, found);
}

char *json_excerpt(const json_tree *tree, const json_value *value, char to[JSON_EXCERPT_SIZE])
{
    const char *text = tree->text + value->place;
    const size_t size = value->end - value->place, line = strcspn(text, "\r\n");
    const size_t shown = size < line ? size : line;
    snprintf(to, JSON_EXCERPT_SIZE, "%.*s%s", shown < 60 ? (int)shown : 60, text,
             shown < 60 && shown == size ? "" : "...");
    return to;
}

/* Adds a value that begins at `place`. Returns its index; UINT32_MAX if there are too many, which
   is reported, or if out of memory. */
static uint32_t value_add(json_tree *tree, json_kind kind, uint32_t place)
{
    if (tree->count == tree->capacity) {
        json_value *grown = NULL;
        if (tree->count >= VALUES_MAX) {
            refuse(tree, JSON_TOO_MUCH, place, "fragments of up to 8,388,608 JSON values", "more");
            return UINT32_MAX;
        }
        grown = array_grow(tree->values, sizeof *grown, &tree->capacity, 256);
        if (grown == NULL)
            return UINT32_MAX;
        tree->values = grown;
    }
    tree->values[tree->count] = (json_value){.kind = (uint8_t)kind, .place = place};
    return tree->count++;
}

static void skip_blanks(json_tree *tree)
{
    const char *text = tree->text;
    while (text[tree->at] == ' ' || text[tree->at] == '\n' || text[tree->at] == '\r' ||
           text[tree->at] == '\t')
        tree->at++;
}

/* ---- Strings ---- */

/* Returns the number of the four hexadecimal digits at `at`; UINT32_MAX if one is not a digit. */
static uint32_t hex4(const char *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            value = value << 4 | (uint32_t)((c & 7) + 9);
        else
            return UINT32_MAX;
    }
    return value;
}

/* Decodes the escape at `*from`, which begins with a backslash, and moves `*from` after it. Returns
   the position after the decoded bytes; NULL if the escape is not valid. */
static char *unescape(char *to, const char **from)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *at = *from + 1;
    const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;
    uint32_t c, low;
    if (letter != NULL) {
        *from = at + 1;
        *to = bytes[letter - letters];
        return to + 1;
    }
    if (*at != 'u' || (c = hex4(at + 1)) == UINT32_MAX)
        return NULL;
    at += 5;
    if (c >= 0xd800 && c < 0xe000) {
        if (c >= 0xdc00 || at[0] != '\\' || at[1] != 'u' || (low = hex4(at + 2)) < 0xdc00 ||
            low >= 0xe000)
            return NULL; /* one surrogate without the other */
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
    }
    *from = at;
    return text_put_utf8(to, c);
}

/* Decodes the escapes of a string that has some, into a copy that becomes its text. */
static bool string_unescape(json_tree *tree, json_value *value)
{
    const char *from = value->text, *end = from + value->size;
    char *copy = arena_take(&tree->unescaped, value->size), *to = copy;
    if (copy == NULL)
        return false;
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if ((to = unescape(to, &from)) == NULL) {
            return refuse(tree, JSON_NOT_VALID, (uint32_t)(from - tree->text),
                          "an escape of JSON, surrogates in pairs", "another escape");
        }
    }
    value->text = copy;
    value->size = (uint32_t)(to - copy);
    return true;
}

static bool read_string(json_tree *tree)
{
    const char *text = tree->text, *at = text + tree->at + 1;
    const uint32_t index = value_add(tree, JSON_STRING, tree->at);
    bool has_escapes = false;
    json_value *value;
    if (index == UINT32_MAX)
        return false;
    while (*at != '"') {
        const unsigned char byte = (unsigned char)*at;
        if (byte < 0x20) {
            tree->at = (uint32_t)(at - text);
            return json_refuse_here(tree, "the end of the string: \"");
        }
        if (byte == '\\') {
            has_escapes = true;
            at += at[1] != '\0' ? 2 : 1;
        } else if (byte < 0x80) {
            at++;
        } else {
            const size_t length =
                text_utf8_length((const uint8_t *)at, tree->size - (size_t)(at - text));
            tree->at = (uint32_t)(at - text);
            if (length == 0)
                return json_refuse_here(tree, "UTF-8");
            at += length;
        }
    }
    value = &tree->values[index];
    value->text = text + value->place + 1;
    value->size = (uint32_t)(at - value->text);
    tree->at = value->end = (uint32_t)(at + 1 - text);
    return !has_escapes || string_unescape(tree, value);
}

/* ---- Numbers and words ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Sets the integer from its digits; a number that needs more than 64 bits stays a JSON_REAL. */
static void integer_set(json_value *value, const char *at, const char *end)
{
    uint64_t integer = 0;
    for (; at < end; at++)
        if (__builtin_mul_overflow(integer, 10, &integer) ||
            __builtin_add_overflow(integer, (uint64_t)(*at - '0'), &integer))
            return;
    if (value->is_negative && integer > (uint64_t)INT64_MAX + 1)
        return;
    value->kind = JSON_INTEGER;
    value->integer = value->is_negative ? -integer : integer;
    value->is_negative = value->is_negative && integer != 0;
}

static bool read_number(json_tree *tree)
{
    const char *text = tree->text, *at = text + tree->at, *digits, *end;
    const uint32_t index = value_add(tree, JSON_REAL, tree->at);
    json_value *value;
    if (index == UINT32_MAX)
        return false;
    value = &tree->values[index];
    value->is_negative = *at == '-';
    digits = at += value->is_negative;
    while (is_digit(*at))
        at++;
    end = at;
    if (*at == '.')
        for (at++; is_digit(*at);)
            at++;
    if (is_digit(at[-1]) && (*at == 'e' || *at == 'E'))
        for (at += at[1] == '+' || at[1] == '-' ? 2 : 1; is_digit(*at);)
            at++;
    tree->at = value->end = (uint32_t)(at - text);
    if (digits == end || !is_digit(at[-1]))
        return json_refuse_here(tree, "a digit");
    if (*digits == '0' && end - digits > 1)
        return refuse(tree, JSON_NOT_VALID, value->place, "a number without leading zeros",
                      "one with them");
    if (at == end)
        integer_set(value, digits, end);
    return true;
}

static bool read_word(json_tree *tree)
{
    static const struct {
        const char *word;
        uint8_t size, kind, value;
    } words[] = {{"true", 4, JSON_BOOL, 1}, {"false", 5, JSON_BOOL, 0}, {"null", 4, JSON_NULL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(tree->text + tree->at, words[i].word, words[i].size) == 0) {
            const uint32_t index = value_add(tree, words[i].kind, tree->at);
            if (index == UINT32_MAX)
                return false;
            tree->values[index].integer = words[i].value;
            tree->at += words[i].size;
            tree->values[index].end = tree->at;
            return true;
        }
    }
    return json_refuse_here(tree, "a JSON value");
}

/* ---- Arrays and objects ---- */

static bool read_value(json_tree *tree, uint32_t depth);

static bool read_key(json_tree *tree)
{
    skip_blanks(tree);
    if (tree->text[tree->at] != '"')
        return json_refuse_here(tree, "a name in quotes");
    if (!read_string(tree))
        return false;
    skip_blanks(tree);
    if (tree->text[tree->at] != ':')
        return json_refuse_here(tree, "':'");
    tree->at++;
    return true;
}

static bool keys_check(json_tree *tree, const json_value *object)
{
    char found[JSON_EXCERPT_SIZE];
    if (object->size < 2)
        return true;
    if (!text_set_start(&tree->keys, object->size))
        return false;
    for (const json_value *value = json_first(tree, object); value != NULL;
         value = json_next(tree, value))
        if (!text_set_add(&tree->keys, (value - 1)->text, (value - 1)->size))
            return refuse(tree, JSON_NAME_TWICE, (value - 1)->place, "every name once in an object",
                          json_excerpt(tree, value - 1, found));
    return true;
}

static bool read_group(json_tree *tree, uint32_t depth, bool is_object)
{
    const char closer = is_object ? '}' : ']';
    const uint32_t index = value_add(tree, is_object ? JSON_OBJECT : JSON_ARRAY, tree->at);
    uint32_t size = 0, last = 0;
    if (index == UINT32_MAX)
        return false;
    if (depth == 0)
        return refuse(tree, JSON_TOO_MUCH, tree->at, "JSON values nested less deep",
                      "deeper nesting than the limit");
    tree->at++;
    skip_blanks(tree);
    while (size != 0 || tree->text[tree->at] != closer) {
        uint32_t element;
        if (is_object && !read_key(tree))
            return false;
        element = tree->count;
        if (!read_value(tree, depth - 1))
            return false;
        if (last != 0)
            tree->values[last].next = element;
        last = element;
        size++;
        skip_blanks(tree);
        if (tree->text[tree->at] == closer)
            break;
        if (tree->text[tree->at] != ',')
            return json_refuse_here(tree, is_object ? "',' or '}'" : "',' or ']'");
        tree->at++;
    }
    tree->values[index].size = size;
    tree->values[index].end = ++tree->at;
    return !is_object || keys_check(tree, &tree->values[index]);
}

static bool read_value(json_tree *tree, uint32_t depth)
{
    skip_blanks(tree);
    switch (tree->text[tree->at]) {
    case '{': return read_group(tree, depth, true);
    case '[': return read_group(tree, depth, false);
    case '"': return read_string(tree);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return read_number(tree);
    default: return read_word(tree);
    }
}

bool json_read(json_tree *tree)
{
    tree->count = 0;
    if (tree->unescaped.size != 0)
        arena_free(&tree->unescaped);
    return read_value(tree, tree->depth_max);
}

void json_tree_free(json_tree *tree)
{
    free(tree->values);
    arena_free(&tree->unescaped);
    text_set_free(&tree->keys);
    *tree = (json_tree){.at = 0};
}

const json_value *json_first(const json_tree *tree, const json_value *value)
{
    (void)tree;
    return value->size != 0 ? value + (value->kind == JSON_OBJECT ? 2 : 1) : NULL;
}

const json_value *json_next(const json_tree *tree, const json_value *value)
{
    return value->next != 0 ? &tree->values[value->next] : NULL;
}
