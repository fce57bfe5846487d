/* SPDX-License-Identifier: Apache-2.0 */
/* What the codec offers beyond stele/fxt.h: judging headers that nothing vouches for. */
#ifndef FXT_RECORDS_DECODE_H
#define FXT_RECORDS_DECODE_H

#include "formats/fxt/records/layout.h"

/*
 * True when `header` could well begin a record: known type, a size that its own fields ask for, no
 * reserved bit. Strict, to find the way again among payload bytes; sound records of newer kinds
 * fail it. `left` is how many bytes there are from the header on.
 */
bool fxt_is_plausible(uint64_t header, uint64_t left);

/*
 * What the contents take without words that a record may have or not. Where they are the start of
 * the next record, the size is wrong.
 */
static inline uint64_t fxt_used_least(const stele_fxt_record *r)
{
    if (r->type == STELE_FXT_INITIALIZATION && r->word_count == 3)
        return r->used - 2 * FXT_WORD;
    if (r->type == STELE_FXT_EVENT && r->subtype == STELE_FXT_INSTANT && r->words[0] > 2)
        return r->used - FXT_WORD;
    return r->used;
}

/*
 * True when the header is plausible, and the arguments of events and scheduling records end where
 * the record does. `at` is all of the record.
 */
bool fxt_is_tight(const uint8_t *at, uint64_t header, bool is_big_endian);

/* The format's word for the record's kind: "Event: Duration Begin". */
const char *fxt_kind_text(const stele_fxt_record *record);

#endif
