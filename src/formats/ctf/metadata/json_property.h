/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of CTF 2 metadata: which properties they have, and what is wrong with them. */
#ifndef CTF_JSON_PROPERTY_H
#define CTF_JSON_PROPERTY_H

#include "core/json_read.h"
#include "formats/ctf/metadata/front.h"
#include "formats/ctf/schema/names.h"

/* Begins to read the fragments of this metadata, of less than 4 GiB. What is not valid JSON is
   reported as a finding of the metadata. */
json_tree json_of_metadata(metadata *m);

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

/* Reports a value that cannot be; false. `found` NULL: shows its text. */
bool json_refuse(json_tree *tree, const stele_code *code, const json_value *value,
                 const char *expected, const char *found);

#endif
