/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/aside.h"

#define BUFFER_SIZE ((size_t)16 << 10)
#define OPEN_MAX    256u /* limit of open files; fewer if the system allows fewer */

static stele_status refuse(const append_file *f, diag_sink *diag)
{
    diag_report(diag, &core_codes[STE005], f->path, STELE_NO_OFFSET, 0, NULL, "%s",
                strerror(errno));
    return STELE_ERR_WRITE;
}

/* Writes all bytes or none: if the disk is full, the part that was written is cut off again. */
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

/* Gives a file that was created aside its name, once there is something in it. */
static stele_status put_in_place(append_file *f, diag_sink *diag)
{
    if (!f->is_aside)
        return STELE_OK;
    if (!aside_place(f->fd, f->aside, f->path, false))
        return refuse(f, diag);
    free(f->aside);
    f->aside = NULL;
    f->is_aside = false;
    return STELE_OK;
}

static stele_status write_out(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size)
{
    const stele_status status = write_all(f, diag, bytes, size);
    return status == STELE_OK ? put_in_place(f, diag) : status;
}

static stele_status flush(append_file *f, diag_sink *diag)
{
    const size_t used = f->used;
    f->used = 0;
    return used != 0 ? write_out(f, diag, f->buffer, used) : STELE_OK;
}

stele_status append_flush_all(append_pool *pool, diag_sink *diag)
{
    stele_status status = STELE_OK;
    for (append_file *f = pool->newest; f != NULL && status == STELE_OK; f = f->older)
        status = flush(f, diag);
    return status;
}

/* ---- The pool of open files ---- */

static void make_newest(append_file *f)
{
    append_pool *pool = f->pool;
    f->newer = NULL;
    f->older = pool->newest;
    *(f->older != NULL ? &f->older->newer : &pool->oldest) = f;
    pool->newest = f;
    pool->open_count++;
}

static void take_out(append_file *f)
{
    append_pool *pool = f->pool;
    *(f->newer != NULL ? &f->newer->older : &pool->newest) = f->older;
    *(f->older != NULL ? &f->older->newer : &pool->oldest) = f->newer;
    pool->open_count--;
}

/* Closes the descriptor of a file, which can only be opened again by its name. */
static stele_status set_down(append_file *f, diag_sink *diag)
{
    stele_status status = flush(f, diag);
    if (status == STELE_OK)
        status = put_in_place(f, diag);
    close(f->fd);
    free(f->buffer);
    f->fd = -1;
    f->buffer = NULL;
    take_out(f);
    return status;
}

/* Opens a file to append to it: one that exists, or a new one aside. */
static int open_append(append_file *f)
{
    if (!f->is_aside)
        return open(f->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    const int fd = aside_open(f->path, &f->aside);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

static stele_status open_file(append_file *f, diag_sink *diag)
{
    append_pool *pool = f->pool;
    stele_status status = STELE_OK;
    if (pool->open_count >= OPEN_MAX)
        status = set_down(pool->oldest, diag);
    while (status == STELE_OK && (f->fd = open_append(f)) < 0)
        status = (errno == EMFILE || errno == ENFILE) && pool->oldest != NULL
                     ? set_down(pool->oldest, diag)
                     : refuse(f, diag);
    if (status != STELE_OK)
        return status;
    f->buffer = malloc(BUFFER_SIZE);
    make_newest(f);
    return f->buffer != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

stele_status append_open(append_file *f, append_pool *pool, diag_sink *diag, const char *path)
{
    *f = (append_file){.pool = pool, .fd = -1, .is_aside = true, .path = strdup(path)};
    if (f->path == NULL)
        return STELE_ERR_MEMORY;
    pool->file_count++;
    return open_file(f, diag);
}

stele_status append_packet(append_file *f, diag_sink *diag, const uint8_t *bytes, size_t size)
{
    stele_status status = STELE_OK;
    if (f->fd < 0) {
        status = open_file(f, diag);
    } else if (f->newer != NULL) {
        take_out(f);
        make_newest(f);
    }
    if (status == STELE_OK && size > BUFFER_SIZE - f->used)
        status = flush(f, diag);
    if (status != STELE_OK)
        return status;
    if (size > BUFFER_SIZE)
        return write_out(f, diag, bytes, size);
    memcpy(f->buffer + f->used, bytes, size);
    f->used += size;
    return STELE_OK;
}

stele_status append_close(append_file *f, diag_sink *diag)
{
    stele_status status = STELE_OK;
    if (f->path == NULL)
        return STELE_OK;
    /* Syncs bytes, too, that were written before the file was closed to make room. */
    if (f->fd < 0 && f->size != 0)
        status = open_file(f, diag);
    if (f->fd >= 0) {
        if (status == STELE_OK)
            status = flush(f, diag);
        if (status == STELE_OK)
            status = put_in_place(f, diag);
        if (fdatasync(f->fd) != 0 && errno != EINVAL && status == STELE_OK)
            status = refuse(f, diag);
        close(f->fd);
        take_out(f);
    }
    if (f->aside != NULL)
        unlink(f->aside);
    f->pool->file_count--;
    free(f->aside);
    free(f->buffer);
    free(f->path);
    *f = (append_file){.fd = -1};
    return status;
}

stele_status append_once(append_pool *pool, diag_sink *diag, const char *path, uint64_t size,
                         const uint8_t *bytes, size_t added, bool is_last)
{
    append_file f = {.pool = pool, .fd = -1, .size = size, .path = strdup(path)};
    stele_status status = f.path != NULL ? open_file(&f, diag) : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = write_all(&f, diag, bytes, added);
    if (status == STELE_OK && is_last && fdatasync(f.fd) != 0 && errno != EINVAL)
        status = refuse(&f, diag);
    if (f.fd >= 0) {
        close(f.fd);
        take_out(&f);
    }
    free(f.buffer);
    free(f.path);
    return status;
}
