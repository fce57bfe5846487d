/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs: where bytes come from. A seekable input can be read at any offset, by several windows at
 * once; a sequential one (a pipe, compressed data) from front to back, by one window.
 */
#ifndef CORE_INPUT_H
#define CORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

typedef struct input input;

typedef struct input_ops {
    /* Reads up to `size` bytes at `offset`, which a sequential input always sees rise without a
       gap. Fewer than asked is no end; `*got` == 0 is. Reports what the system refused. */
    stele_status (*read)(input *in, uint64_t offset, void *buffer, size_t size, size_t *got);
    void (*close)(input *in);
} input_ops;

/* Kinds of input put this first in a struct of their own. */
struct input {
    const input_ops *ops;
    diag_sink *diag;
    char *name;            /* for findings; owned */
    const uint8_t *memory; /* the whole input, when it is in memory; else NULL */
    uint64_t size;         /* valid with has_size; after unpacking */
    uint64_t stored_size;  /* as stored, 0: not known */
    uint64_t stored_at;    /* bytes as stored that were consumed, for progress */
    uint64_t position;     /* of a sequential input: next byte of `read` */
    uint8_t *head;         /* of a sequential input: first bytes, kept for those who peek */
    size_t head_size;
    bool has_size;
    bool is_seekable;
    bool is_ended; /* of a sequential input */
    bool waits;    /* bytes may come later: a pipe, a terminal, a file that is followed */
    bool is_followed;
    bool is_unasked; /* whoever has it read asks whether to go on */
};

/* A regular file is seekable; anything else that can be opened is sequential. "-" is stdin. */
stele_status input_open_file(diag_sink *diag, const char *path, input **in);

/* The same for a file that is open already; the input owns `fd`, also when this fails. */
stele_status input_open_fd(diag_sink *diag, const char *name, int fd, input **in);

/*
 * A file that may grow, or a pipe: read from front to back, and at its end waited for, until
 * diag_goes_on() is false, nothing came for `idle_ms` (0: however long), or the file was replaced
 * or became shorter, which is reported. Then it is at its end.
 */
stele_status input_open_followed(diag_sink *diag, const char *path, int64_t idle_ms, input **in);

/* Bytes that stay the caller's and must outlive the input. */
stele_status input_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                               input **in);

/* A part of a seekable input as an input of its own; `whole` must outlive it. */
stele_status input_open_range(input *whole, const char *name, uint64_t offset, uint64_t size,
                              input **in);

/* Sets up the common part of an input; false when memory is exhausted. */
bool input_init(input *in, const input_ops *ops, diag_sink *diag, const char *name);
void input_close(input *in);

#define INPUT_HEAD_SIZE ((size_t)64 << 10)

/* The first bytes, INPUT_HEAD_SIZE or as many as there are; what was peeked is still read later. */
stele_status input_peek(input *in, const uint8_t **bytes, size_t *size);

/*
 * Reads `size` bytes at `offset`; fewer only at the end. A sequential input can go forward (what
 * lies between is read and dropped), not back: STELE_ERR_UNSUPPORTED.
 */
stele_status input_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got);

/*
 * Whether reading at an offset, which rises, needs no waiting: bytes are there, or the end is.
 * Waits for it `wait_ms` at most; 0 does not wait, less than 0 waits as long as it takes.
 */
bool input_is_ready(input *in, uint64_t offset, int64_t wait_ms);

/* As input_read(), but of an input that waits `least` bytes are enough. */
stele_status input_read_some(input *in, uint64_t offset, void *buffer, size_t size, size_t least,
                             size_t *got);

#endif
