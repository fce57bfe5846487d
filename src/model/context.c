/* SPDX-License-Identifier: Apache-2.0 */
#include "model/context.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/sized.h"
#include "model/batch.h"

static size_t limit_size(size_t value, size_t standard)
{
    return value != 0 ? value : standard;
}

static uint32_t limit_count(uint32_t value, uint32_t standard)
{
    return value != 0 ? value : standard;
}

static stele_limits limits_fill(const stele_limits *given)
{
    return (stele_limits){
        .struct_size = sizeof(stele_limits),
        .names_size_max = limit_size(given->names_size_max, (size_t)24 << 20),
        .tracks_max = limit_count(given->tracks_max, 64u << 10),
        .providers_max = limit_count(given->providers_max, 4096),
        .fields_max = limit_count(given->fields_max, 1u << 20),
        .depth_max = limit_count(given->depth_max, 10000),
        .record_size_max = limit_size(given->record_size_max, (size_t)16 << 20),
        .metadata_size_max = limit_size(given->metadata_size_max, (size_t)512 << 20),
        .sort_size_max = limit_size(given->sort_size_max, (size_t)16 << 20),
        .window_size = limit_size(given->window_size, (size_t)256 << 10),
        .call_depth_max = limit_count(given->call_depth_max, 64u << 10),
        .groups_max = limit_count(given->groups_max, 64u << 10),
        .groups_size_max = limit_size(given->groups_size_max, (size_t)32 << 20),
        .open_max = limit_count(given->open_max, 1u << 20),
    };
}

stele_status stele_context_new(const stele_context_options *given, stele_context **out)
{
    stele_context_options options;
    stele_limits limits;
    stele_context *context;
    *out = NULL;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_context_options, go_on_user),
                    given) ||
        !sized_take(&limits, sizeof limits, SIZED_FIRST(stele_limits, window_size), options.limits))
        return STELE_ERR_ARGUMENT;
    context = calloc(1, sizeof *context);
    if (context == NULL)
        return STELE_ERR_MEMORY;
    context->limits = limits_fill(&limits);
    context->diag = (diag_sink){.fn = options.diag,
                                .user = options.diag_user,
                                .progress = options.progress,
                                .progress_user = options.progress_user,
                                .go_on = options.go_on,
                                .go_on_user = options.go_on_user,
                                .recent = &context->recent};
    context->temp_dir = strdup(options.temp_dir != NULL ? options.temp_dir : "/tmp");
    if (options.cache_dir != NULL)
        context->cache_dir = strdup(options.cache_dir);
    if (context->temp_dir == NULL || (options.cache_dir != NULL && context->cache_dir == NULL) ||
        !intern_init(&context->names, context->limits.names_size_max)) {
        stele_context_free(context);
        return STELE_ERR_MEMORY;
    }
    *out = context;
    return STELE_OK;
}

typedef struct shared {
    struct shared *next;
    const void *key;
    void (*release)(void *);
    max_align_t data[];
} shared;

void *context_shared(stele_context *context, const void *key, size_t size, void (*release)(void *))
{
    shared *made = context->shared;
    while (made != NULL && made->key != key)
        made = made->next;
    if (made == NULL) {
        made = calloc(1, sizeof *made + size);
        if (made == NULL)
            return NULL;
        *made = (shared){context->shared, key, release};
        context->shared = made;
    }
    return made->data;
}

static void free_shared(stele_context *context)
{
    while (context->shared != NULL) {
        shared *const first = context->shared;
        context->shared = first->next;
        first->release(first->data);
        free(first);
    }
}

void stele_context_free(stele_context *context)
{
    if (context == NULL)
        return;
    free_shared(context);
    intern_free(&context->names);
    free(context->temp_dir);
    free(context->cache_dir);
    free(context->categories);
    free(context->category_of_name);
    free(context->tracks);
    hash_table_free(&context->track_numbers);
    free(context->streams);
    free(context);
}

const stele_limits *stele_context_limits(const stele_context *context)
{
    return &context->limits;
}

uint64_t stele_context_diag_count(const stele_context *context, stele_severity severity)
{
    return (unsigned)severity < 3 ? context->diag.counts[severity] : 0;
}

/* Makes room for one more entry in a table that doubles. Returns false if out of memory. */
static bool table_reserve(void **table, uint32_t count, uint32_t *capacity, size_t entry_size)
{
    void *grown;
    if (count < *capacity)
        return true;
    grown = array_grow(*table, entry_size, capacity, 64);
    if (grown == NULL)
        return false;
    *table = grown;
    return true;
}

/* ---- Names of a context ---- */

int text_compare(stele_text a, stele_text b)
{
    const int order = memcmp(a.bytes, b.bytes, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

stele_name stele_name_intern(stele_context *context, const char *bytes, size_t size)
{
    return intern_add(&context->names, bytes, size);
}

uint32_t stele_name_count(const stele_context *context)
{
    return context->names.count;
}

stele_text stele_name_text(const stele_context *context, const stele_batch *batch, stele_name name)
{
    if (name < context->names.count) {
        const intern_entry *entry = &context->names.entries[name];
        return (stele_text){entry->bytes, entry->size};
    }
    if (batch != NULL && (name & STELE_NAME_LOCAL) != 0 &&
        (name & ~STELE_NAME_LOCAL) < batch->name_count) {
        const stele_local_name *local = &batch->names[name & ~STELE_NAME_LOCAL];
        return (stele_text){(const char *)batch->bytes + local->offset, local->size};
    }
    return (stele_text){"", 0};
}

stele_text stele_field_text(const stele_context *context, const stele_batch *batch,
                            const stele_field *field)
{
    if (field->type == STELE_TYPE_NAME)
        return stele_name_text(context, batch, (stele_name)field->u.u);
    if (!field_has_bytes(field->type))
        return (stele_text){"", 0};
    return (stele_text){(const char *)batch->bytes + field->u.bytes.offset, field->u.bytes.size};
}

/* Whether names are missing because the pool is full, and not because memory was exhausted. Reports
   it once. */
static bool names_are_full(stele_context *context, const char *source, uint64_t offset,
                           const char *result)
{
    if (context->names.size < context->names.size_max)
        return false;
    if (!context->names_full_reported) {
        context->names_full_reported = true;
        diag_report(&context->diag, &core_codes[STE006], source, offset, 0, NULL,
                    "names need more than %zu bytes; %s", context->limits.names_size_max, result);
    }
    return true;
}

stele_name context_name(stele_context *context, stele_batch *batch, const void *bytes, size_t size,
                        const char *source, uint64_t offset)
{
    const stele_name name = intern_add(&context->names, bytes, size);
    if (name != INTERN_NONE)
        return name;
    if (!names_are_full(context, source, offset, "further ones are counted as one"))
        return UINT32_MAX;
    return batch_add_local_name(batch, bytes, size);
}

stele_name context_own_name(stele_context *context, const char *text)
{
    return intern_add_always(&context->names, text, strlen(text));
}

stele_status context_lacks_memory(stele_context *context, const char *source)
{
    return names_are_full(context, source, STELE_NO_OFFSET, "the trace cannot be read without")
               ? STELE_ERR_LIMIT
               : STELE_ERR_MEMORY;
}

/* ---- Categories of a context ---- */

stele_name stele_category_name(const stele_context *context, uint16_t category)
{
    return category < context->category_count ? context->categories[category] : 0;
}

/* Makes the table from names to categories as long as the table of names. Returns false if out of
   memory. */
static bool category_index_reserve(stele_context *context, stele_name name)
{
    uint32_t *index = array_reach(context->category_of_name, sizeof *index,
                                  &context->category_of_name_count, name);
    if (index == NULL)
        return false;
    context->category_of_name = index;
    return true;
}

static void category_report_full(stele_context *context)
{
    if (context->categories_full_reported)
        return;
    context->categories_full_reported = true;
    diag_report(&context->diag, &core_codes[STE006], NULL, STELE_NO_OFFSET, 0, NULL,
                "more than %u categories; events of further ones have none",
                CONTEXT_CATEGORIES_MAX);
}

uint16_t stele_category_intern(stele_context *context, stele_name name)
{
    if (name < context->category_of_name_count && context->category_of_name[name] != 0)
        return (uint16_t)context->category_of_name[name];
    if (name == 0 || name >= context->names.count)
        return 0;
    if (context->category_count > CONTEXT_CATEGORIES_MAX) {
        category_report_full(context);
        return 0;
    }
    if (!category_index_reserve(context, name))
        return 0;
    if (!table_reserve((void **)&context->categories, context->category_count,
                       &context->category_capacity, sizeof *context->categories))
        return 0;
    if (context->category_count == 0)
        context->categories[context->category_count++] = 0;
    context->categories[context->category_count] = name;
    context->category_of_name[name] = context->category_count;
    return (uint16_t)context->category_count++;
}

/* ---- Tracks of a context ---- */

const stele_track *stele_track_get(const stele_context *context, uint32_t track)
{
    return track != 0 && track < context->track_count ? &context->tracks[track] : NULL;
}

uint32_t stele_track_count(const stele_context *context)
{
    return context->track_count == 0 ? 0 : context->track_count - 1;
}

static uint32_t track_hash(const hash_table *numbers, const stele_track *track)
{
    const uint64_t own =
        hash_keyed_pair(numbers->key, track->number, (uint64_t)track->kind << 32 | track->parent);
    return hash_table_hash_pair(numbers, own, track->source);
}

/* Returns the number of the track that is equal to `track`; HASH_NONE if there is none. */
static uint32_t track_find(const stele_context *context, const stele_track *track, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&context->track_numbers, hash, &at)) != HASH_NONE;) {
        const stele_track *known = &context->tracks[number];
        if (known->number == track->number && known->kind == track->kind &&
            known->parent == track->parent && known->source == track->source)
            return number;
    }
    return HASH_NONE;
}

static uint32_t track_add(stele_context *context, const stele_track *track)
{
    if (context->track_count == 0) {
        if (!table_reserve((void **)&context->tracks, 0, &context->track_capacity,
                           sizeof *context->tracks))
            return 0;
        context->tracks[0] = (stele_track){0};
        context->track_count = 1;
    }
    if (!table_reserve((void **)&context->tracks, context->track_count, &context->track_capacity,
                       sizeof *context->tracks))
        return 0;
    if (!hash_table_reserve(&context->track_numbers))
        return 0;
    hash_table_put(&context->track_numbers, track_hash(&context->track_numbers, track),
                   context->track_count);
    context->tracks[context->track_count] = *track;
    return context->track_count++;
}

uint32_t stele_track_intern(stele_context *context, const stele_track *track)
{
    const uint32_t known = track_find(context, track, track_hash(&context->track_numbers, track));
    if (known != HASH_NONE)
        return known;
    if (stele_track_count(context) < context->limits.tracks_max)
        return track_add(context, track);
    if (context->track_other == 0) {
        context->track_other = track_add(context, &(stele_track){.kind = STELE_TRACK_OTHER});
        diag_report(&context->diag, &core_codes[STE006], NULL, STELE_NO_OFFSET, 0, NULL,
                    "more than %u tracks; further ones are shown as one",
                    (unsigned)context->limits.tracks_max);
    }
    return context->track_other;
}

void stele_track_set_name(stele_context *context, uint32_t track, stele_name name)
{
    if (track == 0 || track >= context->track_count || (name & STELE_NAME_LOCAL) != 0)
        return;
    context->track_version += context->tracks[track].name != name;
    context->tracks[track].name = name;
}

void context_track_set_object(stele_context *context, uint32_t track, stele_name name)
{
    stele_track_set_name(context, track, name);
    if (track != 0 && track < context->track_count)
        context->tracks[track].is_named_by_event = true;
}

const char *stele_track_kind_text(stele_track_kind kind)
{
    static const char *const texts[] = {"none", "other",  "process",   "thread",
                                        "cpu",  "stream", "substream", "provider"};
    return (unsigned)kind < STELE_TRACK_KIND_COUNT ? texts[kind] : "none";
}

/* ---- Streams of a context ---- */

uint32_t context_add_stream(stele_context *context, const stele_stream *stream)
{
    if (!table_reserve((void **)&context->streams, context->stream_count, &context->stream_capacity,
                       sizeof *context->streams))
        return UINT32_MAX;
    context->streams[context->stream_count] = *stream;
    return context->stream_count++;
}

stele_stream *context_stream(stele_context *context, uint32_t stream)
{
    return stream < context->stream_count ? &context->streams[stream] : NULL;
}

const stele_stream *stele_stream_get(const stele_context *context, uint32_t stream)
{
    return stream < context->stream_count ? &context->streams[stream] : NULL;
}

uint32_t stele_stream_count(const stele_context *context)
{
    return context->stream_count;
}
