/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the data streams of the writer, and counts what was lost of each. */
#ifndef CTF_WRITER_STREAMS_H
#define CTF_WRITER_STREAMS_H

#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_state.h"

/* Returns where the events of a stream of the source go, or NULL if out of memory. */
source_target *writer_source_find(ctf_writer *w, uint32_t source);

/* Returns the data stream for events with such flags, or NULL if out of memory, or if the output
 * failed (w->status). */
data_stream *writer_stream_find(ctf_writer *w, source_target *source, unsigned flags);

/* Counts lost events. The next packet gives their number: between the end of the packet before and
   its own end (CTF 1.8, 2), or before its first event (RFC). */
void writer_count_lost(ctf_writer *w, source_target *source, const stele_event *event);

/* Counts the events that were lost after the last event of each stream of the source. */
void writer_end_sources(ctf_writer *w);

#endif
