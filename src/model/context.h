/* SPDX-License-Identifier: Apache-2.0 */
/* The context: limits, findings, names, categories, tracks and streams that all of its traces
   share. */
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
    diag_recent recent; /* what `diag` remembers */
    char *temp_dir;
    char *cache_dir; /* NULL: none */
    intern names;
    bool names_full_reported;

    stele_name *categories; /* names, by number of the category; 0 is no category */
    uint32_t category_count, category_capacity;
    uint32_t *category_of_name; /* number of the category by name; 0: the name is no category */
    uint32_t category_of_name_count;
    bool categories_full_reported;

    stele_track *tracks; /* by number; 0 is no track */
    uint32_t track_count, track_capacity;
    hash_table track_numbers;
    /* Number of the track of kind OTHER; made when the limit of tracks is reached. */
    uint32_t track_other;
    /* Increased by each change of a track's name. */
    uint32_t track_version;

    stele_stream *streams;
    uint32_t stream_count, stream_capacity;
    uint32_t trace_count;
    struct shared *shared; /* list of the memory of context_shared() */
};

/* Returns memory that traces of one format share: `size` bytes for each `key`, zeros at first.
   `release` frees what they hold when the context is freed. Returns NULL if out of memory. */
void *context_shared(stele_context *context, const void *key, size_t size, void (*release)(void *));

/* Adds a stream. Returns its number; UINT32_MAX if out of memory. */
uint32_t context_add_stream(stele_context *context, const stele_stream *stream);

/* Returns a stream for its reader to change. The pointer holds until the next stream is added. */
stele_stream *context_stream(stele_context *context, uint32_t stream);

/* A number that changes whenever a track got another name, or a trace was added. */
static inline uint32_t context_track_version(const stele_context *context)
{
    return context->track_version + context->trace_count;
}

/* Sets the name of a track that an event of kind OBJECT gives: see
   stele_track.is_named_by_event. */
void context_track_set_object(stele_context *context, uint32_t track, stele_name name);

/* Returns the number of a string that a decoder found: interned, or, if the pool is full, known in
   the batch only (with one finding for each context). Returns UINT32_MAX if out of memory. */
stele_name context_name(stele_context *context, stele_batch *batch, const void *bytes, size_t size,
                        const char *source, uint64_t offset);

/* Gives the number of a string that the library itself looks for. Such strings are few, so the
   limit of names does not hold for them: a trace that has filled it is understood as well. Returns
   UINT32_MAX if out of memory. */
stele_name context_own_name(stele_context *context, const char *text);

/* Says what an error of memory is: STELE_ERR_LIMIT, with a finding, if the pool of names is full
   and a name could not be had that nothing can stand for; else STELE_ERR_MEMORY. */
stele_status context_lacks_memory(stele_context *context, const char *source);

/* Compares two texts by their bytes, as strcmp() does; a text comes after its own beginnings. */
int text_compare(stele_text a, stele_text b);

#endif
