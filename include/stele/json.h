/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one JSON document (RFC 8259) to an output. The functions write commas, line feeds and
 * indentation, so that the document is well-formed as long as every bracket that is opened is
 * closed.
 *
 *     stele_json j = {.out = out};
 *     stele_json_open(&j, NULL, '{');
 *     stele_json_uint(&j, "version", 1);
 *     stele_json_open(&j, "names", '[');
 *     stele_json_text(&j, NULL, "main");
 *     stele_json_close(&j, ']');
 *     stele_json_close(&j, '}');
 *
 * Nothing is allocated and no call can fail: errors are those of the output. One thread at a time
 * uses a document and its output.
 */
#ifndef STELE_JSON_H
#define STELE_JSON_H

#include <stele/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a document. To begin one, set `out` and zeros. */
typedef struct stele_json {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_output *out;
    uint32_t depth;   /* brackets that are open */
    bool has_members; /* something was written since the last bracket was opened */
    bool is_line;     /* the document is one line without spaces, as in JSON lines */
    bool breaks;      /* see stele_json_break() */
    /* What keys end with instead of "_ns", such as "_insns" if times of the document count
       instructions. NULL: keys are written as they are given. The text is not copied. */
    const char *time_suffix;
} stele_json;

/* Opens an object, '{', or an array, '['. In this and the functions below, `key` is the member's
   key inside of an object, and NULL inside of an array and for the outermost value. */
STELE_API void stele_json_open(stele_json *j, const char *key, char bracket);

/* Closes the bracket that was opened last, by '}' or ']'. After the outermost one a line feed is
   written. */
STELE_API void stele_json_close(stele_json *j, char bracket);

/* In a document of one line (is_line): writes a line feed before the next value or closing bracket,
   so that a long list can have a line for each element. */
STELE_API void stele_json_break(stele_json *j);

/* A string of `size` bytes; those that are not UTF-8 become U+FFFD. */
STELE_API void stele_json_bytes(stele_json *j, const char *key, const char *bytes, size_t size);

/* A string that ends with a zero byte; NULL writes null. */
STELE_API void stele_json_text(stele_json *j, const char *key, const char *text);

/* A string to be shown on a screen: bytes that are not UTF-8, and characters that can control a
   terminal, become text like "\x1B". Of a string of more than `size_max` bytes only the characters
   that begin before that are written, followed by how many of how many bytes they are. */
STELE_API void stele_json_shown(stele_json *j, const char *key, const char *bytes, size_t size,
                                size_t size_max);

/* Integers. Programs that read numbers as doubles lose digits beyond 2^53. */
STELE_API void stele_json_uint(stele_json *j, const char *key, uint64_t value);
STELE_API void stele_json_int(stele_json *j, const char *key, int64_t value);

/* Adds `count` integers to the array that is open, as that many calls of stele_json_int() do. */
STELE_API void stele_json_int_elements(stele_json *j, const int64_t *values, size_t count);

/* Integers as strings of decimal digits, for programs that read numbers as doubles. */
STELE_API void stele_json_uint_text(stele_json *j, const char *key, uint64_t value);
STELE_API void stele_json_int_text(stele_json *j, const char *key, int64_t value);

/* A string of lower-case hexadecimal digits, with zeros before the number where it has fewer than
   `digits`, of which there are at most 16. */
STELE_API void stele_json_hex(stele_json *j, const char *key, uint64_t value, unsigned digits);

/* A number with up to nine significant digits; null if it is infinite or not a number. */
STELE_API void stele_json_number(stele_json *j, const char *key, double value);

/* A number with the fewest digits that read back as the same double; null if it is infinite or not
   a number. */
STELE_API void stele_json_double(stele_json *j, const char *key, double value);

STELE_API void stele_json_bool(stele_json *j, const char *key, bool value);
STELE_API void stele_json_null(stele_json *j, const char *key);

/* A value that is JSON already; it is not checked. */
STELE_API void stele_json_raw(stele_json *j, const char *key, const char *json, size_t size);

/* Writes what comes before a value (comma, line feed, key); the caller then appends the value to
   the output. */
STELE_API void stele_json_value(stele_json *j, const char *key);

/* Does the same as stele_json_value() with a key of `key_size` bytes, which need not end with a
   zero byte; NULL: the value has no key. */
STELE_API void stele_json_value_of(stele_json *j, const char *key, size_t key_size);

#ifdef __cplusplus
}
#endif
#endif
