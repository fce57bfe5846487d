/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of one data stream, from all of its files in the order of time, equal ones once. */
#ifndef CTF_WALK_H
#define CTF_WALK_H

#include "formats/ctf/read/index_check.h"
#include "formats/ctf/read/packet.h"

typedef struct walk_options {
    size_t window_size;
    int64_t begin_ns, end_ns; /* packets that are outside as a whole may be left out */
    bool is_copied;           /* by who needs all packets where times depend on those before */
    bool check;               /* compare packets with LTTng's index */
    bool repeats;             /* give equal packets, too */
} walk_options;

typedef struct walk_file walk_file;

typedef struct ctf_walk {
    const ctf_trace *trace;
    const ctf_stream *stream;
    walk_options options;
    ctf_decoder *decoder; /* stands at the first event of the current packet */
    ctf_decoder *peek;    /* reads heads while several files take part; NULL with one */
    walk_file **open;     /* files whose turn it is, the first one in front */
    uint32_t open_count, open_capacity;
    uint32_t next_file;    /* of the stream */
    walk_file *current;    /* that the last packet is of */
    stele_balance balance; /* of the bytes in front of the current packets of the files */
    uint64_t left_out;     /* bytes of the current packet that could not be read: the caller's */
    bool is_outside;       /* the current packet ends before the begin: not to be decoded */
    bool is_repeat;        /* the current packet is equal to the one before */
    bool is_behind_gap;    /* packets in front of the current one were left out unread */
    uint64_t lost_before;  /* then: the highest counter of discarded events in these */
    const ctf_file *last_file; /* where there are several: of the last packet that was no repeat */
    packet_head last;
    uint64_t clock; /* as the last packet left it, for the next file */
    uint64_t last_content_bits, last_offset;
} ctf_walk;

struct walk_file {
    const ctf_file *file;
    input *in;
    window w;
    ctf_packets packets;
    ctf_packet packet;
    index_check index;    /* with `check` */
    uint64_t lost_before; /* see ctf_seek.lost */
    bool is_sought;       /* its first packets were left out, and the next one is the first read */
    bool has_packet;      /* the one at `counted` was read */
    uint64_t size;        /* of the file, as far as it is read */
    uint64_t counted;     /* bytes of the file that are in the balance */
};

/* `decoder` stays the caller's and must outlive the walk. */
stele_status ctf_walk_open(ctf_walk *walk, const ctf_trace *trace, const ctf_stream *stream,
                           ctf_programs *programs, ctf_decoder *decoder,
                           const walk_options *options);
void ctf_walk_close(ctf_walk *walk);

/*
 * The next packet: the window of `walk->current` is at its first byte, the decoder at its first
 * event. Valid until the next call. STELE_END after the last.
 */
stele_status ctf_walk_next(ctf_walk *walk, const ctf_packet **packet);

#endif
