/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON (RFC 8259) as CTF 2 metadata has it: one value, a fragment, is read at a time into a table
 * that the next one overwrites. Every value knows its place in the text. What is no JSON, or beyond
 * the limits, is reported.
 */
#ifndef CTF_JSON_VALUE_H
#define CTF_JSON_VALUE_H

#include "formats/ctf/metadata/front.h"
#include "formats/ctf/schema/names.h"

/* Kinds are bits, so that a property can say which it takes. */
typedef enum json_kind {
    JSON_NULL = 1,
    JSON_BOOL = 2,
    JSON_INTEGER = 4, /* within 64 bits */
    JSON_REAL = 8,    /* any other number: nothing in CTF 2 takes it */
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
        const char *text; /* without escapes, no zero after it; for this fragment only */
    };
} json_value;

typedef struct json_tree {
    metadata *m;
    uint32_t at;        /* the next byte of the text */
    json_value *values; /* the fragment, in the order of the text; keys stand before their values */
    uint32_t count, capacity;
    arena unescaped;
    name_set keys;
} json_tree;

/* Reads the value at tree->at, values[0]. False: reported, or memory (then error_count is 0). */
bool json_read(json_tree *tree);
void json_tree_free(json_tree *tree);

/* Elements of arrays and objects in their order: the first, then the next; NULL: no more. */
const json_value *json_first(const json_tree *tree, const json_value *value);
const json_value *json_next(const json_tree *tree, const json_value *value);

static inline ctf_text json_text(const json_value *string)
{
    return (ctf_text){string->text, string->size};
}

/* Of an element of an object. */
static inline ctf_text json_key(const json_value *value)
{
    return json_text(value - 1);
}

/* A property that an object may have. */
typedef struct json_property {
    const char *name;
    unsigned kinds; /* json_kind bits */
} json_property;

#define JSON_PROPERTIES_MAX 32

/*
 * Looks up the properties of an object, `found[i]` for properties[i]; NULL: not there. `required`
 * and `optional` are sets (bit i: properties[i]). Reports what is missing, unknown, or of a wrong
 * kind.
 */
bool json_properties(json_tree *tree, const json_value *object, const json_property *properties,
                     uint32_t required, uint32_t optional, const json_value **found);

/* Reports that what stands at tree->at is not what should; false. */
bool json_refuse_here(json_tree *tree, const char *expected);

/* Reports a value that cannot be; false. `found` NULL: shows its text. */
bool json_refuse(json_tree *tree, const stele_code *code, const json_value *value,
                 const char *expected, const char *found);

#endif
