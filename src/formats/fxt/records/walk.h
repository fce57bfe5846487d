/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From record to record through an input, and over damage. Index, reader, dump and copier all walk
 * this way, so that they agree on where records are.
 */
#ifndef FXT_RECORDS_WALK_H
#define FXT_RECORDS_WALK_H

#include "core/window.h"
#include "formats/fxt/codes.h"
#include "formats/fxt/records/decode.h"

typedef struct record_walk {
    window window;
    uint64_t step;         /* bytes from the window's `at` to the next record */
    uint64_t record_size;  /* bytes of the records given so far */
    uint64_t skipped_size; /* bytes that were no records */
    diag_sink *diag;       /* NULL: damage is not reported */
    bool is_big_endian;
    bool is_lost;  /* the next header is not to be trusted */
    bool is_ended; /* the window holds all that is left */
} record_walk;

typedef struct walk_record {
    const uint8_t *bytes;
    size_t loaded;   /* bytes of it that are in the window */
    uint64_t size;   /* as its header says */
    uint64_t extent; /* what of it is taken for the record: less where the size is wrong */
    uint64_t header;
    uint64_t offset;
    bool is_damaged; /* its size is wrong, or the input ends inside of it */
} walk_record;

/* True for records that may be others whose header was damaged. Headers of initialization records
   have nothing but type and size. */
static inline bool fxt_is_doubtful(const walk_record *r)
{
    return r->is_damaged ||
           (!fxt_is_plausible(r->header, UINT64_MAX) &&
            (fxt_type(r->header) != STELE_FXT_INITIALIZATION || fxt_bits(r->header, 16, 63) != 0));
}

/* What is loaded of a record longer than that; enough for any record that is not large. */
#define WALK_LOADED ((size_t)64 << 10)

/* Everything before a large blob's payload: two strings, 15 arguments, 7 words. */
#define WALK_LOADED_MAX ((size_t)640 << 10)

stele_status walk_open(record_walk *k, input *in, bool is_big_endian, size_t window_size,
                       diag_sink *diag);
void walk_close(record_walk *k);

/* Goes on at another place: [start, stop). */
void walk_move(record_walk *k, uint64_t start, uint64_t stop);

/* Loads more of the record, up to `want` bytes. */
void walk_load(record_walk *k, walk_record *r, size_t want);

/* Steps over the first bytes of a record that are done with. */
void walk_consume(record_walk *k, uint64_t size);

bool walk_next_slow(record_walk *k, walk_record *r);

/* How many bytes from the window's place on the next record takes, as far as that is known: where
   its header is not loaded, up to there. */
size_t walk_want(const record_walk *k);

void walk_doubt_slow(record_walk *k, walk_record *at, stele_fxt_record *r);

/*
 * To be called with what a record decoded to, before anything of it is consumed. Contents that do
 * not end where the record does are a reason to look closer at where its size leads: where records
 * follow the contents, or nothing follows the record, the size is wrong, and the way is looked for
 * from the end of the contents on. The record may be loaded anew for it, and decoded again.
 */
static inline void walk_doubt(record_walk *k, walk_record *at, stele_fxt_record *r)
{
    if ((r->fault != STELE_FXT_OK || r->used != r->size || r->used != fxt_used_least(r)) &&
        !at->is_damaged)
        walk_doubt_slow(k, at, r);
}

/*
 * The next record; its bytes hold until the next call. False at the end, also after an error of
 * the input (see window.status). A record is taken at its word when another header follows it; the
 * fast way handles those that are loaded together with the record that follows.
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
