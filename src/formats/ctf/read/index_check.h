/* SPDX-License-Identifier: Apache-2.0 */
/* Compares LTTng's index of a data stream file with the packets of the file. */
#ifndef CTF_INDEX_CHECK_H
#define CTF_INDEX_CHECK_H

#include "formats/ctf/read/lttng_index.h"

typedef struct index_check {
    lttng_index index;
    bool is_open;
    lttng_entry last; /* entry of the packet before; valid with `has_last` */
    bool has_last;
    uint64_t shift; /* offset of a packet minus offset of its entry, modulo 2^64 */
    /* `shift` before its last change, as one entry alone may have a wrong offset. */
    uint64_t shift_before;
} index_check;

/* Opens the index of the file. If it has none, or one that cannot be used, which is reported,
   nothing is compared. */
void index_check_open(index_check *self, const ctf_trace *trace, const ctf_file *file);
void index_check_close(index_check *self);

/*
 * Compares the next packet of the file with its entry and reports the first difference. If entries
 * have no packet, or a packet has no entry, that is reported once, and later entries are compared
 * with the packets that they belong to. The check must be open: only few files have an index.
 */
void index_check_packet(index_check *self, const ctf_packet *packet);

/* Called after the last packet: reports entries that are left, whose packets are missing in the
   file. */
void index_check_end(index_check *self, const ctf_file *file);

#endif
