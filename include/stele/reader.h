/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening traces of any format, and pulling their events in segments. One thread at a time uses a
 * trace, its readers and their context; different contexts are independent.
 */
#ifndef STELE_READER_H
#define STELE_READER_H

#include <stele/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Traces ---------------------------------------------------------------------------------- */

/* One opened trace: a file, a directory, an archive of one, or standard input. */
typedef struct stele_trace stele_trace;

/* Something that only one format knows: what cannot be known from the trace, or what the trace has
 * wrong. */
typedef struct stele_setting {
    const char *key, *value;
} stele_setting;

typedef struct stele_trace_options {
    size_t struct_size;            /* sizeof this struct, or 0: see <stele/version.h> */
    const char *format;            /* NULL: recognised by content first, by name second */
    bool has_shift;                /* shift_ns was given by the user: the clock counts as related */
    int64_t shift_ns;              /* added to every time of this trace, on the wall clock, too */
    bool is_apart;                 /* what it has in common with other traces is no repetition */
    const stele_setting *settings; /* keys as stele_format_info lists them; read while opening */
    size_t setting_count;
    bool is_reread; /* what can be read only once (a pipe, a packed file) is put in a temporary file
                       when it is opened, so that it can be read from anywhere, and again */
    /* The trace may grow while it is read: its end is waited for, so that a record that is half
       there is no damage. It ends when the context's go_on is false (reading then ends as at the
       end of the file, with STELE_END), when nothing came for `idle_ns` (0: however long), or when
       another file took its place, which is reported. It is read from front to back, and cannot be
       read twice. Of directories, those of CTF are followed, with all that comes to be in them, and
       one that has a single file is that file; others are not: STELE_ERR_UNSUPPORTED. */
    int64_t idle_ns;
    bool is_followed;
} stele_trace_options;

typedef struct stele_trace_info {
    const char *path;    /* as given; "-" is standard input */
    const char *format;  /* short name: "fxt", "heph", ... */
    const char *title;   /* "Fuchsia Trace Format" */
    const char *version; /* as far as the trace tells; "" when it does not */
    const char *reason;  /* why it was taken for this format */
    const char *packing; /* "", "gzip", "zstd", "tar", "tar+gzip", ... */
    bool is_big_endian;
    bool is_seekable; /* can be read more than once and from the middle */
    bool has_size;
    uint64_t size;   /* bytes as stored (compressed, if it is) */
    uint32_t number; /* of the trace in its context, from 0 */
} stele_trace_info;

/*
 * Opens a trace and reads as much as is needed to know its format. `path` is a file, a directory
 * (CTF) or "-"; `options` may be NULL. Errors: STELE_ERR_READ, STELE_ERR_FORMAT,
 * STELE_ERR_UNSUPPORTED (packed in a way this build cannot unpack), STELE_ERR_MEMORY; each with a
 * finding; STELE_ERR_ARGUMENT for a setting that the format does not know or take. The caller
 * closes it, before the context.
 */
STELE_API stele_status stele_trace_open(stele_context *context, const char *path,
                                        const stele_trace_options *options, stele_trace **trace);

/*
 * The same for directories and archives that are parts of one trace (rotations, snapshots, buffers
 * in places of their own), which is called `name` in findings. Equal packets of several parts are
 * read once. Also STELE_ERR_ARGUMENT: a path leads to something else.
 */
STELE_API stele_status stele_trace_open_parts(stele_context *context, const char *name,
                                              const char *const *paths, size_t count,
                                              const stele_trace_options *options,
                                              stele_trace **trace);

/* Whether two traces that were opened from directories or archives are parts of one. */
STELE_API bool stele_trace_is_part(const stele_trace *a, const stele_trace *b);

/* Whether a path leads to a directory or an archive; a pipe is not read for that. */
STELE_API bool stele_path_is_set(const char *path);

/* Whether two paths lead to different files of one trace, either of which opens the whole of it:
   the instructions and the snapshots of a thread, in xtrace. Nothing is opened. */
STELE_API bool stele_path_is_beside(const char *a, const char *b);

/*
 * Finds which of several traces are parts of one: `first[i]` becomes the number of the first trace
 * that the one with number i belongs to, its own where it stands alone. Traces may be NULL, which
 * belong to none. `first` has room for `count` numbers.
 */
STELE_API void stele_trace_group_parts(stele_trace *const *traces, size_t count, size_t *first);

/* Opens a trace in memory, which must stay as it is until the trace is closed. `name` is
   used in findings and for recognition by name. */
STELE_API stele_status stele_trace_open_memory(stele_context *context, const char *name,
                                               const void *bytes, size_t size,
                                               const stele_trace_options *options,
                                               stele_trace **trace);
STELE_API void stele_trace_close(stele_trace *trace);
STELE_API const stele_trace_info *stele_trace_get_info(const stele_trace *trace);

/* What only this format has, as text ("tick rate of provider 1", "dialect"); `index` from 0,
   false past the end. Grows while the trace is being read. Texts live as long as the trace. */
STELE_API bool stele_trace_property(const stele_trace *trace, size_t index, const char **key,
                                    const char **value);

/* An event that the description of a trace declares (metadata of CTF), whether it occurs or not. */
typedef struct stele_declared_event {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    stele_text name;    /* lives as long as the trace */
    uint64_t id;
    size_t field_count; /* of its payload */
} stele_declared_event;

/* The declared events, `event` from 0, and the names of their fields, `field` from 0; false past
   the end, and for formats without a description. The caller sets `struct_size`, as STELE_INIT
   does. Names live as long as the trace. */
STELE_API bool stele_trace_declared_event(const stele_trace *trace, size_t event,
                                          stele_declared_event *about);
STELE_API bool stele_trace_declared_field(const stele_trace *trace, size_t event, size_t field,
                                          stele_text *name);

/*
 * Finds the streams of a trace with their ranges of time by a quick pass over its headers. A
 * reader does so itself where it has to. STELE_ERR_UNSUPPORTED where it cannot be read twice.
 */
STELE_API stele_status stele_trace_index(stele_trace *trace);

/*
 * Looks again for an index file of the trace (see stele_trace_save_index()), as one may have been
 * written since it was opened: readers that are opened from now on use what it says. Without one
 * nothing changes. Errors of reading it; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_trace_find_index(stele_trace *trace);

/*
 * The name of a function that a trace knows by number only (XRay function ids, program counters);
 * `module` is 0 where there is one program only. An empty text says that it is not known. Called
 * once for each function while reading; the text is copied.
 */
typedef stele_text stele_resolve_fn(void *user, uint64_t module, uint64_t id);

/* Gives the trace a resolver, to be set before a reader is opened. NULL takes it away. */
STELE_API void stele_trace_set_resolver(stele_trace *trace, stele_resolve_fn *resolve, void *user);

/* A record as it stands in its input. Texts and bytes hold for the call that gives it. */
typedef struct stele_dump_record {
    uint64_t offset, size; /* of the record, in its input, in bytes */
    const char *source;    /* member name, for sets; else NULL */
    const char *kind;      /* the format's own word: "String record", "Event: Duration Begin" */
    const char *text;      /* the contents in the format's own words, one line, UTF-8 */
    const uint8_t *bytes;  /* the record, as far as it is in memory */
    size_t bytes_size;
} stele_dump_record;

/* Receives the records in their order. False ends the dump. */
typedef bool stele_dump_fn(void *user, const stele_dump_record *record);

typedef struct stele_dump_request {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t at;        /* begin with the first record at or after this offset; 0: with all */
    uint64_t count;     /* records at most; 0: all */
    stele_dump_fn *fn;  /* must be given */
    void *user;
} stele_dump_request;

/* Gives the records of a trace as they stand. Errors: STELE_ERR_UNSUPPORTED: the format has no
   dump; STELE_ERR_ARGUMENT; STELE_ERR_READ; STELE_ERR_MEMORY. */
STELE_API stele_status stele_trace_dump(stele_trace *trace, const stele_dump_request *request);

/* ---- Requests -------------------------------------------------------------------------------- */

typedef enum stele_order {
    STELE_ORDER_TIME = 0, /* by (time, stream, sequence), exact: a window where that is known to
                             be enough, else sorted runs in a temporary file */
    STELE_ORDER_WINDOW,   /* by time in bounded memory; what comes too late is flagged LATE */
    STELE_ORDER_FULL,     /* by time, always through sorted runs */
    STELE_ORDER_NONE,     /* as the records stand */
    STELE_ORDER_STREAMS   /* each track by time, which is less work than all together: traces stand
                             one after the other, and so do the streams of a trace when each is
                             that of a thread; else, and without an index, as TIME */
} stele_order;

typedef enum stele_bound_kind {
    STELE_BOUND_NONE = 0,
    STELE_BOUND_START, /* ns after the first event */
    STELE_BOUND_END,   /* ns before the last event */
    STELE_BOUND_WALL,  /* ns since 1970-01-01 UTC */
    STELE_BOUND_TICKS, /* raw ticks, as uint64_t in value */
    STELE_BOUND_CLOCK  /* ns on the scale of time_ns */
} stele_bound_kind;

typedef struct stele_bound {
    stele_bound_kind kind;
    int64_t value;
} stele_bound;

/*
 * Reads a bound as users write it: "1.5s", "200us" after the start (ns us ms s m h; without a
 * unit, seconds; nothing is rounded); "-10ms" before the end; "@123456" ticks; ISO 8601
 * ("2024-05-01T10:00:00.5Z", also with an offset) for wall time.
 * False when it is none of these; `*error` then says why (static text).
 */
STELE_API bool stele_bound_parse(const char *text, stele_bound *bound, const char **error);

typedef struct stele_globs {
    const char *const *patterns; /* `*`, `?`, `[a-z]`, `\` to quote; any of them suffices */
    size_t count;                /* 0: everything matches */
} stele_globs;

/* What a consumer wants. Zeros want everything. A reader may fill in more, never less. */
typedef struct stele_request {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t kinds;     /* STELE_KIND_BIT()s; 0: all */
    uint32_t columns;   /* STELE_COLUMN_...; 0: all but RAW */
    stele_order order;
    bool order_by_end; /* COMPLETE events stand at their end instead of their start */
    bool align_starts; /* shift each trace so that its first event is at 0 */
    bool check;        /* judge every byte against the format's rules: more findings, slower */
    stele_bound begin; /* inclusive; a COMPLETE event is in when it overlaps the range */
    stele_bound end;   /* exclusive */
    /* Events before `begin` are delivered, too, so that it can be known what is open then; the
       statistics tell where it is. A bound in ticks still leaves them out. */
    bool from_start;
    stele_globs names, categories, tracks;
    const char *where; /* an expression over the event and its fields; NULL: none */
    bool open_only; /* with `from_start`: of the events before `begin`, those can be left out that
                       begin no call that is open then, and all other kinds but metadata */
    /* Part `part`, from 0, of `part_count`, as stele_reader_parts() says how many there can be.
       What a part has not is not reported as missing. 0: everything. */
    uint32_t part, part_count;
    /* With STELE_ORDER_WINDOW: an event is held until one came that is so much younger, or nothing
       more came for as long, and so need not wait for the memory to be full; 0: it is held as long
       as memory allows. */
    int64_t window_ns;
    /* Names of the fields that somebody looks at, of events themselves and of members of their
       contexts: others may be left out. Not together with `where`. 0: all. */
    const char *const *fields;
    size_t field_count;
    /* With STELE_ORDER_WINDOW: traces that stand about in the order of time are not looked through
       beforehand, so that the first events are there at once. What is known of them already, or by
       an index that was kept, is used. */
    bool no_index;
} stele_request;

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct stele_reader stele_reader;

/*
 * What became of the bytes of the inputs that were read, after unpacking. Once a reader came to its
 * end without bounds of time, the three add up to the size of the inputs: no byte is dropped
 * without a word. Every stretch of skipped bytes lies in the range of a finding.
 */
typedef struct stele_balance {
    uint64_t record_size;  /* bytes of records that were read, whether or not they hold events */
    uint64_t padding_size; /* bytes that the format leaves unused, as between packets */
    uint64_t skipped_size; /* bytes that could not be read as records */
} stele_balance;

typedef struct stele_reader_stats {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t event_count;     /* delivered */
    uint64_t filtered_count;  /* read, and left out by the request */
    uint64_t late_count;      /* delivered with STELE_FLAG_LATE */
    int64_t lateness_max_ns;  /* the largest distance of those */
    uint64_t unordered_count; /* events that stood after a younger one in their stream */
    int64_t unordered_max_ns; /* the largest distance of those */
    uint64_t lost_count;      /* events that the tracer or damage is known to have cost */
    uint64_t missing_count;   /* packets known to be missing, with an unknown number of events */
    stele_balance balance;    /* of all traces, as far as they were read */
    bool has_content_size;    /* content_size is known */
    uint64_t content_size;    /* bytes of all inputs after unpacking */
    bool has_begin;           /* begin_ns is known: the traces were looked through beforehand */
    int64_t begin_ns;         /* time of the first event of all traces, left out or not */
    int64_t range_begin_ns;   /* of the request, as time_ns; INT64_MIN: open, or in ticks */
    int64_t range_end_ns;     /* its end, but not after the last event where that is known;
                                 INT64_MAX: open, or in ticks */
    uint64_t byte_count;      /* bytes of input consumed so far, as stored */
    uint64_t byte_total;      /* 0 when not known */
} stele_reader_stats;

/*
 * Starts reading `count` traces of one context together. `request` may be NULL; what it points to
 * is copied. Errors: STELE_ERR_ARGUMENT (an expression or bound that cannot be used, with a
 * finding), STELE_ERR_CLOCKS (clocks without known relation and neither shift nor alignment),
 * STELE_ERR_UNSUPPORTED (a bound from the end of a pipe), STELE_ERR_READ, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_reader_open(stele_context *context, stele_trace *const *traces,
                                         size_t count, const stele_request *request,
                                         stele_reader **reader);

/*
 * In how many parts, at most `most`, a request can be read at the same time, each by a reader of
 * its own over a trace that was opened anew in a context of its own: each event is in one part, and
 * one after the other they give the events in the order of the streams. 1 where the trace cannot
 * be divided: there is more than one, it is damaged, has an order to be kept, or no places at which
 * reading can begin. Indexes the trace. Errors: STELE_ERR_READ, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_reader_parts(stele_context *context, stele_trace *const *traces,
                                          size_t count, const stele_request *request, uint32_t most,
                                          uint32_t *part_count);

/*
 * The next segment. It holds until the next call. STELE_END after the last; another error says why
 * reading stopped early (damage alone never does).
 */
STELE_API stele_status stele_reader_next(stele_reader *reader, stele_segment *segment);

/*
 * All next segments that are there without reading more, at least one. Where streams interleave, a
 * segment is of an event or two, and this makes taking it cheaper. They belong to the reader and
 * hold until the next call, also of stele_reader_next(), which gives what would have come after
 * them. End and errors as of that.
 */
STELE_API stele_status stele_reader_next_segments(stele_reader *reader,
                                                  const stele_segment **segments, size_t *count);
/* Whether the next call of these may have to wait, as for a pipe or a trace that is followed: time
   to show what was made of the segments so far. */
STELE_API bool stele_reader_waits(const stele_reader *reader);

/*
 * Copies the next events into a table of the caller's: as many as are there, up to `capacity`,
 * which is not 0; fewer only at the end. For those who want columns of many events instead of
 * batches: fields, and names that are known in their batch only (STELE_NAME_LOCAL), are not copied.
 * STELE_END when there are none; errors as of stele_reader_next().
 */
STELE_API stele_status stele_reader_read(stele_reader *reader, stele_event *events, size_t capacity,
                                         size_t *count);

/* How far reading came, and what was found on the way. The caller sets `struct_size` of the result,
   as STELE_INIT does. */
STELE_API void stele_reader_get_stats(const stele_reader *reader, stele_reader_stats *stats);
STELE_API void stele_reader_close(stele_reader *reader);

/* ---- Intersections of streams ---------------------------------------------------------------- */

/* Of each recording, the time in which all of its streams were recorded. */
typedef struct stele_intersection stele_intersection;

/*
 * Finds the intersections, for which the traces are indexed. Errors: STELE_ERR_UNSUPPORTED: it is
 * not known when stream `*unknown` begins and ends, or the traces cannot be read twice, and then
 * that is UINT32_MAX; STELE_ERR_READ; STELE_ERR_MEMORY. The caller frees it.
 */
STELE_API stele_status stele_intersection_new(stele_context *context, stele_trace *const *traces,
                                              size_t count, stele_intersection **out,
                                              uint32_t *unknown);
STELE_API void stele_intersection_free(stele_intersection *spans);

/* Bounds a request by what has all intersections: sets its begin and its end. */
STELE_API void stele_intersection_bound(const stele_intersection *spans, stele_request *request);

/*
 * Finds the next part of a segment that lies in the intersection of its recording. `part` is the
 * part before, at first of the same batch with a `count` of 0 at the segment's `first`. False:
 * there is none.
 */
STELE_API bool stele_intersection_next(const stele_intersection *spans, const stele_segment *whole,
                                       stele_segment *part);

/* ---- Formats --------------------------------------------------------------------------------- */

typedef struct stele_format_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "fxt" */
    const char *title;      /* "Fuchsia Trace Format" */
    const char *extensions; /* space separated, with dots: ".fxt" */
    const char *settings;   /* keys that stele_trace_open() takes, space separated; "": none */
    bool can_read, can_write, can_copy;
} stele_format_info;

/* The formats this library was built with; `index` from 0, false past the end. */
STELE_API bool stele_format_get(size_t index, stele_format_info *info);

/* The format of this name; false when there is none. */
STELE_API bool stele_format_find(const char *name, stele_format_info *info);

/* The name of the format whose extension a path has; NULL when it is that of none or of several. */
STELE_API const char *stele_format_for_path(const char *path);

/* Every code of a finding, for documentation; NULL past the end, or when not known. */
STELE_API const stele_code *stele_code_get(size_t index);
STELE_API const stele_code *stele_code_find(const char *code);

#ifdef __cplusplus
}
#endif
#endif
