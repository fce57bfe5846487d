/* SPDX-License-Identifier: Apache-2.0 */
/* Turns packets into batches of events: of one stream, or of several one after the other. */
#ifndef CTF_PRODUCER_H
#define CTF_PRODUCER_H

#include "formats/ctf/read/content.h"
#include "formats/ctf/read/losses.h"
#include "formats/ctf/read/program_set.h"
#include "formats/ctf/read/spans.h"
#include "formats/ctf/read/walk.h"

typedef struct ctf_producer {
    producer base;
    ctf_trace *trace;
    produce_request request;
    /* Indexes in the trace's table of streams: the current one, and the one after the last. */
    uint32_t stream, stream_end;
    ctf_program_set *programs;
    /* kinds, names and tracks that Stele's writer recorded; NULL if it did not write the
       subtrace */
    const ctf_spans *spans;
    ctf_decoder *decoder; /* of the streams in turn, as long as they have the same programs */
    const ctf_programs *decoder_programs;
    ctf_walk walk;
    bool has_walk;
    ctf_content content;
    ctf_losses losses;
    const ctf_packet *packet; /* current packet; NULL between packets */
    ctf_loss loss;  /* loss of events or packets before the current packet, not given yet */
    bool has_event; /* an event of the packet was given */
    bool is_mend_reported;
    /* Filling a batch stops at the end of a packet; ctf_producer_packet() opens the next one. */
    bool is_by_packet;
    stele_balance passed; /* balance of the streams that were read to their end */

    /* Bounds of the part that is read, of the packets that begin there. Places count the bytes of
       all streams, one after the other. */
    uint64_t part_begin, part_end;
    /* Where the stream, its next packet, and the next stream begin. */
    uint64_t stream_place, packet_place, next_place;
    stele_balance before; /* balance of the stream's packets before the part */
    bool is_in_part;
} ctf_producer;

/* Makes a producer of the streams from index `first` to before `end`. Returns STELE_ERR_MEMORY if
   out of memory. */
stele_status ctf_producer_new(ctf_trace *trace, const produce_request *request, uint32_t first,
                              uint32_t end, ctf_producer **out);

/* Takes the bounds of the part of the request. */
void ctf_part_begin(ctf_producer *self);

/* Moves over streams that have nothing in the part. Returns false if the part ends before the
   current stream. */
bool ctf_part_stream(ctf_producer *self);

/* Where a packet is. */
typedef enum ctf_part_place { CTF_PART_BEFORE, CTF_PART_IN, CTF_PART_AFTER } ctf_part_place;

/* Finds out where the packet is that the walk has come to. */
ctf_part_place ctf_part_packet(ctf_producer *self, const ctf_packet *packet);

/* The balance of what the part has of the stream that is open. */
stele_balance ctf_part_balance(const ctf_producer *self);

/* Begins one stream that is read packet by packet, with the counters and the clock that earlier
   packets left. Returns STELE_ERR_MEMORY if out of memory. */
stele_status ctf_producer_begin(ctf_producer *self, const ctf_losses *losses, uint64_t clock);

/* Opens the next packet that has anything to give, and sets `packet`. Returns STELE_END if there is
   none. */
stele_status ctf_producer_packet(ctf_producer *self);

#endif
