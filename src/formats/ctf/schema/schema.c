/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/schema.h"

#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/schema/targets.h"

void *schema_take(ctf_schema *schema, size_t count, size_t size)
{
    size_t total;
    void *taken = NULL;
    if (!__builtin_mul_overflow(count, size, &total))
        taken = arena_take(&schema->arena, total != 0 ? total : 1);
    return taken != NULL ? memset(taken, 0, total) : NULL;
}

ctf_text schema_text(ctf_schema *schema, const char *bytes, size_t size)
{
    ctf_text text = {arena_copy(&schema->arena, bytes, size), (uint32_t)size};
    if (text.bytes == NULL)
        text.size = 0;
    return text;
}

ctf_class *schema_make_class(ctf_schema *schema, ctf_kind kind, uint32_t alignment, uint32_t size)
{
    ctf_class *type = schema_take(schema, 1, sizeof *type);
    if (type != NULL)
        *type = (ctf_class){.kind = (uint8_t)kind,
                            .base = CTF_DECIMAL,
                            .alignment = alignment,
                            .alignment_minimum = 1,
                            .size = size,
                            .place = {UINT32_MAX}};
    return type;
}

/* First capacity of tables of event classes, small because there may be many tables with few
   entries. */
#define FIRST_SIZE 64u

/* Makes room for one more zeroed element of a growing table. Returns NULL if out of memory. */
static void *table_add(void **table, uint32_t *count, uint32_t *capacity, size_t size)
{
    uint8_t *added;
    if (*count == *capacity) {
        void *grown = array_grow(*table, size, capacity, FIRST_SIZE / (uint32_t)size + 1);
        if (grown == NULL)
            return NULL;
        *table = grown;
    }
    added = (uint8_t *)*table + *count * size;
    (*count)++;
    return memset(added, 0, size);
}

#define TABLE_ADD(table, count, capacity) \
    table_add((void **)&(table), &(count), &(capacity), sizeof *(table))

ctf_clock *schema_add_clock(ctf_schema *schema)
{
    ctf_clock *clock = schema_take(schema, 1, sizeof *clock);
    ctf_clock **slot = clock != NULL
                           ? TABLE_ADD(schema->clocks, schema->clock_count, schema->clock_capacity)
                           : NULL;
    if (slot == NULL)
        return NULL;
    clock->number = schema->clock_count - 1;
    clock->frequency_hz = 1000000000;
    return *slot = clock;
}

ctf_env *schema_add_env(ctf_schema *schema)
{
    return TABLE_ADD(schema->env, schema->env_count, schema->env_capacity);
}

ctf_stream_class *schema_add_stream(ctf_schema *schema)
{
    ctf_stream_class *stream = schema_take(schema, 1, sizeof *stream);
    ctf_stream_class **slot =
        stream != NULL ? TABLE_ADD(schema->streams, schema->stream_count, schema->stream_capacity)
                       : NULL;
    if (slot == NULL)
        return NULL;
    stream->number = schema->stream_count - 1;
    return *slot = stream;
}

ctf_event_class *schema_add_event(ctf_stream_class *stream)
{
    ctf_event_class *event = TABLE_ADD(stream->events, stream->event_count, stream->event_capacity);
    if (event != NULL)
        event->extra = &schema_no_extra;
    return event;
}

const ctf_event_extra schema_no_extra = {.uid = {NULL, 0}};

const ctf_event_extra *schema_event_extra(ctf_schema *schema, const ctf_event_extra *extra)
{
    ctf_event_extra *made;
    if (memcmp(extra, &schema_no_extra, sizeof *extra) == 0)
        return &schema_no_extra;
    made = schema_take(schema, 1, sizeof *made);
    if (made != NULL)
        *made = *extra;
    return made;
}

ctf_callsite *schema_add_callsite(ctf_schema *schema)
{
    return TABLE_ADD(schema->callsites, schema->callsite_count, schema->callsite_capacity);
}

/* ---- Search of classes by id ---- */

#define NOTHING UINT32_MAX

/* Returns the index of a stream class in the table, or NOTHING. */
static uint32_t stream_placed_find(const ctf_schema *schema, uint64_t id)
{
    const uint32_t hash = hash_table_hash_u64(&schema->stream_numbers, id);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&schema->stream_numbers, hash, &at)) != HASH_NONE;) {
        if (schema->streams[number]->id == id)
            return number;
    }
    return NOTHING;
}

bool schema_place_streams(ctf_schema *schema)
{
    for (; schema->stream_placed < schema->stream_count; schema->stream_placed++) {
        const uint64_t id = schema->streams[schema->stream_placed]->id;
        if (!hash_table_reserve(&schema->stream_numbers))
            return false;
        if (stream_placed_find(schema, id) == NOTHING)
            hash_table_put(&schema->stream_numbers,
                           hash_table_hash_u64(&schema->stream_numbers, id), schema->stream_placed);
    }
    return true;
}

const ctf_stream_class *schema_find_stream(const ctf_schema *schema, uint64_t id)
{
    uint32_t placed;
    if (schema->stream_count != 0 && schema->streams[0]->id == id)
        return schema->streams[0]; /* usually the only class */
    placed = stream_placed_find(schema, id);
    if (placed != NOTHING)
        return schema->streams[placed];
    for (uint32_t i = schema->stream_placed; i < schema->stream_count; i++)
        if (schema->streams[i]->id == id)
            return schema->streams[i];
    return NULL;
}

#define EVENTS_FEW 4u /* event classes that are searched without a table */

static bool stream_finish(ctf_stream_class *stream)
{
    const uint32_t count = stream->event_count;
    free(stream->event_indexes);
    stream->event_indexes = NULL;
    hash_table_clear(&stream->event_numbers);
    if (count <= EVENTS_FEW)
        return true;
    stream->event_id_max = 0;
    for (uint32_t i = 0; i < count; i++)
        if (stream->events[i].id > stream->event_id_max)
            stream->event_id_max = stream->events[i].id;
    if (stream->event_id_max / 4 > count) {
        if (!hash_table_make_room(&stream->event_numbers, count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            hash_table_put(&stream->event_numbers,
                           hash_table_hash_u64(&stream->event_numbers, stream->events[i].id), i);
        return true;
    }
    stream->event_indexes = array_fit(NULL, sizeof(uint32_t), (size_t)stream->event_id_max + 1);
    if (stream->event_indexes == NULL)
        return false;
    memset(stream->event_indexes, 0xff, ((size_t)stream->event_id_max + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++)
        stream->event_indexes[stream->events[i].id] = i;
    return true;
}

bool schema_finish(ctf_schema *schema)
{
    for (uint32_t i = 0; i < schema->stream_count; i++)
        if (!stream_finish(schema->streams[i]))
            return false;
    return schema_place_streams(schema);
}

const ctf_event_class *schema_find_event(const ctf_stream_class *stream, uint64_t id)
{
    uint32_t hash;
    if (stream->event_indexes != NULL) {
        const uint32_t index = id <= stream->event_id_max ? stream->event_indexes[id] : NOTHING;
        return index != NOTHING ? &stream->events[index] : NULL;
    }
    if (stream->event_numbers.count != 0) {
        hash = hash_table_hash_u64(&stream->event_numbers, id);
        for (uint32_t at = hash, number;
             (number = hash_table_next(&stream->event_numbers, hash, &at)) != HASH_NONE;) {
            if (stream->events[number].id == id)
                return &stream->events[number];
        }
        return NULL;
    }
    for (uint32_t i = stream->event_count; i > 0; i--) {
        if (stream->events[i - 1].id == id)
            return &stream->events[i - 1];
    }
    return NULL;
}

const ctf_env *schema_find_env(const ctf_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->env_count; i++)
        if (ctf_text_is(schema->env[i].name, name))
            return &schema->env[i];
    return NULL;
}

static const char *const log_levels[] = {
    "emergency",    "alert",      "critical",       "error",         "warning",
    "notice",       "info",       "debug:system",   "debug:program", "debug:process",
    "debug:module", "debug:unit", "debug:function", "debug:line",    "debug"};

#define LOG_LEVEL_COUNT (sizeof log_levels / sizeof *log_levels)

const char *log_level_name(int64_t level)
{
    return level >= 0 && level < (int64_t)LOG_LEVEL_COUNT ? log_levels[level] : NULL;
}

bool log_level_number(ctf_text name, int64_t *level)
{
    for (size_t i = 0; i < LOG_LEVEL_COUNT; i++) {
        if (ctf_text_is(name, log_levels[i])) {
            *level = (int64_t)i;
            return true;
        }
    }
    return false;
}

void schema_free(ctf_schema *schema)
{
    for (uint32_t i = 0; i < schema->stream_count; i++) {
        free(schema->streams[i]->events);
        free(schema->streams[i]->event_indexes);
        hash_table_free(&schema->streams[i]->event_numbers);
    }
    targets_free(schema->targets);
    free(schema->env);
    free(schema->clocks);
    free(schema->streams);
    hash_table_free(&schema->stream_numbers);
    free(schema->callsites);
    arena_free(&schema->arena);
    *schema = (ctf_schema){0};
}
