/* SPDX-License-Identifier: Apache-2.0 */
/* Walks from record to record through an input, and over damage. Index, reader, dump and copier all
   walk this way, so they agree on where records are. */
#ifndef FXT_RECORDS_WALK_H
#define FXT_RECORDS_WALK_H

#include "core/window.h"
#include "formats/fxt/codes.h"
#include "formats/fxt/records/decode.h"
#include "formats/fxt/records/judged.h"

typedef struct record_walk {
    window window;
    uint64_t step;         /* bytes from the window's `at` to the next record */
    uint64_t record_size;  /* bytes of the records given so far */
    uint64_t skipped_size; /* bytes that belong to no record */
    diag_sink *diag;       /* NULL if damage is not reported */
    bool is_big_endian;
    judged *judged; /* NULL until records are looked for that others may hide */
    bool is_lost;   /* the next header may not be the begin of a record */
    /* The record that was given as damaged before anything was reported of it: the place where its
       contents end says what is wrong. A size of 0: none. */
    uint64_t unreported_offset, unreported_size, unreported_extent;
    bool is_ended; /* the window holds all that is left */
} record_walk;

typedef struct walk_record {
    const uint8_t *bytes;
    size_t loaded;   /* bytes of the record that are in the window */
    uint64_t size;   /* size that its header says */
    uint64_t extent; /* bytes that are taken as the record; fewer than `size` if that is wrong */
    uint64_t header;
    uint64_t offset;
    bool is_damaged; /* its size is wrong, or the input ends inside of it */
} walk_record;

/* Whether the record may be another one whose header is damaged. Headers of initialization records
   have nothing but type and size to judge by. */
static inline bool fxt_is_doubtful(const walk_record *r)
{
    return r->is_damaged ||
           (!fxt_is_plausible(r->header, UINT64_MAX) &&
            (fxt_type(r->header) != STELE_FXT_INITIALIZATION || fxt_bits(r->header, 16, 63) != 0));
}

/* Bytes that are loaded of longer records; enough for any record that is not large. */
#define WALK_LOADED ((size_t)64 << 10)

/* Most bytes before the payload of a large blob: two strings, 15 arguments, 7 words. */
#define WALK_LOADED_MAX ((size_t)640 << 10)

stele_status walk_open(record_walk *k, input *in, bool is_big_endian, size_t window_size,
                       diag_sink *diag);
void walk_close(record_walk *k);

/* Continues with the records from `start` to before `stop`. */
void walk_move(record_walk *k, uint64_t start, uint64_t stop);

/* Loads more of the record, up to `want` bytes. */
void walk_load(record_walk *k, walk_record *r, size_t want);

/* Steps over the first bytes of a record that are not needed any more. */
void walk_consume(record_walk *k, uint64_t size);

bool walk_next_slow(record_walk *k, walk_record *r);

/* Returns how many bytes from the window's position on the next record takes: up to its header if
   that is not loaded. */
size_t walk_want(const record_walk *k);

void walk_doubt_slow(record_walk *k, walk_record *at, stele_fxt_record *r);

/*
 * To be called with the decoded record before any of it is consumed. If its contents do not end
 * with the record, its size may be wrong: if records follow the contents, or nothing follows the
 * record, the walk continues from the end of the contents. The record may be loaded and decoded
 * again for that.
 */
static inline void walk_doubt(record_walk *k, walk_record *at, stele_fxt_record *r)
{
    if ((r->fault != STELE_FXT_OK || r->used != r->size || r->used != fxt_used_least(r)) &&
        !at->is_damaged)
        walk_doubt_slow(k, at, r);
}

/*
 * Gives the next record, whose bytes are valid until the next call. Returns false at the end, also
 * after an error of the input (see window.status). A size is trusted if another header follows the
 * record; the fast path handles records that are loaded together with the next one.
 */
static inline bool walk_next(record_walk *k, walk_record *r)
{
    const uint8_t *at = k->window.at, *end = k->window.end;
    const uint64_t step = k->step;
    uint64_t left = (uint64_t)(end - at), header, size, next;
    if (step + FXT_WORD > left || k->is_lost)
        return walk_next_slow(k, r);
    at += step;
    left -= step;
    header = fxt_word(at, k->is_big_endian);
    size = fxt_bits(header, 4, 15) * FXT_WORD;
    if (size == 0 || size + FXT_WORD > left || fxt_type(header) > STELE_FXT_PROFILER)
        return walk_next_slow(k, r);
    next = fxt_bits(fxt_word(at + size, k->is_big_endian), 4, 15) * FXT_WORD;
    if (next == 0 || size + next > left)
        return walk_next_slow(k, r);
    k->window.at = at;
    k->step = size;
    k->record_size += size;
    *r = (walk_record){
        at, (size_t)size, (size_t)size, size, header, window_offset_of(&k->window, at), false};
    return true;
}

#endif
