/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiling files from samples, and copies parts of them; the layout is drawn in
   profile.c. */
#ifndef XRAY_WRITE_PROFILE_WRITE_H
#define XRAY_WRITE_PROFILE_WRITE_H

#include "formats/format.h"
#include "formats/xray/trace.h"

typedef struct profile_block {
    output *records; /* records of the current block, in memory; NULL until the first sample */
    uint32_t track;  /* track of the current block */
    uint32_t number;
    bool has_header; /* the file header was written */
} profile_block;

/* Whether an event is a sample that a profiling file can hold: it has a path of function ids. */
bool profile_can_write(const stele_context *context, const stele_batch *batch,
                       const stele_event *event);

/* Appends a sample; samples of one track that follow one another make a block. */
stele_status profile_write(profile_block *block, stele_context *context, output *out,
                           const stele_batch *batch, const stele_event *event);

/* Writes the current block. */
stele_status profile_flush(profile_block *block, const stele_context *context, output *out);
void profile_block_free(profile_block *block);

/* Copies kept records in the blocks that contain them. */
stele_status xray_profile_copier_open(xray_trace *trace, output *out, copier **copier);

#endif
