/* SPDX-License-Identifier: Apache-2.0 */
/* A reader: what its opening (reader_open.c) leaves to reading (reader.c). */
#ifndef FLOW_READER_H
#define FLOW_READER_H

#include "flow/flow.h"
#include "flow/pieces.h"
#include "flow/select.h"

/* One of the traces that are read. */
typedef struct reading {
    stele_trace *trace;
    uint32_t flow_count;             /* one for each stream, or one */
    uint32_t flow_first;             /* number of the first of these streams in the trace */
    uint64_t begin_place, end_place; /* of a part */
    producer *peeked;     /* all of it, if its first events had to be seen; NULL once in a flow */
    uint64_t stored_from; /* bytes that were read before, to index it */
    bool is_looked_at;    /* by index_traces() */
} reading;

struct stele_reader {
    stele_context *context;
    flow *flow;
    stele_status status; /* of the last segment */
    stele_segment rest;  /* what stele_reader_read() had no room for */
    stele_segment given; /* the same, while stele_reader_next_segments() gives it */
    stele_reader_stats stats;
    order_stats order;
    bool is_late_reported, is_balance_checked, is_filter_reported;
    bool is_bounded; /* by time, or a part: not all of the inputs may be looked at */
    bool is_part;
    bool is_followed; /* one of the traces is: what ends it gives what is there */
    filter *filter;
    field_names fields; /* without any: all are wanted */
    pieces *pieces;     /* NULL: the traces are none of one */
    reading *readings;
    size_t trace_count;
    producer **producers; /* owned by their flows */
    size_t producer_count;
};

#endif
