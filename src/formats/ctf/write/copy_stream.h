/* SPDX-License-Identifier: Apache-2.0 */
/* One data stream of a copy. */
#ifndef CTF_COPY_STREAM_H
#define CTF_COPY_STREAM_H

#include "formats/ctf/write/copy_state.h"

/* Begins a stream; `first`: the first packet that is kept of it, or NULL. */
stele_status copy_stream_begin(ctf_copier *c, const ctf_stream *stream, const packet_place *first);

/* Ends the use of a stream, which may not be complete. */
void copy_stream_close(ctf_copier *c);

/* Settles the rest of the packets of the stream at hand, and ends it. */
stele_status copy_stream_finish(ctf_copier *c);

/* Goes to a packet of a stream, and settles those before it. */
stele_status copy_go_to(ctf_copier *c, const ctf_stream *stream, const packet_place *place);

#endif
