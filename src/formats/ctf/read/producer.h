/* SPDX-License-Identifier: Apache-2.0 */
/* Packets as batches of events: of one stream, or of several one after the other. */
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
    uint32_t stream, stream_end; /* in the trace's table: the current one, after the last */
    ctf_program_set *programs;
    const ctf_spans *spans; /* of the stream's subtrace; NULL: Stele did not write it */
    ctf_decoder *decoder;
    ctf_walk walk;
    bool has_walk;
    ctf_content content;
    ctf_losses losses;
    const ctf_packet *packet; /* NULL: between packets */
    ctf_loss loss;            /* with the packet, not yet in a batch */
    bool has_event;           /* of the packet one was seen */
    bool is_mend_reported;
    bool is_by_packet;    /* fill stops where a packet ends; ctf_producer_packet() opens the next */
    stele_balance passed; /* of the streams that were read */
} ctf_producer;

/* Of the streams from `first` to before `end`, by their places in the trace's table.
   STELE_ERR_MEMORY. */
stele_status ctf_producer_new(ctf_trace *trace, const produce_request *request, uint32_t first,
                              uint32_t end, ctf_producer **out);

/* By packets, of one stream: begins it, with what is known of it from before. STELE_ERR_MEMORY. */
stele_status ctf_producer_begin(ctf_producer *self, const ctf_losses *losses, uint64_t clock);

/* Opens the next packet that has something to be read, so that `packet` is set. STELE_END: there
   is none. */
stele_status ctf_producer_packet(ctf_producer *self);

#endif
