/* SPDX-License-Identifier: Apache-2.0 */
/* Creates traces of any format, and writes events to them. One thread at a time uses a writer and
   its context; different contexts are independent. */
#ifndef STELE_WRITER_H
#define STELE_WRITER_H

#include <stele/output.h>
#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_writer stele_writer;

typedef struct stele_writer_options {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    bool replace;        /* an existing file may be replaced */
    const char *version; /* version of the format, if it has several; NULL: the usual one */
    /* Keys of the format: see stele_format_info.write_settings, which has `versions`, too. */
    const stele_setting *settings;
    size_t setting_count;
    /* The clock of events that the program makes, with the wall-clock time at their 0; copied. It
       is that of the first stream of the context (0, as in a new batch), which must have no stream
       yet. With a frequency, `ticks` of the events count. NULL: nothing is known of the clock. */
    const stele_clock *clock;
} stele_writer_options;

/*
 * Creates a trace of `format`, or an output of the sink of this name (<stele/sink.h>): "json",
 * "csv", "text", ... `path` is a file, or "-" for standard output; for a format whose traces have
 * several files, a directory. Nothing has its final name until stele_writer_finish() has succeeded.
 * `options` may be NULL. The caller closes the writer. Errors: STELE_ERR_FORMAT (no such format, or
 * it cannot be written), STELE_ERR_EXISTS, STELE_ERR_WRITE, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_writer_open(stele_context *context, const char *path,
                                         const char *format, const stele_writer_options *options,
                                         stele_writer **writer);

/*
 * Creates a trace as stele_writer_open() does, in an output that is already open: one of the kind
 * that stele_output_open_for() opens for the format. Bytes in memory count as a file; a CTF trace
 * needs a folder. The output stays the caller's, who finishes it after stele_writer_finish() and
 * closes it after stele_writer_close(). `replace` is not used. Errors: those of
 * stele_writer_open(); STELE_ERR_UNSUPPORTED: a file where the format needs a folder, or a folder
 * where it needs a file.
 */
STELE_API stele_status stele_writer_open_output(stele_context *context, stele_output *out,
                                                const char *format,
                                                const stele_writer_options *options,
                                                stele_writer **writer);

/* Opens the output that a format or a sink writes to: a file, or a folder if its traces are
   folders. Errors are those of stele_output_open(), and STELE_ERR_FORMAT: no format or sink has
   this name. */
STELE_API stele_status stele_output_open_for(const char *path, const char *format,
                                             const stele_output_options *options,
                                             stele_output **out);

/*
 * Writes the result of stele_trace_index(), which it calls, to an index file. A file with the path
 * of the trace and ".stele-index" after it is used instead of looking through the trace, as long as
 * the trace does not change. docs/index.md has its layout. The caller finishes and closes the
 * output, which stele_output_open() has opened. Errors: STELE_ERR_UNSUPPORTED: the format has no
 * such index, the trace is not a regular file, is compressed, or must be read as a whole; those of
 * stele_trace_index() and of writing.
 */
STELE_API stele_status stele_trace_save_index(stele_trace *trace, stele_output *out);

/*
 * Gives the path at which an index of the trace is looked for: in the trace's folder, or, with
 * `in_cache`, in the context's cache_dir, under a name made of the trace's full path. Writes the
 * path and a zero byte to `path`, as far as `size` bytes have room. Returns its length without the
 * zero; 0: there is no such path, because the trace is not a file or folder that is read directly,
 * the context has no cache_dir, or memory is exhausted.
 */
STELE_API size_t stele_trace_index_path(const stele_trace *trace, bool in_cache, char *path,
                                        size_t size);

/*
 * Takes the events of a segment, whose names and tracks must be of the writer's context. Events
 * come in the order of time, as a reader gives them; of those that do not, CTF moves the time to
 * that of the event before, and counts it as a loss, while other formats keep time and order.
 *
 * STELE_ERR_ARGUMENT: the kind, name, category, track or fields of an event do not exist, fields
 * lead out of the batch, or the writer is finished. Nothing of the segment was then written, and
 * other segments may follow. After any other error nothing more is written:
 * stele_writer_write() and stele_writer_finish() return it again.
 */
STELE_API stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment);

/* Writes what is held back of the segments so far (lines of text, whose columns get their width
   from later ones), so that the output can be looked at before its end. Errors are those of
   stele_writer_write(). */
STELE_API stele_status stele_writer_flush(stele_writer *writer);

/* Writes what is pending and gives the file its final name, once. After an error of writing no file
   gets its final name; a segment that was refused (STELE_ERR_ARGUMENT) is none. */
STELE_API stele_status stele_writer_finish(stele_writer *writer);

/* Frees the writer; an output that was not finished is removed. NULL is ignored. */
STELE_API void stele_writer_close(stele_writer *writer);

/* Something that the target format cannot carry, or only in another form. */
typedef struct stele_loss {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_kind kind;    /* kind of the events concerned; STELE_KIND_NONE: not about events */
    const char *what;   /* static text: "time below one microsecond", "nested fields as text" */
    bool is_dropped;    /* the event or value is missing; else it was changed */
    uint64_t count;     /* how many events or values are concerned */
    /* Nothing is lost: all that the event said is there in another form. Never set with
       is_dropped. */
    bool is_form;
} stele_loss;

/* Gives the losses so far, `index` from 0. Returns false past the last one. The caller sets
   `struct_size` of the result, as STELE_INIT does. */
STELE_API bool stele_writer_get_loss(const stele_writer *writer, size_t index, stele_loss *loss);

/* Counts a loss that the caller knows of, for example when it changed events before it wrote them.
   `what` must be a static text. */
STELE_API void stele_writer_add_loss(stele_writer *writer, const stele_loss *loss);

/* Counts as losses what the writer makes anew when it writes a trace of its own format: parts of
   the trace other than its events. */
STELE_API void stele_writer_add_trace_losses(stele_writer *writer, const stele_trace *trace);

/* ---- Copies that keep the bytes of records --------------------------------------------------- */

/* Copies a trace, or several next to each other in a folder, and keeps the bytes of the records. */
typedef struct stele_copier stele_copier;

/* How a copy of a trace is made; zeros give the defaults. */
typedef struct stele_copier_options {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    bool keeps_all;      /* the caller will keep all events */
    bool is_shifted;     /* times are shifted by shift_ns of the batches */
    const char *version; /* version of the format; NULL: each trace's own */
    /* The request of the reader whose events are kept. What is open when its range begins gets new
       records there that begin it: spans, asynchronous operations, flows, running threads. To find
       these, stele_copier_open() reads the traces from their start to there. Spans that are open
       where its range ends get records that end them there. The request is not used later. NULL, or
       a request without a begin or an end: no such records are made. */
    const stele_request *cut;
    /* Folder for the copy within an output that is a folder: "000001"; NULL: the output itself.
       Used for formats whose traces have several files; for others the caller adds a file to the
       folder for each copy. */
    const char *folder;
    /* Of several traces of the format, those that cannot be copied so are left to the caller: see
       stele_copier_left(). At least one of them must be copied. stele_copier_is_possible() reports
       why a trace cannot be; it is not reported again. */
    bool leaves_others;
    /* Counters of events, by which readers of Heph find out what is missing, are written so that
       what was not kept does not count as lost: the counters of the events of a stream that are
       kept follow each other, but for what the trace itself lacks between them. Copies of other
       formats need no other numbers. */
    bool renumbers;
} stele_copier_options;

/* Whether traces of the format are folders of files, or can be: see stele_copier_options.folder. */
STELE_API bool stele_format_makes_folders(const char *format);

/* Whether a file of a folder is one that a trace of the format, which makes folders, has there: for
   a stele_owns_fn. */
STELE_API bool stele_format_owns(const char *format, const char *name, const void *head,
                                 size_t size);

/* Whether the traces can be copied to `format`, which must be their own, with these options. */
STELE_API bool stele_copier_is_possible(const char *format, stele_trace *const *traces,
                                        size_t count, const stele_copier_options *options);

/*
 * Opens a copier that writes to an output, which stele_output_open_for() has opened for the format.
 * The traces, whose array is copied, and the output must outlive the copier. The caller closes it.
 * Errors: STELE_ERR_UNSUPPORTED: one of the traces cannot be read twice, or
 * stele_copier_is_possible() is false; STELE_ERR_ARGUMENT; STELE_ERR_MEMORY; STELE_ERR_WRITE.
 */
STELE_API stele_status stele_copier_open(stele_context *context, stele_output *out,
                                         const char *format, stele_trace *const *traces,
                                         size_t count, const stele_copier_options *options,
                                         stele_copier **copier);

/* Returns the folder of the output for a trace that the copier left to the caller, by its index in
   the array; NULL if the trace is copied. The copier ignores events of traces that it left. */
STELE_API const char *stele_copier_left(const stele_copier *copier, size_t trace);

/* Keeps the events of a segment. Segments must come in the order in which a reader of the traces
   gives them with STELE_ORDER_NONE and, among its columns, STELE_COLUMN_TIME |
   STELE_COLUMN_CONTEXT. */
STELE_API stele_status stele_copier_keep(stele_copier *copier, const stele_segment *segment);

/* Writes what is pending. The caller then finishes the output. */
STELE_API stele_status stele_copier_finish(stele_copier *copier);

/* Gives what the copy lacks, once it is finished: see stele_writer_get_loss(). */
STELE_API bool stele_copier_get_loss(const stele_copier *copier, size_t index, stele_loss *loss);
STELE_API void stele_copier_close(stele_copier *copier);

#ifdef __cplusplus
}
#endif
#endif
