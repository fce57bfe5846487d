/* SPDX-License-Identifier: Apache-2.0 */
/* Judges whether records go on at a position, to find them again after damage. */
#ifndef FXT_RECORDS_RESUME_H
#define FXT_RECORDS_RESUME_H

#include "formats/fxt/records/decode.h"

/* Bytes to be judged: how many are loaded, and how many follow in the range. */
typedef struct fxt_view {
    const uint8_t *at;
    uint64_t loaded, left;
    bool is_big_endian;
} fxt_view;

/* Whether sound records follow each other after `ahead` bytes: `depth` of them, or at least
   `depth_to_end` up to the end. */
bool fxt_view_resumes(const fxt_view *v, uint64_t ahead, unsigned depth, unsigned depth_to_end);

/* Whether records go on after `ahead` bytes, a whole number of words. */
bool fxt_view_goes_on(const fxt_view *v, uint64_t ahead);

/* Whether a record begins after `ahead` bytes, perhaps after some with unknown additions: one with
   a plausible header, or with contents that end where its size says. */
bool fxt_view_is_followed(const fxt_view *v, uint64_t ahead);

/* Whether a record's size leads to other records although its contents are not valid. Contents that
   are too short or too long speak against the size, so more records are required then. */
bool fxt_view_is_led_to(const fxt_view *v, uint64_t ahead, const stele_fxt_record *r);

#endif
