/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of what stele_fxt_encode() writes, for callers that must know before. */
#ifndef FXT_RECORDS_ENCODE_H
#define FXT_RECORDS_ENCODE_H

#include "formats/fxt/records/layout.h"

/* Returns the bytes of one argument, or 0 if it is larger than the format allows. */
size_t fxt_argument_size(const stele_fxt_argument *argument);

#endif
