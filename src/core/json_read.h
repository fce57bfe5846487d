/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON (RFC 8259): one value is read at a time, with all that it holds, into a table that the
 * next one overwrites. Every value knows its place in the text. What is not valid JSON, or beyond
 * the limits, is reported to the caller's callback.
 *
 *     json_tree tree = {.text = text, .size = size, .depth_max = 64, .on_fault = report};
 *     if (json_read(&tree))
 *         for (const json_value *v = json_first(&tree, tree.values); v != NULL; v =
 * json_next(&tree, v))
 *             ...
 *     json_tree_free(&tree);
 */
#ifndef CORE_JSON_READ_H
#define CORE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/text_set.h"

/* What parts the values of a text of several (RFC 7464). */
#define JSON_SEPARATOR 0x1e

/* Kinds are bits, so that a property can say which it takes. */
typedef enum json_kind {
    JSON_NULL = 1,
    JSON_BOOL = 2,
    JSON_INTEGER = 4, /* within 64 bits */
    JSON_REAL = 8,    /* any other number; its text is from `place` to `end` */
    JSON_STRING = 16,
    JSON_ARRAY = 32,
    JSON_OBJECT = 64
} json_kind;

typedef struct json_value {
    uint8_t kind;
    bool is_negative;    /* of integers: `integer` is two's complement */
    uint32_t place, end; /* first byte and byte after the last one, in the text */
    uint32_t size;       /* of strings: bytes; of arrays and objects: elements */
    uint32_t next;       /* where the next element of the same array or object is; 0: none */
    union {
        uint64_t integer;
        const char *text; /* without escapes, no zero after it; until the next value is read */
    };
} json_value;

typedef enum json_fault {
    JSON_NOT_VALID,
    JSON_NAME_TWICE, /* in one object */
    JSON_TOO_MUCH    /* values, or nesting, beyond the limits */
} json_fault;

/* Is called once for a value that cannot be read, with the offset of the fault in the text. */
typedef void json_fault_fn(void *user, json_fault fault, uint32_t place, const char *expected,
                           const char *found);

typedef struct json_tree {
    const char *text; /* with a zero after it */
    uint32_t size;
    uint32_t depth_max;      /* reading is recursive: so deep values may nest */
    json_fault_fn *on_fault; /* NULL: faults are not reported */
    void *user;
    uint32_t at;        /* the next byte of the text */
    json_value *values; /* in the order of the text; keys stand before their values */
    uint32_t count, capacity;
    arena unescaped;
    text_set keys;
} json_tree;

/* Reads the value at tree->at, values[0]. False: reported, or out of memory (then not reported). */
bool json_read(json_tree *tree);
void json_tree_free(json_tree *tree);

/* Elements of arrays and objects in their order: the first, then the next; NULL: no more. Before an
   element of an object stands its key, a string. */
const json_value *json_first(const json_tree *tree, const json_value *value);
const json_value *json_next(const json_tree *tree, const json_value *value);

/* Reports that what stands at tree->at is not what should; false. */
bool json_refuse_here(json_tree *tree, const char *expected);

#define JSON_EXCERPT_SIZE 72

/* The text of a value, shortened, of one line. */
char *json_excerpt(const json_tree *tree, const json_value *value, char to[JSON_EXCERPT_SIZE]);

#endif
