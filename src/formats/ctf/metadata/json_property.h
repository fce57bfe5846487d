/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the objects of CTF 2 metadata: looks up their properties and reports wrong ones. */
#ifndef CTF_JSON_PROPERTY_H
#define CTF_JSON_PROPERTY_H

#include "core/json_read.h"
#include "formats/ctf/metadata/front.h"
#include "formats/ctf/schema/names.h"

/* Prepares for reading the fragments of this metadata, of less than 4 GiB. Text that is not valid
   JSON is reported as a finding of the metadata. */
json_tree json_of_metadata(metadata *m);

static inline ctf_text json_text(const json_value *string)
{
    return (ctf_text){string->text, string->size};
}

/* Returns the key of a value in an object. */
static inline ctf_text json_key(const json_value *value)
{
    return json_text(value - 1);
}

/* A property that an object may have. */
typedef struct json_property {
    const char *name;
    unsigned kinds; /* json_kind bits */
} json_property;

#define JSON_PROPERTIES_MAX 32 /* most properties in one table */

/*
 * Looks up the properties of an object: found[i] becomes the value of properties[i], or NULL if the
 * object lacks it. `required` and `optional` are sets of properties (bit i for properties[i]).
 * Reports properties that are missing, unknown or of a wrong kind, and returns false then.
 */
bool json_properties(json_tree *tree, const json_value *object, const json_property *properties,
                     uint32_t required, uint32_t optional, const json_value **found);

/* Reports a value that is not valid. With `found` NULL the finding shows the value's text. Returns
   false. */
bool json_refuse(json_tree *tree, const stele_code *code, const json_value *value,
                 const char *expected, const char *found);

#endif
