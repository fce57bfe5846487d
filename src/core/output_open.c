/* SPDX-License-Identifier: Apache-2.0 */
/* Opens outputs: files, memory, folders, and files that are added to others. */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/members.h"
#include "core/output.h"
#include "core/output_inside.h"
#include "core/pack.h"
#include "core/path.h"
#include "core/replaced.h"

static output *output_make(diag_sink *diag, const char *path)
{
    output *out = calloc(1, sizeof *out);
    if (out == NULL)
        return NULL;
    out->diag = diag;
    out->fd = -1;
    out->capacity = OUTPUT_BUFFER_SIZE;
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

/* Creates the output that will replace an existing file: at the path that links lead to, so that
   the links stay, and with the file's mode. */
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
        /* The name is a link that leads to nothing. It counts as taken. */
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

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;
    if (folder == NULL)
        return true; /* creating a file in it will report what is wrong */
    while (count < 3 && readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count < 3; /* "." and ".." */
}

/* Creates a folder aside, so that it appears at once with all of its files. `mode` is that of the
   empty folder that it replaces, 0 for none. */
static stele_status output_make_aside(output *out, mode_t mode)
{
    out->temp_path = aside_folder(out->path, mode);
    if (out->temp_path == NULL)
        return output_fail_errno(out);
    out->is_aside = true;
    return STELE_OK;
}

/* Whether a folder can be replaced as a whole: it is not the working directory, not of another
   user, and not the root of a file system. Otherwise its files are put in place one by one. */
static bool may_be_replaced(const char *path, const struct stat *st)
{
    struct stat here, parent;
    char *above = members_join(path, "..");
    const bool is_known = above != NULL && stat(".", &here) == 0 && stat(above, &parent) == 0;
    free(above);
    return is_known && st->st_uid == geteuid() && parent.st_dev == st->st_dev &&
           (here.st_dev != st->st_dev || here.st_ino != st->st_ino);
}

/* Creates the folder of an output, or prepares to replace one that exists; files of the old one
   that are not replaced stay. */
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

stele_status output_own(output *out, stele_owns_fn *owns, void *user)
{
    if (owns == NULL || !out->is_swapped)
        return STELE_OK;
    out->owns = owns;
    out->owns_user = user;
    return replaced_check(out, true);
}

/* Path of an added file: in the folder `of`, or in the folder that the file `of` is in. */
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

/* Creates the folders of `path` whose names begin at `from` or later. Returns how many did not
   exist. */
static unsigned make_folders(char *path, char *from)
{
    unsigned count = 0;
    for (char *end = strchr(from, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        /* Opening the file reports why a folder could not be created. */
        count += mkdir(path, 0777) == 0;
        *end = '/';
    }
    return count;
}

/* Whether a name leads out of its folder: names can come from archives that anybody made. */
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

/* Creates a file in a folder that is aside. It has its final name within that folder, and is put in
   place with it. */
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
        output_forget_folders(path, made);
    free(path);
    return status;
}

/* Adds a file to the folder that this one is in. */
static stele_status add_below(output *out, const char *name, output **result)
{
    const size_t size = strlen(out->name) + strlen(name) + 2;
    char *path = malloc(size);
    stele_status status;
    *result = NULL;
    if (path == NULL)
        return STELE_ERR_MEMORY;
    snprintf(path, size, "%s/%s", out->name, name);
    status = output_add(out->outer, path, result);
    free(path);
    return status;
}

stele_status output_add_folder(output *out, const char *name, output **folder)
{
    output *made;
    *folder = NULL;
    if (!out->is_folder && (out->path != NULL || out->fd >= 0))
        return STELE_ERR_UNSUPPORTED;
    made = output_make(out->diag, NULL);
    if (made == NULL || (made->name = strdup(name)) == NULL) {
        output_close(made);
        return STELE_ERR_MEMORY;
    }
    made->outer = out;
    made->is_folder = true;
    *folder = made;
    return STELE_OK;
}

stele_status output_add(output *out, const char *name, output **result)
{
    stele_status status;
    if (out->outer != NULL)
        return add_below(out, name, result);
    status = member_open(out, name, result);
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
