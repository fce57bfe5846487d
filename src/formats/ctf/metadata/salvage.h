/* SPDX-License-Identifier: Apache-2.0 */
/* Reads metadata that are damaged in places, except for what needs these places. */
#ifndef CTF_SALVAGE_H
#define CTF_SALVAGE_H

#include "formats/ctf/metadata/metadata.h"

/*
 * Parses the metadata; after an error, parses them again without the part that contains the error,
 * until the rest can be read. Returns false if nothing can be read, or if out of memory, and
 * error_count has not changed then.
 */
bool metadata_salvage(metadata *m, ctf_schema *schema);

#endif
