/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng's index of a data stream file, compared with the packets that the file has. */
#ifndef CTF_INDEX_CHECK_H
#define CTF_INDEX_CHECK_H

#include "formats/ctf/read/lttng_index.h"

typedef struct index_check {
    lttng_index index;
    bool is_open;
    lttng_entry last; /* of the packet before; valid with `has_last` */
    bool has_last;
    uint64_t shift;        /* from the offsets of entries to those of packets, modulo 2^64 */
    uint64_t shift_before; /* before it changed: one entry alone may have a wrong offset */
} index_check;

/* Where the file has no index, or one that cannot be used, which is reported, nothing is compared.
 */
void index_check_open(index_check *self, const ctf_trace *trace, const ctf_file *file);
void index_check_close(index_check *self);

/*
 * Compares the next packet of the file with its entry, and reports the first difference. Where the
 * index has entries of packets that are gone, or none of a packet, that is reported once, and the
 * entries after it are compared with the packets that they are of.
 */
void index_check_packet(index_check *self, const ctf_packet *packet);

/* After the last packet: entries that are left tell of packets that are gone. */
void index_check_end(index_check *self, const ctf_file *file);

#endif
