/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the CTF 2 front end share: fragments (json_parse.c) and classes
   (json_class.c). */
#ifndef CTF_JSON_FRONT_H
#define CTF_JSON_FRONT_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/json_property.h"
#include "formats/ctf/schema/class_pool.h"

/* A field class alias, with what it means for its users. */
typedef struct json_alias {
    const ctf_class *type;
    uint32_t height; /* levels of nested classes */
    uint16_t roles;  /* roles of all classes inside */
} json_alias;

typedef struct json_front {
    metadata *m;
    ctf_schema *schema;
    json_tree tree;
    text_set names; /* names of members or options, to find equal ones */
    class_pool classes;
    name_register aliases, clocks, streams;
    /* Nesting level of the class that is read, and the deepest level reached in it. */
    uint32_t level, level_max;
    uint16_t roles;      /* roles of the classes of the fragment so far */
    uint16_t roles_here; /* roles that classes may have in the scope that is read */
    bool has_trace;      /* a trace class was read */
} json_front;

/* The JSON kinds of a property that holds a field class: an alias' name, or an object. */
#define JSON_CLASS_KINDS (JSON_STRING | JSON_OBJECT)

/* The bit of a property in a set of properties: see json_properties(). */
#define JSON_BIT(property) (UINT32_C(1) << (property))

/* Values of an object's properties, by the property's number; NULL for those that it lacks. */
typedef const json_value *const *found_values;

/* Reports a value that the property cannot have. Returns false. */
static inline bool json_refuse_value(json_front *front, const json_value *value,
                                     const char *expected)
{
    return json_refuse(&front->tree, &ctf_codes[CTF202], value, expected, NULL);
}

/*
 * Returns the entry of a table that the property "type" of an object names, or NULL after
 * reporting. `table` has `count` entries of `size` bytes, each of which begins with its name (const
 * char *).
 */
const void *json_find_type(json_front *front, const json_value *object, const void *table,
                           size_t count, size_t size, const char *expected);

/* Makes the class of a field class object or of an alias' name. Returns false after reporting, or
   if out of memory. */
bool json_class(json_front *front, const json_value *value, const ctf_class **type);

/* These copy texts of the fragment to the schema. A missing value (NULL) becomes a missing text. */
bool json_copy_text(json_front *front, const json_value *string, ctf_text *text);
bool json_copy_object(json_front *front, const json_value *object, ctf_text *text);

/* Keeps the extensions and reports any: they change what the metadata mean, and none is known
   here. */
bool json_extensions(json_front *front, const json_value *extensions, ctf_text *text);

#endif
