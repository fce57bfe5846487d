/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One side of a comparison: its events in the order of time, each as hashes that can be compared.
 */
#ifndef ANALYSIS_VERIFY_SIDE_H
#define ANALYSIS_VERIFY_SIDE_H

#include <stele/reader.h>

#include "analysis/events/verify_nesting.h"
#include "core/hash.h"

#define VERIFY_TEXT_SIZE 64u

/* CPUs of events that have none, and of the ends of spans, which do not say theirs. */
#define VERIFY_NO_CPU  UINT32_MAX
#define VERIFY_ANY_CPU (UINT32_MAX - 1)

/* An event: if texts, values or fields are equal, so are their hashes. */
typedef struct verify_item {
    int64_t time_ns;
    uint64_t name, category, value, fields, labels; /* hashes of the event's parts */
    uint64_t offset;
    /* the event's own track, and those that a switch or wake-up names; 0: none */
    uint32_t tracks[3];
    uint64_t track_number; /* number that the format gives the event's own track */
    uint32_t stream;
    uint32_t cpu; /* or VERIFY_NO_CPU, VERIFY_ANY_CPU */
    uint8_t kind;
    uint8_t from; /* kind of the event in the trace; for a begin or an end that of the span */
    bool is_paired;
    /* the event has a time of its own; otherwise its time is that of an event before it */
    bool has_time;
    /* name or fields are to be compared; some forms of a span have none */
    bool name_matters, fields_matter;
    /* an end that also ends spans inside of its own; not known where spans are taken apart */
    bool is_crossing, knows_nesting;
    uint8_t text_size;
    char text[VERIFY_TEXT_SIZE]; /* start of the name, for messages */
} verify_item;

typedef struct verify_side {
    stele_context *context;
    stele_trace *const *traces;
    size_t trace_count;
    stele_reader *reader;
    stele_segment segment;
    uint32_t at; /* index of the next event in the segment */
    bool is_over;
    int64_t shift_ns; /* added to all times, in nanoseconds */
    bool has_points;  /* spans are compared as a begin and an end */
    bool
        /* fields of begin and end are those of the span, for a comparison with Heph */
        joins_fields;

    verify_item next; /* the next event, if has_next is set */
    bool has_next;
    verify_item *ends; /* ends of spans that have begun: a heap, the first end at its front */
    uint32_t end_count, end_capacity;

    nesting open; /* the spans that begins and ends make */
    bool has_complete;

    verify_item *items; /* events of the current time */
    uint32_t count, capacity;
} verify_side;

/* Opens a side; `s` is zeroed, but for what verify_side_begin() has noted. */
stele_status verify_side_open(verify_side *s, stele_context *context, stele_trace *const *traces,
                              size_t count, const stele_request *request, bool has_points,
                              bool joins_fields);
/* Notes a span that is open before the first event. Returns STELE_ERR_MEMORY if out of memory. */
stele_status verify_side_begin(verify_side *s, const stele_batch *batch, const stele_event *event);
void verify_side_close(verify_side *s);

/* Shifts the times of the side to the scale of another, by wall-clock time if both know it.
   Returns false if only one of them does. */
bool verify_side_relate(verify_side *s, verify_side *to);

/* Adds to all times from the current event on. */
void verify_side_shift(verify_side *s, int64_t shift_ns);

/* Reads the next event into `next`. Returns STELE_OK also at the end, where has_next is false. */
stele_status verify_side_step(verify_side *s);

/* Adds an event to those of the current time. Returns STELE_ERR_MEMORY if out of memory. */
stele_status verify_side_add(verify_side *s, const verify_item *item);

const char *verify_side_path(const verify_side *s, const verify_item *item);

#endif
