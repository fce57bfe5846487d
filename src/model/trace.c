/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

void stele_trace_close(stele_trace *trace)
{
    source *from;
    trace_texts texts;
    if (trace == NULL)
        return;
    /* The format's own close frees the whole, and may still look at the source. */
    from = trace->source;
    texts = trace->texts;
    trace->ops->close(trace);
    source_close(from);
    trace_texts_free(&texts);
}

void trace_texts_free(trace_texts *texts)
{
    free(texts->properties);
    free(texts->slots);
    arena_free(&texts->bytes);
    *texts = (trace_texts){.slots = NULL};
}

const stele_trace_info *stele_trace_get_info(const stele_trace *trace)
{
    return &trace->info;
}

bool stele_trace_property(const stele_trace *trace, size_t index, const char **key,
                          const char **value)
{
    if (index >= trace->texts.count)
        return false;
    *key = trace->texts.properties[index].key;
    *value = trace->texts.properties[index].value;
    return true;
}

/* The slot of the key, or the free one for it. */
static uint32_t *property_slot(const trace_texts *texts, const char *key)
{
    uint32_t at = (uint32_t)hash_bytes(key, strlen(key)) & texts->slot_mask;
    while (texts->slots[at] != 0 && strcmp(texts->properties[texts->slots[at] - 1].key, key) != 0)
        at = (at + 1) & texts->slot_mask;
    return &texts->slots[at];
}

/* Twice the room for properties, with two slots for each. */
static bool properties_grow(trace_texts *texts)
{
    const uint32_t capacity = texts->capacity != 0 ? texts->capacity * 2 : 16;
    trace_property *grown = realloc(texts->properties, capacity * sizeof *grown);
    uint32_t *slots;
    if (grown == NULL)
        return false;
    texts->properties = grown;
    slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (slots == NULL)
        return false;
    free(texts->slots);
    texts->slots = slots;
    texts->slot_mask = capacity * 2 - 1;
    texts->capacity = capacity;
    for (uint32_t i = 0; i < texts->count; i++)
        *property_slot(texts, grown[i].key) = i + 1;
    return true;
}

bool trace_set_property(stele_trace *trace, const char *key, const char *value)
{
    trace_texts *texts = &trace->texts;
    trace_property *property;
    uint32_t *slot;
    if (texts->count == texts->capacity && !properties_grow(texts))
        return false;
    slot = property_slot(texts, key);
    if (*slot != 0 && strcmp(texts->properties[*slot - 1].value, value) == 0)
        return true;
    value = arena_copy(&texts->bytes, value, strlen(value));
    key =
        *slot == 0 ? arena_copy(&texts->bytes, key, strlen(key)) : texts->properties[*slot - 1].key;
    if (key == NULL || value == NULL)
        return false;
    if (*slot == 0)
        *slot = ++texts->count;
    property = &texts->properties[*slot - 1];
    *property = (trace_property){key, value};
    return true;
}

bool trace_set_version(stele_trace *trace, const char *version)
{
    const char *copy;
    if (trace->info.version != NULL && strcmp(trace->info.version, version) == 0)
        return true;
    copy = arena_copy(&trace->texts.bytes, version, strlen(version));
    if (copy == NULL)
        return false;
    trace->info.version = copy;
    return true;
}

stele_status trace_index(stele_trace *trace)
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

stele_status trace_find_ends(stele_trace *trace)
{
    find_ends_fn *const find_ends = trace->find_ends;
    trace->find_ends = NULL;
    return find_ends != NULL && trace->is_indexed ? find_ends(trace) : STELE_OK;
}

stele_status stele_trace_index(stele_trace *trace)
{
    const stele_status status = trace_index(trace);
    return status == STELE_OK ? trace_find_ends(trace) : status;
}

void stele_trace_set_resolver(stele_trace *trace, stele_resolve_fn *resolve, void *user)
{
    trace->resolve = resolve;
    trace->resolve_user = user;
}
