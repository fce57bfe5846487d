/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of what stele_fxt_encode() makes, for those who must know before. */
#ifndef FXT_RECORDS_ENCODE_H
#define FXT_RECORDS_ENCODE_H

#include "formats/fxt/records/layout.h"

/* Bytes of one argument; 0 when it is larger than the format can hold. */
size_t fxt_argument_size(const stele_fxt_argument *argument);

#endif
