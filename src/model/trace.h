/* SPDX-License-Identifier: Apache-2.0 */
/* What a format implements for the model: a trace that finds its streams, and producers that fill
   batches. Formats have `stele_trace` and `producer` as the first members of structs of their
   own. */
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

/* ---- Producers of events --------------------------------------------------------------------- */

typedef struct producer producer;

typedef struct producer_ops {
    /* Clears the batch and fills it with the next events of one stream, in the order of its
       records; sets stream and columns. STELE_OK with an empty batch is allowed (at a change of
       stream, say); after STELE_END there are no more. Damage is reported and skipped; an error
       ends reading: STELE_ERR_READ, STELE_ERR_MEMORY. */
    stele_status (*fill)(producer *self, stele_batch *batch);
    void (*close)(producer *self);

    /*
     * Called between two calls of fill(). mark() writes the state of the producer; seek() takes
     * such a state over, so that a producer of the same stream, for any request, moves from an
     * earlier position to that one. mark() returns false if there is no such state at this
     * position. seek() returns false, and changes nothing, if the state is not valid. Both may be
     * NULL.
     */
    bool (*mark)(const producer *self, output *out);
    bool (*seek)(producer *self, uint64_t position, cursor *state);
} producer_ops;

/* In part_fit.begin and .end: the stream ends before that. */
#define PART_NOWHERE UINT64_MAX

/* How a part of a trace fits to the parts around it, known once its producer has ended. What a
   format cannot hand over from one part to the next makes a part stray, and all must then be read
   as one; so must parts of which one does not begin where the one before ends. */
typedef struct part_fit {
    uint64_t begin, end; /* places of the first record and of the first one after it */
    bool is_stray;
    /* Properties that are harmless unless the parts have all of them together; bits, of which
       PART_MIXED is all. */
    unsigned mixed;
} part_fit;

#define PART_MIXED 3u

/* The place, from 0 to `size`, at which part number `part` of `part_count` begins. */
static inline uint64_t part_place(uint64_t size, uint32_t part, uint32_t part_count)
{
    return size / part_count * part + size % part_count * part / part_count;
}

struct producer {
    const producer_ops *ops;
    uint64_t lost_count; /* events known to be lost so far; updated by fill() */
    /* Packets known to be missing so far, with an unknown number of events; updated by fill(). */
    uint64_t missing_count;
    stele_balance balance; /* of the bytes read so far; updated by fill() */
    uint64_t kinds;        /* kinds that its events can have, as bits; 0: all */
    /* With has_bounds: no event that can be delivered without waiting is before `ready_ns`; if
       there is none now, all that was delivered ended no earlier than `quiet_ns`. INT64_MAX: there
       is none. */
    bool has_bounds;
    int64_t ready_ns, quiet_ns;
    /* Set by fill() if it delivered all that is there, perhaps nothing, and more may come. */
    bool is_dry;
    /* Seekable producers: position in the stream, updated by fill(); never goes back. */
    uint64_t position;
    /* Seekable producers: fill() returns soon after this position; UINT64_MAX at first. */
    uint64_t stop;
    part_fit part; /* producers of a part */
};

/* Copies the bounds of a producer `from` to the one that passes its events on; to be called after
   each fill() of `from`. */
static inline void producer_take_bounds(producer *self, const producer *from)
{
    self->is_dry = from->is_dry;
    self->has_bounds = from->has_bounds;
    self->ready_ns = from->ready_ns;
    self->quiet_ns = from->quiet_ns;
}

/* In produce_request.stream: all streams, in the order of the file. */
#define PRODUCE_ALL UINT32_MAX

/* Whether a time is before the end of a range. INT64_MAX means no end, and is also the time of
   events whose own time does not fit. */
static inline bool is_before_end(int64_t time_ns, int64_t end_ns)
{
    return time_ns < end_ns || end_ns == INT64_MAX;
}

/* What a producer is asked for. It may deliver more kinds, columns and times, never less. */
typedef struct produce_request {
    uint32_t stream;  /* number of a stream that index() found, or PRODUCE_ALL */
    uint32_t columns; /* STELE_COLUMN_...; never 0 */
    uint64_t kinds;   /* STELE_KIND_BIT()s; never 0 */
    bool check;       /* judge every byte: reserved bits, padding, grammar */
    int64_t begin_ns; /* events that end before it may be left out; INT64_MIN: no bound */
    int64_t end_ns;   /* events that begin at it or later may be left out; INT64_MAX: no bound */
    uint64_t begin_ticks; /* events with fewer ticks may be left out; 0: no bound */
    /* Says which events need no fields; NULL: all need them; always NULL with `check`. */
    screen *screen;
    const field_names *fields; /* fields that are needed; NULL: all are */
    size_t window_size; /* bytes to read at once; all producers of a reader share one budget */
    /* Only events whose offset (stele_event.offset) is in this range are wanted, as cut() gave it;
       `end_place` 0: to the end. */
    uint64_t begin_place, end_place;
    /* Only part number `part` of `part_count` is wanted, of a trace that has trace_ops.has_parts;
       `stream` is PRODUCE_ALL. part_count 0 or 1: all. */
    uint32_t part, part_count;
} produce_request;

/* ---- What a format does for its traces ------------------------------------------------------- */

typedef struct trace_property {
    const char *key, *value;
} trace_property;

/* Texts about a trace. A zeroed one is empty. */
typedef struct trace_texts {
    arena bytes; /* copies of the version, the reason and the properties */
    trace_property *properties;
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `properties`, by key */
} trace_texts;

void trace_texts_free(trace_texts *texts);

struct saved_sections;
struct seek_index;
struct insn_request;
struct insn_producer;

/* The functions of a format for its traces. All but `produce` may be NULL. */
typedef struct trace_ops {
    /*
     * Reads headers as far as needed. The members of stele_trace are filled in already, and
     * options.settings has only keys that the format lists; the rest of the format's struct is
     * zeros. After an error the trace is closed. Errors: STELE_ERR_FORMAT, STELE_ERR_READ,
     * STELE_ERR_ARGUMENT (a setting), each with a finding; STELE_ERR_MEMORY. The function may
     * replace `ops`.
     */
    stele_status (*open)(stele_trace *trace);

    /* Finds all streams with range, order and lateness, and adds them by context_add_stream(): the
       numbers stream_first to stream_first + stream_count of the trace, in the order that decides
       ties. Called at most once, and only for seekable sources. NULL: the format has nothing to
       index, and the trace is read in the order of the file as one stream. */
    stele_status (*index)(stele_trace *trace);

    /* Has producers that read all of the trace from here on note what index() would find out, so
       that it needs no pass of its own if it is called later. May be NULL. */
    void (*note_index)(stele_trace *trace);

    /* Finds the streams, numbered as index() does, without times: they are in order, and a look at
       the start of each is enough. Called at most once, before index(). NULL: it takes an index. */
    stele_status (*find_streams)(stele_trace *trace);

    /* Finds the times of the last events of the streams, where index() left out an exact search
       that takes long, and set a time that is not before them. Called after index(), at most
       once. */
    stele_status (*find_ends)(stele_trace *trace);

    /*
     * save_index() writes the result of index(), and load_index() reads it instead of calling
     * index(): producers must then work as if index() had been called. save_index() returns
     * STELE_ERR_UNSUPPORTED for a trace whose result cannot be saved; load_index() returns
     * STELE_ERR_FORMAT, and leaves the trace unchanged, for bytes that are not valid, and
     * STELE_ERR_UNSUPPORTED for a trace whose settings change what index() finds. Both may be NULL.
     */
    stele_status (*save_index)(stele_trace *trace, output *out);
    stele_status (*load_index)(stele_trace *trace, const uint8_t *bytes, size_t size);

    /* Continues an index of the trace as it was when it had only its first bytes, and indexes the
       bytes after them: the result is that of index(). STELE_ERR_UNSUPPORTED: the whole trace must
       be indexed. May be NULL. */
    stele_status (*extend_index)(stele_trace *trace, struct saved_sections *saved);

    /* Returns the paths of files of the trace that its source does not have, `index` from 0; NULL
       after the last. */
    const char *(*file_at)(const stele_trace *trace, size_t index);

    /* Starts a producer. If index() was not called, PRODUCE_ALL adds streams as it finds them. */
    stele_status (*produce)(stele_trace *trace, const produce_request *request, producer **out);

    /* Starts a producer of instructions: see model/insn.h. */
    stele_status (*produce_insns)(stele_trace *trace, const struct insn_request *request,
                                  struct insn_producer **out);

    /* Frees what the format's own struct holds, but not the struct itself. */
    void (*close)(stele_trace *trace);

    /* Gives an event that the trace declares, `event` from 0, or, if `name` is not NULL, the name
       of a field of its payload. Returns false past the last. NULL: the format has no
       declarations. */
    bool (*declared)(const stele_trace *trace, size_t event, size_t field,
                     stele_declared_event *about, stele_text *name);

    /* Divides an indexed trace of one stream: gives the range of places of part `part` of
       `part_count`. A producer of all ranges in turn gives the same events as one of the whole
       trace. Returns false if the trace cannot be divided into so many. May be NULL. */
    bool (*cut)(const stele_trace *trace, uint32_t part, uint32_t part_count, uint64_t *begin_place,
                uint64_t *end_place);

    /* Whether a trace, indexed or not, can be read in parts: producers of PRODUCE_ALL then take
       produce_request.part. Each finds its begin by looking over what is before it, and parts in
       their order give the same as the whole. NULL: it cannot. */
    bool (*has_parts)(const stele_trace *trace);

    /* Whether trace `a` must be indexed before `b`, both of this format and read together. Used
       where the result of index() depends on the traces before, so that it does not depend on the
       order in which they are given. NULL: the order does not matter. */
    bool (*goes_before)(const stele_trace *a, const stele_trace *b);

    /* index() finds all tracks, which are threads, one for each stream */
    bool indexes_threads;

    /* Each event says itself which thread it is of. */
    bool has_own_threads;

    /* PRODUCE_ALL of an indexed trace gives stream after stream, and of each reads no more than a
       producer of that stream alone would. */
    bool reads_in_turn;

    /* PRODUCE_ALL has blocks of its own, even if there is one stream only */
    bool seeks_in_file_order;

    /* Makes the blocks of PRODUCE_ALL out of those of the streams and their grains. Returns false,
       without blocks, if it cannot: a pass over the trace makes them. May be NULL. */
    bool (*file_blocks)(const stele_trace *trace, struct seek_index *index, uint64_t block_size);

    /* Records are nearly in the order of time, and index() reads all of them. */
    bool is_nearly_ordered;

    /* Records say what happened, not what begins and ends; names of events may imply it. */
    bool has_moments;

    /* Whether declared() gives the name of every event, so that none comes from a record or from
       what the trace grows by. NULL: it may not. */
    bool (*declares_names)(const stele_trace *trace);
} trace_ops;

struct stele_trace {
    const trace_ops *ops;
    const struct format *format;
    stele_context *context;
    source *source; /* owned */
    stele_trace_info info;
    stele_trace_options options;
    stele_resolve_fn *resolve; /* NULL: functions are named by their numbers */
    void *resolve_user;
    trace_texts texts;
    stele_clock_domain time_unit; /* what times count; STELE_CLOCK_NONE: nanoseconds */
    stele_alignment alignment;    /* to the clock of another trace; struct_size 0: none */
    /* Of bytes that no producer reads: metadata, index files. Zeros, as in its producers, if the
       format keeps no balance. */
    stele_balance balance;
    /* Bytes of all files of the trace after unpacking, if it has files that its source does not
       have; 0: it has none; UINT64_MAX: not known. */
    uint64_t content_size;
    struct seek_index *seek;             /* owned; NULL: reading can begin at the start only */
    uint32_t stream_first, stream_count; /* valid with is_indexed or has_streams */
    bool is_indexed;
    bool has_streams; /* find_streams() has found them */
    bool has_ends;    /* find_ends() was called */
    bool is_consumed; /* a sequential source that was already read */
};

/* Index a trace as stele_trace_index() does: trace_index() without find_ends(), trace_find_ends()
   only that. */
stele_status trace_index(stele_trace *trace);
stele_status trace_find_ends(stele_trace *trace);

/* Finds the streams of a trace, with an index only where it takes one. */
stele_status trace_find_streams(stele_trace *trace);

/* Indexes a trace from a saved index if there is one that is valid; otherwise does nothing. */
stele_status trace_load_index(stele_trace *trace);

/* Keeps streams that reading in the order of the file has added, for an index() or load_index()
   that finds the same ones: `count` streams from number `first`. Possible if no other streams come
   after them. Returns false if not; all streams of the trace must then be added again. */
bool trace_keep_streams(stele_trace *trace, uint32_t first, uint32_t count);

/* Gives the bytes of all files of the trace after unpacking. Returns false if they are not known,
   or not yet. */
bool trace_content_size(const stele_trace *trace, uint64_t *size);

/* Adds or replaces a property that only this format has. The texts are copied. Returns false if out
   of memory. */
bool trace_set_property(stele_trace *trace, const char *key, const char *value);

/* Sets the text of the trace's version, which is copied; it is "" before. Returns false if out of
   memory. */
bool trace_set_version(stele_trace *trace, const char *version);

#endif
