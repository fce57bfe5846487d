/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where to look for events of a range of time: the trace in blocks, with the earliest and the
 * latest time in each, and where the records are that hold for what follows them. A producer can
 * pass over a block if it reads those.
 */
#ifndef FXT_READ_SEEK_H
#define FXT_READ_SEEK_H

#include "core/output.h"
#include "formats/fxt/records/walk.h"

/* Blocks are at least so long. */
#define FXT_BLOCK_SIZE ((uint64_t)256 << 10)

/* Records of events reach no further than that from where their block begins. */
#define FXT_BLOCK_REACH (FXT_BLOCK_SIZE + 4u * STELE_FXT_RECORD_SIZE_MAX)

/* A record of state, metadata or an object, which is read whatever the range of time. */
typedef struct fxt_listed {
    uint64_t offset;
    int64_t last_ns; /* of the last record with a time that the provider has before it, or of the
                        provider that it goes to; INT64_MIN: there is none */
} fxt_listed;

typedef struct fxt_block {
    uint64_t offset;
    int64_t begin_ns, end_ns; /* of all its events; INT64_MAX, INT64_MIN: it has none */
    int64_t last_ns;          /* as that of a listed record, of the provider that is in force */
    uint32_t listed;          /* first of its records that are listed */
    bool is_whole;            /* never passed over: it, or the one before, holds what is unusual */
} fxt_block;

/* Zeroed, it is empty. */
typedef struct fxt_seek {
    fxt_block *blocks;
    fxt_listed *listed;
    uint32_t block_count, block_capacity, listed_count, listed_capacity;
    bool is_unusual; /* the last block, by itself */
    /* Threads that events name in full can be those that others name by their number alone: which
       are known depends on all that was read before. */
    bool has_inline_threads, has_lone_threads;
    bool has_outliers; /* times far from all others, which are reported when they are looked for */
    bool is_refused;   /* the trace is not of a kind for which this gives what reading all does */
} fxt_seek;

void fxt_seek_free(fxt_seek *s);

/* Begins a block at a record; the last one is over. What is lost for want of memory only makes the
   trace be read as a whole. */
void fxt_seek_begin_block(fxt_seek *s, uint64_t offset, int64_t last_ns);

/* Notes a record of the last block that is not of the usual kind, as it was read. */
void fxt_seek_note(fxt_seek *s, const walk_record *at, bool is_big_endian, int64_t last_ns);

/* Whether a record says which provider is in force from there on. */
bool fxt_is_of_provider(const walk_record *at);

/* The last block, and the next one, are always read. */
void fxt_seek_keep_block(fxt_seek *s);

/* Reads a record that is listed, into room for the longest record. False: there is none that fits,
   or `*status` is an error. */
bool fxt_listed_read(const fxt_listed *listed, input *in, bool is_big_endian, uint8_t *bytes,
                     walk_record *at, stele_status *status);

/* After the record that was noted last: another provider is in force, with this last time. */
void fxt_seek_change_provider(fxt_seek *s, uint64_t offset, int64_t last_ns);

/* How many of the listed records stand before an offset. */
uint32_t fxt_seek_listed_before(const fxt_seek *s, uint64_t offset);

/* The last time of the provider that a listed record at this offset goes to; INT64_MIN: it had
   none, or the record is not listed. */
int64_t fxt_seek_last_at(const fxt_seek *s, uint64_t offset);

/* What else an index finds out about a stream. */
typedef struct fxt_found {
    bool has_range;
    int64_t begin_ns, end_ns, lateness_ns;
} fxt_found;

/* As bytes, and back; false where these are not sound: `s` is then empty, and `*found` NULL. It is
   owned by the caller. Of the trace's records nothing is looked at. */
void fxt_seek_put(const fxt_seek *s, const fxt_found *found, uint32_t found_count, output *out);
bool fxt_seek_take(fxt_seek *s, fxt_found **found, uint32_t *found_count, const uint8_t *bytes,
                   size_t size, uint64_t trace_size);

/* Whether all that is listed stands there, can be read alone, and tells of so many streams. */
bool fxt_seek_fits(const fxt_seek *s, input *in, bool is_big_endian, uint32_t stream_count,
                   stele_status *status);

static inline bool fxt_seek_is_usable(const fxt_seek *s)
{
    return !s->is_refused && s->block_count > 1 && !(s->has_inline_threads && s->has_lone_threads);
}

/* The places between which one of so many parts of about the same size lies, at the begins of
   blocks. False: there is something that only counts, or is only reported, once. */
bool fxt_seek_cut(const fxt_seek *s, uint32_t part, uint32_t part_count, uint64_t *begin_place,
                  uint64_t *end_place);

/* Whether a block can hold events from begin_ns up to, and without, end_ns. */
static inline bool fxt_block_is_wanted(const fxt_block *b, int64_t begin_ns, int64_t end_ns)
{
    return b->is_whole || (b->begin_ns <= b->end_ns && b->end_ns >= begin_ns &&
                           (b->begin_ns < end_ns || end_ns == INT64_MAX));
}

#endif
