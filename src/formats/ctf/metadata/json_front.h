/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the CTF 2 front end share: fragments (json_parse.c) and classes (json_class.c).
 */
#ifndef CTF_JSON_FRONT_H
#define CTF_JSON_FRONT_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/json_property.h"
#include "formats/ctf/schema/class_pool.h"

/* A field class alias, with what follows for those who use it. */
typedef struct json_alias {
    const ctf_class *type;
    uint32_t height; /* levels of classes */
    uint16_t roles;  /* of all classes in it */
} json_alias;

typedef struct json_front {
    metadata *m;
    ctf_schema *schema;
    json_tree tree;
    text_set names; /* of members, options */
    class_pool classes;
    name_register aliases, clocks, streams;
    uint32_t level, level_max; /* of the class being read, and the deepest one reached */
    uint16_t roles;            /* of the classes of the fragment so far */
    uint16_t roles_here;       /* that classes may have in the scope being read */
    bool has_trace;            /* a trace class was there */
} json_front;

/* What a property that holds a field class may be: an alias' name, or an object. */
#define JSON_CLASS_KINDS (JSON_STRING | JSON_OBJECT)

/* Sets of properties, and those of an object: see json_properties(). */
#define JSON_BIT(property) (UINT32_C(1) << (property))

typedef const json_value *const *found_values;

/* Reports a value that the property cannot have; false. */
static inline bool json_refuse_value(json_front *front, const json_value *value,
                                     const char *expected)
{
    return json_refuse(&front->tree, &ctf_codes[CTF202], value, expected, NULL);
}

/*
 * The entry of a table that the property "type" of an object names; NULL: reported. `table` has
 * `count` entries of `size` bytes, each beginning with its name (const char *).
 */
const void *json_find_type(json_front *front, const json_value *object, const void *table,
                           size_t count, size_t size, const char *expected);

/* Builds a class of a field class object or an alias' name. Returns false after reporting, or if
 * out of memory. */
bool json_class(json_front *front, const json_value *value, const ctf_class **type);

/* Copies of the fragment's text in the schema. A missing value (NULL) is no text. */
bool json_copy_text(json_front *front, const json_value *string, ctf_text *text);
bool json_copy_object(json_front *front, const json_value *object, ctf_text *text);

/* Extensions change what the metadata means, and none is known here: reports any. */
bool json_extensions(json_front *front, const json_value *extensions, ctf_text *text);

#endif
