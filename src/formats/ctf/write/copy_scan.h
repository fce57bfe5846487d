/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which events of a packet are kept in its copy. */
#ifndef CTF_COPY_SCAN_H
#define CTF_COPY_SCAN_H

#include "formats/ctf/write/copy_state.h"

/* Forgets the events of the packet before. */
void copy_scan_reset(ctf_copier *c);

/* Marks the event at an offset in the file as kept, and those before it as not kept. */
stele_status copy_scan_to(ctf_copier *c, uint64_t offset);

/* Marks the rest of the packet's events as not kept. */
stele_status copy_scan_rest(ctf_copier *c);

#endif
