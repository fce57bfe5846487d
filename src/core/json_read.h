/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON (RFC 8259): one value at a time, with all that it contains, into a table that the next
 * value overwrites. Every value knows its position in the text. Text that is not valid JSON, or
 * exceeds a limit, is reported to the caller's callback.
 *
 *     json_tree tree = {.text = text, .size = size, .depth_max = 64, .on_fault = report};
 *     if (json_read(&tree))
 *         for (const json_value *v = json_first(&tree, tree.values); v != NULL;
 *              v = json_next(&tree, v))
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

/* Separates the values of a JSON text sequence (RFC 7464). */
#define JSON_SEPARATOR 0x1e

/* Kinds are bits, so that a set of kinds can say which ones a property takes. */
typedef enum json_kind {
    JSON_NULL = 1,
    JSON_BOOL = 2,
    JSON_INTEGER = 4, /* a number without fraction or exponent that fits in 64 bits */
    JSON_REAL = 8,    /* any other number; its digits are the text from `place` to `end` */
    JSON_STRING = 16,
    JSON_ARRAY = 32,
    JSON_OBJECT = 64
} json_kind;

typedef struct json_value {
    uint8_t kind;
    bool is_negative;    /* JSON_INTEGER: `integer` is a negative number in two's complement */
    uint32_t place, end; /* offsets in the text of the first byte and of the one after the last */
    uint32_t size;       /* JSON_STRING: bytes; JSON_ARRAY, JSON_OBJECT: number of elements */
    uint32_t next;       /* index of the next element of the same array or object; 0: none */
    union {
        uint64_t integer;
        /* Not escaped, without a final zero; holds until the next value is read. */
        const char *text;
    };
} json_value;

typedef enum json_fault {
    JSON_NOT_VALID,
    JSON_NAME_TWICE, /* an object has two members of one name */
    JSON_TOO_MUCH    /* more values, or deeper nesting, than the limits allow */
} json_fault;

/* Called once for a value that cannot be read; `place` is the offset of the fault in the text. */
typedef void json_fault_fn(void *user, json_fault fault, uint32_t place, const char *expected,
                           const char *found);

typedef struct json_tree {
    const char *text; /* must have a final zero */
    uint32_t size;
    uint32_t depth_max;      /* how deep values may nest; reading is recursive */
    json_fault_fn *on_fault; /* NULL: faults are not reported */
    void *user;
    uint32_t at;        /* offset of the next byte of the text */
    json_value *values; /* in the order of the text; a key comes before its value */
    uint32_t count, capacity;
    /* Texts of strings that have escapes. */
    arena unescaped;
    /* Keys of the object that is being read, to find duplicates. */
    text_set keys;
} json_tree;

/* Reads the value at tree->at into tree->values, as values[0]. Returns false after a fault, which
   is reported, or if out of memory, which is not. */
bool json_read(json_tree *tree);
void json_tree_free(json_tree *tree);

/* Give the elements of an array or an object in their order: the first, then the next. Return NULL
   after the last. In an object each element is preceded by its key, a string. */
const json_value *json_first(const json_tree *tree, const json_value *value);
const json_value *json_next(const json_tree *tree, const json_value *value);

/* Reports that the text at tree->at is not what is expected. Returns false. */
bool json_refuse_here(json_tree *tree, const char *expected);

#define JSON_EXCERPT_SIZE 72

/* Writes the text of a value, shortened and on one line, with a final zero. Returns `to`. */
char *json_excerpt(const json_tree *tree, const json_value *value, char to[JSON_EXCERPT_SIZE]);

#endif
