/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overviews: what every track of traces of any size does over time. An overview is made in one pass
 * over the traces and can then be asked for any stretch of time at any width. It serves pictures,
 * which have a few thousand columns, however many events there are:
 *
 *     status = stele_overview_open(context, &trace, 1, NULL, &overview);
 *     while (status == STELE_OK)
 *         status = stele_overview_step(overview, 100000);
 *     stele_overview_get_state(overview, &state);
 *     for (uint32_t i = 1; i <= stele_overview_track_count(overview); i++)
 *         status = stele_overview_bins(overview, i, state.begin_ns, state.end_ns, 1000, bins);
 *
 * An overview can be asked between two steps, and then gives what is known so far.
 *
 * It is made of **entries**, each of which sums up 16 events or spans of a track, or 16 other
 * entries. What lies between two entries is exact; where a bin begins or ends within one, the share
 * of the bin is estimated, and the bin says how far off it can be at most. So an overview shows
 * what is going on where there are many events, and a reader with `begin` and `end` gives the
 * events themselves where there are few.
 *
 * Memory does not grow with the trace: entries beyond stele_overview_options.size_max go to a
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

/* ---- Making an overview ---------------------------------------------------------------------- */

typedef struct stele_overview stele_overview;

/* How an overview is made; zeros give the defaults. */
typedef struct stele_overview_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Selects the events: names, categories, tracks, kinds, expression, bounds and alignment. A
       span is judged by the event that begins it. Order and columns are ignored. The request is
       copied. NULL: all events. */
    const stele_request *request;
    bool no_pairs; /* moments are not paired to spans by their names: see stele_pairing */
    /* Levels of nesting that are kept for a track; 0: 64. Deeper spans count, but have no row of
       their own. */
    uint32_t depth_max;
    size_t size_max; /* bytes of entries held in memory; 0: 64 MiB */
    /* Reads the traces even if an index has the overview. The threads of one trace, where each is a
       stream, are read one after another, which takes less time: no bin is complete before all is
       read. */
    bool is_fresh;
    /* Reads one trace that is about in the order of time in one pass, so that it can be shown from
       the first moment on. Events that come later than memory allows to wait for are shown at a
       later time than their own; stele_overview_get_stats() then has a `late_count`. */
    bool is_early;
} stele_overview_options;

/*
 * Begins an overview of traces of one context, on one axis of time. If it is of all of one trace,
 * whose index has the overview (see stele_overview_save_index()), it is complete at once without
 * reading the trace, and the findings of the first reading are reported again. `options` may be
 * NULL. Errors are those of stele_reader_open(). The caller closes the overview.
 */
STELE_API stele_status stele_overview_open(stele_context *context, stele_trace *const *traces,
                                           size_t count, const stele_overview_options *options,
                                           stele_overview **out);
STELE_API void stele_overview_close(stele_overview *o);

/*
 * Takes in about `event_max` more events, and at least one segment. Returns STELE_OK if there are
 * more, STELE_END if the overview is complete, also if it was before. Errors are those of
 * stele_reader_next(), and STELE_ERR_WRITE for the temporary file; events taken in before an error
 * can be asked for.
 */
STELE_API stele_status stele_overview_step(stele_overview *o, uint64_t event_max);

/* Takes in all events that are left. The context's progress and go_on functions are called: see
   stele_context_options. Returns STELE_OK if the overview is complete. Errors are those of
   stele_overview_step(). */
STELE_API stele_status stele_overview_build(stele_overview *o);

/* How far an overview is, and what it is made of. */
typedef struct stele_overview_state {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool is_complete;
    bool has_range;           /* begin_ns and end_ns are known: there was an event with a time */
    int64_t begin_ns, end_ns; /* of all events taken in; end_ns is after the last one */
    int64_t known_ns;         /* everything before this time has been taken in, on all tracks */
    uint64_t event_count;     /* without marks of losses */
    uint64_t span_count;      /* spans that have ended */
    uint64_t untimed_count;   /* events without a time, which are in no bin */
    uint64_t cut_count;       /* spans deeper than depth_max, or beyond the limit of rows */
    uint64_t lost_count;      /* events that are known to be lost, by the tracer or by damage */
    /* Bytes of the traces: read, and of all; byte_total 0: not known. */
    uint64_t byte_count, byte_total;
    uint64_t entry_count;  /* entries of all levels */
    uint64_t entry_size;   /* bytes that the entries take */
    uint64_t spilled_size; /* bytes of entry_size that are in the temporary file */
    uint64_t insn_count;   /* instructions, which are not in event_count */
} stele_overview_state;

/* Gives the state. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_overview_get_state(const stele_overview *o, stele_overview_state *state);

/* Gives the statistics of the reader, for losses and the balance of bytes. The caller sets
   `struct_size`, as STELE_INIT does. */
STELE_API void stele_overview_get_stats(const stele_overview *o, stele_reader_stats *stats);

/* ---- Tracks of an overview ------------------------------------------------------------------- */

/* What a track of an overview is. */
typedef enum stele_overview_kind {
    STELE_OVERVIEW_NONE = 0,
    /* A trace, with events that have no track of their own; its tracks are below. */
    STELE_OVERVIEW_TRACE,
    STELE_OVERVIEW_TRACK,   /* a track of the traces, with its events and the spans on its stack */
    STELE_OVERVIEW_COUNTER, /* one value of a counter of the parent track */
    /* Asynchronous operations of the parent process or track; operations that overlap are on
       different rows. */
    STELE_OVERVIEW_OPERATIONS,
    STELE_OVERVIEW_SCHED, /* what runs on the parent CPU: a span for each thread, with its name */
    STELE_OVERVIEW_INSNS, /* instructions of the parent thread */
    STELE_OVERVIEW_KIND_COUNT
} stele_overview_kind;

/* "trace", "track", "counter", "operations", "sched", "insns"; "none" if `kind` is not valid. */
STELE_API const char *stele_overview_kind_text(stele_overview_kind kind);

/* One track of an overview. */
typedef struct stele_overview_track {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t number;    /* of the overview's tracks, from 1; a track keeps its number */
    uint32_t parent;    /* 0: none */
    uint32_t depth;     /* how many tracks are above it */
    /* Position in the order of display, from 0: a track follows its parent and the whole trees of
       its earlier siblings. */
    uint32_t place;
    stele_overview_kind kind;
    /* Of the traces' track; of a counter, of the thread or CPU above. */
    stele_track_kind track_kind;
    uint32_t trace;               /* number of the trace in the context, see stele_trace_info */
    uint32_t track;               /* number of the traces' track: see stele_track_get(); 0: none */
    bool has_process, has_thread; /* the ids below are known */
    uint64_t process, thread;     /* numbers of the process and the thread that the track is in */
    stele_name name;              /* the last known name of the track or counter; 0: none */
    stele_name field;             /* of a counter: name of the value */
    /* Of a counter: its id. UINT64_MAX: all ids beyond those that have a track of their own. */
    uint64_t id;
    bool has_range;           /* begin_ns and end_ns are known */
    int64_t begin_ns, end_ns; /* of all events and spans so far */
    uint64_t event_count; /* of this track alone, without tracks below; of a counter, its samples */
    uint64_t span_count;  /* spans that have ended */
    uint64_t lost_count;  /* events that are known to be missing */
    uint64_t busy_ns;     /* time covered by spans that have ended: see stele_overview_bin */
    uint32_t row_count;   /* levels of nesting that stele_overview_row() gives */
    double min, max;      /* of all samples of a counter */
} stele_overview_track;

/* How many tracks are known so far; they are numbered from 1. */
STELE_API uint32_t stele_overview_track_count(const stele_overview *o);

/* Gives a track by its number. Returns false if there is none. The caller sets `struct_size`, as
   STELE_INIT does. */
STELE_API bool stele_overview_get_track(stele_overview *o, uint32_t number,
                                        stele_overview_track *track);

/* Gives the number of the track at a position in the order of display, from 0; 0: there is none. */
STELE_API uint32_t stele_overview_track_at(stele_overview *o, uint32_t place);

/* Gives the title of a track: "worker (17)", "heap: used". It is owned by the context and holds as
   long as the texts of <stele/text.h>. Its size is 0 if out of memory. */
STELE_API stele_text stele_overview_title(stele_overview *o, uint32_t number);

/* ---- Bins of an overview --------------------------------------------------------------------- */

#define STELE_OVERVIEW_LOST 0x01u /* in the bin events were lost, or lies damage */
/* The bin has samples of a counter: its min and max are valid. */
#define STELE_OVERVIEW_SAMPLED 0x02u
/* A counter has a sample in or before the bin: its `last` is valid. */
#define STELE_OVERVIEW_VALUE   0x04u
#define STELE_OVERVIEW_UNKNOWN 0x08u /* events of the bin may not be taken in yet */
/* Of a row: its last span, which has no end, is over in the bin because the traces are. */
#define STELE_OVERVIEW_OPEN 0x10u

/* What a track does in a stretch of time. Counts and busy time of a bin are off by the slack at
   most; without slack they are exact. Adjacent bins divide what they estimate, so that their sum is
   exact except at the outer ends. */
typedef struct stele_overview_bin {
    uint64_t event_count; /* events whose time is in the bin; of a row, spans that begin in it */
    uint64_t event_slack; /* event_count is off by at most this many */
    /* Time covered by at least one span. Of operations the sum over all rows, so that it exceeds
       the bin where several run at a time. */
    uint64_t busy_ns;
    uint64_t busy_slack_ns; /* busy_ns is off by at most this */
    /* What takes the most time by itself; without spans, the most frequent event; 0: none is
       known. */
    stele_name name;
    uint32_t depth; /* rows down to the deepest that has a span in the bin; 0: no spans */
    /* ns, or events, of `name`: an estimate that is never above the true value. */
    uint64_t name_weight;
    uint64_t lost_count; /* events that are known to be lost in the bin */
    uint32_t flags;      /* STELE_OVERVIEW_... */
    uint32_t reserved;
    /* Of counters. They can include a sample outside of the bin where an entry reaches over its
       border. */
    double min, max, last;
    /* Of instructions: how many were executed in the bin; event_count has them, too. */
    uint64_t insn_count;
    /* Memory accesses of the instructions; estimated at the borders. */
    uint64_t load_count, store_count;
} stele_overview_bin;

/* Fills `count` bins, of which bin i begins at begin_ns + (end_ns - begin_ns) * i / count, rounded
   down, and ends where the next one begins. Errors: STELE_ERR_ARGUMENT: no track has this number,
   the range is empty, or `count` is 0; STELE_ERR_READ: the temporary file; STELE_ERR_MEMORY. */
STELE_API stele_status stele_overview_bins(stele_overview *o, uint32_t number, int64_t begin_ns,
                                           int64_t end_ns, uint32_t count,
                                           stele_overview_bin *bins);

/* Fills bins as stele_overview_bins() does, of one level of nesting: row 0 is the outermost. Spans
   of a row do not overlap. A bin's name is that of the spans that take most of the bin. */
STELE_API stele_status stele_overview_row(stele_overview *o, uint32_t number, uint32_t row,
                                          int64_t begin_ns, int64_t end_ns, uint32_t count,
                                          stele_overview_bin *bins);

/* ---- Saving and loading an overview ---------------------------------------------------------- */

/*
 * Writes an overview that is complete, so that it can be loaded the next time instead of reading
 * the traces: docs/overview.md has the layout. Errors: STELE_ERR_ARGUMENT: it is not complete;
 * STELE_ERR_UNSUPPORTED: the output is a pipe, in which the header cannot be written last; those of
 * writing.
 */
STELE_API stele_status stele_overview_save(stele_overview *o, stele_output *out);

/*
 * Writes an index file of the trace, as stele_trace_save_index() does, with the overview in it;
 * stele_overview_open() finds it there as long as the trace does not change. Errors:
 * STELE_ERR_ARGUMENT: the overview is not complete. STELE_ERR_UNSUPPORTED: it is not of all of one
 * unchanged trace (there is a filter, range, resolver, shift or setting), the trace cannot be
 * recognised again (a pipe), or it has more than 1,000 findings. Those of writing.
 */
STELE_API stele_status stele_overview_save_index(stele_overview *o, stele_output *out);

/* Writes an index file as stele_overview_save_index() does, in which the program keeps bytes of its
   own about the trace: stele_trace_index_bytes() gives them back. Errors are those of that
   function; STELE_ERR_ARGUMENT also where there are more bytes than a 64th of the trace's size and
   1 MiB. */
STELE_API stele_status stele_overview_save_index_with(stele_overview *o, const void *bytes,
                                                      size_t size, stele_output *out);

/*
 * Loads an overview that was saved. `traces` are as many traces as it was made of, in the same
 * order, opened but not read. `bytes` must stay unchanged until it is closed; they are checked like
 * any input. Of the traces only formats and sizes are checked: the caller knows whether their
 * contents are the same. Events that the request left out when it was made stay left out. Errors:
 * STELE_ERR_FORMAT: the bytes are not valid, or of other traces; STELE_ERR_MEMORY. Where bytes turn
 * out later not to be valid, stele_overview_bins() returns STELE_ERR_READ.
 */
STELE_API stele_status stele_overview_load(stele_context *context, stele_trace *const *traces,
                                           size_t count, const void *bytes, size_t size,
                                           stele_overview **out);

#ifdef __cplusplus
}
#endif
#endif
