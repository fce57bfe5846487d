/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a copier of CTF knows: of the trace, of the stream it is at, of the packet it is at. All of
 * its modules give STELE_ERR_READ, STELE_ERR_MEMORY and errors of the output.
 */
#ifndef CTF_COPY_STATE_H
#define CTF_COPY_STATE_H

#include "core/byte_buffer.h"
#include "formats/ctf/read/walk.h"
#include "formats/ctf/write/copy.h"
#include "formats/ctf/write/copy_begins.h"
#include "formats/ctf/write/copy_cut.h"

#define SCAN_EVENTS 256u
#define FILES_OPEN  16u /* outputs of one stream; when there are more, complete ones are closed */
#define NOT_SCANNED UINT64_MAX

/* A file of the copy, and the index of its packets. */
typedef struct file_copy {
    output *out;
    index_copy *index;
} file_copy;

/* Where a packet is: file, offset. */
typedef struct packet_place {
    uint32_t file;
    uint64_t offset;
} packet_place;

typedef struct ctf_copier {
    copier base;
    ctf_trace *trace;
    output *out;
    diag_sink told;      /* where findings go; those of the reader are not reported again */
    stele_status status; /* the first error: nothing can go on after it */
    file_copy *files;
    bool *is_done;                           /* by stream */
    bool is_part;                            /* something was left out */
    int64_t shift_ns;                        /* of the times of all events that are kept */
    ctf_programs **programs, **cut_programs; /* by subtrace */
    stele_batch *batch;
    ctf_content content;
    ctf_begins begins; /* of what is open where the copy begins */

    /* Of the stream */
    const ctf_stream *stream; /* NULL: between streams */
    ctf_decoder *decoder;
    ctf_walk walk;
    ctf_cut cut;
    const begin_record *begun; /* records of what is open, before the first event that is kept */
    uint32_t begun_count;
    bool has_kept; /* a packet was kept */
    bool is_last;  /* no packet after the one at hand will be kept */
    bool is_gap;   /* before the first packet that is kept, something is left out */
    bool is_head_wanted;
    packet_place head;   /* of the last packet before the first one that is kept */
    bool was_copied;     /* the last packet that was no repetition */
    unsigned time_bits;  /* see copy_times_differ() */
    uint64_t last_ticks; /* of the last event that was kept */
    uint64_t extra_count, whole_count, missing_count, sealed_count;
    uint64_t whole_at; /* the first packet that had to be copied as it is */
    uint32_t whole_file;
    uint64_t sealed_at; /* the first packet that was copied although it cannot be unpacked */
    uint32_t sealed_file;

    /* Of the packet */
    const ctf_packet *packet; /* NULL: between packets */
    bool is_wanted;
    uint32_t batch_at;
    decode_outcome outcome;
    byte_buffer bits; /* of its events that are kept */
    uint64_t seen_count, kept_count;
    uint64_t last_offset;
    bool is_doubtful; /* of events that share a byte one is kept and one is not */
} ctf_copier;

/* The number of the file that the packet at hand is in. */
static inline uint32_t current_file(const ctf_copier *c)
{
    return (uint32_t)(c->walk.current->file - c->trace->files);
}

#endif
