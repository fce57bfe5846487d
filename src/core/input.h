/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs: files, pipes or memory that bytes are read from. A seekable input can be read at any
   offset, by several windows at once; a sequential one (a pipe, compressed data) only from front to
   back, by one window. */
#ifndef CORE_INPUT_H
#define CORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

typedef struct input input;

typedef struct input_ops {
    /* Reads up to `size` bytes at `offset`. For a sequential input `offset` is always the end of
       the read before. `*got` may be less than `size`; 0 means the end. Reports errors of the
       system. */
    stele_status (*read)(input *in, uint64_t offset, void *buffer, size_t size, size_t *got);
    void (*close)(input *in);
} input_ops;

/* The common part of all inputs. Each kind of input has it as the first member of a struct of its
   own. */
struct input {
    const input_ops *ops;
    diag_sink *diag;
    char *name;            /* used in findings; owned */
    const uint8_t *memory; /* the bytes of an input in memory; else NULL */
    uint64_t size;         /* in bytes after unpacking; valid with has_size */
    uint64_t stored_size;  /* in bytes as stored; 0: not known */
    uint64_t stored_at;    /* bytes as stored that were consumed, for progress */
    uint64_t position;     /* sequential input: offset of the next byte to read */
    uint8_t *head;         /* sequential input: first bytes, kept for input_peek() */
    size_t head_size;
    bool has_size;
    bool is_seekable;
    bool is_ended; /* sequential input: its end was reached */
    bool waits;    /* bytes may come later: a pipe, a terminal, or a file that is followed */
    bool is_followed;
    bool is_unasked; /* the reader of this input asks go_on itself, so that reads do not */
};

/* Opens a file. A regular file is seekable; anything else is sequential. "-" is standard input. */
stele_status input_open_file(diag_sink *diag, const char *path, input **in);

/* Opens an input as input_open_file() does, from a descriptor. The input owns `fd`, also if the
   call fails. */
stele_status input_open_fd(diag_sink *diag, const char *name, int fd, input **in);

/* Opens a file that may grow, or a pipe. It is read from front to back; reading waits at its end.
   The input ends when diag_goes_on() is false, when nothing came for `idle_ms` (0: no limit), or
   when the file was replaced or became shorter, which is reported. */
stele_status input_open_followed(diag_sink *diag, const char *path, int64_t idle_ms, input **in);

/* Opens bytes in memory, which stay the caller's and must outlive the input. */
stele_status input_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                               input **in);

/* Whether an input is that of a regular file as it is stored. */
bool input_is_file(const input *in);

/* Whether opening the path of such an input again would give the same file, of the same size. */
bool input_is_current(const input *in);

/* Opens a part of a seekable input as an input of its own. `whole` must outlive it. */
stele_status input_open_range(input *whole, const char *name, uint64_t offset, uint64_t size,
                              input **in);

/* Initialises the common part of an input. Returns false if out of memory. */
bool input_init(input *in, const input_ops *ops, diag_sink *diag, const char *name);
void input_close(input *in);

/* Bytes that input_peek() gives at most. */
#define INPUT_HEAD_SIZE ((size_t)64 << 10)

/* Gives the first INPUT_HEAD_SIZE bytes, or all if there are fewer. They will be read again by
   later reads. */
stele_status input_peek(input *in, const uint8_t **bytes, size_t *size);

/* Reads `size` bytes at `offset`; fewer only at the end. A sequential input can go forward (bytes
   between are read and dropped) but not back: STELE_ERR_UNSUPPORTED. */
stele_status input_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got);

/* Whether reading at `offset` needs no waiting, because there are bytes, or the end. `offset` may
   not go back from call to call. Waits for that `wait_ms` at most; 0: does not wait, less than 0:
   no limit. */
bool input_is_ready(input *in, uint64_t offset, int64_t wait_ms);

/* Reads as input_read() does, but returns as soon as `least` bytes are there if more would have to
   be waited for. */
stele_status input_read_some(input *in, uint64_t offset, void *buffer, size_t size, size_t least,
                             size_t *got);

#endif
