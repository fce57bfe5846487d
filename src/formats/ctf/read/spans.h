/* SPDX-License-Identifier: Apache-2.0 */
/* Events of traces that Stele wrote, as what they were: see schema/spans.h. Such a trace says so in
   its environment; nothing is guessed. */
#ifndef CTF_READ_SPANS_H
#define CTF_READ_SPANS_H

#include "formats/ctf/trace.h"

typedef struct ctf_spans ctf_spans;

/* Of a subtrace that is marked, made once; `*made` is NULL where it is not. STELE_ERR_MEMORY. */
stele_status spans_of(const ctf_trace *trace, ctf_subtrace *subtrace, const ctf_spans **made);
void spans_free(ctf_spans *spans);

/* Whether the schema is one that Stele's writer marked. */
bool spans_are_marked(const ctf_schema *schema);

/* Puts the events of a batch from `first` on back into their kinds, names and tracks. Returns false
 * if out of memory. */
bool spans_restore(const ctf_spans *spans, stele_batch *batch, uint32_t first);

#endif
