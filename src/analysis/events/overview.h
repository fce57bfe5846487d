/* SPDX-License-Identifier: Apache-2.0 */
/* The data of an overview: its tracks with their lanes. */
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

/* A stretch of time in which a track is busy. It is kept apart as long as a span around it may
   still come. */
typedef struct busy_stretch {
    int64_t begin_ns, end_ns;
} busy_stretch;

typedef struct overview_node {
    uint8_t kind; /* a stele_overview_kind */
    bool has_range;
    uint32_t parent, trace, track;
    uint32_t last_child;    /* number of the node below it that was looked for last; 0: none */
    uint32_t last_counter;  /* index plus 1, in the counters, of the last one below it; 0: none */
    stele_name name, field; /* name and field of a counter; 0 for other kinds */
    uint64_t id;
    /* position and depth in the order in which tracks are shown; see places_make() */
    uint32_t place, depth;
    int64_t begin_ns, end_ns;
    uint64_t event_count, span_count, lost_count, busy_ns;
    double min, max;
    overview_lane moments; /* events, samples of a counter, or runs of instructions */
    overview_lane *losses; /* NULL: no events were lost on the track */
    overview_lane *rows;
    uint32_t row_count, row_capacity;
    /* when the track is busy, from all_from_ns on; before that time row 0 says so */
    overview_lane *all;
    int64_t all_from_ns; /* INT64_MAX if `all` is NULL */
    busy_stretch *stretches;
    uint32_t stretch_count, stretch_capacity;
} overview_node;

/* The largest depth of tracks inside of tracks; deeper ones are cut. */
#define OVERVIEW_TRACKS_MAX 64u

/* The id of the node that all ids of a counter share which have no node of their own. */
#define OVERVIEW_ID_OTHER UINT64_MAX

/* One value of a counter, with its ids. */
typedef struct overview_counter {
    uint32_t above;
    stele_name name, field;
    uint32_t id_count; /* how many ids have a node of their own */
    uint32_t others;   /* number of the node of all other ids; 0: there is none yet */
    uint32_t last;     /* number of the node of `last_id`; 0: none */
    uint64_t last_id;
} overview_counter;

struct stele_overview {
    stele_context *context;
    stele_overview_options options;
    stele_trace **traces;
    size_t trace_count;
    stele_reader *reader;
    stele_pairing **pairings; /* by trace, in the order of `traces`; NULL: the trace has no pairs */
    stele_calls *calls;
    stele_spans *spans;   /* engine for operations, which are not on a stack */
    stele_sched *sched;   /* NULL until the first switch event */
    filter *only;         /* the request's filter; NULL: all events count */
    overview_node *nodes; /* by number, from 1 on; 0 means none */
    uint32_t node_count, node_capacity;
    uint32_t *track_nodes; /* number of the node, by number of the track; 0: none yet */
    uint32_t track_node_count;
    hash_table numbers; /* numbers of nodes that have no track in the model, such as counters */
    overview_counter *counters;
    uint32_t counter_count, counter_capacity;
    hash_table counter_numbers; /* index in `counters`, by node above, name and field */
    stele_name *sched_names;    /* names of threads, by track; 0: not made yet */
    uint32_t sched_name_count;
    uint32_t row_total;
    uint32_t *places; /* numbers of nodes in the order in which they are shown */
    uint32_t place_count;
    overview_store store;
    lane_walk *walk;
    int64_t *edges; /* the bounds of bins, in nanoseconds */
    uint32_t edge_count, edge_capacity;
    stele_name switch_name; /* of switches in kernel traces; 0: out of memory */
    int64_t range_begin_ns, range_end_ns;
    input *kept; /* the file that the overview was loaded from; NULL: it is being made */
    uint8_t *kept_findings;
    size_t kept_size;
    /* findings reported while the overview is made; NULL: it was loaded from a file */
    output *findings;
    uint32_t finding_count;
    stele_diag_fn *diag_fn; /* the context's receiver of findings, which gets them as well */
    void *diag_user;
    /* the overview is of all of one trace, unfiltered, so an index file can hold it */
    bool is_plain;
    stele_reader_stats stats; /* statistics, if the overview was loaded from a file */
    uint32_t trace_now;       /* number of the trace of the current events */
    bool is_by_streams;       /* threads may be read one after another, not in the order of time */
    bool has_gone_back;       /* an event was earlier than the one before */
    bool has_pairings;
    bool has_track_filter;
    bool is_read; /* the reader has reached its end */
    /* instructions are read before the events: a picture of them is there at once, while looking
       for the few events among them takes a pass over the trace */
    bool is_insns_first;
    uint64_t insns_size;      /* bytes of the trace, if its instructions were read first; else 0 */
    stele_insn_reader *insns; /* reads instructions of traces[insn_trace]; NULL: not opened yet */
    size_t insn_trace;        /* index of the trace whose instructions are read next */
    stele_output *title;
    stele_overview_state state;
    stele_status status; /* the first error, or STELE_END */
};

/* The node of a track of the model or, if `track` is 0, of a trace; made if needed. Returns 0 if
   out of memory. */
uint32_t overview_track_node_slow(stele_overview *o, uint32_t trace, uint32_t track);

static inline uint32_t overview_track_node(stele_overview *o, uint32_t trace, uint32_t track)
{
    if (track != 0 && track < o->track_node_count && o->track_nodes[track] != 0)
        return o->track_nodes[track];
    return overview_track_node_slow(o, trace, track);
}

/* The child node of this kind, made if needed. `name`, `field` and `id` identify a counter and
   are 0 for other kinds. Returns 0 if out of memory. */
uint32_t overview_child_node(stele_overview *o, uint32_t parent, stele_overview_kind kind,
                             stele_name name, stele_name field, uint64_t id);

/* A row of a node, made if needed. Returns NULL if there are too many rows, or if out of memory,
   which sets o->status. */
overview_lane *overview_row(stele_overview *o, overview_node *n, uint32_t row);

void overview_node_free(overview_node *n);

/* Makes an overview of these traces without any tracks. The caller must close it also after an
   error, unless it is NULL. */
stele_status overview_new(stele_context *context, stele_trace *const *traces, size_t count,
                          stele_overview **out);

/* ---- Saved overviews ---- */

/*
 * The header of a saved overview: offset and size of each part.
 *
 *      0  8  "STELEOVW"
 *      8  4  version
 *     12  4  CRC-32 of the packed part about tracks, which follows the header
 *     16  8  size of the packed part
 *     24  8  size of this part when it is unpacked
 *     32  8  size of the chunks, which come last
 *     40  4  flags
 *     44  4  CRC-32 of the header before
 */
#define OVERVIEW_MAGIC       "STELEOVW"
#define OVERVIEW_VERSION     4u
#define OVERVIEW_HEADER_SIZE 48u
#define OVERVIEW_IS_PLAIN    1u
/* The most that the part about tracks may grow when it is unpacked; a file that claims more is
   not valid. */
#define OVERVIEW_RATIO_MAX 64u

#define OVERVIEW_DEPTH_USUAL 64u

/* Fills a new overview from a file, which must stay open. Returns STELE_ERR_FORMAT if its bytes
   are not a valid overview, STELE_ERR_READ or STELE_ERR_MEMORY. */
stele_status overview_load_from(stele_overview *o, input *in, uint64_t offset, uint64_t size);

/* Begin and end the collection of the context's findings in `findings`. */
void overview_begin_findings(stele_overview *o);
void overview_end_findings(const stele_overview *o);

/* Whether the findings are few enough to be saved with the overview. */
bool overview_findings_fit(const stele_overview *o);

/* Reports the findings that were saved with the overview. */
void overview_report_findings(const stele_overview *o);

/* Write the findings as bytes, and read them back. Reading returns STELE_ERR_FORMAT if the bytes
   are not valid, or STELE_ERR_MEMORY. */
void overview_findings_put(const stele_overview *o, output *out);
stele_status overview_findings_take(stele_overview *o, cursor *from);

/* Whether the overview is of all of one trace, without filter or other options, so that an index
   file can hold it. */
bool overview_is_plain(const stele_overview *o, const stele_request *request);

/*
 * Loads the overview from the index file of the trace into a new one. Returns false if there is
 * none or if it cannot be used; the new overview can then be filled by reading only if `*status` is
 * STELE_OK.
 */
bool overview_take_kept(stele_overview *o, stele_status *status);

/* The kind of things in the lane `moments` of a track. */
lane_kind overview_moments(stele_overview_kind kind);

/* The number of entries in all lanes of a node. */
uint64_t overview_node_entries(const overview_node *n);

/* Notes that the last span of a row has no end: it is open where the traces end. */
void overview_note_open(overview_node *n, uint32_t row, int64_t begin_ns, int64_t end_ns);

/* Adds each number among the fields of a counter event as a sample. */
void overview_add_counter(stele_overview *o, uint32_t node, const stele_batch *batch,
                          const stele_event *event);

/* Whether the trace with this index has instructions that are read by stele_insn_reader, not as
   events. */
bool overview_has_insns(const stele_overview *o, size_t trace);

/* Begins to read the instructions of an early overview before its events, if it is of one trace
   for which that is possible. */
stele_status overview_begin_insns(stele_overview *o);

/* Reads about `insn_max` instructions. Returns false once there are no more. */
bool overview_step_insns(stele_overview *o, uint64_t insn_max);

/* Changes the number of bytes read, if instructions are read first, so that it grows from 0 to the
   size of the trace over both passes. */
void overview_scale_bytes(const stele_overview *o, stele_reader_stats *stats);

/* Sets o->status unless it has an error already. */
static inline void overview_keep_status(stele_overview *o, stele_status status)
{
    if (o->status == STELE_OK)
        o->status = status;
}

/* Extends the time range of the overview. */
static inline void overview_widen_range(stele_overview *o, int64_t begin_ns, int64_t end_ns)
{
    if (!o->state.has_range || begin_ns < o->state.begin_ns)
        o->state.begin_ns = begin_ns;
    if (!o->state.has_range || end_ns > o->state.end_ns)
        o->state.end_ns = end_ns;
    o->state.has_range = true;
}

/* Extends the time range of a node. */
static inline void overview_widen(overview_node *n, int64_t begin_ns, int64_t end_ns)
{
    if (!n->has_range || begin_ns < n->begin_ns)
        n->begin_ns = begin_ns;
    if (!n->has_range || end_ns > n->end_ns)
        n->end_ns = end_ns;
    n->has_range = true;
}

#endif
