/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the packets of the writer, and their index. */
#ifndef CTF_WRITER_PACKETS_H
#define CTF_WRITER_PACKETS_H

#include <stele/ctf.h>

#include "formats/ctf/write/writer_state.h"

/* Appends the entries in memory to the index file, which is made if necessary. Few streams need
   that before their end. */
void writer_index_write(ctf_writer *w, data_stream *s);

/* Writes a packet of the RFC. Its content is compressed, summed up and encrypted as the user asks
   for. */
void writer_rfc_write(ctf_writer *w, output *out, stele_ctf_rfc_header *header,
                      const uint8_t *content, size_t size);

/* Writes the packet that is being filled to the file, if one has begun. */
void writer_packet_end(ctf_writer *w, data_stream *s);

/* Begins a packet at these ticks. To be called only if none is being filled. Returns false if out
   of memory. */
bool writer_packet_start(ctf_writer *w, data_stream *s, uint64_t ticks);

/* Begins a packet at these ticks unless one is being filled. Returns false if out of memory. */
static inline bool writer_packet_begin(ctf_writer *w, data_stream *s, uint64_t ticks)
{
    return s->packet.size != 0 || writer_packet_start(w, s, ticks);
}

/* Whether the packet is large enough to be written: the more streams there are, the smaller packets
   are. */
static inline bool writer_packet_is_full(const ctf_writer *w, const data_stream *s)
{
    const size_t share = PACKETS_SIZE_MAX / (w->stream_count != 0 ? w->stream_count : 1);
    const size_t wanted = share > PACKET_SIZE_MAX   ? PACKET_SIZE_MAX
                          : share < PACKET_SIZE_MIN ? PACKET_SIZE_MIN
                                                    : share;
    return s->packet.size >= wanted;
}

/* Writes the last packet. Events that were lost after it are counted by one more packet, without
   events. */
void writer_stream_end(ctf_writer *w, data_stream *s);

#endif
