/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of packets ahead, on another thread. That thread only decodes bytes that are
 * loaded, with programs that are made: the decoder is frozen (decoder_freeze()). Loading,
 * compiling, interning names and reporting are left to the caller, in the order in which that would
 * be done without the thread. So the events and the findings are the same.
 */
#ifndef CTF_AHEAD_H
#define CTF_AHEAD_H

#include "core/ahead.h"
#include "formats/ctf/read/content.h"

typedef struct ctf_ahead ctf_ahead;

/* Makes what reads the events of `content` ahead into batches of such columns. Returns NULL if out
   of memory. */
ctf_ahead *ctf_ahead_new(ahead *threads, ctf_content *content, uint32_t columns);
void ctf_ahead_free(ctf_ahead *a);

/* Appends events to the batch as content_events() does. After the first call for a packet the batch
   must be empty: it is exchanged with one that was filled ahead. */
decode_outcome ctf_ahead_events(ctf_ahead *a, stele_batch *batch);

#endif
