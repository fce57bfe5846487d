/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overviews: what every track of traces of any size does over time, made in one pass, and asked for
 * any stretch of time at any width. For pictures, which have a few thousand columns, however many
 * events there are:
 *
 *     status = stele_overview_open(context, &trace, 1, NULL, &overview);
 *     while (status == STELE_OK)
 *         status = stele_overview_step(overview, 100000);
 *     stele_overview_get_state(overview, &state);
 *     for (uint32_t i = 1; i <= stele_overview_track_count(overview); i++)
 *         status = stele_overview_bins(overview, i, state.begin_ns, state.end_ns, 1000, bins);
 *
 * An overview can be asked between two steps, and says what is known so far.
 *
 * It is made of **entries**, each of which sums up 16 events or spans of a track, or 16 entries
 * more. What lies between two entries is exact; where a bin begins or ends within one, the share of
 * the bin is estimated, and the bin says how far off it can be at most. So an overview tells what
 * is going on where there are many events, and a reader with `begin` and `end` tells the events
 * themselves where there are few.
 *
 * Memory does not grow with the trace: what is beyond stele_overview_options.size_max goes to a
 * temporary file. Times are in nanoseconds on the scale of stele_event.time_ns. One thread at a
 * time uses an overview, its traces and their context; all of them must outlive it.
 */
#ifndef STELE_OVERVIEW_H
#define STELE_OVERVIEW_H

#include <stele/output.h>
#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making ---------------------------------------------------------------------------------- */

typedef struct stele_overview stele_overview;

/* Zeros give the defaults. */
typedef struct stele_overview_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* What is shown: names, categories, tracks, kinds, expression, bounds and alignment. Spans are
       judged by the event that begins them. It is copied; order and columns are not looked at.
       NULL: everything. */
    const stele_request *request;
    bool no_pairs;      /* moments are not paired by their names: see stele_pairing */
    uint32_t depth_max; /* levels of nesting that are kept of a track; 0: 64. Deeper spans count,
                           but have no row of their own */
    size_t size_max;    /* bytes of entries held in memory; 0: 64 MiB */
    bool is_fresh;      /* the traces are read, also where an index has the overview; the threads
                           of one trace one after another where each is a stream, as that takes less
                           time: figures of any moment are known when all is read */
    /* One trace that stands about in the order of time is read in one pass, and is pictured from
       the first moment on. Where events were later than memory allows to wait for,
       stele_overview_get_stats() has a `late_count`, and they are pictured later than they are. */
    bool is_early;
} stele_overview_options;

/*
 * Begins an overview of traces of one context, on one axis of time. Where all of one trace is
 * wanted, and its index has the overview (see stele_overview_save_index()), it is complete at once,
 * without reading the trace, and what was found wrong is reported again. `options` may be NULL.
 * Errors are those of stele_reader_open(); the caller closes it.
 */
STELE_API stele_status stele_overview_open(stele_context *context, stele_trace *const *traces,
                                           size_t count, const stele_overview_options *options,
                                           stele_overview **out);
STELE_API void stele_overview_close(stele_overview *o);

/*
 * Takes in about so many more events, and at least one segment. STELE_OK: there are more;
 * STELE_END: the overview is complete, also when it was before. Errors are those of
 * stele_reader_next(), and STELE_ERR_WRITE for the temporary file; what was taken in before an
 * error can be asked for.
 */
STELE_API stele_status stele_overview_step(stele_overview *o, uint64_t event_max);

/* Takes in all that is left. Progress and the wish to end are those of the context: see
   stele_context_options. STELE_OK when it is complete. */
STELE_API stele_status stele_overview_build(stele_overview *o);

/* How far an overview is, and what it is made of. */
typedef struct stele_overview_state {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool is_complete;
    bool has_range;           /* begin_ns and end_ns are known: there was an event with a time */
    int64_t begin_ns, end_ns; /* of all that was taken in; end_ns is after the last event */
    int64_t known_ns;         /* up to here it is known what happened on all tracks */
    uint64_t event_count;     /* marks of losses are none */
    uint64_t span_count;      /* that have ended */
    uint64_t untimed_count;   /* events without a time, which no bin has */
    uint64_t cut_count;       /* spans deeper than depth_max, or beyond the limit of rows */
    uint64_t lost_count;      /* events that the tracer or damage is known to have cost */
    uint64_t byte_count, byte_total; /* of the traces; byte_total 0: not known */
    uint64_t entry_count;            /* of all levels */
    uint64_t entry_size;             /* bytes that they take ... */
    uint64_t spilled_size;           /* ... and how many of them are in the temporary file */
    uint64_t insn_count;             /* instructions, which are no events here */
} stele_overview_state;

/* The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_overview_get_state(const stele_overview *o, stele_overview_state *state);

/* What reading has come to, for what it says of losses and bytes. The caller sets `struct_size`. */
STELE_API void stele_overview_get_stats(const stele_overview *o, stele_reader_stats *stats);

/* ---- Tracks ---------------------------------------------------------------------------------- */

/* What a track of an overview is. */
typedef enum stele_overview_kind {
    STELE_OVERVIEW_NONE = 0,
    STELE_OVERVIEW_TRACE,   /* a trace: the tracks in it are below; events without a track are its
                               own */
    STELE_OVERVIEW_TRACK,   /* a track of the traces, with its events and the spans on its stack */
    STELE_OVERVIEW_COUNTER, /* a value of a counter of the track above */
    STELE_OVERVIEW_OPERATIONS, /* asynchronous operations of the process or track above; those that
                                  overlap are on rows of their own */
    STELE_OVERVIEW_SCHED,      /* the threads that run on the CPU above: spans with their names */
    STELE_OVERVIEW_INSNS,      /* instructions of the thread above */
    STELE_OVERVIEW_KIND_COUNT
} stele_overview_kind;

/* "trace", "track", "counter", "operations", "sched", "insns"; "none" for anything else. */
STELE_API const char *stele_overview_kind_text(stele_overview_kind kind);

typedef struct stele_overview_track {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t number;    /* of the overview's tracks, from 1 on; others never change theirs */
    uint32_t parent;    /* 0: none */
    uint32_t depth;     /* tracks above it */
    uint32_t place;     /* in the order in which they are shown, a track right after its parent and
                           its earlier siblings; from 0 */
    stele_overview_kind kind;
    stele_track_kind track_kind; /* of the traces' track, and of the thread or CPU above counters */
    uint32_t trace;              /* number of the trace in the context, see stele_trace_info */
    uint32_t track;              /* number of the traces' track: see stele_track_get(); 0: none */
    bool has_process, has_thread; /* the ids below are known */
    uint64_t process, thread;     /* numbers of the process and the thread that it is in */
    stele_name name;              /* of the track or counter, as last known; 0: it has none */
    stele_name field;             /* of counters: which of its values */
    uint64_t id;                  /* of counters; UINT64_MAX: of one that has too many ids, all
                                     that have no track of their own */
    bool has_range;               /* begin_ns and end_ns are known */
    int64_t begin_ns, end_ns;     /* of all events and spans so far */
    uint64_t event_count;         /* without those of tracks below; of counters, its samples */
    uint64_t span_count;          /* that have ended */
    uint64_t lost_count;          /* events that are known to be missing */
    uint64_t busy_ns;             /* of its ended spans: see stele_overview_bin */
    uint32_t row_count;           /* levels of nesting: see stele_overview_row() */
    double min, max;              /* of the samples of a counter */
} stele_overview_track;

/* How many tracks are known so far; their numbers run from 1. */
STELE_API uint32_t stele_overview_track_count(const stele_overview *o);

/* A track by its number; false when there is none. The caller sets `struct_size`, as STELE_INIT
   does. */
STELE_API bool stele_overview_get_track(stele_overview *o, uint32_t number,
                                        stele_overview_track *track);

/* The track at a place in the order of showing, from 0; 0: there is none. */
STELE_API uint32_t stele_overview_track_at(stele_overview *o, uint32_t place);

/* What a track is called: "worker (17)", "heap: used". Owned, and holding, as the texts of
   <stele/text.h>. Its size is 0 when memory is exhausted. */
STELE_API stele_text stele_overview_title(stele_overview *o, uint32_t number);

/* ---- Bins ------------------------------------------------------------------------------------ */

#define STELE_OVERVIEW_LOST    0x01u /* events were lost here, or damage lies here */
#define STELE_OVERVIEW_SAMPLED 0x02u /* a counter has samples in the bin: min and max hold */
#define STELE_OVERVIEW_VALUE   0x04u /* `last` holds: there was a sample in the bin or before it */
#define STELE_OVERVIEW_UNKNOWN 0x08u /* not all that happened here was taken in yet */

/*
 * What a track does in a stretch of time. Counts and busy time of a bin are off by the slack at
 * most; without slack they are exact. Bins side by side share what they estimate, so that their sum
 * is exact but for the first and the last.
 */
typedef struct stele_overview_bin {
    uint64_t event_count;   /* that have their time in it; of a row, spans that begin in it */
    uint64_t event_slack;   /* event_count is off by this at most */
    uint64_t busy_ns;       /* with at least one span; of operations the sum of all rows, so that
                               more than the whole bin is more than one at a time */
    uint64_t busy_slack_ns; /* busy_ns is off by this at most */
    stele_name name;        /* what takes the most time by itself; the commonest event where there
                               are no spans; 0: none is known */
    uint32_t depth;         /* rows that have a span in it, to the deepest; 0: none */
    uint64_t name_weight;   /* ns, or events, of that name: estimated, and at most what there is */
    uint64_t lost_count;    /* events that were lost here, as far as that is known */
    uint32_t flags;         /* STELE_OVERVIEW_... */
    uint32_t reserved;
    double min, max, last; /* of counters; they and `last` include a sample beyond the bin where an
                              entry reaches over its border */
    uint64_t insn_count;   /* of instructions: how many were run in it; event_count, too */
    uint64_t load_count, store_count; /* estimated at the borders */
} stele_overview_bin;

/*
 * Fills `count` bins, of which bin i begins at begin_ns + (end_ns - begin_ns) * i / count, rounded
 * down, and ends where the next one begins. STELE_ERR_ARGUMENT: no track has this number, or
 * the range is empty, or `count` is 0; STELE_ERR_READ of the temporary file; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_overview_bins(stele_overview *o, uint32_t number, int64_t begin_ns,
                                           int64_t end_ns, uint32_t count,
                                           stele_overview_bin *bins);

/*
 * The same of one level of nesting, from 0, which is outermost: spans of a row do not overlap. The
 * name is that of which most time is spent in the bin.
 */
STELE_API stele_status stele_overview_row(stele_overview *o, uint32_t number, uint32_t row,
                                          int64_t begin_ns, int64_t end_ns, uint32_t count,
                                          stele_overview_bin *bins);

/* ---- Keeping --------------------------------------------------------------------------------- */

/*
 * Writes an overview that is complete, to be loaded the next time instead of reading the traces:
 * docs/overview.md has the layout. STELE_ERR_ARGUMENT: it is not complete. STELE_ERR_UNSUPPORTED:
 * the output is a pipe, in which nothing can be put right at the end. Errors of writing.
 */
STELE_API stele_status stele_overview_save(stele_overview *o, stele_output *out);

/*
 * Writes an index file of the trace, as stele_trace_save_index() does, with the overview in it,
 * which stele_overview_open() then finds there as long as the trace stays as it is.
 * STELE_ERR_ARGUMENT: it is not complete. STELE_ERR_UNSUPPORTED: it is not of all of one trace as
 * it is (a filter, a range, a resolver, a shift, settings), the trace is none that can be known
 * again, or more than 1,000 things are wrong with it. Errors of writing.
 */
STELE_API stele_status stele_overview_save_index(stele_overview *o, stele_output *out);

/*
 * The overview that was saved: of as many traces, in the same order, which are opened but not read.
 * The bytes must stay as they are until it is closed. They are checked as any input is; but whether
 * the traces are still what they were is for the caller to know, beyond their formats and sizes.
 * What its request left out stays left out. STELE_ERR_FORMAT: they are not valid, or of other
 * traces; STELE_ERR_MEMORY. Bins of what turns out not to be valid later are STELE_ERR_READ.
 */
STELE_API stele_status stele_overview_load(stele_context *context, stele_trace *const *traces,
                                           size_t count, const void *bytes, size_t size,
                                           stele_overview **out);

#ifdef __cplusplus
}
#endif
#endif
