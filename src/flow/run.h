/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted run: blocks one after the other in a temporary file. */
#ifndef FLOW_RUN_H
#define FLOW_RUN_H

#include "flow/block.h"

typedef struct spilled_run {
    stele_context *context;
    int fd;
    /* Offsets in the file: of the next block to be read, and after the last one. */
    uint64_t at, end;
} spilled_run;

/* Appends a block. Errors: STELE_ERR_WRITE, with a finding. */
stele_status run_write(spilled_run *r, block *b);

/* Reads the next block. Returns STELE_END after the last. Errors: STELE_ERR_READ, with a finding;
   STELE_ERR_MEMORY. */
stele_status run_read(spilled_run *r, block *b);

/* Reports an error of a temporary file. Returns STELE_ERR_WRITE. */
stele_status run_refused(stele_context *context, const char *expected, const char *found);

#endif
