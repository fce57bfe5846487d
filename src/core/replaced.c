/* SPDX-License-Identifier: Apache-2.0 */
#include "core/replaced.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/intern.h"
#include "core/members.h"
#include "core/output_inside.h"
#include "core/path.h"

#define DEPTH_MAX  64u
#define NAME_SHOWN 80 /* bytes of a name that are shown */

/* What is found in a folder that is replaced. */
typedef struct replacing {
    const output *out;
    intern written; /* paths of the new files */
    bool is_early;
    size_t taken_count;    /* files that the output has, too, or that the owner takes */
    char *foreign;         /* name of the first other file; NULL: there is none */
    char *foreign_of_type; /* the first of them with an extension */
    bool is_exhausted;
} replacing;

/* Adds a path and, each with a slash at its end, the folders that it leads through. */
static bool add_path(intern *written, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
        if (intern_add(written, path, (size_t)(slash - path) + 1) == INTERN_NONE)
            return false;
    return intern_add(written, path, strlen(path)) != INTERN_NONE;
}

/* Collects the final paths of all files that were added to an output, and of those added to
   them. */
static bool add_written(intern *written, const output *out)
{
    for (const output *member = out->members; member != NULL; member = member->next)
        if (!add_path(written, member->path) || !add_written(written, member))
            return false;
    return true;
}

/* Whether the output has the file with the first `size` bytes of a name, or a folder if they end
   with a slash. */
static bool is_written(const replacing *r, const char *name, size_t size)
{
    char *path = members_join(r->out->path, name);
    const size_t all = path != NULL ? strlen(path) - strlen(name) + size : 0;
    const bool is = path != NULL && intern_find(&r->written, path, all) != INTERN_NONE;
    free(path);
    return is;
}

/* Whether the owner takes the file, or would if the output's folder that it is in were alone: each
   can hold a trace of its own. Indexes of traces, and what a run that was ended left, are always
   taken. */
static bool is_owned(const replacing *r, const char *name, const char *path, const struct stat *st)
{
    const output *out = r->out;
    const char *const all = name;
    uint8_t head[STELE_OWNS_HEAD];
    ssize_t size;
    int fd;
    if (!S_ISREG(st->st_mode))
        return false;
    if (aside_is_name(path_base(name)) || path_has_extension(name, MEMBERS_LEFT_OUT))
        return true;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    while (size >= 0 && name != NULL) {
        const char *slash = strchr(name, '/');
        if (out->owns(out->owns_user, name, head, (size_t)size))
            return true;
        if (slash == NULL || (!r->is_early && !is_written(r, all, (size_t)(slash - all) + 1)))
            break;
        name = slash + 1;
    }
    return false;
}

/* ---- Before: is there anything that must stay? ---- */

static void note_foreign(replacing *r, const char *name)
{
    if (r->foreign == NULL) {
        r->foreign = strdup(name);
        r->is_exhausted |= r->foreign == NULL;
    }
    if (r->foreign_of_type == NULL && strchr(path_base(name), '.') != NULL) {
        r->foreign_of_type = strdup(name);
        r->is_exhausted |= r->foreign_of_type == NULL;
    }
}

static void look(replacing *r, const char *folder, const char *below, unsigned depth)
{
    DIR *entries = depth < DEPTH_MAX ? opendir(folder) : NULL;
    const struct dirent *entry;
    if (entries == NULL)
        note_foreign(r, below);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        char *path, *name;
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        path = members_join(folder, entry->d_name);
        name = members_join(below, entry->d_name);
        if (path == NULL || name == NULL)
            r->is_exhausted = true;
        else if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            look(r, path, name, depth + 1);
        else if (lstat(path, &st) == 0 &&
                 (is_written(r, name, strlen(name)) || is_owned(r, name, path, &st)))
            r->taken_count++;
        else
            note_foreign(r, name);
        free(path);
        free(name);
    }
    if (entries != NULL)
        closedir(entries);
}

static stele_status refuse(output *out, const char *name)
{
    char why[256];
    snprintf(why, sizeof why,
             "the folder holds '%.*s', which belongs neither to what replaces it nor to "
             "an earlier one: move it, or choose another folder",
             NAME_SHOWN, name);
    return output_fail(out, STELE_ERR_EXISTS, why);
}

stele_status replaced_check(output *out, bool is_early)
{
    replacing r = {.out = out, .is_early = is_early};
    const char *name;
    stele_status status = STELE_OK;
    if (!intern_init(&r.written, SIZE_MAX))
        return STELE_ERR_MEMORY;
    r.is_exhausted = !add_written(&r.written, out);
    look(&r, out->path, "", 0);
    /* New files may have names without an extension that no owner knows. */
    name = is_early && r.taken_count != 0 ? r.foreign_of_type : r.foreign;
    if (r.is_exhausted)
        out->status = status = STELE_ERR_MEMORY;
    else if (name != NULL)
        status = refuse(out, name);
    free(r.foreign);
    free(r.foreign_of_type);
    intern_free(&r.written);
    return status;
}

/* ---- After: what goes ---- */

/* Removes files, and folders from which the last one was removed. Returns whether any was. */
static bool clear(const replacing *r, const char *folder, const char *below, bool is_aside,
                  unsigned depth)
{
    DIR *entries = depth < DEPTH_MAX ? opendir(folder) : NULL;
    const struct dirent *entry;
    bool is_any = is_aside;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        char *path, *name;
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        path = members_join(folder, entry->d_name);
        name = members_join(below, entry->d_name);
        if (path != NULL && name != NULL && lstat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                is_any |= clear(r, path, name, is_aside, depth + 1);
            else if (is_written(r, name, strlen(name)) ? is_aside : is_owned(r, name, path, &st))
                is_any |= unlink(path) == 0;
        }
        free(path);
        free(name);
    }
    if (entries != NULL)
        closedir(entries);
    return is_any && rmdir(folder) == 0; /* which fails where something is left */
}

void replaced_remove(const output *out, const char *path)
{
    replacing r = {.out = out};
    if (!intern_init(&r.written, SIZE_MAX))
        return;
    if (add_written(&r.written, out))
        clear(&r, path, "", path != out->path, 0);
    intern_free(&r.written);
}
