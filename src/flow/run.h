/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted run: blocks one after the other in a temporary file. */
#ifndef FLOW_RUN_H
#define FLOW_RUN_H

#include "flow/block.h"

typedef struct spilled_run {
    stele_context *context;
    int fd;
    uint64_t at, end; /* offsets in the file: of the next block to be read, and after the last */
} spilled_run;

/* Appends a block. STELE_ERR_WRITE, with a finding. */
stele_status run_write(spilled_run *r, block *b);

/* The next block; STELE_END after the last. STELE_ERR_READ, with a finding, STELE_ERR_MEMORY. */
stele_status run_read(spilled_run *r, block *b);

/* Reports what a temporary file refused; gives STELE_ERR_WRITE. */
stele_status run_refused(stele_context *context, const char *expected, const char *found);

#endif
