/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which babeltrace2 shows several labels of one value. */
#ifndef CTF_LABEL_ORDER_H
#define CTF_LABEL_ORDER_H

#include <stdbool.h>

#include "formats/ctf/schema/schema.h"

/* Sets the rank of each mapping in that order; mappings with the same name get the same rank.
   Returns false if out of memory. */
bool label_order_find(uint32_t *ranks, const ctf_mapping *mappings, uint32_t count,
                      ctf_generation generation);

#endif
