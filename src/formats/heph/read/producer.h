/* SPDX-License-Identifier: Apache-2.0 */
/* The producer of a trace's events: packets become events in reader.c, gaps in their counters in
   losses.c. */
#ifndef HEPH_READ_PRODUCER_H
#define HEPH_READ_PRODUCER_H

#include "formats/heph/read/counters.h"
#include "formats/heph/read/names.h"
#include "formats/heph/trace.h"

#define TRACK_SLOTS 256u

typedef struct track_slot {
    uint64_t substream;
    uint32_t stream;
    /* The number of the track; 0 marks a free slot. */
    uint32_t track;
    stele_heph_layout layout;
} track_slot;

typedef struct heph_producer {
    producer base;
    heph_trace *trace;
    stele_context *context;
    /* The sink for findings, which differs from the context's while the trace is indexed. */
    diag_sink *diag;
    produce_request request;
    uint32_t stream;
    heph_scan scan;
    counters counters;
    bool is_finished, is_counters_full_reported;
    /* The request asks for exactly what produce_hot_event() makes. */
    bool is_hot;
    /* Events have been met so far, and an epoch. */
    bool has_events, has_epoch;
    /* The distance of the epoch in force from the first one. */
    int64_t shift_ns;
    /* The time of the last event, which places packets that have no time. */
    int64_t last_time_ns;
    stele_name counter_name, value_name, lost_name;
    names_cache names;
    track_slot tracks[TRACK_SLOTS];
} heph_producer;

#define producer_report(p, code, offset, size, ...)                                          \
    do {                                                                                     \
        if ((p)->diag != NULL)                                                               \
            diag_report((p)->diag, code, (p)->scan.win.in->name, offset, size, __VA_ARGS__); \
    } while (0)

/* Whether a finding about a packet explains another one about it. */
#define producer_is_explained(p, severity, packet)                                       \
    ((p)->diag != NULL && diag_is_explained((p)->diag, severity, (p)->scan.win.in->name, \
                                            (packet)->offset, (packet)->size))

/* Makes a producer. Findings go to `diag`; `stream` is the number of the trace's one stream, or
   UINT32_MAX before it has any. Returns STELE_ERR_MEMORY if out of memory. */
stele_status heph_producer_new(heph_trace *trace, const produce_request *request, diag_sink *diag,
                               uint32_t stream, producer **out);

/* The number of a track, made if needed. Returns 0 if out of memory. */
uint32_t heph_track(heph_producer *p, uint32_t stream, uint64_t substream,
                    stele_heph_layout layout);

/* Counts the counter of an event, which ends at `end_ns`. Returns false if out of memory. */
bool heph_count(heph_producer *p, const heph_packet *packet, int64_t end_ns);

/* Produces an event that stands for missing events, between the events around the gap. Returns
   false if out of memory. */
bool heph_produce_lost(heph_producer *p, stele_batch *batch, const counters_gap *gap);

#endif
