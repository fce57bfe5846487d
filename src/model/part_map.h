/* SPDX-License-Identifier: Apache-2.0 */
/* Brings what the context of a part knows into the context of the whole. */
#ifndef MODEL_PART_MAP_H
#define MODEL_PART_MAP_H

#include <stele/parts.h>

#include "model/context.h"

/* Makes names, categories, tracks and streams of `from`, which has one trace, known to `into`,
   where they are of trace number `trace`. Parts come in their order, so that all get the numbers
   that reading as one would give. Streams that an earlier part had take over the clock as it is
   known now. Errors: STELE_ERR_MEMORY; STELE_ERR_UNSUPPORTED: `into` has no room for all, at its
   limits. */
stele_status part_map_new(stele_context *into, const stele_context *from, uint32_t trace,
                          stele_part_map **out);
void part_map_free(stele_part_map *map);

#endif
