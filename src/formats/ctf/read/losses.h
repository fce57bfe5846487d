/* SPDX-License-Identifier: Apache-2.0 */
/* Counts losses that the tracer recorded: by counters of discarded events and by gaps in the
   packets' sequence numbers. */
#ifndef CTF_LOSSES_H
#define CTF_LOSSES_H

#include "formats/ctf/read/packet.h"

typedef struct ctf_losses {
    /* the packets before the first one are not part of the trace, so counters need not start at
       0 */
    bool is_part;
    bool is_quiet;                    /* losses are not reported, because nobody asks for them */
    bool has_discarded, has_sequence; /* a packet before had the counter or the sequence number */
    uint64_t discarded, sequence_number; /* of the packet before that had them */
    uint64_t discarded_highest; /* highest counter of all packets before, continued across wraps */
    uint64_t end_ticks;         /* end of the packet before */
    /* There was a packet before; it had an end time. */
    bool has_packet, has_end;
} ctf_losses;

/* Losses of a stream between two of its packets. */
typedef struct ctf_loss {
    uint64_t events;  /* events discarded between `begin_ticks` and `end_ticks` */
    uint64_t packets; /* packets missing before this one */
    uint64_t begin_ticks, end_ticks;
} ctf_loss;

/* Returns the highest value of a counter of `width` bits, continued across wraps, after it was
   `highest` and then has the value `next`. */
uint64_t losses_highest(uint64_t highest, uint64_t next, unsigned width);

/* Takes the next packet of a stream and returns what was lost before or with it. Reports counters
   that decrease. */
ctf_loss losses_take(ctf_losses *losses, const ctf_packets *packets, const ctf_packet *packet);

#endif
