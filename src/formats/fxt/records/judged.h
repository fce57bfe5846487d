/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers which positions were judged while records were looked for that others hide. In damaged
   data each word can be taken for a record that may hide some, so the same bytes are searched again
   and again; with this each position is judged once. */
#ifndef FXT_RECORDS_JUDGED_H
#define FXT_RECORDS_JUDGED_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes from the walk's position on that positions are remembered of. */
#define JUDGED_SIZE ((uint64_t)64 << 10)

/* What is asked of a position. */
typedef enum judged_kind {
    JUDGED_ONE_TO_END, /* whether three records follow each other, or one leads to the end */
    JUDGED_TWO_TO_END, /* whether three records do, or two lead to the end */
    JUDGED_ASKEW,      /* whether very many do, at a position of any kind */
    JUDGED_KINDS
} judged_kind;

/* A bit for each position, at its offset modulo JUDGED_SIZE. */
typedef struct judged_bits {
    uint64_t is_known[JUDGED_SIZE / 64], is_good[JUDGED_SIZE / 64];
    /* Offsets between which all positions of this pattern were judged, and none is good: searches
       that begin a little after the last one need not look at them again. */
    uint64_t bad_from, bad_stop;
    uint8_t pattern;
} judged_bits;

typedef struct judged {
    uint64_t first; /* offset of the first position that is remembered, a multiple of 64 */
    judged_bits kinds[JUDGED_KINDS];
} judged;

/* Forgets all positions before an offset; earlier ones than that are not asked for again. */
void judged_move(judged *j, uint64_t offset);

/* Notes the answer for a position, at most JUDGED_SIZE - 64 bytes after the offset of the last
   judged_move(). */
void judged_set(judged *j, judged_kind kind, uint64_t offset, bool is_good);

/* Returns the first offset from `from` to before `stop` that was not judged yet, or was judged
   good; `*is_good` says which. `pattern` has a bit for each remainder by 8 that is asked for.
   Returns `stop` if there is none. */
uint64_t judged_next(judged *j, judged_kind kind, uint64_t from, uint64_t stop, uint8_t pattern,
                     bool *is_good);

#endif
