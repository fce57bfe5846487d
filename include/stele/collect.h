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

/* Which senders' packets go into one trace. Records of FXT always go into a trace of their sender's
   own; packets of CTF whose metadata differ always go into different traces. */
typedef enum stele_collect_by {
    /* One trace for all senders of one host: several sockets of one program. */
    STELE_COLLECT_BY_HOST,
    STELE_COLLECT_BY_SENDER, /* one trace for each sender */
    STELE_COLLECT_TOGETHER   /* one trace for all senders */
} stele_collect_by;

/* How packets are collected; zeros give the defaults. */
typedef struct stele_collector_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *format; /* "heph", "ctf" or "fxt"; NULL: found by the first bytes of each sender */
    stele_collect_by by;
    /* CTF: metadata that the senders do not send, in any form; copied. NULL: none. */
    const void *metadata;
    size_t metadata_size;
    uint32_t window_count; /* packets that one stream may wait for; default 64, at most 65,536 */
    /* How long a packet waits for packets before it that are missing; default 200 ms. */
    int64_t window_ns;
    uint64_t packet_size_max; /* bytes; a larger packet is taken for damage; default 4 MiB */
    uint64_t memory_max;      /* bytes of packets that wait or are incomplete; default 64 MiB */
    /* Bytes of one trace, after which it goes on in another file or folder; 0: never. */
    uint64_t rotate_size;
    /* Time since the first packet of a trace, after which it goes on in another file or folder; 0:
       never. */
    int64_t rotate_ns;
    /* Bytes of all traces together; when reached: STELE_ERR_LIMIT; 0: no limit. */
    uint64_t size_max;
    uint32_t senders_max; /* senders known at one time; default 4,096 */
} stele_collector_options;

/* A socket or connection that packets come from. The texts are copied. */
typedef struct stele_sender {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* for findings: "tcp 127.0.0.1:4711" */
    const char *host;   /* the sender's host, which names its traces: "127.0.0.1"; NULL: `name` */
    /* CTF of the RFC: the section of the packets, or "metadata"; NULL: neither. */
    const char *section;
    bool is_datagram; /* each piece that is received begins with a packet and ends with one */
} stele_sender;

typedef struct stele_collector_counts {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* received_size is the sum of kept_size, repeated_size, skipped_size and waiting_size. */
    uint64_t received_size; /* bytes that were given to stele_collector_receive() */
    uint64_t kept_size;     /* bytes of packets and metadata that are in the files */
    uint64_t repeated_size; /* bytes of packets that came again, and were left out */
    uint64_t skipped_size;  /* bytes that were not packets, or that were refused */
    uint64_t waiting_size;  /* bytes of packets that still wait for others, or are incomplete */
    /* Bytes of the files; larger than kept_size where state is repeated in them. */
    uint64_t written_size;
    uint64_t packet_count;    /* packets that were written; pieces of state not counted */
    uint64_t state_count;     /* pieces of state that were written: metadata, options */
    uint64_t duplicate_count; /* packets that came again, and were left out */
    /* Packets that were written, but came after the collector stopped to wait for them. */
    uint64_t late_count;
    uint64_t reordered_count; /* packets that waited for one before them */
    /* Packets that are missing by the numbers of those that came; late_count already subtracted. */
    uint64_t missing_packet_count;
    /* Events that are missing; counted where each packet is one event (Heph). */
    uint64_t missing_event_count;
    /* How often a stream began to number its packets from the start again. */
    uint64_t restart_count;
    /* Packets left out because of a limit, or because their metadata are missing. */
    uint64_t refused_count;
    uint32_t sender_count, trace_count;
} stele_collector_counts;

typedef struct stele_collected_trace {
    size_t struct_size;    /* sizeof this struct, or 0: see <stele/version.h> */
    const char *path;      /* of the trace's file or folder; with rotation, of its last file */
    const char *format;    /* "heph", "ctf" or "fxt" */
    uint64_t packet_count; /* packets that were written */
    uint64_t written_size; /* bytes of the files */
    /* Missing packets; in Heph, where a packet is one event, missing events. */
    uint64_t missing_count;
    uint32_t file_number; /* number of files that rotation made of this trace; at least 1 */
} stele_collected_trace;

/*
 * Opens a collector that makes its traces in `folder`. The folder is made if it does not exist, and
 * must be empty otherwise. `options` may be NULL. Errors: STELE_ERR_EXISTS, STELE_ERR_WRITE,
 * STELE_ERR_ARGUMENT (a format that cannot be collected, newer options), each with a finding;
 * STELE_ERR_MEMORY without one. The caller closes the collector before it frees the context.
 */
STELE_API stele_status stele_collector_open(stele_context *context, const char *folder,
                                            const stele_collector_options *options,
                                            stele_collector **collector);

/* Makes a sender known; `*sender` becomes its number. Errors: STELE_ERR_LIMIT (senders_max is
   reached), STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
STELE_API stele_status stele_collector_add(stele_collector *collector, const stele_sender *about,
                                           uint32_t *sender);

/*
 * Takes bytes of a sender: a datagram, or the next bytes of a stream. `now_ns` is of a clock that
 * never goes back. Faults in the bytes are reported as findings and do not fail the call. Errors:
 * STELE_ERR_WRITE (the disk is full; reported), STELE_ERR_LIMIT (size_max), STELE_ERR_MEMORY. The
 * files are valid after an error, too, but nothing more can be received.
 */
STELE_API stele_status stele_collector_receive(stele_collector *collector, uint32_t sender,
                                               const void *bytes, size_t size, int64_t now_ns);

/* Ends a sender, whose number may be given to another sender afterwards. A packet of it that is
   incomplete is reported. Errors are those of stele_collector_receive(). */
STELE_API stele_status stele_collector_end(stele_collector *collector, uint32_t sender,
                                           int64_t now_ns);

/*
 * To be called after each round of receiving, and when nothing was received for `*wait_ns`
 * nanoseconds. Writes what is due, gives up waiting for packets that are missing, and rotates
 * files. `*wait_ns` becomes the time until the next call is due, -1 if no packet waits. Errors are
 * those of stele_collector_receive().
 */
STELE_API stele_status stele_collector_tick(stele_collector *collector, int64_t now_ns,
                                            int64_t *wait_ns);

/* Reports and counts packets that were lost before the caller could receive them, as the operating
   system's counters of dropped datagrams say. */
STELE_API void stele_collector_lose(stele_collector *collector, uint32_t sender, uint64_t count);

/* Ends all senders, writes all packets that wait, and syncs the files. Errors are those of
   stele_collector_receive(). */
STELE_API stele_status stele_collector_finish(stele_collector *collector, int64_t now_ns);

/* How many packets a sender has sent, counting pieces of metadata and packets that were refused; 0
   if `sender` is not a sender's number. With it a caller finds connections that are open and send
   nothing. */
STELE_API uint64_t stele_collector_sender_packets(const stele_collector *collector,
                                                  uint32_t sender);

STELE_API void stele_collector_get_counts(const stele_collector *collector,
                                          stele_collector_counts *counts);

/* Gives the trace with number `index`, from 0. Returns false past the last trace. The texts in
   `*trace` hold until the next call with the collector. */
STELE_API bool stele_collector_trace_at(const stele_collector *collector, uint32_t index,
                                        stele_collected_trace *trace);

/* Frees the collector, which may be NULL. The files stay as they are; without
   stele_collector_finish() packets that wait are lost. */
STELE_API void stele_collector_close(stele_collector *collector);

#ifdef __cplusplus
}
#endif
#endif
