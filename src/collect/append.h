/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that only grow, by whole packets: what is in a file at any moment is whole, whatever
 * happens to the process. (Outputs of core/output.h are in place when they are finished, and not
 * before.)
 */
#ifndef COLLECT_APPEND_H
#define COLLECT_APPEND_H

#include "core/diag.h"

typedef struct append_file {
    char *path;
    int fd;
    uint8_t *buffer; /* whole packets that are not written yet */
    size_t used;
    uint64_t size; /* bytes that are written */
} append_file;

/* Creates a file, which must not be there. STELE_ERR_WRITE, with a finding; STELE_ERR_MEMORY. */
stele_status append_open(append_file *f, diag_sink *diag, const char *path);

/* One packet. Errors are those of opening; the file is then cut after the last packet that is
 * whole. */
stele_status append_packet(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size);
stele_status append_flush(append_file *f, diag_sink *diag);

/* Flushes, syncs and closes; a zeroed file is none. */
stele_status append_close(append_file *f, diag_sink *diag);

#endif
