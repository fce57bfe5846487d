/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling files written from samples, and cut; the layout is drawn in profile.c. */
#ifndef XRAY_WRITE_PROFILE_WRITE_H
#define XRAY_WRITE_PROFILE_WRITE_H

#include "formats/format.h"
#include "formats/xray/trace.h"

typedef struct profile_block {
    output *records; /* of the block at hand, in memory; NULL until the first */
    uint32_t track;  /* it belongs to */
    uint32_t number;
    bool has_header; /* of the file */
} profile_block;

/* Whether an event is a sample that a profiling file can hold: it has a path of function ids. */
bool profile_can_write(const stele_context *context, const stele_batch *batch,
                       const stele_event *event);

/* Appends a sample; samples of one track that follow one another make a block. */
stele_status profile_write(profile_block *block, stele_context *context, output *out,
                           const stele_batch *batch, const stele_event *event);

/* Writes the block at hand. */
stele_status profile_flush(profile_block *block, const stele_context *context, output *out);
void profile_block_free(profile_block *block);

/* Keeps records of the blocks that they stand in. */
stele_status xray_profile_copier_open(xray_trace *trace, output *out, copier **copier);

#endif
