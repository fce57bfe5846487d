/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a trace that is followed, from one look at its folder to the next: how far its
 * files were read, and where its streams stand. Files are known by what they are, not by name, so
 * that a rotation may move them.
 */
#ifndef CTF_KNOWN_H
#define CTF_KNOWN_H

#include "core/bytes_map.h"
#include "core/hash.h"
#include "formats/ctf/read/losses.h"

typedef struct known_file {
    uint64_t done;    /* bytes that were read: whole packets */
    uint64_t size;    /* when it was looked at for the last time; UINT64_MAX: not yet */
    uint64_t changed; /* the look that found that it grew */
} known_file;

typedef struct known_stream {
    uint32_t number, track; /* in the context; CTF_NONE: it is new */
    ctf_losses losses;      /* as the last packet left them */
    uint64_t clock;         /* the same */
    int64_t end_ns;         /* of the last packet; INT64_MIN: not known */
    bool is_read;           /* packets of it are at hand */
} known_stream;

typedef struct ctf_known {
    hash_key key; /* of texts */
    bytes_map file_numbers, stream_numbers, told;
    known_file *files;
    uint32_t file_count, file_capacity;
    known_stream *streams;
    uint32_t stream_count, stream_capacity;
    diag_sink outer; /* while known_listen() holds */
} ctf_known;

/* Returns NULL if out of memory. */
ctf_known *known_new(void);
void known_free(ctf_known *known);

/* From here on findings that were reported before are not reported again; until known_leave(). */
void known_listen(ctf_known *known, diag_sink *diag);
void known_leave(ctf_known *known, diag_sink *diag);

/* The number of a file with this path; CTF_NONE: memory. A file that is gone has one, too. */
uint32_t known_file_of(ctf_known *known, const char *path);

/* The number of a stream, by what its metadata are known by, its class and its instance; CTF_NONE:
   memory. */
uint32_t known_stream_of(ctf_known *known, const ctf_trace *trace, const ctf_stream *stream);

#endif
