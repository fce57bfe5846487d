/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded view that slides over an input. Decoders look at [at, end), step `at` forward, and ask
 * for more when a record is not all there; the bytes before `at` may then be gone, but for the last
 * `keep` of them.
 */
#ifndef CORE_WINDOW_H
#define CORE_WINDOW_H

#include "core/input.h"

typedef struct window {
    const uint8_t *at;    /* next byte to decode */
    const uint8_t *end;   /* after the last byte that is loaded */
    const uint8_t *data;  /* first byte that is loaded */
    uint64_t data_offset; /* its offset in the input */
    uint64_t stop;        /* offset where the range of this window ends */
    input *in;
    uint8_t *buffer; /* NULL over memory */
    size_t capacity, capacity_max;
    size_t keep;         /* bytes before `at` that stay loaded; set with window_keep() */
    stele_status status; /* of the last read that failed, else STELE_OK */
} window;

/*
 * Opens on [start, stop) of an input; `stop` UINT64_MAX is its end. `size` is what is read at
 * once, `size_max` the longest record that can be asked for. STELE_ERR_MEMORY.
 */
stele_status window_open(window *w, input *in, uint64_t start, uint64_t stop, size_t size,
                         size_t size_max);
void window_close(window *w);

/* From now on `size` bytes before `at` stay loaded, as far as the range had so many. */
void window_keep(window *w, size_t size);

/* Goes to another range of the input, which need not be seekable if it lies ahead. */
void window_move(window *w, uint64_t start, uint64_t stop);

/* Reads until `want` bytes are there, or the range, the input or `capacity_max` ends it. */
size_t window_fill(window *w, size_t want);

/* How many bytes are there from `at`, at least `want` unless there are no more: the range or the
   input ends, reading failed (see `status`), or `want` is more than `size_max`. */
static inline size_t window_need(window *w, size_t want)
{
    const size_t left = (size_t)(w->end - w->at);
    return left >= want ? left : window_fill(w, want);
}

/*
 * Whether `want` bytes are there, or will never be. False: the input may yet give them, but did not
 * within `wait_ms` (0: at once, less than 0: however long). What is longer than `size_max` is not
 * waited for here.
 */
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

/* Steps over `size` bytes, loaded or not; false when the range ends before that. */
bool window_skip(window *w, uint64_t size);

#endif
