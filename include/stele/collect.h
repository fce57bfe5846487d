/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that arrive over a network, as traces in a folder. The caller has the sockets and gives
 * what they receive; the collector finds the packets in it, puts them in order by the numbers that
 * they have, notices which are missing and which come again, and appends them to files that are
 * valid traces at every moment: whenever the process ends, what was written before can be read.
 *
 *     stele_collector_open(context, "out", NULL, &collector);
 *     stele_collector_add(collector, &(stele_sender){.name = "udp 127.0.0.1:4711",
 *                                                    .host = "127.0.0.1", .is_datagram = true},
 * &id); while (...) { stele_collector_receive(collector, id, bytes, size, now_ns);
 *         stele_collector_tick(collector, now_ns, &wait_ns);
 *     }
 *     stele_collector_finish(collector);
 *     stele_collector_close(collector);
 *
 * Heph and CTF (RFC, 1.8, 2) are collected from packets and connections, FXT from connections. What
 * is not a packet, is missing, or was refused is reported to the handler of the context as it is
 * noticed, and counted.
 *
 * One thread at a time uses a collector and its context; different collectors are independent.
 */
#ifndef STELE_COLLECT_H
#define STELE_COLLECT_H

#include <stele/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_collector stele_collector;

/* Whose packets can be of one trace. Records of FXT are always of their sender's own; packets of
   CTF whose metadata differ are always of different traces. */
typedef enum stele_collect_by {
    STELE_COLLECT_BY_HOST,   /* of all senders of one host: several sockets of one program */
    STELE_COLLECT_BY_SENDER, /* of one sender only */
    STELE_COLLECT_TOGETHER   /* of all senders */
} stele_collect_by;

/* Zeros give the defaults. */
typedef struct stele_collector_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *format; /* "heph", "ctf" or "fxt"; NULL: as the first bytes of each sender say */
    stele_collect_by by;
    const void *metadata; /* CTF: metadata that do not arrive, in any form; copied. NULL: none */
    size_t metadata_size;
    uint32_t window_count;    /* packets that one stream may wait for; default 64, at most 65,536 */
    int64_t window_ns;        /* how long packets wait for one before them; default 200 ms */
    uint64_t packet_size_max; /* bytes; larger ones are taken for damage; default 4 MiB */
    uint64_t memory_max;      /* bytes of packets that wait or are incomplete; default 64 MiB */
    uint64_t rotate_size;     /* bytes after which a trace goes on in another one; 0: never */
    int64_t rotate_ns;        /* ns from its first packet until another one begins; 0: never */
    uint64_t size_max;        /* bytes of all traces together; then STELE_ERR_LIMIT; 0: no limit */
    uint32_t senders_max;     /* default 4,096 */
} stele_collector_options;

/* Where packets come from. Texts are copied. */
typedef struct stele_sender {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;    /* for findings: "tcp 127.0.0.1:4711" */
    const char *host;    /* that traces are named after: "127.0.0.1"; NULL: the name */
    const char *section; /* RFC of CTF: the section of the packets, or "metadata"; NULL: neither */
    bool is_datagram;    /* each piece that is received begins with a packet and ends with one */
} stele_sender;

typedef struct stele_collector_counts {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Every byte that is given is in one of kept, repeated, skipped and waiting. */
    uint64_t received_size;   /* bytes that were given */
    uint64_t kept_size;       /* of packets and metadata that are in the files */
    uint64_t repeated_size;   /* bytes of packets that came again, and were left out */
    uint64_t skipped_size;    /* bytes that were not packets, or were refused */
    uint64_t waiting_size;    /* of packets that wait or are incomplete now */
    uint64_t written_size;    /* bytes of the files: with state that is repeated in them */
    uint64_t packet_count;    /* written, state not counted */
    uint64_t state_count;     /* pieces of metadata, options: written */
    uint64_t duplicate_count; /* packets that came again, and were left out */
    uint64_t late_count;      /* packets that came after they were given up, and were written */
    uint64_t reordered_count; /* packets that waited for one before them */
    uint64_t missing_packet_count; /* by the numbers of packets, less those that came late */
    uint64_t missing_event_count;  /* events that are missing, where each packet is one */
    uint64_t restart_count;        /* streams that began to count anew */
    uint64_t refused_count;        /* packets that a limit or a lack of metadata left out */
    uint32_t sender_count, trace_count;
} stele_collector_counts;

typedef struct stele_collected_trace {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *path;   /* of its file or folder; of the last one where it was rotated */
    const char *format;
    uint64_t packet_count, written_size;
    uint64_t missing_count; /* packets, which are events in Heph */
    uint32_t file_number;   /* how many there are, by rotation; 1 at least */
} stele_collected_trace;

/*
 * Opens a collector that makes its traces in `folder`, which is made if it is not there, and must
 * be empty. `options` may be NULL. Errors: STELE_ERR_EXISTS, STELE_ERR_WRITE, STELE_ERR_MEMORY,
 * STELE_ERR_ARGUMENT (a format that cannot be collected, newer options); each but for memory with a
 * finding. The caller closes it, before the context.
 */
STELE_API stele_status stele_collector_open(stele_context *context, const char *folder,
                                            const stele_collector_options *options,
                                            stele_collector **collector);

/* Makes a sender known. STELE_ERR_LIMIT: there are too many; STELE_ERR_MEMORY, STELE_ERR_ARGUMENT.
 */
STELE_API stele_status stele_collector_add(stele_collector *collector, const stele_sender *about,
                                           uint32_t *sender);

/*
 * Takes bytes of a sender: a datagram, or the next bytes of a stream. `now_ns` is of a clock that
 * never goes back. What is wrong with the bytes is reported as a finding and does not fail the
 * call. Errors: STELE_ERR_WRITE (the disk is full; reported), STELE_ERR_LIMIT (size_max),
 * STELE_ERR_MEMORY; the files are valid then, too, and nothing more can be received.
 */
STELE_API stele_status stele_collector_receive(stele_collector *collector, uint32_t sender,
                                               const void *bytes, size_t size, int64_t now_ns);

/* No more will come of a sender, whose number may be given to another one then: what is incomplete
   is reported. Errors of stele_collector_receive(). */
STELE_API stele_status stele_collector_end(stele_collector *collector, uint32_t sender,
                                           int64_t now_ns);

/*
 * To be called after each round of receiving, and when nothing was received for `*wait_ns`: writes
 * what is due, gives up waiting for packets that are missing, rotates. `*wait_ns` becomes -1 when
 * nothing waits. Errors of stele_collector_receive().
 */
STELE_API stele_status stele_collector_tick(stele_collector *collector, int64_t now_ns,
                                            int64_t *wait_ns);

/* Counts packets that were lost before they could be received, as sockets tell it: a finding. */
STELE_API void stele_collector_lose(stele_collector *collector, uint32_t sender, uint64_t count);

/* Ends all senders, writes all that waits, and syncs the files. Errors of
 * stele_collector_receive(). */
STELE_API stele_status stele_collector_finish(stele_collector *collector, int64_t now_ns);

/* How many packets a sender has sent, counting pieces of metadata and packets that were refused; 0
   for a number that is not a sender's. A caller finds by it who only holds a connection open. */
STELE_API uint64_t stele_collector_sender_packets(const stele_collector *collector,
                                                  uint32_t sender);

STELE_API void stele_collector_get_counts(const stele_collector *collector,
                                          stele_collector_counts *counts);

/* A trace, by number from 0; false past the last. Texts hold until the next call with the
   collector. */
STELE_API bool stele_collector_trace_at(const stele_collector *collector, uint32_t index,
                                        stele_collected_trace *trace);

/* Frees it, which may be NULL. Files stay as they are. */
STELE_API void stele_collector_close(stele_collector *collector);

#ifdef __cplusplus
}
#endif
#endif
