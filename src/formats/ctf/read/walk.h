/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over the packets of one data stream, from all of its files in the order of time. Of equal
   packets in several files one is given. */
#ifndef CTF_WALK_H
#define CTF_WALK_H

#include "formats/ctf/read/index_check.h"
#include "formats/ctf/read/packet.h"
#include "formats/ctf/records/clocks.h"

typedef struct walk_options {
    size_t window_size;
    int64_t begin_ns, end_ns; /* packets that lie outside as a whole may be left out */
    /* The caller copies packets, and needs all of them if times depend on earlier packets. */
    bool is_copied;
    bool check;   /* compare packets with LTTng's index */
    bool repeats; /* give packets that are equal to the one before, too */
} walk_options;

typedef struct walk_file walk_file;

typedef struct ctf_walk {
    const ctf_trace *trace;
    const ctf_stream *stream;
    walk_options options;
    ctf_decoder *decoder; /* at the first event of the current packet */
    /* Reads heads of packets to compare the files' times; NULL if there is only one file. */
    ctf_decoder *peek;
    walk_file **open; /* files that take part now; the one with the earliest packet is the first */
    uint32_t open_count, open_capacity;
    uint32_t next_file;    /* index in the stream's list of the file that takes part next */
    walk_file *current;    /* the file of the current packet */
    stele_balance balance; /* of the bytes before the files' current packets */
    uint64_t left_out; /* set by the caller: bytes of the current packet that could not be read */
    bool is_outside;   /* the current packet ends before `begin_ns` and need not be decoded */
    bool is_repeat;    /* the current packet is equal to the one before */
    bool is_after_gap; /* packets before the current one were left out unread */
    /* With is_after_gap: the highest counter of discarded events in the packets left out. */
    uint64_t lost_before;
    /* Of several files, the one whose packet was the last that is not a repeat. */
    const ctf_file *last_file;
    packet_head last; /* head of that packet */
    uint64_t clock;   /* clock after the last packet, in ticks, for a packet of another file */
    const ctf_clock *rate_clock; /* the clock that `rate` is of; NULL: of none yet */
    clock_rate rate;
    /* Content size of the last packet in bits, and its offset in the file in bytes. */
    uint64_t last_content_bits, last_offset;
} ctf_walk;

struct walk_file {
    const ctf_file *file;
    input *in;
    window w;
    ctf_packets packets;
    ctf_packet packet;
    index_check index;    /* open with `check` */
    ctf_noted *noted;     /* what is noted of the file; NULL: nothing */
    uint64_t lost_before; /* see ctf_seek.lost */
    /* The first packets were left out; the next packet is the first that is read. */
    bool is_sought;
    bool has_packet;  /* the packet at offset `counted` was read */
    uint64_t size;    /* bytes of the file that can be read */
    uint64_t counted; /* bytes of the file that the balance contains */
};

/* Opens a walk over the packets of a stream. The caller keeps `decoder`, which must outlive the
   walk. */
stele_status ctf_walk_open(ctf_walk *walk, const ctf_trace *trace, const ctf_stream *stream,
                           ctf_programs *programs, ctf_decoder *decoder,
                           const walk_options *options);
void ctf_walk_close(ctf_walk *walk);

/* Goes to the next packet, which is valid until the next call. The window of `walk->current` is
   then at its first byte, the decoder at its first event. Returns STELE_END after the last one. */
stele_status ctf_walk_next(ctf_walk *walk, const ctf_packet **packet);

#endif
