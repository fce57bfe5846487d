/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of what is open where a copy begins: copies of those that began it, with the time of the
 * begin of the copy. They keep their own bits but for the time in their header, and stand in front
 * of the first packet's records.
 */
#ifndef CTF_COPY_BEGINS_H
#define CTF_COPY_BEGINS_H

#include "core/byte_buffer.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/trace.h"
#include "formats/format.h"

/* An event that is open where the copy begins. */
typedef struct begin_place {
    uint32_t from, to; /* numbers of streams: that it stands in, and that it is written to */
    uint32_t file;
    uint32_t track;
    uint64_t packet, offset;
    uint64_t ticks; /* of the begin of the copy */
    uint8_t kind;
    bool is_settled; /* it was counted */
} begin_place;

/* The bits of its record, as they stand in its packet, with the new time. */
typedef struct begin_record {
    const begin_place *place;
    size_t bytes_at; /* in the bytes of all */
    uint32_t joint_first, joint_count;
    uint64_t base, end; /* bits from the packet's start: of the first byte, and of the record */
    uint64_t id;        /* of its class */
} begin_record;

/* Zeroed, there are none. */
typedef struct ctf_begins {
    begin_place *places; /* those of a track from the outermost to the innermost */
    begin_record *records;
    decoder_joint *joints;
    byte_buffer bytes;
    uint32_t place_count, place_capacity, record_count, record_capacity;
    uint32_t joint_count, joint_capacity;
    bool is_loaded;
} ctf_begins;

/* Notes an event; its time is that of the begin of the copy. Returns false if out of memory. */
bool begins_note(ctf_begins *begins, const ctf_trace *trace, const stele_batch *batch,
                 const stele_event *event);

/* Reads the records of all events that were noted. Those of a track, as long as their streams are
   of one class, go to the stream of the innermost, as their order would be lost in several.
   STELE_ERR_MEMORY, STELE_ERR_READ. */
stele_status begins_load(ctf_begins *begins, ctf_trace *trace);

/* The records of a stream, in their order. */
const begin_record *begins_of(const ctf_begins *begins, uint32_t stream, uint32_t *count);

/* They were written. */
void begins_settle(ctf_begins *begins, uint32_t stream);

/* Counts what was begun, and what was not. */
void begins_count(const ctf_begins *begins, loss_table *losses);

void begins_free(ctf_begins *begins);

#endif
