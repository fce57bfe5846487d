/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of one subtrace of a trace. */
#ifndef CTF_SUBTRACE_H
#define CTF_SUBTRACE_H

#include "formats/ctf/trace.h"

/* A subtrace whose metadata cannot be used stays closed; what was wrong has been reported, but for
   memory. */
stele_status ctf_subtrace_read(ctf_trace *trace, ctf_subtrace *subtrace);

/* What it is known by: the UUID of the metadata; of CTF 2 also namespace, name and unique
   identifier of the trace. Returns false if out of memory. */
bool ctf_subtrace_know(ctf_subtrace *subtrace);

/* Whether the data streams beside the metadata are in the other byte order (order.c). */
bool ctf_subtrace_is_swapped(const ctf_trace *trace, const ctf_subtrace *subtrace);

#endif
