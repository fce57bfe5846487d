/* SPDX-License-Identifier: Apache-2.0 */
/* What the decoder offers besides stele/fxt.h: judging headers that may not be the begin of a
   record. */
#ifndef FXT_RECORDS_DECODE_H
#define FXT_RECORDS_DECODE_H

#include "formats/fxt/records/layout.h"

/*
 * Whether `header` could begin a record: of a known type, with a size that fits its own fields,
 * without reserved bits. It is strict, to find records after payload bytes; sound records of newer
 * kinds fail. `left` is the number of bytes from the header on.
 */
bool fxt_is_plausible(uint64_t header, uint64_t left);

/* Returns the size of the contents without words that are optional. If those are the begin of the
   next record, the size is wrong. */
static inline uint64_t fxt_used_least(const stele_fxt_record *r)
{
    if (r->type == STELE_FXT_INITIALIZATION && r->word_count == 3)
        return r->used - 2 * FXT_WORD;
    if (r->type == STELE_FXT_EVENT && r->subtype == STELE_FXT_INSTANT && r->words[0] > 2)
        return r->used - FXT_WORD;
    return r->used;
}

/* Whether the header is plausible, and the arguments of events and scheduling records end with the
   record. `at` is the whole record. */
bool fxt_is_tight(const uint8_t *at, uint64_t header, bool is_big_endian);

/* Returns the specification's name for the kind of record: "Event: Duration Begin". */
const char *fxt_kind_text(const stele_fxt_record *record);

#endif
