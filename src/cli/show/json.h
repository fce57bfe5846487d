/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one JSON document, indented; commas and nesting are kept here. */
#ifndef CLI_SHOW_JSON_H
#define CLI_SHOW_JSON_H

#include <stele/event.h>
#include <stele/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nesting beyond the bits of `has_members` does not occur: documents are of a fixed shape. */
typedef struct json {
    stele_output *out;
    uint32_t has_members; /* bit by depth */
    unsigned depth;
} json;

/* `key` is NULL in arrays and for the whole. */
void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL writes null */
void json_bytes(json *j, const char *key, const char *bytes, size_t size);
void json_uint(json *j, const char *key, uint64_t value);
void json_int(json *j, const char *key, int64_t value);
void json_number(json *j, const char *key, double value); /* null where it is infinite or none */
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);

/* Members that say which track it is: its kind, number and name. */
void json_track(json *j, const stele_context *context, uint32_t number);

#endif
