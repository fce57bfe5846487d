/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/write/open_spans.h"

#include <stdlib.h>

#include "core/array.h"

bool open_spans_push(open_spans *s, open_span span)
{
    if (s->count == s->capacity) {
        open_span *grown = array_grow(s->spans, sizeof *grown, &s->capacity, 8);
        if (grown == NULL)
            return false;
        s->spans = grown;
    }
    s->spans[s->count++] = span;
    return true;
}

open_span open_spans_pop(open_spans *s)
{
    const uint32_t index = --s->count;
    const open_span span = s->spans[index];
    if (index < s->indexed_count) {
        const uint32_t hash = hash_table_hash_u64(&s->names, span.name);
        s->indexed_count = index;
        if (span.outer != 0)
            hash_table_renumber(&s->names, hash, index, span.outer - 1);
        else
            hash_table_remove(&s->names, hash, index);
    }
    return span;
}

static uint32_t find_index(const open_spans *s, uint64_t name)
{
    const uint32_t hash = hash_table_hash_u64(&s->names, name);
    for (uint32_t at = hash, index; (index = hash_table_next(&s->names, hash, &at)) != HASH_NONE;)
        if (s->spans[index].name == name)
            return index;
    return HASH_NONE;
}

static bool index_next(open_spans *s)
{
    const uint32_t index = s->indexed_count;
    open_span *span = &s->spans[index];
    uint32_t outer, hash;
    if (!hash_table_reserve(&s->names))
        return false;
    outer = find_index(s, span->name);
    hash = hash_table_hash_u64(&s->names, span->name);
    span->outer = outer == HASH_NONE ? 0 : outer + 1;
    if (outer != HASH_NONE)
        hash_table_renumber(&s->names, hash, outer, index);
    else
        hash_table_put(&s->names, hash, index);
    s->indexed_count++;
    return true;
}

bool open_spans_find(open_spans *s, uint64_t name, uint32_t *number)
{
    uint32_t index;
    *number = s->count;
    if (s->count == 0 || name == 0 || s->spans[s->count - 1].name == name)
        return true;
    while (s->indexed_count != s->count) {
        if (!index_next(s))
            return false;
    }
    index = find_index(s, name);
    *number = index == HASH_NONE ? 0 : index + 1;
    return true;
}

void open_spans_free(open_spans *s)
{
    while (s->count != 0)
        free(s->spans[--s->count].packet);
    free(s->spans);
    hash_table_free(&s->names);
    *s = (open_spans){0};
}
