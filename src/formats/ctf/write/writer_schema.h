/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes what all traces of the writer have in common: the layouts of packets and event headers, as
 * bytes and as classes. All is little-endian.
 *
 *    packet header    0 magic u32   4 uuid (16)   20 stream_id u32   24 stream_instance_id u64
 *    packet context   32 timestamp_begin   40 timestamp_end   48 content_size   56 packet_size
 *                     64 packet_seq_num   72 events_discarded                    (u64 each)
 *    event header     id u16, timestamp u32; id 65535: id u16, id u32, timestamp u64
 *    context          stele_track u32 (SHAPE_TRACK), vpid u64, vtid u64, procname string
 *                     (SHAPE_THREAD), cpu_id u16 (SHAPE_CPU); in the RFC pid and tid instead
 *
 * Event headers of the RFC are aligned to 32 bits:
 *
 *    type 1           id 5 bits, timestamp 27; id 31: id u32, timestamp u64, then on 64 bits
 *    type 2           timestamp u32, id u16; id 65535: on 64 bits, timestamp u64, id u32
 */
#ifndef CTF_WRITER_SCHEMA_H
#define CTF_WRITER_SCHEMA_H

#include "formats/ctf/schema/text.h"
#include "formats/ctf/write/writer_shape.h"

#define WRITER_HEADER_SIZE 80 /* bytes of packet header and context */

/* Choices that the RFC leaves to the tracer and its machine. */
typedef struct rfc_layout {
    uint8_t event_header; /* RFC_TYPE_1 or RFC_TYPE_2 (section 6.1) */
    uint8_t packing;      /* stele_ctf_alignment: alignment of event headers (section 4.1.2) */
} rfc_layout;

enum { RFC_TYPE_1, RFC_TYPE_2 };

typedef struct writer_packet {
    const uint8_t *uuid;
    uint32_t stream_class_id;
    uint64_t stream_id, begin, end, size /* `size` is in bytes */, sequence_number, discarded;
} writer_packet;

/* Writes the first WRITER_HEADER_SIZE bytes of a packet of CTF 1.8 and 2. */
void writer_packet_header(uint8_t *bytes, const writer_packet *packet);

/* Appends an event header. `last` is the time of the event before, or of the packet's begin, in
   ticks; `rfc` is only used for the RFC. Returns false if out of memory. */
bool writer_event_header(byte_buffer *packet, ctf_generation generation, const rfc_layout *rfc,
                         uint32_t id, uint64_t ticks, uint64_t last);

/* Returns the name of the data stream files of a class, which in the RFC is that of the section. */
const char *writer_stream_name(unsigned flags);

/* Makes the schema without the event classes. `has` says which stream classes are needed; they are
   stored in `streams`, both by flags. Returns false if out of memory. */
bool writer_schema_make(ctf_schema *schema, ctf_generation generation, const rfc_layout *rfc,
                        const uint8_t *uuid, const stele_clock *clock, int64_t base_ns,
                        const bool *has, ctf_stream_class **streams);

/* Adds an entry to the environment: a text, or the number `value` if `text` is NULL. Returns false
   if out of memory. */
bool writer_schema_env(ctf_schema *schema, const char *name, const char *text, uint64_t value);

#endif
