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

/* The format's word for the record's kind: "Event: Duration Begin". */
const char *fxt_kind_text(const stele_fxt_record *record);

#endif
