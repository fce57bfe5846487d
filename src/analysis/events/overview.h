/* SPDX-License-Identifier: Apache-2.0 */
/* What an overview is made of: its tracks, with their lanes. */
#ifndef ANALYSIS_EVENTS_OVERVIEW_H
#define ANALYSIS_EVENTS_OVERVIEW_H

#include <stele/insn.h>
#include <stele/overview.h>
#include <stele/sched.h>
#include <stele/spans.h>

#include <inttypes.h>
#include <stdio.h>

#include "analysis/events/overview_lane.h"
#include "core/table.h"
#include "query/filter.h"

/* A stretch of time that a track is known to be busy in, while a span around it may still come. */
typedef struct busy_stretch {
    int64_t begin_ns, end_ns;
} busy_stretch;

typedef struct overview_node {
    uint8_t kind; /* stele_overview_kind */
    bool has_range;
    uint32_t parent, trace, track;
    stele_name name, field; /* of counters */
    uint64_t id;
    uint32_t place, depth; /* in the order of showing, once that was made */
    int64_t begin_ns, end_ns;
    uint64_t event_count, span_count, lost_count, busy_ns;
    double min, max;
    overview_lane moments; /* events, samples or instructions */
    overview_lane *losses; /* NULL: there are none */
    overview_lane *rows;
    uint32_t row_count, row_capacity;
    overview_lane *all;  /* when it is busy, from `all_from_ns` on; before, row 0 says so */
    int64_t all_from_ns; /* INT64_MAX without `all` */
    busy_stretch *stretches;
    uint32_t stretch_count, stretch_capacity;
} overview_node;

/* How many ids a value of a counter has. */
typedef struct overview_counter {
    uint32_t above;
    stele_name name, field;
    uint32_t id_count;
} overview_counter;

struct stele_overview {
    stele_context *context;
    stele_overview_options options;
    stele_trace **traces;
    size_t trace_count;
    stele_reader *reader;
    stele_pairing **pairings; /* by trace, as `traces`; NULL where nothing is paired */
    stele_calls *calls;
    stele_spans *spans;   /* what is not on a stack */
    stele_sched *sched;   /* NULL until there is a switch */
    filter *only;         /* NULL: all events count */
    overview_node *nodes; /* by number; 0 is none */
    uint32_t node_count, node_capacity;
    uint32_t *track_nodes; /* by number of the track; 0: none yet */
    uint32_t track_node_count;
    hash_table numbers; /* of nodes without a track of their own */
    overview_counter *counters;
    uint32_t counter_count, counter_capacity;
    hash_table counter_numbers; /* of counters, by their members */
    stele_name *sched_names;    /* of threads, by track; 0: not made yet */
    uint32_t sched_name_count;
    uint32_t row_total;
    uint32_t *places; /* nodes in the order of showing */
    uint32_t place_count;
    overview_store store;
    lane_walk *walk;
    int64_t *edges; /* of bins */
    uint32_t edge_capacity;
    int64_t range_begin_ns, range_end_ns;
    input *kept; /* the file that it was taken from; NULL: it is made */
    uint8_t *kept_findings;
    size_t kept_size;
    output *findings; /* that were reported while it is made; NULL: it was taken from a file */
    uint32_t finding_count;
    stele_diag_fn *diag_fn; /* who receives them besides */
    void *diag_user;
    bool is_plain;            /* all of one trace, as it is */
    stele_reader_stats stats; /* of what was taken from a file */
    uint32_t trace_now;       /* that the events at hand are of */
    bool is_by_streams;       /* not in the order of time: threads may be read one after another */
    bool has_gone_back;       /* and were */
    bool has_pairings;
    bool has_track_filter;
    bool is_read;             /* the reader has come to its end */
    stele_insn_reader *insns; /* of trace `insn_trace`; NULL: it was not begun yet */
    size_t insn_trace;        /* whose instructions come next */
    stele_output *title;
    stele_overview_state state;
    stele_status status; /* the first error, or STELE_END */
};

/* The node of a track of the model, or, where that is 0, of a trace. 0: memory. */
uint32_t overview_track_node_slow(stele_overview *o, uint32_t trace, uint32_t track);

static inline uint32_t overview_track_node(stele_overview *o, uint32_t trace, uint32_t track)
{
    if (track != 0 && track < o->track_node_count && o->track_nodes[track] != 0)
        return o->track_nodes[track];
    return overview_track_node_slow(o, trace, track);
}

/* The node of a kind below another one; `name`, `field` and `id` are those of counters. */
uint32_t overview_child_node(stele_overview *o, uint32_t parent, stele_overview_kind kind,
                             stele_name name, stele_name field, uint64_t id);

/* A row of a node, made if it is new; NULL: there are too many, or memory (o->status). */
overview_lane *overview_row(stele_overview *o, overview_node *n, uint32_t row);

void overview_node_free(overview_node *n);

/* An overview of these traces that has no tracks yet. It is to be closed, also after an error,
   unless it is NULL. */
stele_status overview_new(stele_context *context, stele_trace *const *traces, size_t count,
                          stele_overview **out);

/* ---- Keeping ---- */

/*
 *  0  8  "STELEOVW"               24  8  size of that after unpacking
 *  8  4  version                  32  8  size of the chunks, which come last
 * 12  4  CRC-32 of what there is  40  4  flags
 * 16  8  size of that             44  4  CRC-32 of the header before
 */
#define OVERVIEW_MAGIC       "STELEOVW"
#define OVERVIEW_VERSION     2u
#define OVERVIEW_HEADER_SIZE 48u
#define OVERVIEW_IS_PLAIN    1u
/* What there is is packed by no more than this. */
#define OVERVIEW_RATIO_MAX 64u

#define OVERVIEW_DEPTH_USUAL 64u

/* Fills a new overview with what stands in a file, which must stay open. STELE_ERR_FORMAT: it is
   not valid; STELE_ERR_READ; STELE_ERR_MEMORY. */
stele_status overview_load_from(stele_overview *o, input *in, uint64_t offset, uint64_t size);

/* Notes the findings of the context, between the two calls. */
void overview_begin_findings(stele_overview *o);
void overview_end_findings(const stele_overview *o);

/* Whether there are few enough findings for them to be kept. */
bool overview_findings_fit(const stele_overview *o);

/* Reports what was found wrong when the trace was read. */
void overview_report_findings(const stele_overview *o);

/* What was found wrong, as bytes and back. STELE_ERR_FORMAT: they are not valid; STELE_ERR_MEMORY.
 */
void overview_findings_put(const stele_overview *o, output *out);
stele_status overview_findings_take(stele_overview *o, cursor *from);

/* Whether it is an overview of all of one trace as it is, which an index file can have. */
bool overview_is_plain(const stele_overview *o, const stele_request *request);

/* Takes the overview from the index of the trace, into a new one. False: there is none, or it
   cannot be used, and then, unless `*status` is STELE_OK, neither can what was made of it. */
bool overview_take_kept(stele_overview *o, stele_status *status);

/* What the lane of moments of a track holds. */
lane_kind overview_moments(stele_overview_kind kind);

/* Entries of all its lanes. */
uint64_t overview_node_entries(const overview_node *n);

/* Adds a span to a row, and counts it. */
void overview_add_span(stele_overview *o, uint32_t number, uint32_t row, int64_t begin_ns,
                       int64_t end_ns, stele_name name);

/* Takes the fields of a counter as samples. */
void overview_add_counter(stele_overview *o, uint32_t node, const stele_batch *batch,
                          const stele_event *event);

/* Whether instructions of a trace, counted from 0, come on a way of their own. */
bool overview_has_insns(const stele_overview *o, size_t trace);

/* Takes in about so many instructions; false once there are no more. */
bool overview_step_insns(stele_overview *o, uint64_t insn_max);

/* The time of the whole reaches to there. */
static inline void overview_widen_range(stele_overview *o, int64_t begin_ns, int64_t end_ns)
{
    if (!o->state.has_range || begin_ns < o->state.begin_ns)
        o->state.begin_ns = begin_ns;
    if (!o->state.has_range || end_ns > o->state.end_ns)
        o->state.end_ns = end_ns;
    o->state.has_range = true;
}

/* The time of the node reaches to there. */
static inline void overview_widen(overview_node *n, int64_t begin_ns, int64_t end_ns)
{
    if (!n->has_range || begin_ns < n->begin_ns)
        n->begin_ns = begin_ns;
    if (!n->has_range || end_ns > n->end_ns)
        n->end_ns = end_ns;
    n->has_range = true;
}

#endif
