/* SPDX-License-Identifier: Apache-2.0 */
/* What a writer of Heph keeps, for the files that make up the writer. */
#ifndef HEPH_WRITE_WRITER_STATE_H
#define HEPH_WRITE_WRITER_STATE_H

#include <stele/heph.h>

#include "core/table.h"
#include "formats/heph/write/attributes.h"
#include "formats/heph/write/open_spans.h"
#include "model/writer.h"

/* Where the events of a track go. The array is indexed by the number of the track. */
typedef struct track_target {
    /* The stream that stands for the track, as its index in `streams` + 1; 0 if there is none. */
    uint32_t own;
    /* The stream of the track's events, which may be that of its parent; 0 if not yet known. */
    uint32_t stream;
    uint64_t substream;
    /* The track is a stream of the layout without substreams. */
    bool is_bare;
    open_spans open;
    /* Begins after the last of `open` that were written without length. */
    uint64_t excess;
} track_target;

typedef struct stream_target {
    uint32_t id;
    /* The counter of the next event. */
    uint32_t next;
    /* The events bring their own counters. */
    bool is_counted;
    /* The counters have a gap after the last event. */
    bool has_gap;
} stream_target;

typedef struct heph_writer {
    stele_writer base;
    stele_heph_encoder packet;
    stele_heph_layout layout;
    /* The epoch from the clock, which was written; set only when `has_epoch` is. */
    uint64_t epoch_ns;
    /* The epoch that an option names; set only when `has_option_epoch` is. */
    uint64_t option_epoch_ns;
    bool has_begun, has_epoch, has_option_epoch;
    /* The time that is subtracted from every time, in ns. */
    int64_t base_ns;
    /* The latest time of all events. */
    int64_t latest_ns;
    /* The bytes that all open spans take. */
    size_t spans_size;
    stele_name counter_name, value_name, epoch_name;
    track_target *tracks;
    uint32_t track_count;
    stream_target *streams;
    uint32_t stream_count, stream_capacity;
    /* Where the search for an unused id begins. */
    uint32_t id_free;
    /* The index in `streams`, found by id. */
    hash_table stream_numbers;
    attribute_writer attributes;
} heph_writer;

/* ---- Packets (packets.c) ---- */

/* Writes the header, the category, the CPU and the fields of an event. The packet stays open. */
void heph_packet_begin(heph_writer *w, const stele_batch *batch, const stele_event *event,
                       const track_target *target, int64_t end_ns);

/* Puts out the packet, which is empty then. */
stele_status heph_packet_put(heph_writer *w, stele_kind kind);

/* Gives a time as the format has it, since the epoch. */
uint64_t heph_packet_time(heph_writer *w, stele_kind kind, int64_t time_ns);

/* ---- Spans (spans.c) ---- */

/* Keeps the packet of a begin until its end comes. */
stele_status heph_span_open(heph_writer *w, const stele_batch *batch, const stele_event *event,
                            track_target *target);

/* Closes the span that an end names, before it those inside, which were left by an exception. */
stele_status heph_span_close(heph_writer *w, const stele_batch *batch, const stele_event *event,
                             track_target *target);

/* Closes the spans that are open at the end of the trace, and counts each as a loss. */
stele_status heph_spans_close_all(heph_writer *w);

#endif
