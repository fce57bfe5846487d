/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the metadata of one subtrace of a trace. */
#ifndef CTF_SUBTRACE_H
#define CTF_SUBTRACE_H

#include "formats/ctf/trace.h"

/* Reads metadata and schema. If they cannot be used, which is reported unless memory is exhausted,
   `is_open` stays false. */
stele_status ctf_subtrace_read(ctf_trace *trace, ctf_subtrace *subtrace);

/* Sets `known_by`: the UUID of the metadata, and in CTF 2 also namespace, name and uid of the
   trace. Returns false if out of memory. */
bool ctf_subtrace_know(ctf_subtrace *subtrace);

/* Whether the data streams beside the metadata are in the other byte order (order.c). */
bool ctf_subtrace_is_swapped(const ctf_trace *trace, const ctf_subtrace *subtrace);

#endif
