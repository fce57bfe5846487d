/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, cuts or leaves out a packet, once it is known which of its events are kept. */
#ifndef CTF_COPY_PACKET_H
#define CTF_COPY_PACKET_H

#include "formats/ctf/write/copy_state.h"

/* Writes the events that are open where the copy begins, as a packet of their own or before the
   kept events of the current packet. */
stele_status copy_begun(ctf_copier *c);

/* Whether the packet has no events. */
stele_status copy_is_empty_packet(ctf_copier *c, bool *is_empty);

/* Whether the packet is copied although it cannot be unpacked. */
bool copy_stays_sealed(const ctf_copier *c);

/* Copies, cuts or leaves out the current packet. */
stele_status copy_settle(ctf_copier *c);

#endif
