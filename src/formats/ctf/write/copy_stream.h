/* SPDX-License-Identifier: Apache-2.0 */
/* Copies one data stream. */
#ifndef CTF_COPY_STREAM_H
#define CTF_COPY_STREAM_H

#include "formats/ctf/write/copy_state.h"

/* Begins a stream; `first` is the first packet of it that is kept, NULL if none is. */
stele_status copy_stream_begin(ctf_copier *c, const ctf_stream *stream, const packet_place *first);

/* Frees the state of the stream, even if it is not complete. */
void copy_stream_close(ctf_copier *c);

/* Settles the remaining packets of the current stream, and ends it. */
stele_status copy_stream_finish(ctf_copier *c);

/* Moves to a packet of a stream, and settles those before it. */
stele_status copy_go_to(ctf_copier *c, const ctf_stream *stream, const packet_place *place);

#endif
