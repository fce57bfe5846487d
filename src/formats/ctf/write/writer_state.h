/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a writer of CTF. Events go through four modules: writer_events.c makes records of
 * them, writer_choice.c finds their classes, writer_streams.c their data streams, and
 * writer_packets.c fills packets. At the end writer_metadata.c prints what they needed.
 *
 * Each module sets `status` when it fails, and does nothing once it is set.
 */
#ifndef CTF_WRITER_STATE_H
#define CTF_WRITER_STATE_H

#include "core/byte_buffer.h"
#include "core/intern.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"

#define STREAMS_MAX     200u                /* open files; further streams share an existing one */
#define PACKET_SIZE_MAX ((size_t)256 << 10) /* bytes at which a packet is written */
/* Bytes at which a packet is written if there are many streams. */
#define PACKET_SIZE_MIN  ((size_t)16 << 10)
#define PACKETS_SIZE_MAX ((size_t)24 << 20) /* bytes of all packets that are being filled */

/* A stream of the new trace: a file of packets. */
typedef struct data_stream {
    char name[32];
    unsigned flags; /* SHAPE_... bits, which determine its class */
    output *out;
    /* The packet that is being filled, from its header on; empty if there is none. */
    byte_buffer packet;
    uint64_t begin, last; /* ticks of the packet's first and the last event */
    uint64_t packet_count;
    uint64_t discarded;        /* events lost so far */
    uint64_t discarded_before; /* events lost before the packet began */
    uint64_t offset;           /* offset in the file of the next packet */
    byte_buffer index;         /* entries that are not in the index file yet */
    output *index_out;         /* NULL until the index file is made */
} data_stream;

/* The data streams that events of one stream of the source go to. */
typedef struct source_target {
    uint32_t streams[SHAPE_FLAGS]; /* by flags: 1 + index of the data stream; 0 if there is none */
    uint32_t recent;               /* index of the data stream that the last event went to */
    uint64_t lost; /* events lost after the last event, not yet counted by a data stream */
} source_target;

/* An event class; its key has the same number in the pool of keys. */
typedef struct writer_class {
    uint32_t id;         /* id in its stream class */
    uint32_t slot_count; /* how many of its numbers have labels */
} writer_class;

/* Results of the search for a class: there can be no more classes of this level, or memory is
   exhausted. */
#define CLASS_NONE   (UINT32_MAX - 1)
#define CLASS_MEMORY UINT32_MAX

/* A label that an event gave to one value of a slot of its class. */
typedef struct writer_label {
    uint32_t class_number, slot;
    uint64_t value;
    stele_name name;
    uint32_t event_number; /* number of the event that gave it first, modulo 2^32 */
} writer_label;

typedef struct ctf_writer {
    stele_writer base;
    ctf_generation generation;
    shape shape;
    intern keys; /* keys of event classes; a class has the number of its key */
    writer_class *classes;
    uint32_t class_count, class_capacity;
    size_t key_sizes[3]; /* bytes of all keys, by level: see writer_choice.c */
    /* How many classes each stream class has, by flags. */
    uint32_t id_counts[SHAPE_FLAGS];
    intern label_keys; /* hashed labels, to find those that are known */
    writer_label *labels;
    uint32_t label_count, label_capacity;
    uint32_t slots_max;    /* most slots of any class */
    uint32_t event_number; /* number of the current event, modulo 2^32 */
    uint32_t
        /* By track of the context, its number in the new trace; 0 if it has none. */
        *track_numbers;
    uint32_t number_count;
    uint32_t *tracks; /* Tracks of the new trace: the one with number N is at N - 1. */
    uint32_t track_count, track_capacity;
    data_stream *streams;
    uint32_t stream_count;
    source_target *sources; /* by number of the source's stream */
    uint32_t source_count;
    bool has_begun;
    bool has_uuid;   /* a packet was written, so that the UUID is chosen */
    int64_t base_ns; /* time of tick 0 in ns */
    stele_clock clock;
    uint8_t uuid[16];
    rfc_packer packer;
    rfc_layout layout;
    stele_status status;
} ctf_writer;

#define LABELS_SIZE_MAX                                                      \
    ((size_t)2 << 20) /* bytes of memory for labels; further labels are lost \
                       */

#endif
