/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a comparison: its events in the order of time, as numbers that can be compared. */
#ifndef ANALYSIS_VERIFY_SIDE_H
#define ANALYSIS_VERIFY_SIDE_H

#include <stele/reader.h>

#include "core/hash.h"

#define VERIFY_TEXT_SIZE 64u

/* An event: equal numbers are equal texts, values and fields. */
typedef struct verify_item {
    int64_t time_ns;
    uint64_t name, category, value, fields;
    uint64_t offset;
    uint32_t tracks[3]; /* its own, and those that a switch or a wake names; 0: none */
    uint32_t stream;
    uint8_t kind;
    uint8_t from; /* its kind in the trace: of a begin or an end that of the span */
    bool is_paired;
    bool name_matters, fields_matter; /* they have no place in one of the forms of a span else */
    uint8_t text_size;
    char text[VERIFY_TEXT_SIZE]; /* of the name */
} verify_item;

typedef struct verify_side {
    stele_context *context;
    stele_trace *const *traces;
    size_t trace_count;
    stele_reader *reader;
    stele_segment segment;
    uint32_t at; /* in the segment */
    bool is_over;
    int64_t shift_ns; /* added to all times */
    bool has_points;  /* spans are begins and ends */
    bool
        joins_fields; /* of a comparison with Heph: fields of begins and ends are those of a span */

    verify_item next; /* valid with has_next */
    bool has_next;
    verify_item *ends; /* of spans that have begun: a heap, the first end in front */
    uint32_t end_count, end_capacity;

    verify_item *items; /* of the time at hand */
    uint32_t count, capacity;
} verify_side;

stele_status verify_side_open(verify_side *s, stele_context *context, stele_trace *const *traces,
                              size_t count, const stele_request *request, bool has_points,
                              bool joins_fields);
void verify_side_close(verify_side *s);

/* Brings the side to the scale of another, by wall-clock time where both know it. False: only one
   of them does. */
bool verify_side_relate(verify_side *s, const verify_side *to);

/* Moves all times from the one at hand on. */
void verify_side_shift(verify_side *s, int64_t shift_ns);

/* Goes to the next event. */
stele_status verify_side_step(verify_side *s);

/* Adds an event to those of the time at hand. STELE_ERR_MEMORY. */
stele_status verify_side_add(verify_side *s, const verify_item *item);

const char *verify_side_path(const verify_side *s, const verify_item *item);

#endif
