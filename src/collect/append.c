/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)16 << 10)

static stele_status refuse(const append_file *f, diag_sink *diag)
{
    diag_report(diag, &core_codes[STE005], f->path, STELE_NO_OFFSET, 0, NULL, "%s",
                strerror(errno));
    return STELE_ERR_WRITE;
}

stele_status append_open(append_file *f, diag_sink *diag, const char *path)
{
    *f = (append_file){.fd = -1, .path = strdup(path), .buffer = malloc(BUFFER_SIZE)};
    if (f->path == NULL || f->buffer == NULL)
        return STELE_ERR_MEMORY;
    f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    return f->fd >= 0 ? STELE_OK : refuse(f, diag);
}

/* All or nothing: what a full disk took of it is cut off again. */
static stele_status write_all(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = write(f->fd, bytes + done, size - done);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            const stele_status status = refuse(f, diag);
            if (ftruncate(f->fd, (off_t)f->size) != 0)
                refuse(f, diag);
            return status;
        }
    }
    f->size += size;
    return STELE_OK;
}

stele_status append_flush(append_file *f, diag_sink *diag)
{
    const size_t used = f->used;
    f->used = 0;
    return used != 0 ? write_all(f, diag, f->buffer, used) : STELE_OK;
}

stele_status append_packet(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size)
{
    if (size > BUFFER_SIZE - f->used) {
        const stele_status status = append_flush(f, diag);
        if (status != STELE_OK)
            return status;
    }
    if (size > BUFFER_SIZE)
        return write_all(f, diag, bytes, size);
    memcpy(f->buffer + f->used, bytes, size);
    f->used += size;
    return STELE_OK;
}

stele_status append_close(append_file *f, diag_sink *diag)
{
    stele_status status = STELE_OK;
    if (f->path != NULL && f->fd >= 0) {
        status = append_flush(f, diag);
        if (fdatasync(f->fd) != 0 && errno != EINVAL && status == STELE_OK)
            status = refuse(f, diag);
        close(f->fd);
    }
    free(f->buffer);
    free(f->path);
    *f = (append_file){.fd = -1};
    return status;
}
