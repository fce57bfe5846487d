/* SPDX-License-Identifier: Apache-2.0 */
/* A window: a bounded view that slides over an input. A decoder reads [at, end), moves `at`
   forward, and asks for more if a record is not completely there. Bytes before `at` may then be
   gone, except the last `keep` of them. */
#ifndef CORE_WINDOW_H
#define CORE_WINDOW_H

#include "core/input.h"

typedef struct window {
    const uint8_t *at;    /* next byte to decode */
    const uint8_t *end;   /* after the last loaded byte */
    const uint8_t *data;  /* first loaded byte */
    uint64_t data_offset; /* offset of `data` in the input */
    uint64_t stop;        /* offset in the input at which the window's range ends */
    input *in;
    uint8_t *buffer; /* NULL for an input in memory */
    size_t capacity, capacity_max;
    size_t keep;         /* number of bytes before `at` that stay loaded: see window_keep() */
    stele_status status; /* of the last read that failed; STELE_OK: none failed */
} window;

/* Opens a window on [start, stop) of an input; `stop` UINT64_MAX is its end. `size` is how many
   bytes are read at once, `size_max` the longest record that can be asked for. Errors:
   STELE_ERR_MEMORY. */
stele_status window_open(window *w, input *in, uint64_t start, uint64_t stop, size_t size,
                         size_t size_max);
void window_close(window *w);

/* From now on keeps `size` bytes before `at` loaded, or all from the start of the range if there
   are fewer. */
void window_keep(window *w, size_t size);

/* Moves the window to another range of the input. An input that is not seekable can only go
   forward. */
void window_move(window *w, uint64_t start, uint64_t stop);

/* Loads bytes until `want` are there from `at`, or the range, the input or `capacity_max` ends it.
   Returns how many there are. */
size_t window_fill(window *w, size_t want);

/* Returns how many bytes are there from `at`: at least `want`, unless the range or the input ends,
   reading failed (see `status`), or `want` is more than `size_max`. */
static inline size_t window_need(window *w, size_t want)
{
    const size_t left = (size_t)(w->end - w->at);
    return left >= want ? left : window_fill(w, want);
}

/* Whether `want` bytes are there, or will never be. Returns false if the input may still get them,
   but did not within `wait_ms` (0: does not wait, less than 0: no limit). Does not wait for more
   than `size_max` bytes. */
bool window_await(window *w, size_t want, int64_t wait_ms);

/* Offset in the input of a byte that is loaded. */
static inline uint64_t window_offset_of(const window *w, const uint8_t *at)
{
    return w->data_offset + (uint64_t)(at - w->data);
}

static inline uint64_t window_offset(const window *w)
{
    return window_offset_of(w, w->at);
}

/* Moves `at` over `size` bytes, loaded or not. Returns false if the range ends before that. */
bool window_skip(window *w, uint64_t size);

#endif
