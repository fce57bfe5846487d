/* SPDX-License-Identifier: Apache-2.0 */
/* What the tracer says it lost: counters of discarded events, gaps in the numbers of packets. */
#ifndef CTF_LOSSES_H
#define CTF_LOSSES_H

#include "formats/ctf/read/packet.h"

typedef struct ctf_losses {
    bool is_part;  /* counters count from the first packet on, whatever was before it */
    bool is_quiet; /* what is lost is not asked for, and not told */
    bool has_discarded, has_sequence;    /* there was a packet with them before */
    uint64_t discarded, sequence_number; /* of the packet before */
    uint64_t discarded_highest;          /* of all packets before, across wraps */
    uint64_t end_ticks;                  /* of the packet before */
    bool has_packet, has_end;
} ctf_losses;

typedef struct ctf_loss {
    uint64_t events;  /* discarded between `begin` and `end`; 0: none */
    uint64_t packets; /* missing before this one; 0: none */
    uint64_t begin_ticks, end_ticks;
} ctf_loss;

/* The highest value of a counter of discarded events, across wraps, once the next one is known. */
uint64_t losses_highest(uint64_t highest, uint64_t next, unsigned width);

/* Takes the next packet of a stream; what was lost with it. Reports counters that go back. */
ctf_loss losses_take(ctf_losses *losses, const ctf_packets *packets, const ctf_packet *packet);

#endif
