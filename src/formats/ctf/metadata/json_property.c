/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/json_property.h"

#include <stdio.h>

#include "formats/ctf/codes.h"

static void report_fault(void *user, json_fault fault, uint32_t place, const char *expected,
                         const char *found)
{
    const stele_code *code = fault == JSON_TOO_MUCH     ? &ctf_codes[CTF207]
                             : fault == JSON_NAME_TWICE ? &ctf_codes[CTF203]
                                                        : &ctf_codes[CTF200];
    metadata_report(user, code, (ctf_place){place}, expected, "%s", found);
}

/* JSON may nest deeper than classes: one level of field classes takes up to four levels of JSON. */
json_tree json_of_metadata(metadata *m)
{
    return (json_tree){.text = m->text,
                       .size = (uint32_t)m->size,
                       .depth_max = metadata_depth_max(m) * 4 + 16,
                       .on_fault = report_fault,
                       .user = m};
}

static const char *kinds_text(unsigned kinds)
{
    switch (kinds) {
    case JSON_INTEGER: return "an integer of 64 bits";
    case JSON_STRING: return "a string";
    case JSON_ARRAY: return "an array";
    case JSON_OBJECT: return "an object";
    case JSON_STRING | JSON_NULL: return "a string or null";
    case JSON_STRING | JSON_OBJECT: return "a string or an object";
    case JSON_STRING | JSON_INTEGER: return "a string or an integer of 64 bits";
    default: return "another kind of value";
    }
}

bool json_refuse(json_tree *tree, const stele_code *code, const json_value *value,
                 const char *expected, const char *found)
{
    char text[JSON_EXCERPT_SIZE];
    metadata_report(tree->user, code, (ctf_place){value->place}, expected, "%s",
                    found != NULL ? found : json_excerpt(tree, value, text));
    return false;
}

/* Returns the number of the property in `set` with this name, or -1. */
static int property_find(const json_property *properties, uint32_t set, ctf_text name)
{
    for (; set != 0; set &= set - 1) {
        const int i = __builtin_ctz(set);
        if (ctf_text_is(name, properties[i].name))
            return i;
    }
    return -1;
}

bool json_properties(json_tree *tree, const json_value *object, const json_property *properties,
                     uint32_t required, uint32_t optional, const json_value **found)
{
    char text[80];
    if (object->kind != JSON_OBJECT)
        return json_refuse(tree, &ctf_codes[CTF201], object, "an object", NULL);
    for (const json_value *value = json_first(tree, object); value != NULL;
         value = json_next(tree, value)) {
        const int i = property_find(properties, required | optional, json_key(value));
        if (i < 0)
            return json_refuse(tree, &ctf_codes[CTF201], value - 1,
                               "only properties that the specification gives to this object", NULL);
        if ((properties[i].kinds & value->kind) == 0)
            return json_refuse(tree, &ctf_codes[CTF201], value, kinds_text(properties[i].kinds),
                               NULL);
        found[i] = value;
        required &= ~(UINT32_C(1) << i);
    }
    if (required == 0)
        return true;
    snprintf(text, sizeof text, "the property \"%s\"", properties[__builtin_ctz(required)].name);
    return json_refuse(tree, &ctf_codes[CTF201], object, text, "an object without it");
}
