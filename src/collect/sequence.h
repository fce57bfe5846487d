/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the packets of one stream in order by their numbers. A packet that comes early waits; one
 * that has not come when the wait ends is missing; one that comes after that is late, or a
 * duplicate.
 *
 *               given (or missing)        next           may wait
 *     ... | n-4 | n-3 | n-2 | n-1 |        n       | n+1 | n+2 | n+3 | ...
 *           history, of `window` numbers                 slots, of `window` numbers
 */
#ifndef COLLECT_SEQUENCE_H
#define COLLECT_SEQUENCE_H

#include "core/hash.h"
#include "formats/receive.h"

typedef struct sequence sequence;

typedef struct waiting_packet {
    receive_packet about;
    uint8_t *bytes; /* NULL: the slot is free */
    /* when the packet came */
    int64_t since_ns;
} waiting_packet;

typedef struct sequence_counts {
    uint64_t duplicate_count, late_count, reordered_count, missing_count, restart_count;
    uint64_t waiting_size, duplicate_size;
} sequence_counts;

/* Where a sequence delivers packets and reports missing ones. */
typedef struct sequence_sink {
    /* Takes the next packet in order. */
    stele_status (*deliver)(void *user, const receive_packet *about, const uint8_t *bytes);
    /* Called when `count` packets from a number on are missing; count 0: the stream began again
       with that number. */
    void (*miss)(void *user, const sequence *s, uint64_t number, uint64_t count);
    void *user;
    sequence_counts *counts; /* of all sequences together */
    hash_key key;            /* key of the hashes that identify packets */
    uint32_t window;         /* a power of two */
} sequence_sink;

struct sequence {
    uint64_t stream_class, stream, mask;
    uint64_t next;
    uint32_t window, waiting_count;
    bool is_begun, counts_events;
    uint64_t *history;     /* by the lowest bits of the number; for values see sequence.c */
    waiting_packet *slots; /* by the lowest bits of the number; NULL until one is needed */
};

/* Takes a packet of the stream: delivers it, keeps it, or leaves it out. Errors: those of
   deliver(), STELE_ERR_MEMORY. */
stele_status sequence_take(sequence *s, const sequence_sink *sink, const receive_packet *about,
                           const uint8_t *bytes, int64_t now_ns);

/* Stops waiting for packets before those that came before `before_ns`, and delivers these. */
stele_status sequence_give_up(sequence *s, const sequence_sink *sink, int64_t before_ns);

/* When the packet came that has waited longest; INT64_MAX: none waits. */
int64_t sequence_oldest(const sequence *s);

void sequence_free(sequence *s);

#endif
