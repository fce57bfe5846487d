/* SPDX-License-Identifier: Apache-2.0 */
/* Files that only grow, by whole packets: at any moment a file has only complete packets, even if
   the process is killed then; it appears with its first ones, so it is never empty. (An output of
   core/output.h appears only when it is finished.) */
#ifndef COLLECT_APPEND_H
#define COLLECT_APPEND_H

#include "core/diag.h"

typedef struct append_file append_file;

/* Files of which only some are open. If another one is needed, the one written least recently is
   closed; it is opened again when it is written next. So neither descriptors nor buffers grow with
   the number of files, which the senders determine. */
typedef struct append_pool {
    append_file *newest, *oldest; /* of the open files, by the time of their last write */
    uint32_t open_count, file_count;
} append_pool;

/* A file of a pool, which must not move in memory. */
struct append_file {
    append_pool *pool;
    append_file *newer, *older;
    char *path;
    char *aside;     /* temporary name; NULL: none, or the file has its final one */
    bool is_aside;   /* the file does not have its final name yet */
    int fd;          /* -1: not open at the moment */
    uint8_t *buffer; /* complete packets that are not written yet; NULL: not open */
    size_t used;
    uint64_t size; /* bytes that were written */
};

/* Creates a file, which gets its name with the first bytes that are written, or when it is closed;
   no file of that name may exist then. Errors: STELE_ERR_WRITE, with a finding; STELE_ERR_MEMORY.
 */
stele_status append_open(append_file *f, append_pool *pool, diag_sink *diag, const char *path);

/* Appends one packet. Errors are those of append_open(); after one the file ends with the last
   complete packet. */
stele_status append_packet(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size);

/* Appends bytes at once to a file of `size` bytes that is not open in the pool; with `is_last`,
   syncs it. Errors are those of append_packet(); after one the file is unchanged. */
stele_status append_once(append_pool *pool, diag_sink *diag, const char *path, uint64_t size,
                         const uint8_t *bytes, size_t added, bool is_last);

/* Writes the buffers of all files. */
stele_status append_flush_all(append_pool *pool, diag_sink *diag);

/* Flushes, syncs and closes a file; does nothing to a zeroed one. */
stele_status append_close(append_file *f, diag_sink *diag);

#endif
