/* SPDX-License-Identifier: Apache-2.0 */
/* Writes LTTng's index of a data stream file for a copy of it, which may lack packets. */
#ifndef CTF_COPY_INDEX_H
#define CTF_COPY_INDEX_H

#include "formats/ctf/read/lttng_index.h"

/* A packet of the copy. */
typedef struct copied_packet {
    uint64_t offset, size; /* bytes */
    uint64_t content_bits, begin_ticks, end_ticks, discarded;
} copied_packet;

typedef struct index_copy index_copy;

/* Adds a file to a folder of the output, or to the output itself if `folder` is NULL. */
stele_status copy_add(output *out, const char *folder, const char *name, output **added);

/* Begins the index of the copy. `*made` is NULL if the file has no index that can be used. Returns
   STELE_ERR_MEMORY and errors of the output. */
stele_status index_copy_open(const ctf_trace *trace, const ctf_file *file, output *out,
                             const char *folder, index_copy **made);

/* Writes the entry of a packet: that of the original, with what the copy changes and what was
   wrong. */
stele_status index_copy_add(index_copy *self, const ctf_packet *original,
                            const copied_packet *packet);
void index_copy_close(index_copy *self);

#endif
