/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of one unit of a trace. */
#ifndef CTF_UNIT_H
#define CTF_UNIT_H

#include "formats/ctf/trace.h"

/* A unit whose metadata cannot be used stays closed; what was wrong has been reported, but for
   memory. */
stele_status ctf_unit_read(ctf_trace *trace, ctf_unit *unit);

/* What it is known by: the UUID of the metadata; of CTF 2 also namespace, name and unique
   identifier of the trace. Returns false if out of memory. */
bool ctf_unit_know(ctf_unit *unit);

/* Whether the data streams beside the metadata are in the other byte order (order.c). */
bool ctf_unit_is_swapped(const ctf_trace *trace, const ctf_unit *unit);

#endif
