/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the events of traces that Stele wrote: see schema/spans.h. The environment of such a
   trace says so; nothing is guessed. */
#ifndef CTF_READ_SPANS_H
#define CTF_READ_SPANS_H

#include "formats/ctf/trace.h"

typedef struct ctf_spans ctf_spans;

/* Gives what is needed to restore events of a subtrace, made once; `*made` is NULL if Stele did not
   write it. Returns STELE_ERR_MEMORY if out of memory. */
stele_status spans_of(const ctf_trace *trace, ctf_subtrace *subtrace, const ctf_spans **made);
void spans_free(ctf_spans *spans);

/* Whether the schema is one that Stele's writer marked. */
bool spans_are_marked(const ctf_schema *schema);

/* Restores the kinds, names and tracks of the batch's events from index `first` on. Returns false
   if out of memory. */
bool spans_restore(const ctf_spans *spans, stele_batch *batch, uint32_t first);

#endif
