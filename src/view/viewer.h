/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers share: the traces, what is known of their tracks, and reading a stretch. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include <stele/insn.h>
#include <stele/json.h>
#include <stele/overview.h>
#include <stele/sched.h>
#include <stele/spans.h>

#include "view/checkpoints.h"
#include "view/view.h"

#define VIEW_DEPTH_MAX 1024u /* rows of nested spans of one track; deeper ones are counted */

/* What stands on a track, as bits. */
#define VIEW_HAS_MARKS  0x01u
#define VIEW_HAS_LOSSES 0x02u
#define VIEW_HAS_RUNS   0x04u /* of a CPU: which thread it runs */
#define VIEW_HAS_STATES 0x08u /* of a thread: what it does */
#define VIEW_HAS_FLOWS  0x10u

typedef struct view_track {
    uint64_t event_count, span_count;
    uint64_t busy_ns;    /* of outermost spans */
    uint32_t depth_rows; /* rows of nested spans */
    uint32_t async_rows; /* rows of operations: how many were open at a time, at most */
    uint32_t async_open; /* while it is scanned */
    uint32_t has;        /* VIEW_HAS_... */
} view_track;

/* A counter: one field of the counter events of one name on one track. */
typedef struct view_counter {
    uint32_t track;
    stele_name name, field;
} view_counter;

/* Where events are known to be missing. */
typedef struct view_loss {
    int64_t begin_ns, end_ns;
    uint64_t offset, count;
    uint32_t track;
    stele_name name;
} view_loss;

#define VIEW_LOSSES_MAX   65536u
#define VIEW_COUNTERS_MAX 4096u
#define VIEW_BINS         1024u

/* How many events there are over time, in bins of one width, which doubles as the trace goes on. */
typedef struct view_activity {
    int64_t begin_ns;
    uint64_t width_ns;
    uint64_t bins[VIEW_BINS];
    bool is_lossy[VIEW_BINS];
} view_activity;

/* What is known of the traces. */
typedef struct view_known {
    bool has_range, has_schedule;
    int64_t begin_ns, end_ns; /* of all events; the end lies after the last one */
    uint64_t event_count, lost_count;
    view_track *tracks; /* by number */
    size_t track_capacity;
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

    /* Known by the scan. */
    view_scan *scan; /* NULL: it has ended, or did not begin */
    bool has_begun, is_scanned;
    stele_status scan_status; /* why it ended early; STELE_OK: it did not */
    view_known known;         /* that answers say */
    view_counter *counters;
    size_t counter_count;
    bool has_more_counters;
    view_loss *losses; /* that last, as they came */
    size_t loss_count;
    checkpoints open;         /* what is open at some moments */
    stele_overview *overview; /* of traces with too many events to read for a picture; else NULL */
    bool is_overview_whole;
    bool was_read;         /* it was made by reading, and not found in an index */
    bool has_keeper;       /* somebody takes what is worth to be kept */
    bool awaits_index;     /* what is kept is being written, and used then */
    bool is_late;          /* the overview was made early, and events came too late for it */
    stele_overview *exact; /* the one that takes its place, while it is made */
    bool is_known;         /* what is known comes no longer from an overview that is being made */
    stele_status overview_status; /* why it ended early */
    stele_reader_stats stats;

    /* The same of what a filter of the page lets through. */
    char *filter; /* NULL: there is none */
    stele_overview *filtered;
    bool is_filtered_whole;

    /* Which names the answer at hand has used. */
    uint32_t *name_used;
    size_t name_capacity;
    uint32_t answer_number;
    stele_name *names; /* of the answer, in the order of their use */
    size_t name_count, names_capacity;
};

/* The track's figures. Returns NULL if out of memory. */
view_track *view_known_track(view_known *k, uint32_t track);

/* The number of a counter, which is added where it is new; UINT32_MAX: there are too many. */
uint32_t viewer_counter(viewer *v, uint32_t track, stele_name name, stele_name field);

bool viewer_goes_on(const viewer *v);

/* Brings what is known up to date where it comes from an overview that is being made. */
stele_status viewer_update(viewer *v);
void viewer_end_scan(viewer *v);

/* The track of the traces that a track of the overview belongs to; 0: none. */
uint32_t viewer_own_track(stele_overview *o, const stele_overview_track *track);

/* The overview that a picture of a question is made of; NULL: it is made of events. `*is_whole`:
   all of the traces is in it. */
stele_overview *viewer_overview_for(viewer *v, const question *q, bool *is_whole);

/* ---- Reading a stretch ---- */

/* Two conditions as one; NULL and "" are none. The caller frees it. */
stele_status viewer_join_conditions(const char *a, const char *b, char **out);

/* What is read of the events of a stretch: any of the functions may be NULL. */
typedef struct view_reading {
    const question *q;   /* NULL: of everything */
    bool is_whole;       /* spans are not cut at the ends of the stretch */
    bool no_start;       /* what is open at the begin does not matter */
    bool has_checkpoint; /* with is_whole: it is enough to read from a checkpoint on ... */
    int64_t from_ns;     /* ... that is not after this */
    const char *where;   /* an expression; NULL: all */
    stele_span_fn *span;
    stele_segment_fn *event; /* events as they stand, also those that spans are made of */
    bool has_fields;         /* they have fields, and so have spans */
    bool is_selected;        /* events that do not fit `where` are not read */
    bool no_pairing;         /* moments stay what they are */
    stele_thread_interval_fn *state;
    stele_cpu_interval_fn *run;
    void *user;
    stele_spans *spans; /* while it is read */
    int64_t known_ns;   /* what began before is not known in full; INT64_MIN: everything is */
} view_reading;

/* Reads them. STELE_END of a function ends it; that is STELE_OK then. */
stele_status viewer_read(viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns);

/* Gives the runs of events of a segment that stand on tracks that are asked for. */
stele_status viewer_give_wanted(const question *q, const stele_segment *segment,
                                stele_segment_fn *take, void *user);

/* The end of a stretch for what closes spans at it: no later than the last event. */
int64_t viewer_known_end(const viewer *v, int64_t end_ns);

/* Is the event one that stands as a mark: neither a span nor part of one, a counter or a loss? */
bool view_is_mark(const stele_event *event);

/* ---- Writing answers ---- */

/* Makes the list of names empty. Returns false if out of memory. */
bool viewer_begin_names(viewer *v);

/* Notes that a name is used. What has no number in the pool is 0. */
stele_name viewer_use_name(viewer *v, stele_name name);

/* Adds the texts of the names by their numbers, as {"1":"read"}. */
void viewer_put_names(const viewer *v, stele_json *j, const char *key);

/* Adds a text that ends with a zero, of which at most VIEW_VALUE_MAX bytes are shown. */
void view_put_text(stele_json *j, const char *key, const char *text);

/* How many bytes of a name, and of other texts, are shown. */
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
