/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a copier of CTF, for the trace, the current stream and the current packet. All
   modules of the copier return STELE_ERR_READ, STELE_ERR_MEMORY and errors of the output. */
#ifndef CTF_COPY_STATE_H
#define CTF_COPY_STATE_H

#include "core/byte_buffer.h"
#include "formats/ctf/read/walk.h"
#include "formats/ctf/write/copy.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"

#define SCAN_EVENTS 256u /* events decoded at a time */
/* Outputs of one stream that stay open; if a stream has more files, complete ones are closed. */
#define FILES_OPEN  16u
#define NOT_SCANNED UINT64_MAX /* in `seen_count` */

/* A file of the copy, and the index of its packets. */
typedef struct file_copy {
    output *out;
    index_copy *index;
} file_copy;

/* The position of a packet: number of the file, offset in it. */
typedef struct packet_place {
    uint32_t file;
    uint64_t offset;
} packet_place;

typedef struct ctf_copier {
    copier base;
    ctf_trace *trace;
    output *out;
    /* The context's sink. The copier has one of its own, as the reader has reported all findings
       already. */
    diag_sink told;
    stele_status status; /* the first error, after which nothing is done */
    file_copy *files;
    bool *is_done;                           /* by number of the stream */
    bool is_part;                            /* some packets were left out */
    int64_t shift_ns;                        /* added to the times of all events that are kept */
    ctf_programs **programs, **cut_programs; /* by number of the subtrace */
    stele_batch *batch;
    ctf_content content;
    ctf_begins begins; /* events that are open where the copy begins */

    /* The current stream. */
    const ctf_stream *stream; /* NULL between streams */
    ctf_decoder *decoder;
    ctf_walk walk;
    ctf_cut cut;
    /* Records that are open, to be written before the first event that is kept. */
    const begin_record *begun;
    uint32_t begun_count;
    bool has_kept; /* a packet of the stream was kept */
    bool is_last;  /* no packet after the current one will be kept */
    bool is_gap;   /* something is left out before the first packet that is kept */
    bool is_head_wanted;
    packet_place head;   /* the last packet before the first one that is kept */
    bool was_copied;     /* the last packet that is not a repetition was copied */
    unsigned time_bits;  /* see copy_times_differ() */
    uint64_t last_ticks; /* ticks of the last event that was kept */
    uint64_t extra_count, whole_count, missing_count, sealed_count;
    /* Offset of the first packet that was copied with events that should not be kept. */
    uint64_t whole_at;
    uint32_t whole_file;
    /* Offset of the first packet that was copied although it cannot be unpacked. */
    uint64_t sealed_at;
    uint32_t sealed_file;

    /* The current packet. */
    const ctf_packet *packet; /* NULL between packets */
    bool is_wanted;
    uint32_t batch_at;
    decode_outcome outcome;
    byte_buffer bits; /* a bit for each event that was seen: whether it is kept */
    uint64_t seen_count, kept_count;
    uint64_t last_offset;
    /* Of two events that begin in the same byte, only one is kept, so it is not sure which. */
    bool is_doubtful;
} ctf_copier;

/* Returns the number of the file that contains the current packet. */
static inline uint32_t current_file(const ctf_copier *c)
{
    return (uint32_t)(c->walk.current->file - c->trace->files);
}

#endif
