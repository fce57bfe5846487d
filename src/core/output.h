/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered output. Writers append without checks after output_reserve(). The first error is kept,
   and returned by output_flush() and output_finish(), so that an append needs no test. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stele/output.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/diag.h"

/* The public name of this type is stele_output. */
typedef struct stele_output output;

struct stele_output {
    uint8_t *at, *end; /* the free part of the buffer */
    uint8_t *buffer;
    size_t capacity;
    uint64_t flushed;    /* bytes passed to the file or to the packer so far */
    struct packer *pack; /* compresses the bytes; NULL: they are written as they are */
    stele_status status;
    diag_sink *diag;
    diag_sink *own_diag;    /* freed with the output; NULL: `diag` belongs to another object */
    char *path, *temp_path; /* NULL for outputs in memory and standard output */
    char *name;             /* of an added file or folder: its name in the folder; else NULL */
    output *members;        /* of a folder or file: the first file that was added to it */
    output *last_member;    /* of a folder or file: the last file that was added to it */
    output *next;           /* of an added file: the one added after it */
    output *outer;          /* of an added folder: the folder that it is in; else NULL */
    int fd;                 /* -1: an output in memory, or a folder */
    bool is_seekable;
    bool replaces; /* may replace an existing file */
    bool is_folder;
    bool is_swapped; /* a folder that replaces one with files in it */
    bool is_aside;   /* not in place yet: has the name temp_path, or none if that is NULL */
    bool is_within;  /* an added file in a folder that is aside, and gets its final name with it */
    stele_owns_fn *owns; /* takes old files of a folder that is replaced; NULL: they stay */
    void *owns_user;
    unsigned made_folders; /* number of folders, at the end of the path, that were created */
};

/*
 * Creates a file. Until output_finish() syncs it and puts it in place, it has no name, or a
 * temporary one in the same folder. "-" is standard output. A path to something else than a regular
 * file (/dev/null, a pipe) is written to directly. A name that ends with ".gz" or ".zst" is
 * compressed accordingly. Errors, each with a finding: STELE_ERR_EXISTS unless `replace`,
 * STELE_ERR_WRITE, STELE_ERR_MEMORY.
 */
stele_status output_open(diag_sink *diag, const char *path, bool replace, output **out);

/* Creates an output that grows in memory. output_memory() gives the bytes, which hold until the
   next call. */
stele_status output_open_memory(diag_sink *diag, output **out);
const uint8_t *output_memory(const output *out, size_t *size);

/* Empties an output in memory. */
void output_clear(output *out);

/*
 * Creates a folder, to which files are added; nothing can be written to the folder itself. A new or
 * empty folder is made under a temporary name, and output_finish() puts it in place as a whole. For
 * a folder with files in it the result is STELE_ERR_EXISTS unless `replace`; then files of the same
 * name are replaced, all in one step where the file system can do that, else one by one. The others
 * stay, and output_finish() reports them. `path` NULL makes a folder in memory. Errors are those of
 * output_open().
 */
stele_status output_open_folder(diag_sink *diag, const char *path, bool replace, output **out);

/* Has a folder that is replaced hold the new files alone: see stele_output_open_folder(). To be
   called before files are added. Returns STELE_ERR_EXISTS if a file is in it that stays for sure;
   STELE_ERR_MEMORY. */
stele_status output_own(output *out, stele_owns_fn *owns, void *user);

/*
 * Adds another file of the same trace: in the folder `out`, where its name can be "folder/file", or
 * in the same folder as the file `out`. Folders are made as needed. The new output belongs to
 * `out`: it is put in place, or removed, with it. Errors: STELE_ERR_WRITE for a name that leads out
 * of the folder; STELE_ERR_UNSUPPORTED if `out` is neither a folder nor a file; those of
 * output_open().
 */
stele_status output_add(output *out, const char *name, output **member);

/* A folder of the folder: what is added to it goes there. It is closed before `out`, and finishing
   it does nothing. STELE_ERR_UNSUPPORTED where `out` is no folder; STELE_ERR_MEMORY. */
stele_status output_add_folder(output *out, const char *name, output **folder);

/* Writes the buffer to the file. Returns the first error that happened; STELE_ERR_CLOSED for a
   closed pipe. */
stele_status output_flush(output *out);

/* Ends writing to an added file: frees its buffer and closes its descriptor, since there can be
   only so many. output_finish() still puts it in place. */
stele_status output_seal(output *out);

/* Flushes the output, and puts the file and those added to it in place. */
stele_status output_finish(output *out);

/* Frees the output. Files that output_finish() has not put in place are removed. */
void output_close(output *out);

/* Makes room for `size` bytes: flushes the buffer, and enlarges it if its capacity is smaller. The
   room may be written to even after an error. Returns NULL only if out of memory. */
uint8_t *output_make_room(output *out, size_t size);

/* Returns where at least `size` bytes can be written; output_advance() then appends them. */
static inline uint8_t *output_reserve(output *out, size_t size)
{
    return (size_t)(out->end - out->at) >= size ? out->at : output_make_room(out, size);
}

static inline void output_advance(output *out, size_t size)
{
    out->at += size;
}

/* Number of bytes appended so far: the offset of the next byte. */
static inline uint64_t output_offset(const output *out)
{
    return out->flushed + (uint64_t)(out->at - out->buffer);
}

/* Appends bytes. Many bytes are written directly, without being copied to the buffer. */
void output_write(output *out, const void *bytes, size_t size);

static inline void output_text(output *out, const char *text)
{
    output_write(out, text, strlen(text));
}

static inline void output_byte(output *out, uint8_t byte)
{
    uint8_t *at = output_reserve(out, 1);
    if (at != NULL) {
        *at = byte;
        output_advance(out, 1);
    }
}

/* Appends formatted text. It is for headers and summaries, not for events. */
__attribute__((format(printf, 2, 3))) void output_printf(output *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void output_vprintf(output *out, const char *format,
                                                          va_list args);

/* output_take_options() reads the options of the public functions, and makes a sink for their
   findings. output_keep_diag() ends opening: the output owns the sink, which is freed instead if
   `status` is not STELE_OK. */
stele_status output_take_options(const stele_output_options *given, stele_output_options *options,
                                 diag_sink **diag);
stele_status output_keep_diag(stele_status status, diag_sink *diag, output **out);

/* Overwrites bytes that were written before. Possible while the buffer still holds them, or if
   is_seekable; returns false otherwise. */
bool output_patch(output *out, uint64_t offset, const void *bytes, size_t size);

#endif
