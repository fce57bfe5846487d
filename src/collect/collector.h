/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From bytes of senders to files: senders belong to scopes, a scope has one receiver of a format
 * and its traces, a trace has streams, each with its order.
 *
 *     sender --look()--> packet --sequence--> collected --> file
 *        \________________ scope: receiver, traces
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include <stele/collect.h>

#include "collect/collected.h"
#include "collect/sequence.h"
#include "core/table.h"
#include "model/context.h"

#define STREAMS_MAX \
    16384u /* whose packets are put in order; those of others are taken as they come */
#define TRACES_MAX 4096u
#define SCOPES_MAX TRACES_MAX

/* The streams of one trace. */
typedef struct collect_trace {
    collected files;
    sequence *streams;
    uint32_t stream_count, stream_capacity;
    hash_table stream_numbers; /* by class and number */
} collect_trace;

typedef struct collect_scope {
    const receiver_ops *ops;
    receiver *state;
    char *key;              /* what its senders have in common */
    collect_trace **traces; /* by the receiver's numbers */
    uint32_t trace_count, trace_capacity;
    uint32_t sender_count;
    bool has_news; /* metadata came, for which packets may wait */
} collect_scope;

/* A datagram that waits for metadata. */
typedef struct collect_datagram {
    uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of its first byte among all that its sender sent */
} collect_datagram;

typedef struct collect_sender {
    char *name, *host, *section;
    bool is_datagram, is_ended, is_gone;
    collect_scope *scope; /* NULL: its format is not known yet */
    uint32_t number;      /* in the scope */
    uint64_t packet_count;
    uint64_t offset; /* of the first byte in `bytes`, or of the next one that is received */
    uint8_t *bytes;  /* of a stream: what is incomplete */
    size_t size, capacity;
    size_t want;                 /* bytes that must be there before it is worth to look again */
    bool waits;                  /* for metadata */
    collect_datagram *datagrams; /* that wait for metadata, in the order of their coming */
    uint32_t datagram_count, datagram_capacity;
    uint64_t skip_offset, skip_size; /* bytes that are no packets, not reported yet */
    const char *skip_found;
} collect_sender;

struct stele_collector {
    stele_context *context;
    stele_collector_options options; /* with defaults filled in; its texts are not used */
    const receiver_ops *given;       /* format; NULL: found for each sender */
    uint8_t *metadata;
    char *folder;
    collected_rules rules;
    append_pool files;
    receive_room state_room;
    sequence_counts counts;
    sequence_sink sink;
    collect_sender **senders;
    uint32_t sender_count, sender_capacity;
    collect_scope **scopes;
    uint32_t scope_count, scope_capacity;
    uint32_t trace_count, stream_count;
    uint32_t seen_count; /* senders that were added */
    uint64_t received_size, skipped_size, refused_count, waiting_size;
    uint64_t datagram_count; /* that wait */
    uint64_t missing_event_count, written_size;
    stele_status status; /* the first that ended receiving */
    bool is_full_told;   /* that a limit of memory or streams was reached */
    /* Of the packet at hand, for what sequences call. */
    collect_trace *trace;
    int64_t now_ns;
};

/* ---- Scopes and traces (scopes.c) ---- */

/* Makes the sender one of a scope of the format. STELE_ERR_MEMORY; STELE_ERR_LIMIT, reported: there
   are too many. */
stele_status scope_enter(stele_collector *c, collect_sender *s, const receiver_ops *ops);

/* The trace with the receiver's number; NULL if out of memory, or beyond the limit, which is
   reported. */
collect_trace *scope_trace(stele_collector *c, collect_scope *scope, uint32_t number);

/* The order of the stream of a packet; NULL if out of memory or beyond the limit: `*is_full` says
 * which. */
sequence *trace_stream(stele_collector *c, collect_trace *t, const receive_packet *of,
                       bool *is_full);

void scope_free(collect_scope *scope);

/* The same for one that no sender is of any more, and that made no trace. */
void scope_forget(stele_collector *c, collect_scope *scope);

/* ---- Bytes to packets (arrive.c) ---- */

/* Takes all packets that are there as a whole. Errors of stele_collector_receive(). */
stele_status arrive_bytes(stele_collector *c, collect_sender *s, const uint8_t *bytes, size_t size);
stele_status arrive_datagram(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                             size_t size);
stele_status arrive_end(stele_collector *c, collect_sender *s);

/* Metadata arrived: tries again what waits for them. */
stele_status arrive_news(stele_collector *c, collect_scope *scope);

/* The same as arrive_end(), and its number can be that of another one. */
stele_status arrive_leave(stele_collector *c, collect_sender *s);

/* Takes the next packet of a trace in the order of its stream. */
stele_status collector_deliver(void *user, const receive_packet *about, const uint8_t *bytes);
void collector_miss(void *user, const sequence *s, uint64_t number, uint64_t count);

#endif
