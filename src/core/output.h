/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output. Writers append unchecked after output_reserve(); an error is kept and reported
 * by output_flush() and output_finish(), so that no append needs to be tested.
 */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stele/output.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/diag.h"

/* What <stele/output.h> shows to others. */
typedef struct stele_output output;

struct stele_output {
    uint8_t *at, *end; /* free room of the buffer */
    uint8_t *buffer;
    size_t capacity;
    uint64_t flushed;    /* bytes given to the target, or to be packed, so far */
    struct packer *pack; /* NULL: as they are */
    stele_status status;
    diag_sink *diag;
    diag_sink *own_diag;                  /* freed with it; NULL: `diag` is somebody else's */
    char *path, *temp_path;               /* NULL for memory and standard output */
    char *name;                           /* of a member; NULL for others */
    output *members, *last_member, *next; /* in the order of being added */
    int fd;                               /* -1: memory or a folder */
    bool is_seekable;
    bool replaces; /* an existing file */
    bool is_folder;
    bool is_swapped; /* a folder that takes the place of one with files in it */
    bool is_aside;   /* not in place yet: under temp_path, or without a name where that is NULL */
    bool is_within;  /* a member of a folder that is aside; it goes with that */
    unsigned made_folders; /* folders that were not there before: the last ones of the path */
};

/*
 * Creates a file: it has no name, or a temporary one beside its own, until output_finish() syncs it
 * and puts it in place. "-" is standard output. STELE_ERR_EXISTS unless `replace`; STELE_ERR_WRITE,
 * STELE_ERR_MEMORY; each with a finding. A path that is no regular file (/dev/null, a pipe) is
 * written straight. What ends with ".gz" or ".zst" is packed so.
 */
stele_status output_open(diag_sink *diag, const char *path, bool replace, output **out);

/* Grows in memory; output_memory() gives what was written, valid until the next call. */
stele_status output_open_memory(diag_sink *diag, output **out);
const uint8_t *output_memory(const output *out, size_t *size);

/* Forgets what was written to an output in memory. */
void output_clear(output *out);

/*
 * A folder, to which files are added; nothing is written to it itself. A new or empty one is made
 * aside, and output_finish() puts it in place as a whole. One with files in it is STELE_ERR_EXISTS
 * unless `replace`, and then those of the same name are replaced, all at once where the file system
 * can do that, else one by one; the others stay, and output_finish() reports them. NULL as path is
 * a folder in memory. Errors as of output_open().
 */
stele_status output_open_folder(diag_sink *diag, const char *path, bool replace, output **out);

/*
 * Another file of the same trace: in the folder, in which its name can be "folder/file", or beside
 * the file. Folders are made as needed; names that lead out of it are STELE_ERR_WRITE. It belongs
 * to `out`: put in place, or removed, when `out` is. STELE_ERR_UNSUPPORTED beside what is no file,
 * else as output_open().
 */
stele_status output_add(output *out, const char *name, output **member);

/* Writes out the buffer; the first error that happened, STELE_ERR_CLOSED for a closed pipe. */
stele_status output_flush(output *out);

/* Nothing more will be written: gives back the buffer and the open file, of which there can only be
   so many. The file still waits to be put in place. */
stele_status output_seal(output *out);

/* Flushes and puts the file and its members in place. */
stele_status output_finish(output *out);

/* Frees it; without output_finish() the file under the temporary name is removed. */
void output_close(output *out);

/* Makes room when there is too little: flushes, and grows for `size` beyond the capacity. Gives
   room that may be written to even after an error. NULL only when memory is exhausted. */
uint8_t *output_make_room(output *out, size_t size);

/* At least `size` bytes to be written at the pointer, followed by output_advance(). */
static inline uint8_t *output_reserve(output *out, size_t size)
{
    return (size_t)(out->end - out->at) >= size ? out->at : output_make_room(out, size);
}

static inline void output_advance(output *out, size_t size)
{
    out->at += size;
}

/* Offset of the next byte. */
static inline uint64_t output_offset(const output *out)
{
    return out->flushed + (uint64_t)(out->at - out->buffer);
}

/* Appends; long runs go around the buffer. */
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

/* Appends formatted text; for headers and summaries, not for events. */
__attribute__((format(printf, 2, 3))) void output_printf(output *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void output_vprintf(output *out, const char *format,
                                                          va_list args);

/*
 * What users of <stele/output.h> give, with a sink for what goes wrong; and the end of opening: the
 * output keeps the sink, which is freed when `status` is not STELE_OK.
 */
stele_status output_take_options(const stele_output_options *given, stele_output_options *options,
                                 diag_sink **diag);
stele_status output_keep_diag(stele_status status, diag_sink *diag, output **out);

/* Overwrites bytes written before, where the target can seek (see is_seekable) or still holds
   them; false where it cannot. */
bool output_patch(output *out, uint64_t offset, const void *bytes, size_t size);

#endif
