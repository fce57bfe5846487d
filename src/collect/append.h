/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that only grow, by whole packets: what is in a file at any moment is whole, even if the
 * process is killed then. (Outputs of core/output.h are in place when they are finished, and not
 * before.)
 */
#ifndef COLLECT_APPEND_H
#define COLLECT_APPEND_H

#include "core/diag.h"

typedef struct append_file append_file;

/* Files of which some are open: where another one is needed, the one that was written to least
   recently is closed, and opened again when it is its turn. So neither descriptors nor buffers grow
   with the number of files, which is for senders to say. */
typedef struct append_pool {
    append_file *newest, *oldest; /* of those that are open */
    uint32_t open_count, file_count;
} append_pool;

/* It never moves while it is of a pool. */
struct append_file {
    append_pool *pool;
    append_file *newer, *older;
    char *path;
    int fd;          /* -1: it is not open at present */
    uint8_t *buffer; /* whole packets that are not written yet; NULL: not open */
    size_t used;
    uint64_t size; /* bytes that are written */
};

/* Creates a file, which must not be there. STELE_ERR_WRITE, with a finding; STELE_ERR_MEMORY. */
stele_status append_open(append_file *f, append_pool *pool, diag_sink *diag, const char *path);

/* One packet. Errors are those of opening; the file is then cut after the last packet that is
 * whole. */
stele_status append_packet(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size);

/* Adds bytes to a file of `size` bytes that nothing is open for, at once; with `is_last`, syncs it.
   Errors are those of append_packet(); the file is then as it was. */
stele_status append_once(append_pool *pool, diag_sink *diag, const char *path, uint64_t size,
                         const uint8_t *bytes, size_t added, bool is_last);

/* Writes what the buffers of all files hold. */
stele_status append_flush_all(append_pool *pool, diag_sink *diag);

/* Flushes, syncs and closes; a zeroed file is none. */
stele_status append_close(append_file *f, diag_sink *diag);

#endif
