/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces a folder with files in it in one step: the new folder gets hard links to the files that
   only the old one has, the two exchange names, and then the files that both have are removed from
   the old one. A file that only the old folder has is never removed. */
/* For renameat2(). */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/members.h"

#define DEPTH_MAX 64u

static bool change_names(const char *a, const char *b)
{
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
#else
    (void)a;
    (void)b;
    errno = ENOSYS;
    return false;
#endif
}

/* Whether the file system of this folder has hard links. */
static bool can_link(const char *folder)
{
    char *a = members_join(folder, "a"), *b = members_join(folder, "b");
    const int fd = a != NULL ? open(a, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    const bool can = fd >= 0 && b != NULL && link(a, b) == 0;
    if (fd >= 0) {
        close(fd);
        unlink(a);
    }
    if (can)
        unlink(b);
    free(a);
    free(b);
    return can;
}

bool aside_can_swap(const char *path)
{
    char *a = aside_folder(path, 0), *b = aside_folder(path, 0);
    const bool can = a != NULL && b != NULL && can_link(a) && change_names(a, b);
    if (a != NULL)
        rmdir(a);
    if (b != NULL)
        rmdir(b);
    free(a);
    free(b);
    return can;
}

/* ---- Every entry of a folder ---- */

/* Handles the entry `path` of a folder; `other` is the path of the same entry in the other
   folder. */
typedef bool entry_fn(const char *path, const struct stat *st, const char *other, unsigned depth);

static bool for_each(const char *folder, const char *other_folder, unsigned depth, entry_fn *fn)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool is_fine = entries != NULL && depth < DEPTH_MAX;
    while (is_fine && (entry = readdir(entries)) != NULL) {
        char *path, *other;
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        path = members_join(folder, entry->d_name);
        other = members_join(other_folder, entry->d_name);
        is_fine =
            path != NULL && other != NULL && lstat(path, &st) == 0 && fn(path, &st, other, depth);
        const int why = errno;
        free(path);
        free(other);
        errno = why;
    }
    if (entries != NULL) {
        const int why = errno;
        closedir(entries);
        errno = why;
    }
    return is_fine;
}

/* Links an entry of the old folder into the new one, unless the new one has it. */
static bool adopt(const char *path, const struct stat *st, const char *other, unsigned depth)
{
    struct stat own;
    if (lstat(other, &own) != 0) {
        if (!S_ISDIR(st->st_mode))
            return linkat(AT_FDCWD, path, AT_FDCWD, other, 0) == 0;
        if (mkdir(other, 0777) != 0)
            return false;
        if (chmod(other, st->st_mode & 07777) != 0) {
            /* The mode could not be set, so the folder keeps that of a new folder. */
        }
        return for_each(path, other, depth + 1, adopt);
    }
    if (S_ISDIR(st->st_mode) != S_ISDIR(own.st_mode)) {
        errno = EEXIST;
        return false;
    }
    return !S_ISDIR(st->st_mode) || for_each(path, other, depth + 1, adopt);
}

/* Removes an entry of the old folder if the other folder has it, too. */
static bool drop(const char *path, const struct stat *st, const char *other, unsigned depth)
{
    struct stat kept;
    if (S_ISDIR(st->st_mode)) {
        for_each(path, other, depth + 1, drop);
        rmdir(path);
    } else if (lstat(other, &kept) == 0) {
        unlink(path);
    }
    return true;
}

static void drop_folder(const char *name, const char *path)
{
    for_each(name, path, 0, drop);
    rmdir(name);
}

bool aside_swap_folder(const char *name, const char *path, bool adopts)
{
    if (!adopts)
        return aside_sync(name) && change_names(name, path);
    if (for_each(path, name, 0, adopt) && aside_sync(name) && change_names(name, path)) {
        drop_folder(name, path);
        return true;
    }
    const int why = errno;
    drop_folder(name, path);
    errno = why;
    return false;
}
