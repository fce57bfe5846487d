/* SPDX-License-Identifier: Apache-2.0 */
/* realpath() */
#define _XOPEN_SOURCE 700

#include "core/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/leftovers.h"

#define BUFFER_SIZE ((size_t)64 << 10)

/* What formatted text mostly fits in, so that it need not be measured first. */
#define PRINTF_ROOM ((size_t)128)

static stele_status output_fail(output *out, stele_status status, const char *why)
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

static stele_status output_fail_errno(output *out)
{
    return output_fail(out, errno == EPIPE ? STELE_ERR_CLOSED : STELE_ERR_WRITE, strerror(errno));
}

/* ---- Opening ---- */

static output *output_make(diag_sink *diag, const char *path)
{
    output *out = calloc(1, sizeof *out);
    if (out == NULL)
        return NULL;
    out->diag = diag;
    out->fd = -1;
    out->capacity = BUFFER_SIZE;
    out->buffer = malloc(out->capacity);
    out->path = path != NULL ? strdup(path) : NULL;
    if (out->buffer == NULL || (path != NULL && out->path == NULL)) {
        output_close(out);
        return NULL;
    }
    out->at = out->buffer;
    out->end = out->buffer + out->capacity;
    return out;
}

/* A name nobody can guess, created exclusively, so that the mode is what the umask makes of it. */
static stele_status output_create_temp(output *out)
{
    const char *slash = strrchr(out->path, '/');
    const int folder_size = slash != NULL ? (int)(slash - out->path + 1) : 0;
    const size_t size = (size_t)folder_size + sizeof ".stele-0123456789abcdef.part";
    char *name = malloc(size);
    if (name == NULL)
        return out->status = STELE_ERR_MEMORY;
    for (int tries = 0; tries < 100; tries++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            break;
        snprintf(name, size, "%.*s.stele-%016llx.part", folder_size, out->path,
                 (unsigned long long)random);
        out->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0) {
            out->temp_path = name;
            out->is_seekable = true;
            return STELE_OK;
        }
        if (errno != EEXIST)
            break;
    }
    free(name);
    return output_fail_errno(out);
}

/* An existing file is replaced where it lies: links to it stay, and so does its mode. */
static stele_status output_take_place_of(output *out, mode_t mode)
{
    char *target = realpath(out->path, NULL);
    stele_status status;
    if (target == NULL)
        return output_fail_errno(out);
    free(out->path);
    out->path = target;
    status = output_create_temp(out);
    if (status == STELE_OK && fchmod(out->fd, mode & 0777) != 0)
        status = output_fail_errno(out);
    return status;
}

static stele_status output_open_path(output *out, bool replace)
{
    struct stat st;
    out->replaces = replace;
    if (stat(out->path, &st) != 0) {
        /* A link that leads nowhere is a name that is taken, too. */
        if (!replace && lstat(out->path, &st) == 0)
            return output_fail(out, STELE_ERR_EXISTS, "a link of this name exists");
        return output_create_temp(out);
    }
    if (S_ISDIR(st.st_mode))
        return output_fail(out, STELE_ERR_WRITE, "a directory of this name exists");
    if (!S_ISREG(st.st_mode)) {
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return out->fd >= 0 ? STELE_OK : output_fail_errno(out);
    }
    if (!replace)
        return output_fail(out, STELE_ERR_EXISTS, "a file of this name exists");
    return output_take_place_of(out, st.st_mode);
}

stele_status output_open(diag_sink *diag, const char *path, bool replace, output **result)
{
    const bool is_stdout = strcmp(path, "-") == 0;
    output *out = output_make(diag, is_stdout ? NULL : path);
    stele_status status = STELE_OK;
    *result = NULL;
    if (out == NULL)
        return STELE_ERR_MEMORY;
    if (is_stdout)
        out->fd = STDOUT_FILENO;
    else
        status = output_open_path(out, replace);
    if (status != STELE_OK) {
        output_close(out);
        return status;
    }
    *result = out;
    return STELE_OK;
}

stele_status output_open_memory(diag_sink *diag, output **result)
{
    *result = output_make(diag, NULL);
    if (*result == NULL)
        return STELE_ERR_MEMORY;
    (*result)->is_seekable = true;
    return STELE_OK;
}

/* ---- Several files ---- */

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;
    if (folder == NULL)
        return true; /* and what is wrong shows when a file is made in it */
    while (count < 3 && readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count < 3; /* "." and ".." */
}

static stele_status output_make_folder(output *out, bool replace)
{
    struct stat st;
    out->replaces = replace;
    if (mkdir(out->path, 0777) == 0) {
        out->made_folders = 1;
        return STELE_OK;
    }
    if (errno != EEXIST)
        return output_fail_errno(out);
    if (stat(out->path, &st) != 0 || !S_ISDIR(st.st_mode))
        return output_fail(out, STELE_ERR_EXISTS,
                           "something of this name exists, and is no directory");
    if (!replace && !folder_is_empty(out->path))
        return output_fail(out, STELE_ERR_EXISTS, "a directory of this name exists, with files");
    return STELE_OK;
}

stele_status output_open_folder(diag_sink *diag, const char *path, bool replace, output **result)
{
    output *out = output_make(diag, path);
    stele_status status = STELE_OK;
    *result = NULL;
    if (out == NULL)
        return STELE_ERR_MEMORY;
    out->is_folder = true;
    if (path != NULL)
        status = output_make_folder(out, replace);
    if (status != STELE_OK) {
        output_close(out);
        return status;
    }
    *result = out;
    return STELE_OK;
}

/* In the folder, or beside the file. */
static char *member_path(const output *out, const char *name)
{
    const char *slash = strrchr(out->path, '/');
    const size_t folder_size = out->is_folder  ? strlen(out->path)
                               : slash != NULL ? (size_t)(slash - out->path)
                                               : 0;
    const size_t size = folder_size + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%.*s%s%s", (int)folder_size, out->path,
                 out->is_folder || slash != NULL ? "/" : "", name);
    return path;
}

/* Makes the folders that `path` names from `from` on; how many were not there before. */
static unsigned make_folders(char *path, char *from)
{
    unsigned count = 0;
    for (char *end = strchr(from, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        count += mkdir(path, 0777) == 0; /* else opening says why not */
        *end = '/';
    }
    return count;
}

/* Removes the last `count` folders of a path to a file. */
static void remove_folders(char *path, unsigned count)
{
    for (; count != 0; count--) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

/* Names may come from archives, which anybody can make. */
static bool leads_out(const char *name)
{
    const char *at = name;
    if (*at == '/')
        return true;
    for (; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

static stele_status member_open(output *out, const char *name, output **member)
{
    unsigned made;
    char *path;
    stele_status status;
    if (leads_out(name))
        return output_fail(out, STELE_ERR_WRITE, "a file's name that leads out of the folder");
    if (out->path == NULL && out->fd < 0)
        return output_open_memory(out->diag, member);
    if (!out->is_folder && out->temp_path == NULL)
        return STELE_ERR_UNSUPPORTED;
    path = member_path(out, name);
    if (path == NULL)
        return STELE_ERR_MEMORY;
    made = make_folders(path, path + strlen(path) - strlen(name));
    status = output_open(out->diag, path, out->replaces, member);
    if (status == STELE_OK)
        (*member)->made_folders = made;
    else
        remove_folders(path, made);
    free(path);
    return status;
}

stele_status output_add(output *out, const char *name, output **result)
{
    stele_status status = member_open(out, name, result);
    if (status != STELE_OK)
        return status;
    (*result)->name = strdup(name);
    if ((*result)->name == NULL) {
        output_close(*result);
        *result = NULL;
        return STELE_ERR_MEMORY;
    }
    if (out->last_member != NULL)
        out->last_member->next = *result;
    else
        out->members = *result;
    out->last_member = *result;
    return STELE_OK;
}

const uint8_t *output_memory(const output *out, size_t *size)
{
    *size = (size_t)(out->at - out->buffer);
    return out->buffer;
}

/* ---- Writing ---- */

/* Another process may have made a shared pipe non-blocking: then waits for room. */
static bool output_wait(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    return poll(&room, 1, -1) >= 0 || errno == EINTR;
}

/* Gives bytes to the target. After an error they count as given, so that offsets stay right. */
static void output_give(output *out, const uint8_t *bytes, size_t size)
{
    out->flushed += size;
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
    size_t used, capacity = out->capacity;
    uint8_t *buffer;
    output_flush(out);
    used = (size_t)(out->at - out->buffer);
    if (capacity - used >= size)
        return out->at;
    while (capacity - used < size && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    buffer = capacity - used >= size ? realloc(out->buffer, capacity) : NULL;
    if (buffer == NULL) {
        if (out->status == STELE_OK)
            out->status = STELE_ERR_MEMORY;
        return NULL;
    }
    out->buffer = buffer;
    out->capacity = capacity;
    out->at = buffer + used;
    out->end = buffer + capacity;
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

void output_printf(output *out, const char *format, ...)
{
    va_list args, again;
    size_t room = PRINTF_ROOM;
    uint8_t *to = output_reserve(out, room);
    int size;
    va_start(args, format);
    va_copy(again, args);
    size = to != NULL ? vsnprintf((char *)to, room, format, args) : 0;
    if (size > 0 && (size_t)size >= room) {
        room = (size_t)size + 1; /* vsnprintf() puts a zero behind the text */
        to = output_reserve(out, room);
        if (to != NULL)
            vsnprintf((char *)to, room, format, again);
    }
    if (size > 0 && to != NULL)
        output_advance(out, (size_t)size);
    va_end(again);
    va_end(args);
}

/* Overwrites bytes that the target has already. */
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

/* ---- Finishing ---- */

/*
 * Gives the file its name only if that is still free. Where there are no hard links the name is
 * taken by an empty file first, which nobody else can have made.
 */
static bool output_place_new(const output *out)
{
    int fd;
    if (link(out->temp_path, out->path) == 0) {
        unlink(out->temp_path);
        return true;
    }
    if (errno == EEXIST)
        return false;
    fd = open(out->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(out->temp_path, out->path) == 0)
        return true;
    const int why = errno;
    unlink(out->path);
    errno = why;
    return false;
}

static stele_status output_place(output *out)
{
    const bool is_placed =
        out->replaces ? rename(out->temp_path, out->path) == 0 : output_place_new(out);
    if (!is_placed)
        return errno == EEXIST ? output_fail(out, STELE_ERR_EXISTS, strerror(errno))
                               : output_fail_errno(out);
    free(out->temp_path);
    out->temp_path = NULL;
    return STELE_OK;
}

/* The first error of all members. */
static stele_status output_finish_members(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        const stele_status status = output_finish(member);
        if (out->status == STELE_OK)
            out->status = status;
    }
    return out->status;
}

stele_status output_seal(output *out)
{
    if (output_flush(out) != STELE_OK || out->fd < 0 || out->path == NULL)
        return out->status;
    /* Some file systems tell only now that the disk is full. */
    if (close(out->fd) != 0)
        output_fail_errno(out);
    out->fd = -1;
    free(out->buffer);
    out->buffer = out->at = out->end = NULL;
    out->capacity = 0;
    return out->status;
}

stele_status output_finish(output *out)
{
    if (output_finish_members(out) != STELE_OK)
        return out->status;
    out->made_folders = 0; /* they stay */
    if (output_seal(out) == STELE_OK && out->temp_path != NULL)
        output_place(out);
    if (out->status == STELE_OK && out->is_folder && out->replaces && out->path != NULL)
        out->status = leftovers_tell(out);
    return out->status;
}

/* Folders that were made for what was not finished go, too. */
static void output_remove_folders(const output *out)
{
    char *path = out->made_folders != 0 ? malloc(strlen(out->path) + 2) : NULL;
    if (path == NULL)
        return;
    strcpy(path, out->path);
    if (out->is_folder)
        strcat(path, "/");
    remove_folders(path, out->made_folders);
    free(path);
}

/* The last ones first: folders were made for the first file in them. */
static void output_close_members(output *out)
{
    output *last = NULL;
    for (output *member = out->members, *next; member != NULL; member = next) {
        next = member->next;
        member->next = last;
        last = member;
    }
    for (output *next; last != NULL; last = next) {
        next = last->next;
        output_close(last);
    }
}

void output_close(output *out)
{
    if (out == NULL)
        return;
    output_close_members(out);
    if (out->fd >= 0 && out->path != NULL)
        close(out->fd);
    if (out->temp_path != NULL)
        unlink(out->temp_path);
    output_remove_folders(out);
    free(out->temp_path);
    free(out->name);
    free(out->path);
    free(out->buffer);
    free(out);
}
