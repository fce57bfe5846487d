/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the parts of a trace with events in a range of time. The trace is divided into blocks, each
 * with its earliest and latest time, and records that following records depend on are listed. A
 * producer can skip a block if it reads its listed records.
 */
#ifndef FXT_READ_SEEK_H
#define FXT_READ_SEEK_H

#include "core/output.h"
#include "formats/fxt/records/walk.h"

/* Least bytes of a block. */
#define FXT_BLOCK_SIZE ((uint64_t)256 << 10)

/* A record of state, metadata or an object, which is read regardless of the range of time. */
typedef struct fxt_listed {
    uint64_t offset;
    /* Time of the last record with a time before this one, of its provider or of the provider that
       it switches to; INT64_MIN if there is none. */
    int64_t last_ns;
} fxt_listed;

typedef struct fxt_block {
    uint64_t offset;
    /* Earliest and latest time of its events; INT64_MAX and INT64_MIN if it has none. */
    int64_t begin_ns, end_ns;
    int64_t last_ns; /* like fxt_listed.last_ns, of the current provider at its begin */
    uint32_t listed; /* index of the first listed record in it */
    bool is_whole;   /* Never skipped: this block or the one before has something unusual. */
} fxt_block;

/* What is known of the times of a stream where the last block begins. */
typedef struct fxt_resume {
    uint64_t count; /* how many times there are; 0: none, and the members after it are not known */
    int64_t begin_ns, end_ns, newest_ns, last_ns, lateness_ns;
    uint64_t first_offset, first_size;
} fxt_resume;

/* Indexes of traces with more streams are not continued when the trace grows. */
#define FXT_RESUME_MAX 64u

/* The blocks and listed records of a trace. A zeroed one is empty. */
typedef struct fxt_seek {
    fxt_block *blocks;
    fxt_listed *listed;
    uint32_t block_count, block_capacity, listed_count, listed_capacity;
    bool is_unusual; /* the last block itself has something unusual */
    /*
     * Threads whose koids events contain can be the same as those that other events name by number
     * alone. Which of those are known depends on all earlier records, so a trace with both cannot
     * be read in parts.
     */
    bool has_inline_threads, has_lone_threads;
    /* Times are far from all others, which is reported only if all records are read. */
    bool has_outliers;
    bool is_refused; /* reading blocks of this trace would not give the same as reading all */

    /* By what indexing can continue at the last block: streams, and whether they are all that it
       takes; the flags of the same names, and is_whole of that block, as they were there. */
    fxt_resume resume[FXT_RESUME_MAX];
    uint32_t resume_count;
    bool can_resume, resume_is_whole, resume_has_inline_threads, resume_has_lone_threads;
} fxt_seek;

void fxt_seek_free(fxt_seek *s);

/* Ends the last block and begins one at a record. If there is no memory for it, the trace is read
   as a whole. */
void fxt_seek_begin_block(fxt_seek *s, uint64_t offset, int64_t last_ns);

/* Notes a record of the last block that is not of the usual kind. */
void fxt_seek_note(fxt_seek *s, const walk_record *at, bool is_big_endian, int64_t last_ns);

/* Whether a record switches to another provider. */
bool fxt_is_of_provider(const walk_record *at);

/* Makes the last block and the next one be read always. */
void fxt_seek_keep_block(fxt_seek *s);

/* Reads a listed record into `bytes`, which must have room for the longest record. Returns false if
   there is no such record now, or with `*status` set if reading failed. */
bool fxt_listed_read(const fxt_listed *listed, input *in, bool is_big_endian, uint8_t *bytes,
                     walk_record *at, stele_status *status);

/* Notes that after the last noted record another provider is current, whose last time is
   `last_ns`. */
void fxt_seek_change_provider(fxt_seek *s, uint64_t offset, int64_t last_ns);

/* Returns how many listed records begin before an offset. */
uint32_t fxt_seek_listed_before(const fxt_seek *s, uint64_t offset);

/* Returns the last time of the provider that the listed record at this offset switches to, or
   INT64_MIN if it had none or the record is not listed. */
int64_t fxt_seek_last_at(const fxt_seek *s, uint64_t offset);

/* What an index finds out about a stream besides. */
typedef struct fxt_found {
    bool has_range;
    int64_t begin_ns, end_ns, lateness_ns;
} fxt_found;

/*
 * Writes blocks and streams as bytes, and reads them. fxt_seek_take() returns false if the bytes
 * are not valid; `s` is then empty and `*found` NULL. The caller frees `*found`. The trace itself
 * is not read.
 */
void fxt_seek_put(const fxt_seek *s, const fxt_found *found, uint32_t found_count, output *out);
bool fxt_seek_take(fxt_seek *s, fxt_found **found, uint32_t *found_count, const uint8_t *bytes,
                   size_t size, uint64_t trace_size);

/* Whether all listed records are in the trace, can be read by themselves, and name as many
   streams. */
bool fxt_seek_fits(const fxt_seek *s, input *in, bool is_big_endian, uint32_t stream_count,
                   stele_status *status);

static inline bool fxt_seek_is_usable(const fxt_seek *s)
{
    return !s->is_refused && s->block_count > 1 && !(s->has_inline_threads && s->has_lone_threads);
}

/* Gives the bounds of one of `part_count` parts of about the same size, at begins of blocks.
   Returns false if the trace has something that only counts, or is only reported, once. */
bool fxt_seek_cut(const fxt_seek *s, uint32_t part, uint32_t part_count, uint64_t *begin_place,
                  uint64_t *end_place);

/* Whether a block can have events from begin_ns up to but not including end_ns. */
static inline bool fxt_block_is_wanted(const fxt_block *b, int64_t begin_ns, int64_t end_ns)
{
    return b->is_whole || (b->begin_ns <= b->end_ns && b->end_ns >= begin_ns &&
                           (b->begin_ns < end_ns || end_ns == INT64_MAX));
}

#endif
