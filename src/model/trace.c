/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

void stele_trace_close(stele_trace *trace)
{
    source *from;
    trace_property *properties;
    arena texts;
    if (trace == NULL)
        return;
    /* The format's own close frees the whole, and may still look at the source. */
    from = trace->source;
    properties = trace->properties;
    texts = trace->texts;
    trace->ops->close(trace);
    source_close(from);
    free(properties);
    arena_free(&texts);
}

const stele_trace_info *stele_trace_get_info(const stele_trace *trace)
{
    return &trace->info;
}

bool stele_trace_property(const stele_trace *trace, size_t index, const char **key,
                          const char **value)
{
    if (index >= trace->property_count)
        return false;
    *key = trace->properties[index].key;
    *value = trace->properties[index].value;
    return true;
}

static trace_property *property_find(stele_trace *trace, const char *key)
{
    for (uint32_t i = 0; i < trace->property_count; i++) {
        if (strcmp(trace->properties[i].key, key) == 0)
            return &trace->properties[i];
    }
    return NULL;
}

static bool property_add(stele_trace *trace, const char *key, const char *value)
{
    const char *key_copy = arena_copy(&trace->texts, key, strlen(key));
    if (key_copy == NULL)
        return false;
    if (trace->property_count == trace->property_capacity) {
        const uint32_t capacity = trace->property_capacity * 2 + 8;
        trace_property *grown = realloc(trace->properties, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        trace->properties = grown;
        trace->property_capacity = capacity;
    }
    trace->properties[trace->property_count++] = (trace_property){key_copy, value};
    return true;
}

bool trace_set_property(stele_trace *trace, const char *key, const char *value)
{
    trace_property *known = property_find(trace, key);
    const char *copy;
    if (known != NULL && strcmp(known->value, value) == 0)
        return true;
    copy = arena_copy(&trace->texts, value, strlen(value));
    if (copy == NULL)
        return false;
    if (known == NULL)
        return property_add(trace, key, copy);
    known->value = copy;
    return true;
}

bool trace_set_version(stele_trace *trace, const char *version)
{
    const char *copy;
    if (trace->info.version != NULL && strcmp(trace->info.version, version) == 0)
        return true;
    copy = arena_copy(&trace->texts, version, strlen(version));
    if (copy == NULL)
        return false;
    trace->info.version = copy;
    return true;
}

stele_status stele_trace_index(stele_trace *trace)
{
    stele_status status;
    if (trace->is_indexed || trace->ops->index == NULL)
        return STELE_OK;
    if (!trace->info.is_seekable)
        return STELE_ERR_UNSUPPORTED;
    trace->stream_first = trace->context->stream_count;
    status = trace->ops->index(trace);
    trace->stream_count = trace->context->stream_count - trace->stream_first;
    trace->is_indexed = status == STELE_OK;
    return status;
}

void stele_trace_set_resolver(stele_trace *trace, stele_resolve_fn *resolve, void *user)
{
    trace->resolve = resolve;
    trace->resolve_user = user;
}
