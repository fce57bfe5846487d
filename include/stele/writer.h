/* SPDX-License-Identifier: Apache-2.0 */
/* Creating traces of any format, and pushing events into them. */
#ifndef STELE_WRITER_H
#define STELE_WRITER_H

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
 * Creates a trace of `format`. `path` is a file, or "-" for standard output; of a format whose
 * traces have several files, a directory. Nothing stands under a final name until
 * stele_writer_finish() has succeeded. `options` may be NULL. Errors: STELE_ERR_FORMAT (no such
 * format, or it cannot be written), STELE_ERR_EXISTS, STELE_ERR_WRITE, STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_writer_open(stele_context *context, const char *path,
                                         const char *format, const stele_writer_options *options,
                                         stele_writer **writer);

/* Takes the events of a segment, whose names and tracks must be of the writer's context.
   STELE_ERR_ARGUMENT: the kind, name, track or fields of an event do not exist. Nothing of the
   segment was written then. */
STELE_API stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment);

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

#ifdef __cplusplus
}
#endif
#endif
