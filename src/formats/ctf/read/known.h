/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers the state of a followed trace between two looks at its folder: how far its files were
 * read, and the state of its streams. Files are identified by device and inode, not by name, so
 * that a rotation may move them.
 */
#ifndef CTF_KNOWN_H
#define CTF_KNOWN_H

#include "core/bytes_map.h"
#include "core/hash.h"
#include "formats/ctf/read/losses.h"

typedef struct known_file {
    uint64_t done;    /* bytes that were read, whole packets only */
    uint64_t size;    /* size at the last look; UINT64_MAX before the first one */
    uint64_t changed; /* number of the look that found the file larger than before */
} known_file;

typedef struct known_stream {
    /* Numbers of the stream and its track in the context; CTF_NONE if the stream is new. */
    uint32_t number, track;
    ctf_losses losses; /* counters after the last packet */
    uint64_t clock;    /* clock after the last packet, in ticks */
    int64_t end_ns;    /* end of the last packet; INT64_MIN if it is not known */
    bool is_read;      /* packets of the stream are waiting to be read */
} known_stream;

typedef struct ctf_known {
    hash_key key; /* random key of the hashes of texts */
    /* Numbers of files and streams, and findings that were reported, each by a text that identifies
       it. */
    bytes_map file_numbers, stream_numbers, told;
    known_file *files;
    uint32_t file_count, file_capacity;
    known_stream *streams;
    uint32_t stream_count, stream_capacity;
    diag_sink outer; /* where findings go, saved while known_listen() filters them */
} ctf_known;

/* Returns an empty one, to be freed with known_free(), or NULL if out of memory. */
ctf_known *known_new(void);
void known_free(ctf_known *known);

/* Suppresses findings that were reported before, until known_leave(). */
void known_listen(ctf_known *known, diag_sink *diag);
void known_leave(ctf_known *known, diag_sink *diag);

/* Returns the number of the file with this path, a new one if it is not known, also for a file that
   is gone. Returns CTF_NONE if out of memory. */
uint32_t known_file_of(ctf_known *known, const char *path);

/* Returns the number of the stream with this subtrace (by its known_by), class and instance, a new
   one if it is not known. Returns CTF_NONE if out of memory. */
uint32_t known_stream_of(ctf_known *known, const ctf_trace *trace, const ctf_stream *stream);

#endif
