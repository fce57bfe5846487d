/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/json_front.h"

bool json_copy_text(json_front *front, const json_value *string, ctf_text *text)
{
    if (string == NULL)
        return true;
    *text = schema_text(front->schema, string->text, string->size);
    return text->bytes != NULL;
}

bool json_copy_object(json_front *front, const json_value *object, ctf_text *text)
{
    if (object == NULL)
        return true;
    *text = schema_text(front->schema, front->m->text + object->place, object->end - object->place);
    return text->bytes != NULL;
}

bool json_extensions(json_front *front, const json_value *extensions, ctf_text *text)
{
    if (extensions != NULL && extensions->size != 0)
        return json_refuse(&front->tree, &ctf_codes[CTF205],
                           json_first(&front->tree, extensions) - 1, "no extensions", NULL);
    return json_copy_object(front, extensions, text);
}

const void *json_find_type(json_front *front, const json_value *object, const void *table,
                           size_t count, size_t size, const char *expected)
{
    for (const json_value *value = json_first(&front->tree, object); value != NULL;
         value = json_next(&front->tree, value)) {
        if (!ctf_text_is(json_key(value), "type"))
            continue;
        for (size_t i = 0; i < count && value->kind == JSON_STRING; i++) {
            const void *entry = (const uint8_t *)table + i * size;
            const char *name;
            memcpy(&name, entry, sizeof name);
            if (ctf_text_is(json_text(value), name))
                return entry;
        }
        json_refuse_value(front, value, expected);
        return NULL;
    }
    json_refuse(&front->tree, &ctf_codes[CTF201], object, "the property \"type\"",
                "an object without it");
    return NULL;
}
