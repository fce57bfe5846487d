/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a format gives the model: a trace that finds its streams, and producers that fill batches.
 * Formats put `stele_trace` and `producer` first in structs of their own.
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stele/align.h>
#include <stele/reader.h>

#include "core/arena.h"
#include "core/cursor.h"
#include "core/output.h"
#include "core/source.h"
#include "core/table.h"
#include "model/context.h"
#include "model/screen.h"

static inline void balance_add(stele_balance *sum, const stele_balance *more)
{
    sum->record_size += more->record_size;
    sum->padding_size += more->padding_size;
    sum->skipped_size += more->skipped_size;
}

static inline uint64_t balance_total(const stele_balance *b)
{
    return b->record_size + b->padding_size + b->skipped_size;
}

/* ---- Producers ------------------------------------------------------------------------------- */

typedef struct producer producer;

typedef struct producer_ops {
    /*
     * Clears the batch and fills it with the next events of one stream, in the order of its
     * records; sets stream and columns. An empty batch with STELE_OK is allowed (a change of
     * stream, say), STELE_END is not followed by more. Damage is reported and stepped over; an
     * error is for what ends reading: STELE_ERR_READ, STELE_ERR_MEMORY.
     */
    stele_status (*fill)(producer *self, stele_batch *batch);
    void (*close)(producer *self);

    /*
     * Between two calls of fill(): writes the state that the producer is in, so that seek() brings
     * another one of the same stream, for whatever request, from a place before it to the same
     * place. mark() gives false where that is not possible just now; seek() gives false, and the
     * producer is as it was, where the state cannot be taken over. Both may be NULL.
     */
    bool (*mark)(const producer *self, output *out);
    bool (*seek)(producer *self, uint64_t position, cursor *state);
} producer_ops;

struct producer {
    const producer_ops *ops;
    uint64_t lost_count; /* events known to be lost, kept up to date by fill */
    uint64_t
        missing_count;     /* packets that are missing, with an unknown number of events; by fill */
    stele_balance balance; /* of the bytes that it passed over, kept up to date by fill */
    uint64_t kinds;        /* of all its events, as bits; 0: any may come */
    /* With has_bounds: of what is at hand no event is before `ready_ns`; where nothing is at hand
       just now, what came ended no earlier than `quiet_ns`. INT64_MAX: there is none such. */
    bool has_bounds;
    int64_t ready_ns, quiet_ns;
    bool is_dry; /* fill gave what was there, perhaps nothing: more may come later; by fill */
    /* Of those that can seek: */
    uint64_t position; /* in its stream, kept up to date by fill; it never goes back */
    uint64_t stop;     /* fill returns soon after this position; UINT64_MAX at first */
};

/* What a producer that passes on what another one fills takes over after each fill(). */
static inline void producer_take_bounds(producer *self, const producer *from)
{
    self->is_dry = from->is_dry;
    self->has_bounds = from->has_bounds;
    self->ready_ns = from->ready_ns;
    self->quiet_ns = from->quiet_ns;
}

#define PRODUCE_ALL UINT32_MAX

/* Whether a time is before the end of a range. INT64_MAX is no end: it is the time, too, of events
   whose own does not fit, and nothing is after it. */
static inline bool is_before_end(int64_t time_ns, int64_t end_ns)
{
    return time_ns < end_ns || end_ns == INT64_MAX;
}

/* What a producer is asked for. It may give more kinds, columns and times, never less. */
typedef struct produce_request {
    uint32_t stream;      /* a stream that index() found, or PRODUCE_ALL in file order */
    uint32_t columns;     /* STELE_COLUMN_..., never 0 */
    uint64_t kinds;       /* never 0 */
    bool check;           /* judge every byte: reserved bits, padding, grammar */
    int64_t begin_ns;     /* INT64_MIN: from the start; events that end before may be left out */
    int64_t end_ns;       /* INT64_MAX: to the end; events that begin at or after may be left out */
    uint64_t begin_ticks; /* 0: from the start; events whose ticks are fewer may be left out */
    screen *screen;       /* NULL, or events whose fields may be left out, without `check` only */
    const field_names *fields; /* NULL: all; others may be left out */
    size_t window_size;        /* bytes to read at once: all producers share one budget */
    /* Only events whose places (stele_event.offset) are in this range are wanted, as cut() gave it;
       `end_place` 0: to the end. */
    uint64_t begin_place, end_place;
} produce_request;

/* ---- Traces ---------------------------------------------------------------------------------- */

typedef struct trace_property {
    const char *key, *value;
} trace_property;

/* What a trace says of itself; a zeroed one is empty. */
typedef struct trace_texts {
    arena bytes; /* version, reason, properties */
    trace_property *properties;
    uint32_t count, capacity;
    hash_table numbers; /* of properties by their keys */
} trace_texts;

void trace_texts_free(trace_texts *texts);

struct insn_request;
struct insn_producer;

/* What a format does for its traces. All but `produce` may be NULL. */
typedef struct trace_ops {
    /*
     * Reads headers as far as needed. The base is filled in already, settings among its options are
     * of keys that the format lists; all else is zeros. After an error the trace is closed.
     * STELE_ERR_FORMAT, STELE_ERR_READ, STELE_ERR_MEMORY, STELE_ERR_ARGUMENT (a setting), each but
     * for memory with a finding. It may set `ops` to others, which hold from then on.
     */
    stele_status (*open)(stele_trace *trace);

    /*
     * Finds all streams (context_add_stream, numbers stream_first to stream_first + stream_count
     * of the trace, in the order that ties are broken by), with range, order and lateness. Called
     * at most once, on seekable sources only. NULL: the format has nothing to index; the trace is
     * then read in file order as one.
     */
    stele_status (*index)(stele_trace *trace);

    /*
     * Finds out when the last events of the streams are, once index() was called, which may leave
     * it at a time that is not before them, where looking for it takes longer. Called at most once.
     */
    stele_status (*find_ends)(stele_trace *trace);

    /*
     * Writes what index() found, so that load_index() can take its place: another producer could
     * then be started as if it had been called. STELE_ERR_UNSUPPORTED: not of this trace.
     * load_index() gives STELE_ERR_FORMAT, and leaves the trace as it was, for what does not fit.
     * Both may be NULL.
     */
    stele_status (*save_index)(stele_trace *trace, output *out);
    stele_status (*load_index)(stele_trace *trace, const uint8_t *bytes, size_t size);

    /* The paths of the files of the trace that its source does not have, from 0 on; NULL after the
       last. */
    const char *(*file_at)(const stele_trace *trace, size_t index);

    /* Starts a producer. Without index(), PRODUCE_ALL adds streams as they come up. */
    stele_status (*produce)(stele_trace *trace, const produce_request *request, producer **out);

    /* Starts a producer of instructions, as model/insn.h describes them. */
    stele_status (*produce_insns)(stele_trace *trace, const struct insn_request *request,
                                  struct insn_producer **out);

    /* Frees what the format's own struct holds, but not the struct. */
    void (*close)(stele_trace *trace);

    /* Gives an event of the trace's description, `event` from 0, and a field of its payload where
       `field` is not NULL; false past the end. NULL: the format has no description. */
    bool (*declared)(const stele_trace *trace, size_t event, size_t field,
                     stele_declared_event *about, stele_text *name);

    /*
     * Divides an indexed trace of one stream: gives the places between which part `part` of
     * `part_count` lies. A producer of that range gives the same events as one of all of the trace.
     * False: it cannot be divided into so many. May be NULL.
     */
    bool (*cut)(const stele_trace *trace, uint32_t part, uint32_t part_count, uint64_t *begin_place,
                uint64_t *end_place);

    /*
     * Whether trace `a` is to be indexed before `b`, both of the format and read together: where
     * what index() finds in one depends on those before it, that is then the same however they are
     * given. NULL: it does not.
     */
    bool (*goes_before)(const stele_trace *a, const stele_trace *b);

    /* index() finds all tracks, which are threads, one for each stream. */
    bool indexes_threads;

    /* Which thread an event is of stands in the event itself. */
    bool has_own_threads;

    /* PRODUCE_ALL has places of its own to go on at, also where there is one stream. */
    bool seeks_in_file_order;

    /* Its records stand about in the order of time, and index() reads all of them. */
    bool is_nearly_ordered;

    /* Its records say what happened, but not what begins and ends by it: names may. */
    bool has_moments;
} trace_ops;

struct seek_index;

struct stele_trace {
    const trace_ops *ops;
    const struct format *format;
    stele_context *context;
    source *source; /* owned */
    stele_trace_info info;
    stele_trace_options options;
    stele_resolve_fn *resolve; /* NULL: code is named by its number */
    void *resolve_user;
    trace_texts texts;
    stele_alignment alignment; /* to the clock of another trace; its struct_size is 0: to none */
    stele_balance balance; /* of the bytes that no producer passes over: metadata, index files. Of a
                              format that keeps no balance, it and those of producers hold zeros */
    uint64_t content_size; /* of all files of the trace, unpacked, where it has others than those of
                              its source; 0: it has not, UINT64_MAX: not known */
    struct seek_index *seek; /* owned; NULL: reading cannot go on in the middle of the trace */
    uint32_t stream_first, stream_count; /* valid with is_indexed */
    bool is_indexed;
    bool has_ends;    /* find_ends() was called */
    bool is_consumed; /* a sequential source that was read already */
};

/* stele_trace_index() without find_ends(), and that. */
stele_status trace_index(stele_trace *trace);
stele_status trace_find_ends(stele_trace *trace);

/* The same if it was kept from an earlier time; else nothing happens. */
stele_status trace_load_index(stele_trace *trace);

/*
 * For index() and load_index(), which find streams that reading in file order has made already:
 * they stay those of the trace, `count` of them from `first` on, if no others come after them.
 * False: they stay as they are, and all streams of the trace have to be made anew.
 */
bool trace_keep_streams(stele_trace *trace, uint32_t first, uint32_t count);

/* Bytes of all files of the trace, unpacked; false: they are not known, or not yet. */
bool trace_content_size(const stele_trace *trace, uint64_t *size);

/* Adds or replaces what only this format has; texts are copied. Returns false if out of memory. */
bool trace_set_property(stele_trace *trace, const char *key, const char *value);

/* Version text of the trace ("" until set), copied. Returns false if out of memory. */
bool trace_set_version(stele_trace *trace, const char *version);

#endif
