/* SPDX-License-Identifier: Apache-2.0 */
/* Writes events of the model as event records. */
#ifndef CTF_WRITER_EVENTS_H
#define CTF_WRITER_EVENTS_H

#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_state.h"

/* Returns the number of a track in the new trace; its parents get lower numbers. Returns 0 if there
   is no track, or if out of memory (w->status). */
uint32_t writer_track_number(void *user, uint32_t track);

/* Writes the events of a segment. Events of kind LOST are not written but counted in the
   packets. */
stele_status writer_put_segment(stele_writer *self, const stele_segment *segment);

#endif
