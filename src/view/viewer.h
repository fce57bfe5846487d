/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers have in common: the traces, what is known of their tracks, and reading a
   stretch. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include <stele/insn.h>
#include <stele/json.h>
#include <stele/overview.h>
#include <stele/sched.h>
#include <stele/spans.h>

#include "view/checkpoints.h"
#include "view/streams.h"
#include "view/view.h"

/* rows of nested spans on one track; deeper spans are only counted */
#define VIEW_DEPTH_MAX 1024u

/* What there is on a track, as bits. */
#define VIEW_HAS_MARKS  0x01u
#define VIEW_HAS_LOSSES 0x02u
#define VIEW_HAS_RUNS   0x04u /* of a CPU: which threads it runs */
#define VIEW_HAS_STATES 0x08u /* of a thread: which states it is in */
#define VIEW_HAS_FLOWS  0x10u
#define VIEW_HAS_NESTED 0x20u /* known once all is scanned */

typedef struct view_track {
    uint64_t event_count, span_count;
    uint64_t busy_ns; /* time covered by nested spans */
    /* with VIEW_HAS_NESTED: the last time of what nests, where spans end that are open to the end
     */
    int64_t last_ns;
    uint32_t depth_rows; /* number of rows of nested spans */
    /* number of rows of operations: the most that were open at the same time */
    uint32_t async_rows;
    uint32_t async_open; /* operations that are open, during the scan */
    uint32_t stream;     /* during the scan: one more than the stream that had the last event */
    uint32_t has;        /* a set of bits VIEW_HAS_... */
} view_track;

/* A counter: one field of the counter events of one name on one track. */
typedef struct view_counter {
    uint32_t track;
    stele_name name, field;
} view_counter;

/* A stretch where events are known to be missing. */
typedef struct view_loss {
    int64_t begin_ns, end_ns;
    uint64_t offset, count;
    uint32_t track;
    stele_name name;
} view_loss;

#define VIEW_LOSSES_MAX   65536u
#define VIEW_COUNTERS_MAX 4096u
#define VIEW_BINS         1024u

/* The number of events over time, in bins of the same width, which doubles as the trace goes on. */
typedef struct view_activity {
    int64_t begin_ns;
    uint64_t width_ns;
    uint64_t bins[VIEW_BINS];
    bool is_lossy[VIEW_BINS];
} view_activity;

/* What is known of the traces, from the scan or from an overview. */
typedef struct view_known {
    bool has_range, has_schedule;
    int64_t begin_ns, end_ns; /* the range of all events; the end is after the last event */
    uint64_t event_count, lost_count;
    view_track *tracks; /* by number of the track */
    uint32_t track_capacity;
    view_activity activity;
} view_known;

typedef struct view_scan view_scan;

struct viewer {
    stele_context *context;
    stele_trace *const *traces;
    size_t trace_count;
    viewer_options options;
    view_go_on_fn *go_on;
    void *go_on_user;

    /* Set by the scan, or for it. */
    view_scan *scan; /* NULL: the scan has ended, or has not begun */
    bool has_begun, is_scanned;
    stele_status scan_status; /* why the scan ended early; STELE_OK if it did not */
    view_known known;         /* what answers say about the traces */
    view_counter *counters;
    size_t counter_count;
    bool has_more_counters;
    view_loss *losses; /* losses that have a duration, in the order in which they came */
    size_t loss_count;
    checkpoints open;     /* what is open at some moments */
    view_streams streams; /* known once all is scanned */
    /* overview of traces with too many events to read for a picture; else NULL */
    stele_overview *overview;
    bool is_overview_whole;
    bool was_read;     /* the overview was made by reading, and not found in an index */
    bool has_keeper;   /* the caller takes overviews that are worth saving */
    bool awaits_index; /* the index is being saved, and is used once it is */
    bool is_unsaved;   /* the scan has found out what is worth saving */
    /* Everything came from an index file, and the trace itself was not looked at: that is done once
       somebody has the first picture. */
    bool needs_index, has_pictured;
    bool is_late; /* the overview was made early, and some events came too late for it */
    /* the overview that replaces an early one, while it is being made; else NULL */
    stele_overview *exact;
    bool is_known; /* `known` no longer comes from an overview that is still being made */
    stele_status overview_status; /* why making the overview ended early */
    stele_reader_stats stats;

    /* The overview of the events that a filter of the page selects. */
    char *filter; /* the filter; NULL: there is none */
    stele_overview *filtered;
    bool is_filtered_whole;

    /* The names that the answer at hand has used. */
    uint32_t *name_used;
    uint32_t name_capacity;
    uint32_t answer_number;
    stele_name *names; /* names of the answer, in the order of their first use */
    size_t name_count, names_capacity;
};

/* Adds an event to the bin of its time. */
void view_activity_add(view_activity *a, int64_t time_ns, bool is_lossy);

/* Returns what is known of a track, NULL if out of memory. */
view_track *view_known_track(view_known *k, uint32_t track);

/* Returns the number of a counter, which is added if it is new. Returns UINT32_MAX if there are
   too many. */
uint32_t viewer_counter(viewer *v, uint32_t track, stele_name name, stele_name field);

bool viewer_goes_on(const viewer *v);

/* Returns whether what is known of the traces can be saved: there is an overview of all of one
   trace. */
bool viewer_can_keep(const viewer *v);

/* Returns the number of the first stream of the only trace. */
uint32_t viewer_first_stream(const viewer *v);

/* Returns whether something can be open where a stretch begins, which a scan finds: instructions
   are never open. */
bool viewer_can_have_open(const viewer *v);

/* Updates `known` if it comes from an overview that is still being made. */
stele_status viewer_update(viewer *v);
void viewer_end_scan(viewer *v);

/* Returns the track of the traces that a track of the overview belongs to, 0 if there is none. */
uint32_t viewer_own_track(stele_overview *o, const stele_overview_track *track);

/* Returns the overview that a picture for a question is made from, NULL if it is made from
   events. `*is_whole` says whether the overview covers the traces in full. */
stele_overview *viewer_overview_for(viewer *v, const question *q, bool *is_whole);

/* ---- Reading a stretch ---- */

/* Joins two conditions into one, which the caller frees; NULL and "" are no condition. */
stele_status viewer_join_conditions(const char *a, const char *b, char **out);

/* How a stretch is read, and the functions that take what is read; any of them may be NULL. */
typedef struct view_reading {
    const question *q; /* the question whose tracks are read; NULL: all tracks */
    bool is_whole;     /* spans are not cut at the ends of the stretch */
    bool no_start;     /* what is open where the stretch begins does not matter */
    /* with is_whole: it is enough to read from the last checkpoint that is not after from_ns */
    bool has_checkpoint;
    int64_t from_ns;   /* with has_checkpoint: the latest time of the checkpoint */
    const char *where; /* an expression that selects events; NULL: all */
    stele_span_fn *span;
    stele_segment_fn *first; /* takes events before any engine does, as they were read */
    stele_segment_fn *event; /* takes events as they are, including those that spans are made of */
    bool has_open;    /* `event` takes also what is open at the checkpoint, before the others */
    bool has_fields;  /* events and spans have their fields */
    bool is_selected; /* events that `where` does not select are not read */
    bool no_pairing;  /* moments are not paired into spans */
    stele_thread_interval_fn *state;
    stele_cpu_interval_fn *run;
    void *user;
    stele_spans *spans; /* while it is read */
    /* what began before this time is not known in full; INT64_MIN: everything is */
    int64_t known_ns;
} view_reading;

/* Reads a stretch. If a function returns STELE_END, reading ends and STELE_OK is returned. */
stele_status viewer_read(viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns);

/* Gives the runs of events in a segment that are on tracks which the question asks for. */
stele_status viewer_give_wanted(const question *q, const stele_segment *segment,
                                stele_segment_fn *take, void *user);

/* Moves the end of a nested span that is open where a stretch ends to where 'stele calls' ends it:
   nothing is open after the last event of its track. Returns false if the span is then over before
   the stretch begins. */
bool viewer_end_open(const viewer *v, stele_span *span, int64_t begin_ns);

/* Returns whether a span, after viewer_end_open(), is open to the end of the trace, and not only
   where the stretch ends. */
bool viewer_is_open(const viewer *v, const stele_span *span);

/* Returns the end of a stretch for analyses: INT64_MAX if it is after the last event, so that what
   is open ends as without an end. */
int64_t viewer_known_end(const viewer *v, int64_t end_ns);

/* Returns whether an event is shown as a mark: it is not a span or a part of one, a counter or a
   loss. */
bool view_is_mark(const stele_event *event);

/* ---- Writing answers ---- */

/* Empties the list of names. Returns false if out of memory. */
bool viewer_begin_names(viewer *v);

/* Notes that a name is used, and returns its number; 0 if it has no number in the pool. */
stele_name viewer_use_name(viewer *v, stele_name name);

/* Writes the names of the answer by their numbers, as {"1":"read"}. */
void viewer_put_names(const viewer *v, stele_json *j, const char *key);

/* Writes a text that ends with a zero, at most VIEW_VALUE_MAX bytes of it. */
void view_put_text(stele_json *j, const char *key, const char *text);

/* How many bytes of a name and of other texts are shown. */
#define VIEW_NAME_MAX  200u
#define VIEW_VALUE_MAX 65536u

/* ---- The answers ---- */

stele_status answer_info(viewer *v, stele_output *out);
stele_status answer_window(viewer *v, const question *q, stele_output *out);
stele_status answer_span(viewer *v, const question *q, stele_output *out);
stele_status answer_mark(viewer *v, const question *q, stele_output *out);
stele_status answer_profile(viewer *v, const question *q, stele_output *out);
stele_status answer_search(viewer *v, const question *q, stele_output *out);
stele_status answer_next(viewer *v, const question *q, stele_output *out);
stele_status answer_rows(viewer *v, const question *q, stele_output *out);
stele_status answer_cut(viewer *v, const question *q, stele_output *out);
stele_status answer_flame(viewer *v, const question *q, stele_output *out);
stele_status answer_states(viewer *v, const question *q, stele_output *out);
stele_status answer_record(viewer *v, const question *q, stele_output *out);
stele_status answer_code(viewer *v, const question *q, stele_output *out);

#endif
