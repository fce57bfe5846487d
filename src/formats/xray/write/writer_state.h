/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of the writer of XRay logs: a lane is a thread with its buffer (writer_lanes.c), events
 * become records of their lane (writer_events.c), and writer.c opens and ends the log.
 */
#ifndef XRAY_WRITE_WRITER_STATE_H
#define XRAY_WRITE_WRITER_STATE_H

#include "formats/xray/records/decode.h"
#include "formats/xray/write/profile_write.h"
#include "formats/xray/write/writer.h"
#include "model/batch.h"

#define BUFFER_SIZE (64u << 10)
#define NS_PER_S    UINT64_C(1000000000)

typedef struct pending_exit {
    uint64_t tsc;
    uint32_t function;
} pending_exit;

typedef struct xray_lane {
    uint8_t *bytes; /* buffer_size bytes; NULL until the first event */
    uint32_t size;
    uint64_t tsc;       /* running counter */
    uint64_t begin_tsc; /* counter at the begin of the buffer */
    uint32_t pid, tid;
    uint16_t cpu;
    /* The function that was entered last, which arguments belong to (basic mode). */
    uint32_t function;
    pending_exit *exits;
    uint32_t exit_count, exit_capacity;
    bool is_known;      /* the numbers above are set */
    bool has_name_lost; /* the name of the track was counted as lost */
} xray_lane;

/* Whether the name of a function is only its number. */
typedef struct known_name {
    stele_name name;
    uint32_t function;
    bool is_number;
} known_name;

#define KNOWN_NAMES 256u

typedef struct xray_writer {
    stele_writer base;
    stele_xray_header header;
    bool has_header;
    bool is_ticks;    /* the source's own ticks are written, not ns */
    xray_lane *lanes; /* indexed by track */
    uint32_t lane_count;
    uint32_t *function_of_name; /* by name; 0 if the name has no number yet */
    uint32_t function_of_name_count;
    uint32_t function_count;
    known_name known_names[KNOWN_NAMES];
    uint32_t buffer_size;
    bool is_basic; /* the output is a basic-mode log */
    /* The first event is a sample, so all samples are written to a profiling file. */
    bool is_profile;
    profile_block block; /* current block of the profiling file */
} xray_writer;

/* Counts a loss that belongs to no kind of event. */
void xray_lose(xray_writer *w, const char *what, bool is_dropped);

/* The lane of a track, made if needed. Returns NULL if out of memory. */
xray_lane *xray_lane_of(xray_writer *w, uint32_t track);

/* Makes room for `size` bytes and brings the counter within reach of `tsc`. */
stele_status xray_lane_prepare(xray_writer *w, xray_lane *lane, uint64_t tsc, size_t size);

/* Appends a record, for which xray_lane_prepare() has made room. In a basic-mode log it goes to the
   file at once. */
void xray_put_record(xray_writer *w, xray_lane *lane, const stele_xray_record *record,
                     const void *payload);

/* Makes room for an entry or exit, and appends it. */
stele_status xray_put_function(xray_writer *w, xray_lane *lane, stele_xray_kind kind,
                               uint32_t function, uint64_t tsc);

/* Keeps the exit of a COMPLETE event until its time. Returns STELE_ERR_MEMORY if out of memory. */
stele_status xray_push_exit(xray_lane *lane, uint32_t function, uint64_t tsc);

/* Writes the exits of COMPLETE events at or before `tsc`. */
stele_status xray_put_exits(xray_writer *w, xray_lane *lane, uint64_t tsc);

/* Writes the last buffers in the order of their times, so that equal events make equal files. */
stele_status xray_flush_lanes(xray_writer *w);

/* Writes the records of an event, and counts what they cannot hold. The header has been written. */
stele_status xray_put_event(xray_writer *w, const stele_batch *batch, const stele_event *event);

#endif
