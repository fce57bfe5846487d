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
#include <sys/stat.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/leftovers.h"
#include "core/members.h"
#include "core/pack.h"
#include "core/path.h"

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

static stele_status output_create_aside(output *out)
{
    out->fd = aside_open(out->path, &out->temp_path);
    if (out->fd < 0)
        return output_fail_errno(out);
    out->is_aside = true;
    out->is_seekable = true;
    return STELE_OK;
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
    status = output_create_aside(out);
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
        return output_create_aside(out);
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

static stele_status open_plain(diag_sink *diag, const char *path, bool replace, output **result)
{
    output *out = output_make(diag, path);
    stele_status status;
    *result = NULL;
    if (out == NULL)
        return STELE_ERR_MEMORY;
    status = output_open_path(out, replace);
    if (status != STELE_OK) {
        output_close(out);
        return status;
    }
    *result = out;
    return STELE_OK;
}

stele_status output_open(diag_sink *diag, const char *path, bool replace, output **result)
{
    const char *packing = path_packing(path);
    stele_status status = STELE_OK;
    if (strcmp(path, "-") != 0) {
        status = open_plain(diag, path, replace, result);
    } else {
        *result = output_make(diag, NULL);
        if (*result == NULL)
            return STELE_ERR_MEMORY;
        (*result)->fd = STDOUT_FILENO;
    }
    if (status != STELE_OK || packing == NULL)
        return status;
    (*result)->pack = packer_open(packing);
    (*result)->is_seekable = false;
    if ((*result)->pack != NULL)
        return STELE_OK;
    output_close(*result);
    *result = NULL;
    return STELE_ERR_MEMORY;
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

/* Aside, so that it comes up at once, whole. The mode of an empty one that it replaces is kept. */
static stele_status output_make_aside(output *out, mode_t mode)
{
    out->temp_path = aside_folder(out->path, mode);
    if (out->temp_path == NULL)
        return output_fail_errno(out);
    out->is_aside = true;
    return STELE_OK;
}

/* A folder that is not where somebody stands, of another user, or the root of a file system.
   In those members are put one by one. */
static bool may_be_replaced(const char *path, const struct stat *st)
{
    struct stat here, parent;
    char *above = members_join(path, "..");
    const bool is_known = above != NULL && stat(".", &here) == 0 && stat(above, &parent) == 0;
    free(above);
    return is_known && st->st_uid == geteuid() && parent.st_dev == st->st_dev &&
           (here.st_dev != st->st_dev || here.st_ino != st->st_ino);
}

/* What is not replaced of one that has files stays. */
static stele_status output_make_folder(output *out, bool replace)
{
    struct stat st;
    char *target;
    size_t size = strlen(out->path);
    out->replaces = replace;
    while (size > 1 && out->path[size - 1] == '/')
        out->path[--size] = '\0';
    if (lstat(out->path, &st) != 0)
        return errno == ENOENT ? output_make_aside(out, 0) : output_fail_errno(out);
    if (stat(out->path, &st) != 0 || !S_ISDIR(st.st_mode))
        return output_fail(out, STELE_ERR_EXISTS,
                           "something of this name exists, and is no directory");
    out->is_swapped = !folder_is_empty(out->path);
    if (out->is_swapped && !replace)
        return output_fail(out, STELE_ERR_EXISTS, "a directory of this name exists, with files");
    target = realpath(out->path, NULL);
    if (target == NULL)
        return output_fail_errno(out);
    free(out->path);
    out->path = target;
    if (may_be_replaced(out->path, &st) && (!out->is_swapped || aside_can_swap(out->path))) {
        out->temp_path = aside_folder(out->path, st.st_mode & 07777);
        out->is_aside = out->temp_path != NULL;
    }
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

/* In the folder, or beside the file; `of` is that of the whole. */
static char *member_path(const output *out, const char *of, const char *name)
{
    const char *slash = strrchr(of, '/');
    const size_t folder_size = out->is_folder  ? strlen(of)
                               : slash != NULL ? (size_t)(slash - of)
                                               : 0;
    const size_t size = folder_size + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%.*s%s%s", (int)folder_size, of,
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

/* In a folder that is aside itself: there it has its name already, and goes with the folder. */
static stele_status member_open_within(const output *out, const char *name, output **member)
{
    char *path = member_path(out, out->path, name);
    char *real = member_path(out, out->temp_path, name);
    output *made = path != NULL && real != NULL ? output_make(out->diag, path) : NULL;
    stele_status status = made != NULL ? STELE_OK : STELE_ERR_MEMORY;
    free(path);
    if (made != NULL) {
        made->made_folders = make_folders(real, real + strlen(real) - strlen(name));
        made->is_seekable = made->is_within = true;
        made->temp_path = real;
        real = NULL;
        made->fd = open(made->temp_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made->fd < 0) {
            status = output_fail_errno(made);
            output_close(made);
            made = NULL;
        }
    }
    free(real);
    *member = made;
    return status;
}

static stele_status member_open(output *out, const char *name, output **member)
{
    unsigned made;
    char *path;
    stele_status status;
    *member = NULL;
    if (leads_out(name))
        return output_fail(out, STELE_ERR_WRITE, "a file's name that leads out of the folder");
    if (out->path == NULL && out->fd < 0)
        return output_open_memory(out->diag, member);
    if (out->is_within || (out->is_folder && out->is_aside))
        return member_open_within(out, name, member);
    if (!out->is_folder && !out->is_aside)
        return STELE_ERR_UNSUPPORTED;
    path = member_path(out, out->path, name);
    if (path == NULL)
        return STELE_ERR_MEMORY;
    made = make_folders(path, path + strlen(path) - strlen(name));
    status = open_plain(out->diag, path, out->replaces, member);
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

void output_clear(output *out)
{
    out->at = out->buffer;
}

/* ---- Writing ---- */

/* Another process may have made a shared pipe non-blocking: then waits for room. */
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

/* Gives bytes to the target. After an error they count as given, so that offsets stay right. */
static void output_give(output *out, const uint8_t *bytes, size_t size)
{
    out->flushed += size;
    if (out->pack == NULL)
        output_put(out, bytes, size);
    else if (size != 0 && !packer_step(out->pack, bytes, size, false, output_put, out) &&
             out->status == STELE_OK)
        out->status = STELE_ERR_MEMORY;
}

/* Nothing more is written: gives what the packer holds, too. */
static stele_status output_end(output *out)
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

void output_vprintf(output *out, const char *format, va_list args)
{
    va_list again;
    size_t room = PRINTF_ROOM;
    uint8_t *to = output_reserve(out, room);
    int size;
    va_copy(again, args);
    size = to != NULL ? vsnprintf((char *)to, room, format, args) : 0;
    if (size > 0 && (size_t)size >= room) {
        room = (size_t)size + 1; /* vsnprintf() puts a zero after the text */
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

/* Members within a folder that was put in place are where they should be. */
static void members_settle(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        members_settle(member);
        free(member->temp_path);
        member->temp_path = NULL;
        member->made_folders = 0;
        member->is_within = false;
    }
}

static stele_status output_place(output *out)
{
    bool is_placed;
    if (!out->is_folder)
        is_placed = aside_place(out->fd, out->temp_path, out->path, out->replaces);
    else if (out->is_swapped)
        is_placed = aside_swap_folder(out->temp_path, out->path);
    else
        is_placed = aside_place_folder(out->temp_path, out->path);
    if (!is_placed)
        return errno == EEXIST || errno == ENOTEMPTY
                   ? output_fail(out, STELE_ERR_EXISTS, strerror(errno))
                   : output_fail_errno(out);
    if (out->is_folder)
        members_settle(out);
    out->is_aside = false;
    free(out->temp_path);
    out->temp_path = NULL;
    aside_sync_folder_of(out->path);
    return STELE_OK;
}

/* Nothing is put in place before it would survive the machine. */
static stele_status output_sync(output *out)
{
    const bool is_synced = out->fd >= 0 ? fsync(out->fd) == 0 || errno == EINVAL || errno == EROFS
                                        : aside_sync(out->temp_path);
    return is_synced ? out->status : output_fail_errno(out);
}

/* All are synced before the first one is put in place. The first error of all members. */
static stele_status output_sync_members(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        stele_status status = output_sync_members(member);
        if (status == STELE_OK && (member->is_aside || member->is_within))
            status = output_end(member) == STELE_OK ? output_sync(member) : member->status;
        if (status == STELE_OK && member->is_within && member->made_folders != 0)
            aside_sync_folder_of(member->temp_path);
        if (out->status == STELE_OK)
            out->status = status;
    }
    return out->status;
}

static stele_status output_finish_members(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        const stele_status status = output_finish(member);
        if (out->status == STELE_OK)
            out->status = status;
    }
    return out->status;
}

/* Some file systems tell only when a file is closed that the disk is full. */
static void output_close_file(output *out)
{
    if (out->fd >= 0 && close(out->fd) != 0)
        output_fail_errno(out);
    out->fd = -1;
}

stele_status output_seal(output *out)
{
    if (output_end(out) != STELE_OK || out->fd < 0 || out->path == NULL)
        return out->status;
    if (out->is_aside && out->temp_path == NULL) {
        out->temp_path = aside_name(out->fd, out->path); /* else it were gone when it is closed */
        if (out->temp_path == NULL)
            return output_fail_errno(out);
    }
    output_close_file(out);
    free(out->buffer);
    out->buffer = out->at = out->end = NULL;
    out->capacity = 0;
    return out->status;
}

stele_status output_finish(output *out)
{
    const bool is_file = out->path != NULL && !out->is_folder;
    if (output_sync_members(out) != STELE_OK || output_finish_members(out) != STELE_OK)
        return out->status;
    if (output_end(out) == STELE_OK && out->is_aside)
        output_sync(out);
    if (out->status == STELE_OK && out->is_aside)
        output_place(out);
    if (is_file)
        output_close_file(out);
    if (out->status != STELE_OK)
        return out->status;
    if (!out->is_within)
        out->made_folders = 0; /* they stay */
    if (out->is_folder && out->replaces && out->path != NULL)
        out->status = leftovers_tell(out);
    return out->status;
}

/* Folders that were made for what was not finished go, too. */
static void output_remove_folders(const output *out)
{
    const char *from = out->is_within ? out->temp_path : out->path;
    char *path = out->made_folders != 0 ? strdup(from) : NULL;
    if (path != NULL)
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
    if (out->temp_path != NULL && out->is_folder)
        rmdir(out->temp_path);
    else if (out->temp_path != NULL)
        unlink(out->temp_path);
    output_remove_folders(out);
    packer_close(out->pack);
    free(out->temp_path);
    free(out->name);
    free(out->path);
    free(out->buffer);
    free(out->own_diag);
    free(out);
}
