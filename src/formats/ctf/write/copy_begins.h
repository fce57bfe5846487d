/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins what is open where a copy begins: copies the records that began it, with the time at which
 * the copy begins. The records keep their own bits but for the time in their header, and precede
 * the records of the first packet.
 */
#ifndef CTF_COPY_BEGINS_H
#define CTF_COPY_BEGINS_H

#include "core/byte_buffer.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/trace.h"
#include "formats/format.h"

/* An event that is open where the copy begins. */
typedef struct begin_place {
    /* Numbers of streams: the one that contains the event, and the one that its copy is written
       to. */
    uint32_t from, to;
    uint32_t file;
    uint32_t track;
    uint64_t packet, offset;
    uint64_t ticks; /* time at which the copy begins */
    uint8_t kind;
    bool is_settled; /* the copy was written */
} begin_place;

/* The bits of its record from its packet, with the new time. */
typedef struct begin_record {
    const begin_place *place;
    size_t bytes_at; /* offset in ctf_begins.bytes */
    uint32_t joint_first, joint_count;
    /* Positions of the first byte of `bytes` and of the record's end, in bits from the packet's
       start. */
    uint64_t base, end;
    uint64_t id; /* id of the event's class */
} begin_record;

/* Events that are open where a copy begins. Zeroed, there are none. */
typedef struct ctf_begins {
    begin_place *places; /* events of a track from the outermost to the innermost */
    begin_record *records;
    decoder_joint *joints;
    byte_buffer bytes;
    uint32_t place_count, place_capacity, record_count, record_capacity;
    uint32_t joint_count, joint_capacity;
    /* begins_load() was called. */
    bool is_loaded;
} ctf_begins;

/* Notes an event that is open; its time is already that of the copy's begin. Returns false if out
   of memory. */
bool begins_note(ctf_begins *begins, const ctf_trace *trace, const stele_batch *batch,
                 const stele_event *event);

/*
 * Reads the records of all events that were noted. Records of one track all go to the stream of the
 * innermost one, if their streams are of one class, because their order would be lost in several
 * streams. Returns STELE_ERR_MEMORY or STELE_ERR_READ.
 */
stele_status begins_load(ctf_begins *begins, ctf_trace *trace);

/* Returns the records that are written to a stream, in their order. */
const begin_record *begins_of(const ctf_begins *begins, uint32_t stream, uint32_t *count);

/* Notes that the records of a stream were written. */
void begins_settle(ctf_begins *begins, uint32_t stream);

/* Counts which events were begun in the copy, and which were not. */
void begins_count(const ctf_begins *begins, loss_table *losses);

void begins_free(ctf_begins *begins);

#endif
