/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata that are damaged in places: what does not need those is read all the same. */
#ifndef CTF_SALVAGE_H
#define CTF_SALVAGE_H

#include "formats/ctf/metadata/metadata.h"

/*
 * metadata_parse(), and where that reports an error, again without what the error is in, until the
 * rest can be read. False: nothing can be, or memory (then error_count is what it was before).
 */
bool metadata_salvage(metadata *m, ctf_schema *schema);

#endif
