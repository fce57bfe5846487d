/* SPDX-License-Identifier: Apache-2.0 */
/* What all traces of a context share: limits, findings, names, categories, tracks, streams. */
#ifndef MODEL_CONTEXT_H
#define MODEL_CONTEXT_H

#include <stele/event.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/intern.h"
#include "core/table.h"

#define CONTEXT_CATEGORIES_MAX 65535u

struct stele_context {
    stele_limits limits;
    diag_sink diag;
    char *temp_dir;
    char *cache_dir; /* NULL: there is none */
    intern names;
    bool names_full_reported;

    stele_name *categories; /* by number; 0 is none */
    uint32_t category_count, category_capacity;
    uint32_t *category_of_name; /* by name, number of its category or 0 */
    uint32_t category_of_name_count;
    bool categories_full_reported;

    stele_track *tracks; /* by number; 0 is none */
    uint32_t track_count, track_capacity;
    hash_table track_numbers;
    uint32_t track_other; /* made at the limit */
    uint32_t track_version;

    stele_stream *streams;
    uint32_t stream_count, stream_capacity;
    uint32_t trace_count;
    struct shared *shared; /* a list */
};

/*
 * What traces of a format know of each other: `size` bytes, zeros at first, the same for the same
 * key. `release` frees what they hold when the context is freed. NULL when memory is exhausted.
 */
void *context_shared(stele_context *context, const void *key, size_t size, void (*release)(void *));

/* Adds a stream and gives its number; UINT32_MAX when memory is exhausted. */
uint32_t context_add_stream(stele_context *context, const stele_stream *stream);

/* The stream to be changed by its reader; the pointer holds until the next one is added. */
stele_stream *context_stream(stele_context *context, uint32_t stream);

/* Another number whenever a track got another name, or there is one more trace. */
static inline uint32_t context_track_version(const stele_context *context)
{
    return context->track_version + context->trace_count;
}

/* Names a track as an event of kind OBJECT does, see stele_track.is_named_by_event. */
void context_track_set_object(stele_context *context, uint32_t track, stele_name name);

/*
 * The number of a string that a decoder met: interned, or, when the pool is full, known in the
 * batch only (with one finding for the context). UINT32_MAX when memory is exhausted.
 */
stele_name context_name(stele_context *context, stele_batch *batch, const void *bytes, size_t size,
                        const char *source, uint64_t offset);

/* The order of two texts by their bytes; a text that goes on is after one that ends. */
int text_compare(stele_text a, stele_text b);

#endif
