/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From bytes of senders to files: each sender belongs to a scope, which has one receiver of a
 * format and its traces; a trace has streams, each with its order.
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

/* Streams whose packets are put in order; those of further streams are taken as they come. */
#define STREAMS_MAX 16384u
#define TRACES_MAX  4096u
#define SCOPES_MAX  TRACES_MAX

/* A trace, with the order of its streams. */
typedef struct collect_trace {
    collected files;
    sequence *streams;
    uint32_t stream_count, stream_capacity;
    hash_table stream_numbers; /* indexes of `streams`, by class and number */
} collect_trace;

/* Senders whose packets can be of the same traces. */
typedef struct collect_scope {
    const receiver_ops *ops;
    receiver *state;
    char *key;              /* what the senders of the scope have in common */
    collect_trace **traces; /* by the receiver's numbers */
    uint32_t trace_count, trace_capacity;
    uint32_t sender_count;
    bool has_news; /* metadata came, for which packets may wait */
} collect_scope;

/* A datagram that waits for metadata. */
typedef struct collect_datagram {
    uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of its first byte, among all bytes that its sender sent */
} collect_datagram;

typedef struct collect_sender {
    char *name, *host, *section;
    bool is_datagram, is_ended, is_gone;
    collect_scope *scope; /* NULL: the format is not known yet */
    uint32_t number;      /* number in the scope */
    uint64_t packet_count;
    uint64_t offset; /* of the first byte in `bytes`, or of the next one that is received */
    uint8_t *bytes;  /* of a stream: the incomplete packet */
    size_t size, capacity;
    size_t want; /* bytes that must be there before it makes sense to look for a packet again */
    bool waits;  /* a packet of the stream waits for metadata */
    /* Datagrams that wait for metadata, in the order in which they came. */
    collect_datagram *datagrams;
    uint32_t datagram_count, datagram_capacity;
    uint64_t skip_offset, skip_size; /* run of bytes that are not packets, not reported yet */
    /* what the run begins with, for the finding */
    const char *skip_found;
} collect_sender;

struct stele_collector {
    stele_context *context;
    stele_collector_options options; /* with defaults filled in; its texts are not valid */
    const receiver_ops *given;       /* format of the options; NULL: found for each sender */
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
    uint32_t seen_count; /* number of senders that were added so far */
    uint64_t received_size, skipped_size, refused_count, waiting_size;
    uint64_t datagram_count; /* datagrams that wait */
    uint64_t missing_event_count, written_size;
    stele_status status; /* the first error that ended receiving */
    bool is_full_told;   /* it was reported that a limit was reached */
    /* The trace and the time of the packet that is being handled, for the functions of the sink. */
    collect_trace *trace;
    int64_t now_ns;
};

/* ---- Scopes and traces (scopes.c) ---- */

/* Puts a sender into a scope of the format. Errors: STELE_ERR_MEMORY; STELE_ERR_LIMIT, reported:
   there are too many scopes. */
stele_status scope_enter(stele_collector *c, collect_sender *s, const receiver_ops *ops);

/* Returns the trace with the receiver's number. Returns NULL if out of memory, or if there are too
   many traces, which is reported. */
collect_trace *scope_trace(stele_collector *c, collect_scope *scope, uint32_t number);

/* Returns the order of the stream of a packet. Returns NULL if out of memory, or, with `*is_full`,
   if there are too many streams. */
sequence *trace_stream(stele_collector *c, collect_trace *t, const receive_packet *of,
                       bool *is_full);

void scope_free(collect_scope *scope);

/* Frees a scope that has no sender and no trace any more. */
void scope_forget(stele_collector *c, collect_scope *scope);

/* ---- Bytes to packets (arrive.c) ---- */

/* Take all complete packets of the bytes of a sender. Errors are those of
   stele_collector_receive(). */
stele_status arrive_bytes(stele_collector *c, collect_sender *s, const uint8_t *bytes, size_t size);
stele_status arrive_datagram(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                             size_t size);
stele_status arrive_end(stele_collector *c, collect_sender *s);

/* Tries again what waits for metadata, after some arrived. */
stele_status arrive_news(stele_collector *c, collect_scope *scope);

/* Ends a sender as arrive_end() does; its number can then be given to another one. */
stele_status arrive_leave(stele_collector *c, collect_sender *s);

/* The functions of the sink: collector_deliver() takes the next packet of a trace in the order of
   its stream, collector_miss() counts missing ones. */
stele_status collector_deliver(void *user, const receive_packet *about, const uint8_t *bytes);
void collector_miss(void *user, const sequence *s, uint64_t number, uint64_t count);

#endif
