/* SPDX-License-Identifier: Apache-2.0 */
/* Appends to outputs: through the buffer, in blocks, and formatted. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/array.h"
#include "core/output.h"
#include "core/output_inside.h"
#include "core/pack.h"

/* Bytes that most formatted texts fit in, so that they need not be measured first. */
#define PRINTF_ROOM ((size_t)128)

stele_status output_fail(output *out, stele_status status, const char *why)
{
    if (out->status == STELE_OK) {
        out->status = status;
        if (status != STELE_ERR_CLOSED)
            diag_report(out->diag, &core_codes[STE005],
                        out->path != NULL ? out->path : "standard output", STELE_NO_OFFSET, 0, NULL,
                        "%s", why);
    }
    return out->status;
}

stele_status output_fail_errno(output *out)
{
    return output_fail(out, errno == EPIPE ? STELE_ERR_CLOSED : STELE_ERR_WRITE, strerror(errno));
}

/* ---- Outputs in memory ---- */

const uint8_t *output_memory(const output *out, size_t *size)
{
    *size = (size_t)(out->at - out->buffer);
    return out->buffer;
}

void output_clear(output *out)
{
    out->at = out->buffer;
}

/* ---- Writing to the target ---- */

/* Waits until a descriptor can be written: another process may have made a shared pipe
   non-blocking. */
static bool output_wait(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    return poll(&room, 1, -1) >= 0 || errno == EINTR;
}

static void output_put(void *user, const uint8_t *bytes, size_t size)
{
    output *out = user;
    while (size != 0 && out->status == STELE_OK) {
        ssize_t count;
        if (!diag_goes_on(out->diag, -1)) {
            out->status = STELE_ERR_CLOSED;
            return;
        }
        count = write(out->fd, bytes, size);
        if (count >= 0) {
            bytes += count;
            size -= (size_t)count;
        } else if (errno != EINTR && !(errno == EAGAIN && output_wait(out->fd))) {
            output_fail_errno(out);
        }
    }
}

/* Passes bytes to the target. After an error they count as written, so that offsets stay
   correct. */
static void output_give(output *out, const uint8_t *bytes, size_t size)
{
    out->flushed += size;
    if (out->pack == NULL)
        output_put(out, bytes, size);
    else if (size != 0 && !packer_step(out->pack, bytes, size, false, output_put, out) &&
             out->status == STELE_OK)
        out->status = STELE_ERR_MEMORY;
}

stele_status output_end(output *out)
{
    if (output_flush(out) == STELE_OK && out->pack != NULL &&
        !packer_step(out->pack, "", 0, true, output_put, out) && out->status == STELE_OK)
        out->status = STELE_ERR_MEMORY;
    packer_close(out->pack);
    out->pack = NULL;
    return out->status;
}

stele_status output_flush(output *out)
{
    if (out->fd >= 0) {
        output_give(out, out->buffer, (size_t)(out->at - out->buffer));
        out->at = out->buffer;
    }
    return out->status;
}

uint8_t *output_make_room(output *out, size_t size)
{
    size_t used;
    uint8_t *buffer;
    output_flush(out);
    used = (size_t)(out->at - out->buffer);
    if (out->capacity - used >= size)
        return out->at;
    buffer = size <= SIZE_MAX - used
                 ? array_reserve_size(out->buffer, 1, &out->capacity, used + size)
                 : NULL;
    if (buffer == NULL) {
        if (out->status == STELE_OK)
            out->status = STELE_ERR_MEMORY;
        return NULL;
    }
    out->buffer = buffer;
    out->at = buffer + used;
    out->end = buffer + out->capacity;
    return out->at;
}

void output_write(output *out, const void *bytes, size_t size)
{
    uint8_t *to;
    if (out->fd >= 0 && size >= out->capacity) {
        output_flush(out);
        output_give(out, bytes, size);
        return;
    }
    to = output_reserve(out, size);
    if (to == NULL || size == 0)
        return;
    memcpy(to, bytes, size);
    output_advance(out, size);
}

void output_vprintf(output *out, const char *format, va_list args)
{
    va_list again;
    size_t room = PRINTF_ROOM;
    uint8_t *to = output_reserve(out, room);
    int size;
    va_copy(again, args);
    size = to != NULL ? vsnprintf((char *)to, room, format, args) : 0;
    if (size > 0 && (size_t)size >= room) {
        room = (size_t)size + 1; /* with the zero that vsnprintf() writes after the text */
        to = output_reserve(out, room);
        if (to != NULL)
            vsnprintf((char *)to, room, format, again);
    }
    if (size > 0 && to != NULL)
        output_advance(out, (size_t)size);
    va_end(again);
}

void output_printf(output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    output_vprintf(out, format, args);
    va_end(args);
}

/* Overwrites bytes that were already written to the file. */
static bool output_patch_flushed(output *out, uint64_t offset, const uint8_t *bytes, size_t size)
{
    while (size != 0) {
        const ssize_t count = pwrite(out->fd, bytes, size, (off_t)offset);
        if (count < 0 && errno != EINTR) {
            output_fail_errno(out);
            return false;
        }
        if (count > 0) {
            offset += (uint64_t)count;
            bytes += count;
            size -= (size_t)count;
        }
    }
    return true;
}

bool output_patch(output *out, uint64_t offset, const void *bytes, size_t size)
{
    const uint64_t written = output_offset(out);
    const uint8_t *from = bytes;
    if (offset > written || size > written - offset || out->status != STELE_OK)
        return false;
    if (offset < out->flushed) {
        const uint64_t left = out->flushed - offset;
        const size_t count = size < left ? size : (size_t)left;
        if (!out->is_seekable || !output_patch_flushed(out, offset, from, count))
            return false;
        offset += count;
        from += count;
        size -= count;
    }
    if (size != 0)
        memcpy(out->buffer + (size_t)(offset - out->flushed), from, size);
    return true;
}
