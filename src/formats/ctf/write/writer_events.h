/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the model as event records. */
#ifndef CTF_WRITER_EVENTS_H
#define CTF_WRITER_EVENTS_H

#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_state.h"

/* The number of a track in the trace that is made: those that it is below come first. 0: none, or
   memory (w->status). */
uint32_t writer_track_number(void *user, uint32_t track);

/* Writes the events of a segment; those that say that others were lost are counted instead. */
stele_status writer_put_segment(stele_writer *self, const stele_segment *segment);

#endif
