/* SPDX-License-Identifier: Apache-2.0 */
/* Creates files and folders aside, and puts them in place. O_TMPFILE needs _GNU_SOURCE. */
#define _GNU_SOURCE

#include "core/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_START ".stele-"
#define NAME_END   ".part"
#define DIGITS     16
#define TRIES      100

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Makes a random name in the folder that `path` lies in; trailing slashes do not belong to a
   folder's name. Returns NULL if out of memory, or if there are no random bits. */
static char *name_make(const char *path)
{
    size_t size = strlen(path);
    uint64_t random;
    char *name;
    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    name = malloc(size + sizeof NAME_START + DIGITS + sizeof NAME_END);
    if (name == NULL || getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        free(name);
        return NULL;
    }
    sprintf(name, "%.*s" NAME_START "%016llx" NAME_END, (int)size, path,
            (unsigned long long)random);
    return name;
}

bool aside_is_name(const char *name)
{
    const size_t start = sizeof NAME_START - 1;
    return strncmp(name, NAME_START, start) == 0 &&
           strspn(name + start, "0123456789abcdef") == DIGITS &&
           strcmp(name + start + DIGITS, NAME_END) == 0;
}

/* ---- Opening files and folders aside ---- */

/* The path through /proc by which a file without a name can be linked. Without /proc such a file
   could never get a name, and is not used. */
static const char *name_of_fd(int fd, char text[32])
{
    snprintf(text, 32, "/proc/self/fd/%d", fd);
    return text;
}

static int open_unnamed(const char *path)
{
    char *folder = folder_of(path), text[32];
    int fd = folder != NULL ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    free(folder);
    if (fd >= 0 && access(name_of_fd(fd, text), F_OK) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A file with a temporary name is created exclusively, with the mode that the umask leaves of
   0666. */
int aside_open(const char *path, char **name)
{
    int fd = open_unnamed(path);
    *name = NULL;
    for (int tries = 0; fd < 0 && tries < TRIES; tries++) {
        *name = name_make(path);
        fd = *name != NULL ? open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
        if (fd < 0) {
            const int why = errno;
            free(*name);
            *name = NULL;
            errno = why;
            if (why != EEXIST)
                break;
        }
    }
    return fd;
}

char *aside_name(int fd, const char *path)
{
    char text[32];
    for (int tries = 0; tries < TRIES; tries++) {
        char *name = name_make(path);
        if (name == NULL ||
            linkat(AT_FDCWD, name_of_fd(fd, text), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return name;
        const int why = errno;
        free(name);
        errno = why;
        if (why != EEXIST)
            break;
    }
    return NULL;
}

char *aside_folder(const char *path, mode_t mode)
{
    for (int tries = 0; tries < TRIES; tries++) {
        char *name = name_make(path);
        if (name == NULL)
            break;
        if (mkdir(name, 0777) == 0) {
            if (mode != 0 && chmod(name, mode) != 0) {
                /* The mode could not be set, so the folder keeps that of a new folder. */
            }
            return name;
        }
        const int why = errno;
        free(name);
        errno = why;
        if (why != EEXIST)
            break;
    }
    return NULL;
}

/* ---- Putting files in place ---- */

/* On file systems without hard links an empty file is created under the name first, exclusively, so
   that the rename replaces no file of somebody else. */
static bool place_new(const char *name, const char *path)
{
    int fd;
    if (link(name, path) == 0) {
        unlink(name);
        return true;
    }
    if (errno == EEXIST)
        return false;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(name, path) == 0)
        return true;
    const int why = errno;
    unlink(path);
    errno = why;
    return false;
}

static bool place_unnamed(int fd, const char *path, bool replace)
{
    char text[32], *name;
    bool is_placed;
    if (!replace)
        return linkat(AT_FDCWD, name_of_fd(fd, text), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    name = aside_name(fd, path);
    is_placed = name != NULL && rename(name, path) == 0;
    if (name != NULL && !is_placed) {
        const int why = errno;
        unlink(name);
        errno = why;
    }
    free(name);
    return is_placed;
}

bool aside_place(int fd, const char *name, const char *path, bool replace)
{
    if (name == NULL)
        return place_unnamed(fd, path, replace);
    return replace ? rename(name, path) == 0 : place_new(name, path);
}

bool aside_place_folder(const char *name, const char *path)
{
    return rename(name, path) == 0;
}

/* ---- Syncing to the disk ---- */

bool aside_sync(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_synced = fd < 0 || fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return is_synced;
}

bool aside_sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    const bool is_synced = folder == NULL || aside_sync(folder);
    free(folder);
    return is_synced;
}
