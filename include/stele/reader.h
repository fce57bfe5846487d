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

/* ---- Traces and their options ---------------------------------------------------------------- */

/* One opened trace: a file, a directory, an archive of a directory, or standard input. */
typedef struct stele_trace stele_trace;

/* An option that only one format has: it adds what the trace does not say, or corrects what it says
   wrong. */
typedef struct stele_setting {
    const char *key, *value;
} stele_setting;

typedef struct stele_trace_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *format; /* NULL: recognised by content first, by name second */
    bool has_shift;   /* the user gave shift_ns: the clock then counts as related to other clocks */
    int64_t shift_ns; /* added to every time of this trace, and to its wall-clock time */
    bool is_apart;    /* parts equal to those of another trace are not dropped as repeated */
    const stele_setting *settings; /* keys as stele_format_info lists them; only used by the call */
    size_t setting_count;
    /* An input that can be read only once (a pipe, a compressed file) is copied to a temporary file
       when it is opened, so that it can be read from any position, and again. */
    bool is_reread;
    /* With is_followed: the trace ends when nothing came for so many ns; 0: it never ends so. */
    int64_t idle_ns;
    /* The trace may grow while it is read: the reader waits at its end, and a record that is
       incomplete there is not damage. Reading ends with STELE_END when the context's go_on is
       false, when nothing came for `idle_ns`, or when another file has replaced the trace, which is
       reported. Such a trace is read from front to back, once. Directories of CTF are followed with
       all files that come to be in them, and a directory with a single file as that file; others
       give STELE_ERR_UNSUPPORTED. */
    bool is_followed;
} stele_trace_options;

/* What is known of a trace. */
typedef struct stele_trace_info {
    const char *path;    /* as given; "-" is standard input */
    const char *format;  /* short name: "fxt", "heph", ... */
    const char *title;   /* "Fuchsia Trace Format" */
    const char *version; /* version of the format, as far as the trace says it; else "" */
    const char *reason;  /* why it was recognised as this format */
    const char *packing; /* "", "gzip", "zstd", "tar", "tar+gzip", ... */
    bool is_big_endian;
    bool is_seekable; /* can be read more than once and from the middle */
    bool has_size;
    uint64_t size;   /* bytes as stored (compressed, if it is compressed) */
    uint32_t number; /* of the trace in its context, from 0 */
} stele_trace_info;

/*
 * Opens a trace and reads as much of it as is needed to recognise its format. `path` is a file, a
 * directory (CTF, xtrace) or "-"; `options` may be NULL. After an error `*trace` is NULL. Errors,
 * each with a finding: STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED (a compression that
 * this build does not have), STELE_ERR_MEMORY; STELE_ERR_ARGUMENT for a setting that the format
 * does not know or take. The caller closes the trace before it frees the context.
 */
STELE_API stele_status stele_trace_open(stele_context *context, const char *path,
                                        const stele_trace_options *options, stele_trace **trace);

/*
 * Opens directories and archives that are parts of one trace (rotations, snapshots, per-user
 * buffers) as one trace, which findings call `name`. Packets that are equal in several parts are
 * read once. Errors are those of stele_trace_open(), and STELE_ERR_ARGUMENT: a path leads to
 * something else.
 */
STELE_API stele_status stele_trace_open_parts(stele_context *context, const char *name,
                                              const char *const *paths, size_t count,
                                              const stele_trace_options *options,
                                              stele_trace **trace);

/* Whether two traces, opened from directories or archives, are parts of one trace. */
STELE_API bool stele_trace_is_part(const stele_trace *a, const stele_trace *b);

/* Whether a path leads to a directory or an archive. A pipe is not read to find out. */
STELE_API bool stele_path_is_set(const char *path);

/* Whether two paths lead to different files of one trace, either of which opens the whole trace:
   the instructions and the snapshots of a thread, in xtrace. No file is opened. */
STELE_API bool stele_path_is_beside(const char *a, const char *b);

/* Finds which of several traces are parts of one: `first[i]` becomes the index of the first trace
   that belongs together with traces[i], i if that is traces[i] itself. A NULL in `traces` belongs
   to no other. `first` is an array of `count` numbers. */
STELE_API void stele_trace_group_parts(stele_trace *const *traces, size_t count, size_t *first);

/* Opens a trace in memory, which must stay unchanged until the trace is closed. `name` is used in
   findings and for recognition by name. Errors are those of stele_trace_open(). */
STELE_API stele_status stele_trace_open_memory(stele_context *context, const char *name,
                                               const void *bytes, size_t size,
                                               const stele_trace_options *options,
                                               stele_trace **trace);

/* Closes a trace. After ranges of time of a trace of many files were read, some of the files are
   open until then: half of those that the process may open, and 4,096, at most. */
STELE_API void stele_trace_close(stele_trace *trace);
STELE_API const stele_trace_info *stele_trace_get_info(const stele_trace *trace);

/* Says what times and durations of the trace count, all members with names that end with "_ns":
   nanoseconds (STELE_CLOCK_NS), also for a trace without times; instructions (STELE_CLOCK_INSNS);
   or ticks of unknown length (STELE_CLOCK_TICKS). It is known as soon as the trace is open. */
STELE_API stele_clock_domain stele_trace_time_unit(const stele_trace *trace);

/* Gives a property of the trace that only its format has, as text ("tick rate of provider 1",
   "dialect"); `index` from 0. Returns false past the last one. The list grows while the trace is
   read. Texts live as long as the trace. */
STELE_API bool stele_trace_property(const stele_trace *trace, size_t index, const char **key,
                                    const char **value);

/* An event that a trace declares (in the metadata of CTF), whether it occurs or not. */
typedef struct stele_declared_event {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    stele_text name;    /* lives as long as the trace */
    uint64_t id;
    size_t field_count; /* fields of the event's payload */
} stele_declared_event;

/* Gives the declared events, `event` from 0, and the names of their fields, `field` from 0. Returns
   false past the last one, and for formats without declarations. The caller sets `struct_size`, as
   STELE_INIT does. Names live as long as the trace. */
STELE_API bool stele_trace_declared_event(const stele_trace *trace, size_t event,
                                          stele_declared_event *about);
STELE_API bool stele_trace_declared_field(const stele_trace *trace, size_t event, size_t field,
                                          stele_text *name);

/* Finds the streams of a trace and their ranges of time in a quick pass over its headers. A reader
   calls it where it needs to. Errors: STELE_ERR_UNSUPPORTED: the trace cannot be read twice;
   STELE_ERR_READ; STELE_ERR_MEMORY. */
STELE_API stele_status stele_trace_index(stele_trace *trace);

/* Looks again for an index file of the trace (see stele_trace_save_index()), which may have been
   written after the trace was opened. Readers that are opened afterwards use it. If there is none,
   nothing changes. Errors: STELE_ERR_READ, STELE_ERR_MEMORY. */
STELE_API stele_status stele_trace_find_index(stele_trace *trace);

/* Gives a trace the index that another one has, which was opened of the same files, in a context of
   its own. It is then not made again; where that cannot be, nothing changes. No other thread may
   use either of them meanwhile. Errors: STELE_ERR_READ, STELE_ERR_MEMORY. */
STELE_API stele_status stele_trace_take_index(stele_trace *trace, stele_trace *from);

/* Reads what a program kept in an index file of the trace as it is now, see
   stele_overview_save_index_with(). The bytes are as they were written, but another program may
   have written them. Returns false if there are none, or if out of memory. The caller frees them
   with free(). */
STELE_API bool stele_trace_index_bytes(stele_trace *trace, void **bytes, size_t *size);

/* Gives the name of a function that a trace knows only by number (XRay function ids, program
   counters); `module` is 0 if there is only one program. An empty text: the name is not known.
   Called once for each function while reading; the text is copied. */
typedef stele_text stele_resolve_fn(void *user, uint64_t module, uint64_t id);

/* Gives the trace a resolver of function names, to be set before a reader is opened. NULL removes
   it. */
STELE_API void stele_trace_set_resolver(stele_trace *trace, stele_resolve_fn *resolve, void *user);

/* A record as it is in its input. Texts and bytes hold during the call of stele_dump_fn. */
typedef struct stele_dump_record {
    uint64_t offset, size; /* of the record, in its input, in bytes */
    const char *source;    /* name of the member, for a source of several; else NULL */
    /* The format's name of the record: "String record", "Event: Duration Begin". */
    const char *kind;
    const char *text;     /* the contents in the format's own terms, one line, UTF-8 */
    const uint8_t *bytes; /* the record's bytes, as far as they are in memory */
    size_t bytes_size;
} stele_dump_record;

/* Receives the records in their order. Returning false ends the dump. */
typedef bool stele_dump_fn(void *user, const stele_dump_record *record);

typedef struct stele_dump_request {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t at; /* offset in bytes: begin with the first record at or after it; 0: at the start */
    uint64_t count;    /* records at most; 0: no limit */
    stele_dump_fn *fn; /* must be given */
    void *user;
} stele_dump_request;

/* Passes the records of a trace, as they are stored, to request->fn. Errors: STELE_ERR_UNSUPPORTED:
   the format has no dump; STELE_ERR_ARGUMENT; STELE_ERR_READ; STELE_ERR_MEMORY. */
STELE_API stele_status stele_trace_dump(stele_trace *trace, const stele_dump_request *request);

/* ---- Requests of events ---------------------------------------------------------------------- */

/* The order in which a reader delivers events. */
typedef enum stele_order {
    /* By time, then stream, then position in the stream; exact. Sorts in a window of memory where
       that is known to be enough, else through sorted runs in a temporary file. */
    STELE_ORDER_TIME = 0,
    /* By time in bounded memory; an event that comes too late is flagged LATE. */
    STELE_ORDER_WINDOW,
    STELE_ORDER_FULL, /* by time, always through sorted runs in a temporary file */
    STELE_ORDER_NONE, /* in the order of the records */
    /* Each track by time, which is less work than all together: traces follow each other, and so do
       the streams of a trace if each is that of a thread; otherwise, and without an index, the same
       as STELE_ORDER_TIME. */
    STELE_ORDER_STREAMS
} stele_order;

/* What the value of a bound means. */
typedef enum stele_bound_kind {
    STELE_BOUND_NONE = 0,
    STELE_BOUND_START, /* ns after the first event */
    STELE_BOUND_END,   /* ns before the last event */
    STELE_BOUND_WALL,  /* ns since 1970-01-01 UTC */
    STELE_BOUND_TICKS, /* raw ticks, as uint64_t in value */
    STELE_BOUND_CLOCK  /* ns on the scale of stele_event.time_ns */
} stele_bound_kind;

typedef struct stele_bound {
    stele_bound_kind kind;
    int64_t value;
} stele_bound;

/*
 * Parses a bound as users write it: "1.5s", "200us" after the start (ns us ms s m h; without a
 * unit, seconds; nothing is rounded); "-10ms" before the end; "@123456" ticks; ISO 8601
 * ("2024-05-01T10:00:00.5Z", also with an offset) for wall-clock time. Returns false if `text` is
 * none of these; `*error` is then a static text that says why. `error` may be NULL.
 */
STELE_API bool stele_bound_parse(const char *text, stele_bound *bound, const char **error);

/* Patterns for names: one match is enough. */
typedef struct stele_globs {
    const char *const *patterns; /* with `*`, `?`, `[a-z]`, and `\` to quote */
    size_t count;                /* 0: everything matches */
} stele_globs;

/* Which events, and which of their columns, a consumer wants. Zeros want everything. A reader may
   fill in more columns, never fewer. */
typedef struct stele_request {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t kinds;     /* STELE_KIND_BIT()s; 0: all */
    uint32_t columns;   /* STELE_COLUMN_...; 0: all but RAW */
    stele_order order;
    bool order_by_end; /* COMPLETE events are ordered by their end instead of their start */
    bool align_starts; /* shift each trace so that its first event is at 0 */
    bool check;        /* check every byte against the format's rules: more findings, slower */
    stele_bound begin; /* inclusive; a COMPLETE event is in when it overlaps the range */
    stele_bound end;   /* exclusive */
    /* Events before `begin` are delivered, too, so that a consumer knows what is open at `begin`,
       which is range_begin_ns of the statistics. They are not delivered if the bound is in
       ticks. */
    bool from_start;
    stele_globs names, categories, tracks;
    const char *where; /* an expression over the event and its fields; NULL: none */
    /* With `from_start`: allows the reader to leave out events before `begin` that begin no call
       still open at `begin`; of other kinds only metadata is then sure to be delivered. */
    bool open_only;
    /* Reads part number `part`, from 0, of `part_count` parts; stele_reader_parts() gives how many
       there can be. Nothing is reported as missing because it is in another part. part_count 0:
       everything. */
    uint32_t part, part_count;
    /* With STELE_ORDER_WINDOW: an event is held until another one is so many ns younger, or until
       nothing came for as long. 0: events are held as long as memory allows. */
    int64_t window_ns;
    /* Names of the fields that the consumer uses, of events and of members of their contexts: the
       reader may leave out others; with `where` or `check` it leaves out none. field_count 0: all.
     */
    const char *const *fields;
    size_t field_count;
    /* Traces are not indexed where all of them is read, so that the first events are delivered at
       once: with STELE_ORDER_WINDOW those that are nearly in the order of time, and those whose
       streams are in order. What is known of them already, or from a saved index, is used; when
       the first event is may not be known. */
    bool no_index;
    /* Numbers of streams, as stele_stream_get() takes them, in rising order. Where a trace is read
       stream by stream, the other streams are not read; elsewhere their events are delivered as
       well. The array is used until the reader is open. stream_count 0: all streams. */
    const uint32_t *streams;
    size_t stream_count;
    /* Kinds of events whose fields the consumer uses, as STELE_KIND_BIT()s: the reader may leave
       out those of others; with `where` or `check` it leaves out none. 0: all. */
    uint64_t field_kinds;
} stele_request;

/* ---- Reading of events ----------------------------------------------------------------------- */

typedef struct stele_reader stele_reader;

/* How the bytes of the inputs were used, counted after unpacking. Once a reader without bounds of
   time came to the end, the three members add up to the size of the inputs. Every stretch of
   skipped bytes lies in the range of a finding. */
typedef struct stele_balance {
    uint64_t record_size;  /* bytes of records that were read, also of those that hold no events */
    uint64_t padding_size; /* bytes that the format leaves unused, as between packets */
    uint64_t skipped_size; /* bytes that could not be read as records */
} stele_balance;

typedef struct stele_reader_stats {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t event_count;     /* events that were delivered */
    uint64_t filtered_count;  /* events that were read, and that the request leaves out */
    uint64_t late_count;      /* events that were delivered with STELE_FLAG_LATE */
    int64_t lateness_max_ns;  /* the largest distance of a late event to a younger one before it */
    uint64_t unordered_count; /* events that follow a younger one in their stream */
    int64_t unordered_max_ns; /* the largest distance of such an event to a younger one before it */
    uint64_t lost_count;      /* events that are known to be lost, by the tracer or by damage */
    /* Packets that are known to be missing, with an unknown number of events. */
    uint64_t missing_count;
    stele_balance balance; /* of all traces, as far as they were read */
    bool has_content_size; /* content_size is known */
    uint64_t content_size; /* bytes of all inputs after unpacking */
    bool has_begin;        /* begin_ns is known, because the traces were indexed */
    int64_t begin_ns; /* time of the first event of all traces, whether or not the request has it */
    /* Begin of the request's range, as time_ns; INT64_MIN: open, or in ticks. */
    int64_t range_begin_ns;
    /* End of the request's range, as time_ns; INT64_MAX: open, or in ticks, or after the last
       event, where that is known. */
    int64_t range_end_ns;
    /* Bytes read so far of inputs that are a file or a pipe, as stored, since the reader was
       opened; of folders and of bytes in memory 0. The end of an input may be left out that holds
       nothing more, or that was read already: to know whether reading is over, look at its status.
     */
    uint64_t byte_count;
    uint64_t byte_total; /* bytes of all inputs, as stored; 0: not known, as of folders */
} stele_reader_stats;

/*
 * Starts reading `count` traces of one context together. `request` may be NULL for everything; all
 * that it points to is copied. Errors: STELE_ERR_ARGUMENT (an expression, bound, order, set of
 * kinds or columns that cannot be used, a NULL among the traces or patterns, a trace of another
 * context; with a finding), STELE_ERR_CLOCKS (clocks without known relation, and neither shift nor
 * alignment), STELE_ERR_UNSUPPORTED (a bound from the end of a pipe), STELE_ERR_READ,
 * STELE_ERR_MEMORY. The caller closes the reader before the traces.
 */
STELE_API stele_status stele_reader_open(stele_context *context, stele_trace *const *traces,
                                         size_t count, const stele_request *request,
                                         stele_reader **reader);

/*
 * Gives in how many parts, at most `most`, a request can be read at the same time. Each part has a
 * reader of its own, over a trace opened anew in a context of its own. Each event is in one part,
 * and the parts in their order give the events in the order of the streams. The result is 1 if the
 * trace cannot be divided: there are several, it is damaged, an order has to be kept, or reading
 * can begin nowhere but at the start. Indexes the trace. Errors: STELE_ERR_READ, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_reader_parts(stele_context *context, stele_trace *const *traces,
                                          size_t count, const stele_request *request, uint32_t most,
                                          uint32_t *part_count);

/* Gives the next segment, which holds until the next call. Returns STELE_END after the last;
   another error means that reading stopped early (damage alone never stops it). */
STELE_API stele_status stele_reader_next(stele_reader *reader, stele_segment *segment);

/*
 * Gives all next segments that are there without reading more, at least one. Where streams
 * interleave, a segment has only an event or two, and this call is cheaper than one for each of
 * them. The segments belong to the reader and hold until the next call, also of
 * stele_reader_next(), which goes on after them. STELE_END and errors are those of
 * stele_reader_next().
 */
STELE_API stele_status stele_reader_next_segments(stele_reader *reader,
                                                  const stele_segment **segments, size_t *count);
/* Whether the next call of stele_reader_next() or stele_reader_next_segments() may have to wait, as
   for a pipe or a trace that is followed: a good time to show results. */
STELE_API bool stele_reader_waits(const stele_reader *reader);

/*
 * Copies the next events to an array of the caller's: `capacity` of them, which is not 0; fewer
 * only at the end of the traces. For consumers that want columns of many events instead of batches:
 * fields, and names that only their batch knows (STELE_NAME_LOCAL), are not copied. Returns
 * STELE_END if there are no more events; errors are those of stele_reader_next(), and
 * STELE_ERR_ARGUMENT for a capacity of 0.
 */
STELE_API stele_status stele_reader_read(stele_reader *reader, stele_event *events, size_t capacity,
                                         size_t *count);

/* How far reading came, and what was counted so far. The caller sets `struct_size` of the result,
   as STELE_INIT does. */
STELE_API void stele_reader_get_stats(const stele_reader *reader, stele_reader_stats *stats);
STELE_API void stele_reader_close(stele_reader *reader);

/* ---- Intersections of streams ---------------------------------------------------------------- */

/* For each recording, the time in which all of its streams were recorded. */
typedef struct stele_intersection stele_intersection;

/*
 * Finds the intersections, for which the traces are indexed. The caller frees the result with
 * stele_intersection_free(). Errors: STELE_ERR_UNSUPPORTED: it is not known when stream `*unknown`
 * begins and ends, or, if `*unknown` is UINT32_MAX, the traces cannot be read twice;
 * STELE_ERR_READ; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_intersection_new(stele_context *context, stele_trace *const *traces,
                                              size_t count, stele_intersection **out,
                                              uint32_t *unknown);
STELE_API void stele_intersection_free(stele_intersection *spans);

/* Sets begin and end of a request to a range that includes all intersections. */
STELE_API void stele_intersection_bound(const stele_intersection *spans, stele_request *request);

/* Finds the next part of a segment that lies in the intersection of its recording. `part` is the
   part before; for the first call the caller sets its batch to the segment's, its `first` to the
   segment's, and its `count` to 0. Returns false if there is no further part. */
STELE_API bool stele_intersection_next(const stele_intersection *spans, const stele_segment *whole,
                                       stele_segment *part);

/* ---- Formats and codes ----------------------------------------------------------------------- */

/* What the library can do with a format. */
typedef struct stele_format_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "fxt" */
    const char *title;      /* "Fuchsia Trace Format" */
    const char *extensions; /* separated by spaces, with dots: ".fxt" */
    const char *settings;   /* keys that stele_trace_open() takes, separated by spaces; "": none */
    bool can_read, can_write, can_copy;
    bool links_tracks; /* traces can have operations and flows, whose events stand on several tracks
                        */
    /* Kinds of events, as bits, that traces can have, and of which a writer keeps something: of
       other kinds nothing is in what it writes. Metadata and losses need not be among them. */
    uint64_t read_kinds, written_kinds;
    /* What stele_writer_options.version can be, separated by commas, and keys that its settings can
       have, separated by spaces; "": none. */
    const char *versions, *write_settings;
} stele_format_info;

/* Gives the formats that this library was built with, `index` from 0. Returns false past the last
   one. The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API bool stele_format_get(size_t index, stele_format_info *info);

/* Gives the format with this name. Returns false if there is none. */
STELE_API bool stele_format_find(const char *name, stele_format_info *info);

/* Gives the name of the format whose extension a path has; those that are folders are named after
   their format ("run.ctf"). Returns NULL if no format or several have it. */
STELE_API const char *stele_format_for_path(const char *path);

/* Gives every code of a finding, `index` from 0. Returns NULL past the last one. */
STELE_API const stele_code *stele_code_get(size_t index);
/* Gives the code with this name ("FXT012"). Returns NULL if there is none. */
STELE_API const stele_code *stele_code_find(const char *code);

#ifdef __cplusplus
}
#endif
#endif
