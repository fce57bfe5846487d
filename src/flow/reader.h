/* SPDX-License-Identifier: Apache-2.0 */
/* A reader: made by reader_open.c, used by reader.c. */
#ifndef FLOW_READER_H
#define FLOW_READER_H

#include "flow/flow.h"
#include "flow/pieces.h"
#include "flow/seek_making.h"
#include "flow/select.h"

/* One of the traces of a reader. */
typedef struct reading {
    stele_trace *trace;
    uint32_t flow_count;             /* number of flows: one for each stream, or one for all */
    uint32_t flow_first;             /* number in the trace of the first stream that has a flow */
    uint64_t begin_place, end_place; /* range of a part: see produce_request.begin_place */
    /* Producer of the whole trace whose first events were needed; NULL once a flow owns it. */
    producer *peeked;
    uint64_t stored_from; /* bytes that were read before, when it was indexed */
    bool is_looked_at;    /* index_traces() has handled the trace */
    bool is_in_turn;      /* its streams are read one after the other: see narrow.h */
} reading;

struct stele_reader {
    stele_context *context;
    flow *flow;
    stele_status status; /* status of the last pull */
    stele_segment rest;  /* the part of a segment that stele_reader_read() had no room for */
    stele_segment given; /* a copy of `rest` that stele_reader_next_segments() has delivered */
    stele_reader_stats stats;
    order_stats order;
    bool is_late_reported, is_balance_checked, is_filter_reported;
    bool is_bounded; /* by time or to a part: some bytes of the inputs may never be read */
    bool is_part;
    bool is_followed; /* a trace is followed: when go_on ends reading, what was read is delivered */
    filter *filter;
    field_names fields; /* count 0: all fields are wanted */
    screen *screen;     /* which events need fields; NULL: all do */
    kind_screen kinds;  /* the screen, if the request names kinds that need fields */
    pieces *pieces;     /* NULL: the traces are not pieces of one */
    reading *readings;
    size_t trace_count;
    producer **producers; /* owned by the flows */
    size_t producer_count;
    bool may_wait; /* a trace is read in the order of its file, so that it may be a pipe or grow */
    seek_making making; /* blocks that are made of what is read */
};

/* Whether a request of one trace can be read in parts that need no index, and of which none tells
   anything that only the whole can tell. */
bool reader_has_parts(const stele_trace *trace, const stele_request *request);

/* Opens a reader of one part; all parts in their order give the events of the whole. What became of
   the part is in producer.part. `request` has all of its members. */
stele_status reader_open_part(stele_context *context, stele_trace *trace,
                              const stele_request *request, uint32_t part, uint32_t part_count,
                              stele_reader **out);

/* Opens a reader that gives the trace blocks to seek by once it has been read to its end, if they
   can be made of what the request reads: all kinds of all events, stream by stream. */
stele_status reader_open_making(stele_context *context, stele_trace *trace,
                                const stele_request *request, stele_reader **out);

#endif
