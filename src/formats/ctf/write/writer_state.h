/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a writer of CTF knows while it writes. Events go through four modules: writer_events.c makes
 * records of them, writer_choice.c finds their classes, writer_streams.c their data streams, and
 * writer_packets.c fills packets. At the end writer_metadata.c prints what they needed.
 *
 * All of them set `status` when they fail, and do nothing once it is set.
 */
#ifndef CTF_WRITER_STATE_H
#define CTF_WRITER_STATE_H

#include "core/byte_buffer.h"
#include "core/intern.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"

#define STREAMS_MAX      200u                /* open files; further streams share the last one */
#define PACKET_SIZE_MAX  ((size_t)256 << 10) /* a packet is ended at this size */
#define PACKET_SIZE_MIN  ((size_t)16 << 10)  /* the same, when there are many streams */
#define PACKETS_SIZE_MAX ((size_t)24 << 20)  /* bytes of all packets that are being filled */

/* A stream of the trace that is made: a file of packets. */
typedef struct data_stream {
    char name[32];
    unsigned flags; /* SHAPE_...: its class */
    output *out;
    byte_buffer packet;   /* being filled, from its header on; empty if there is none */
    uint64_t begin, last; /* ticks of the packet's first and the last event */
    uint64_t packet_count;
    uint64_t discarded;        /* events lost so far */
    uint64_t discarded_before; /* events lost before the packet began */
    uint64_t offset;           /* of the next packet in the file */
    byte_buffer index;         /* entries that are not in the index file yet */
    output *index_out;         /* NULL until the index file is made */
} data_stream;

/* A stream of the source. */
typedef struct source_target {
    uint32_t streams[SHAPE_FLAGS]; /* index + 1; 0: none */
    uint32_t recent;               /* the last one of them that an event went to */
    uint64_t lost; /* events lost since then, which no data stream has counted yet */
} source_target;

/* An event class: its key is in the pool of the same number. */
typedef struct writer_class {
    uint32_t id;         /* in its stream class */
    uint32_t slot_count; /* numbers with labels */
} writer_class;

/* What class_choose gives when there can be no more classes of a kind, or no memory. */
#define CLASS_NONE   (UINT32_MAX - 1)
#define CLASS_MEMORY UINT32_MAX

/* A label that an event gave to one value of a slot of its class. */
typedef struct writer_label {
    uint32_t class_number, slot;
    uint64_t value;
    stele_name name;
    uint32_t event_number; /* of the event that gave it first, modulo 2^32 */
} writer_label;

typedef struct ctf_writer {
    stele_writer base;
    ctf_generation generation;
    shape shape;
    intern keys; /* of event classes; a class has the number of its key */
    writer_class *classes;
    uint32_t class_count, class_capacity;
    size_t key_sizes[3]; /* bytes of keys by level: see writer_choice.c */
    uint32_t id_counts[SHAPE_FLAGS];
    intern label_keys; /* labels that are known */
    writer_label *labels;
    uint32_t label_count, label_capacity;
    uint32_t slots_max;    /* of any class */
    uint32_t event_number; /* of the event at hand, modulo 2^32 */
    uint32_t
        *track_numbers; /* in the trace that is made, by the context's track; 0 if it has none */
    uint32_t number_count;
    uint32_t *tracks; /* of the trace that is made; a track of number N stands at N - 1 */
    uint32_t track_count, track_capacity;
    data_stream *streams;
    uint32_t stream_count;
    source_target *sources; /* by number */
    uint32_t source_count;
    bool has_begun;
    bool has_uuid;   /* a packet was written */
    int64_t base_ns; /* time of tick 0 */
    stele_clock clock;
    uint8_t uuid[16];
    rfc_packer packer;
    rfc_layout layout;
    stele_status status;
} ctf_writer;

#define LABELS_SIZE_MAX ((size_t)2 << 20)

#endif
