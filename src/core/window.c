/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define WINDOW_SIZE_MIN ((size_t)4 << 10)

stele_status window_open(window *w, input *in, uint64_t start, uint64_t stop, size_t size,
                         size_t size_max)
{
    *w = (window){.in = in};
    if (size < WINDOW_SIZE_MIN)
        size = WINDOW_SIZE_MIN;
    if (in->memory == NULL) {
        w->buffer = malloc(size);
        if (w->buffer == NULL)
            return STELE_ERR_MEMORY;
        w->capacity = size;
        w->capacity_max = size_max > size ? size_max : size;
    }
    window_move(w, start, stop);
    return STELE_OK;
}

void window_close(window *w)
{
    free(w->buffer);
    *w = (window){0};
}

void window_move(window *w, uint64_t start, uint64_t stop)
{
    if (w->in->has_size && stop > w->in->size)
        stop = w->in->size;
    if (start > stop)
        start = stop;
    w->stop = stop;
    w->status = STELE_OK;
    if (w->in->memory != NULL) {
        /* The whole range is in memory: it is not copied, and tools find reads beyond it. */
        w->data = w->at = w->in->memory + start;
        w->end = w->in->memory + stop;
    } else {
        w->data = w->at = w->end = w->buffer;
    }
    w->data_offset = start;
}

/* Enlarges the buffer to `want` bytes, capacity_max at most. Returns false if out of memory; the
   window is then unchanged except for its status. */
static bool window_grow(window *w, size_t want)
{
    size_t capacity = w->capacity;
    uint8_t *buffer;
    if (want > w->capacity_max)
        want = w->capacity_max;
    while (capacity < want)
        capacity = capacity > w->capacity_max / 2 ? w->capacity_max : capacity * 2;
    if (capacity == w->capacity)
        return true;
    buffer = array_fit(w->buffer, 1, capacity);
    if (buffer == NULL) {
        w->status = STELE_ERR_MEMORY;
        return false;
    }
    /* The buffer may have moved, and all positions with it. */
    w->at = buffer + (w->at - w->buffer);
    w->end = buffer + (w->end - w->buffer);
    w->data = w->buffer = buffer;
    w->capacity = capacity;
    return true;
}

void window_keep(window *w, size_t size)
{
    /* Kept bytes must not reduce the longest record that fits. */
    w->capacity_max += size - w->keep;
    w->keep = size;
}

/* Moves the `kept` bytes before `at`, and all after it, to the start of the buffer. */
static void window_compact(window *w, size_t kept)
{
    const uint8_t *from = w->at - kept;
    const size_t loaded = (size_t)(w->end - from);
    if (from == w->buffer)
        return;
    w->data_offset = window_offset_of(w, from);
    memmove(w->buffer, from, loaded);
    w->data = w->buffer;
    w->at = w->buffer + kept;
    w->end = w->buffer + loaded;
}

size_t window_fill(window *w, size_t want)
{
    size_t left = (size_t)(w->end - w->at), kept;
    /* In memory everything is loaded already; after an error nothing more is. */
    if (w->buffer == NULL || w->status != STELE_OK)
        return left;
    kept = (size_t)(w->at - w->buffer);
    if (kept > w->keep)
        kept = w->keep;
    window_compact(w, kept);
    /* From here on at == buffer + kept: the room is what is left of the capacity after it. */
    if (want > w->capacity - kept && !window_grow(w, want < SIZE_MAX - kept ? want + kept : want))
        return left;
    /* Each turn loads bytes, or ends at the range, the input or an error. */
    while (left < want && left < w->capacity - kept) {
        const uint64_t offset = window_offset_of(w, w->end);
        const uint64_t range = w->stop - offset;
        size_t room = w->capacity - kept - left, got;
        if (room > range)
            room = (size_t)range;
        if (room == 0)
            break;
        w->status = input_read_some(w->in, offset, w->buffer + kept + left, room,
                                    want - left < room ? want - left : room, &got);
        left += got;
        w->end += got;
        if (w->status != STELE_OK || got == 0)
            break;
    }
    return left;
}

bool window_await(window *w, size_t want, int64_t wait_ms)
{
    size_t left = (size_t)(w->end - w->at);
    if (!w->in->waits || want > w->capacity_max)
        return true;
    while (left < want && w->status == STELE_OK) {
        const uint64_t offset = window_offset_of(w, w->end);
        size_t now;
        if (!input_is_ready(w->in, offset, wait_ms))
            return false;
        /* One byte more than there is: the fill returns what is ready instead of waiting for
           all. */
        now = window_fill(w, left + 1);
        if (now == left)
            return true;
        left = now;
    }
    return true;
}

bool window_skip(window *w, uint64_t size)
{
    const uint64_t left = (uint64_t)(w->end - w->at);
    const uint64_t offset = window_offset(w);
    if (size <= left) {
        w->at += size;
        return true;
    }
    if (size > w->stop - offset)
        return false;
    if (w->buffer == NULL)
        return false;
    /* The target is not loaded: the window moves there, and loads nothing before it is needed. */
    window_move(w, offset + size, w->stop);
    /* An input of unknown size may end before `stop`, which only reading can find out. */
    return w->in->has_size || window_need(w, 1) > 0 || w->in->position >= offset + size;
}
