/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating traces of any format, and pushing events into them. One thread at a time uses a writer
 * and its context; different contexts are independent.
 */
#ifndef STELE_WRITER_H
#define STELE_WRITER_H

#include <stele/output.h>
#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_writer stele_writer;

typedef struct stele_writer_options {
    size_t struct_size;            /* sizeof this struct, or 0: see <stele/version.h> */
    bool replace;                  /* an existing file may be replaced */
    const char *version;           /* of the format, where there are several; NULL: its usual one */
    const stele_setting *settings; /* of the format; see its description */
    size_t setting_count;
} stele_writer_options;

/*
 * Creates a trace of `format`, or what a sink of this name makes (<stele/sink.h>): "json", "csv",
 * "text", ... `path` is a file, or "-" for standard output; of a format whose
 * traces have several files, a directory. Nothing stands under a final name until
 * stele_writer_finish() has succeeded. `options` may be NULL. Errors: STELE_ERR_FORMAT (no such
 * format, or it cannot be written), STELE_ERR_EXISTS, STELE_ERR_WRITE, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_writer_open(stele_context *context, const char *path,
                                         const char *format, const stele_writer_options *options,
                                         stele_writer **writer);

/*
 * The same for an output that is open, which stays the caller's: to be finished after
 * stele_writer_finish(), and closed after stele_writer_close(). The path and `replace` are not
 * used.
 */
STELE_API stele_status stele_writer_open_output(stele_context *context, stele_output *out,
                                                const char *format,
                                                const stele_writer_options *options,
                                                stele_writer **writer);

/* Opens what a format or a sink writes to: a file or a folder, as its traces are. Errors as of
   stele_output_open(), and STELE_ERR_FORMAT: nothing of this name. */
STELE_API stele_status stele_output_open_for(const char *path, const char *format,
                                             const stele_output_options *options,
                                             stele_output **out);

/*
 * Writes what stele_trace_index() found, which is called for it, to be kept in a file of the name
 * of the trace with ".stele-index" after it. As long as the trace stays as it is, such a file is
 * used instead of looking through the trace. docs/index.md has its layout. STELE_ERR_UNSUPPORTED:
 * the format has no such index, the trace is not a regular file or packed, or is of a kind that
 * must be read as a whole; and errors of stele_trace_index() and of writing. The output stays the
 * caller's, as stele_output_open() makes it.
 */
STELE_API stele_status stele_trace_save_index(stele_trace *trace, stele_output *out);

/*
 * Where an index of the trace is looked for: beside it, or in the folder for caches of its context,
 * under a name made of the trace's full path. Writes the path, with a zero after it, as far as
 * `size` bytes have room for it, and gives its length without the zero. 0: there is no such place,
 * because the trace is no file or folder that is read as it lies, the context has no such folder,
 * or memory is exhausted.
 */
STELE_API size_t stele_trace_index_path(const stele_trace *trace, bool in_cache, char *path,
                                        size_t size);

/* Takes the events of a segment, whose names and tracks must be of the writer's context.
   STELE_ERR_ARGUMENT: the kind, name, track or fields of an event do not exist. Nothing of the
   segment was written then. */
STELE_API stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment);

/* Writes what was held back of the segments so far (lines of text, to know how wide columns are),
   for who looks at the output before it ends. Errors as of stele_writer_write(). */
STELE_API stele_status stele_writer_flush(stele_writer *writer);

/* Writes what is pending and puts the file in place. After an error nothing is put in place. */
STELE_API stele_status stele_writer_finish(stele_writer *writer);

/* Frees it; an unfinished output is removed. */
STELE_API void stele_writer_close(stele_writer *writer);

/* Something that the target format could not carry, or not in the same form. */
typedef struct stele_loss {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_kind kind;    /* of the events concerned; STELE_KIND_NONE: not about events */
    const char *what;   /* static text: "time below one microsecond", "nested fields as text" */
    bool is_dropped;    /* the event or value is not there at all; else it was changed */
    uint64_t count;
    bool is_form; /* nothing is lost: all that it said is there, in another form; not with
                     is_dropped */
} stele_loss;

/* The losses so far, `index` from 0; false past the end. */
STELE_API bool stele_writer_get_loss(const stele_writer *writer, size_t index, stele_loss *loss);

/* Counts a loss that the caller knows of, as when events were changed before they were written.
   `what` must be static text. */
STELE_API void stele_writer_add_loss(stele_writer *writer, const stele_loss *loss);

/* Counts what the writer makes anew of a trace of its own format, beside the events. */
STELE_API void stele_writer_add_trace_losses(stele_writer *writer, const stele_trace *trace);

/* ---- Copies ---------------------------------------------------------------------------------- */

/* A copy of a trace, or of several side by side in a folder, that keeps the bytes of the records.
 */
typedef struct stele_copier stele_copier;

typedef struct stele_copier_options {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    bool keeps_all;      /* all events will be kept */
    bool is_shifted;     /* times are shifted, as the batches say */
    const char *version; /* of the format; NULL: each trace's own */
    /* What is kept is what this request asks for, and what is open at its begin is begun there by
       records that are made: spans, asynchronous operations, flows, running threads. The traces are
       read from their start to there for that, when the copier is opened. It is not used later.
       NULL, and a request without a begin: nothing is made. */
    const stele_request *cut;
    /* Where the files go in an output that is a folder: "000001". NULL: into itself. Of formats
       whose traces have several files; the caller adds a file to the folder for each copy of the
       others. */
    const char *folder;
} stele_copier_options;

/* Whether traces of the format are folders of files, or can be: see stele_copier_options.folder. */
STELE_API bool stele_format_makes_folders(const char *format);

/* Whether traces can be copied so to a format, which is theirs, too. */
STELE_API bool stele_copier_is_possible(const char *format, stele_trace *const *traces,
                                        size_t count, const stele_copier_options *options);

/*
 * Opens a copier that writes to an output, as stele_output_open_for() opens it for the format. The
 * traces, whose array is copied, and the output must outlive it. Errors: STELE_ERR_UNSUPPORTED: one
 * of the traces cannot be read twice, or stele_copier_is_possible() is false; STELE_ERR_ARGUMENT;
 * STELE_ERR_MEMORY; STELE_ERR_WRITE.
 */
STELE_API stele_status stele_copier_open(stele_context *context, stele_output *out,
                                         const char *format, stele_trace *const *traces,
                                         size_t count, const stele_copier_options *options,
                                         stele_copier **copier);

/* Keeps the events of a segment. They come in the order in which a reader of the traces gives them
   with STELE_ORDER_NONE and, among the columns, STELE_COLUMN_TIME | STELE_COLUMN_CONTEXT. */
STELE_API stele_status stele_copier_keep(stele_copier *copier, const stele_segment *segment);

/* Writes what is pending; the output is still to be finished. */
STELE_API stele_status stele_copier_finish(stele_copier *copier);

/* What the copy lacks, once it is finished: see stele_writer_get_loss(). */
STELE_API bool stele_copier_get_loss(const stele_copier *copier, size_t index, stele_loss *loss);
STELE_API void stele_copier_close(stele_copier *copier);

#ifdef __cplusplus
}
#endif
#endif
