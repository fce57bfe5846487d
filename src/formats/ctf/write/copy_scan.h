/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a packet that is copied: which of them are kept. */
#ifndef CTF_COPY_SCAN_H
#define CTF_COPY_SCAN_H

#include "formats/ctf/write/copy_state.h"

/* Forgets the packet before. */
void copy_scan_reset(ctf_copier *c);

/* Marks the event at an offset as kept; those before it are not. */
stele_status copy_scan_to(ctf_copier *c, uint64_t offset);

/* Looks at the rest of the events, none of which is kept. */
stele_status copy_scan_rest(ctf_copier *c);

#endif
