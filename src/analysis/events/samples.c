/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/samples.h"

#include <string.h>

static bool is_path(const stele_context *context, const stele_field *field)
{
    const stele_text name = stele_name_text(context, NULL, field->name);
    return field->type == STELE_TYPE_ARRAY && name.size == 4 && memcmp(name.bytes, "path", 4) == 0;
}

static stele_name known(stele_name name)
{
    return (name & STELE_NAME_LOCAL) != 0 ? 0 : name;
}

/* The name that is the first label of an array element. Returns 0 if it has none. */
static stele_name element_name(const stele_field *element)
{
    return element->label_count != 0 && element[1].type == STELE_TYPE_NAME
               ? known((stele_name)element[1].u.u)
               : 0;
}

size_t sample_path(const stele_context *context, const stele_batch *batch, const stele_event *event,
                   stele_name names[SAMPLE_PATH_MAX])
{
    uint32_t first = 0, count = 0, at;
    size_t depth = 0;
    if ((batch->columns & STELE_COLUMN_FIELDS) != 0)
        count = stele_event_fields(batch, event, &first);
    for (at = first; at < first + count; at += stele_field_length(&batch->fields[at])) {
        const stele_field *path = &batch->fields[at], *element = path + 1 + path->label_count;
        const stele_field *const end = path + stele_field_length(path);
        if (!is_path(context, path))
            continue;
        for (; element < end && depth < SAMPLE_PATH_MAX; element += stele_field_length(element))
            names[depth++] = element_name(element);
        return depth;
    }
    names[0] = known(event->name);
    return 1;
}
