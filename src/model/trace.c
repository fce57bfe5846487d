/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace.h"

#include "core/sized.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/saved_index.h"
#include "model/seek.h"

void stele_trace_close(stele_trace *trace)
{
    if (trace == NULL)
        return;
    if (trace->ops->close != NULL)
        trace->ops->close(trace);
    seek_index_free(trace->seek);
    source_close(trace->source);
    trace_texts_free(&trace->texts);
    free(trace);
}

void trace_texts_free(trace_texts *texts)
{
    free(texts->properties);
    hash_table_free(&texts->numbers);
    arena_free(&texts->bytes);
    *texts = (trace_texts){.properties = NULL};
}

const stele_trace_info *stele_trace_get_info(const stele_trace *trace)
{
    return &trace->info;
}

stele_clock_domain stele_trace_time_unit(const stele_trace *trace)
{
    return trace->time_unit != STELE_CLOCK_NONE ? trace->time_unit : STELE_CLOCK_NS;
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

bool stele_trace_declared_event(const stele_trace *trace, size_t event, stele_declared_event *about)
{
    stele_declared_event own = {.struct_size = sizeof own};
    stele_text unused;
    if (trace->ops->declared == NULL ||
        !trace->ops->declared(trace, event, SIZE_MAX, &own, &unused))
        return false;
    sized_give(about, &own, sizeof own, SIZED_FIRST(stele_declared_event, field_count));
    return true;
}

bool stele_trace_declared_field(const stele_trace *trace, size_t event, size_t field,
                                stele_text *name)
{
    stele_declared_event own = {.struct_size = sizeof own};
    return trace->ops->declared != NULL && field != SIZE_MAX &&
           trace->ops->declared(trace, event, field, &own, name);
}

/* Returns the property with a key; NULL if there is none. */
static trace_property *property_find(const trace_texts *texts, const char *key, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&texts->numbers, hash, &at)) != HASH_NONE;) {
        if (strcmp(texts->properties[number].key, key) == 0)
            return &texts->properties[number];
    }
    return NULL;
}

bool trace_set_property(stele_trace *trace, const char *key, const char *value)
{
    trace_texts *texts = &trace->texts;
    trace_property *known;
    uint32_t hash;
    if (!hash_table_reserve(&texts->numbers))
        return false;
    hash = hash_table_hash_bytes(&texts->numbers, key, strlen(key));
    known = property_find(texts, key, hash);
    if (known != NULL && strcmp(known->value, value) == 0)
        return true;
    value = arena_copy(&texts->bytes, value, strlen(value));
    if (known != NULL && value != NULL)
        known->value = value;
    if (known != NULL || value == NULL)
        return value != NULL;
    key = arena_copy(&texts->bytes, key, strlen(key));
    if (key == NULL)
        return false;
    if (texts->count == texts->capacity) {
        trace_property *grown = array_grow(texts->properties, sizeof *grown, &texts->capacity, 16);
        if (grown == NULL)
            return false;
        texts->properties = grown;
    }
    texts->properties[texts->count] = (trace_property){key, value};
    hash_table_put(&texts->numbers, hash, texts->count++);
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
    status = trace_load_index(trace);
    if (status != STELE_OK || trace->is_indexed)
        return status;
    status = trace->ops->index(trace);
    trace->stream_count = trace->context->stream_count - trace->stream_first;
    trace->is_indexed = status == STELE_OK;
    return status;
}

stele_status trace_find_streams(stele_trace *trace)
{
    stele_status status = STELE_OK;
    if (trace->is_indexed || trace->has_streams || trace->ops->find_streams == NULL)
        return trace->has_streams ? STELE_OK : trace_index(trace);
    trace->stream_first = trace->context->stream_count;
    status = trace->ops->find_streams(trace);
    trace->stream_count = trace->context->stream_count - trace->stream_first;
    /* Streams that were found before, in the order of the file, got their numbers then. */
    trace->has_streams = status == STELE_OK && trace->stream_count != 0;
    return status != STELE_OK || trace->has_streams ? status : trace_index(trace);
}

bool trace_keep_streams(stele_trace *trace, uint32_t first, uint32_t count)
{
    if (count == 0 || first + count != trace->context->stream_count)
        return false;
    trace->stream_first = first;
    return true;
}

bool trace_content_size(const stele_trace *trace, uint64_t *size)
{
    if (trace->content_size == 0)
        return source_content_size(trace->source, size);
    *size = trace->content_size;
    return *size != UINT64_MAX;
}

stele_status trace_find_ends(stele_trace *trace)
{
    if (trace->ops->find_ends == NULL || !trace->is_indexed || trace->has_ends)
        return STELE_OK;
    trace->has_ends = true;
    return trace->ops->find_ends(trace);
}

stele_status stele_trace_index(stele_trace *trace)
{
    stele_status status = trace_index(trace);
    if (status == STELE_OK)
        status = trace_find_ends(trace);
    return status == STELE_ERR_MEMORY ? context_lacks_memory(trace->context, trace->info.path)
                                      : status;
}

void stele_trace_set_resolver(stele_trace *trace, stele_resolve_fn *resolve, void *user)
{
    trace->resolve = resolve;
    trace->resolve_user = user;
}
