/* SPDX-License-Identifier: Apache-2.0 */
/* The files below a directory. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/members.h"

#define DEPTH_MAX 32u

typedef struct folder_walk {
    members *m;
    size_t entry_count; /* of any kind */
} folder_walk;

static stele_status folder_list(folder_walk *walk, const char *below, unsigned depth);

static stele_status folder_pass_over(const folder_walk *walk, const char *path, const char *what)
{
    diag_report(walk->m->diag, &core_codes[STE011], path, STELE_NO_OFFSET, 0, NULL, "%s", what);
    return STELE_OK;
}

/* `name` is that of the member, `path` where it lies. */
static stele_status folder_visit(folder_walk *walk, const char *name, const char *path,
                                 unsigned depth)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return STELE_OK; /* gone since it was listed */
    if (S_ISDIR(st.st_mode))
        return folder_list(walk, name, depth + 1);
    if (S_ISLNK(st.st_mode) && (stat(path, &st) != 0 || S_ISDIR(st.st_mode)))
        return folder_pass_over(walk, path, "a link to a directory or to nothing");
    if (!S_ISREG(st.st_mode))
        return folder_pass_over(walk, path, "neither a file nor a directory");
    return members_add(walk->m, name, 0, (uint64_t)st.st_size);
}

static stele_status folder_entries(folder_walk *walk, DIR *folder, const char *below,
                                   unsigned depth)
{
    stele_status status = STELE_OK;
    const struct dirent *entry;
    while (status == STELE_OK && (entry = readdir(folder)) != NULL) {
        char *name, *path;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (members_are_full(walk->m, walk->entry_count++))
            break;
        name = members_join(below, entry->d_name);
        path = name != NULL ? members_join(walk->m->path, name) : NULL;
        status = path != NULL ? folder_visit(walk, name, path, depth) : STELE_ERR_MEMORY;
        free(path);
        free(name);
    }
    return status;
}

/* Links to directories are not followed and the depth is bounded, so that it ends. */
static stele_status folder_list(folder_walk *walk, const char *below, unsigned depth)
{
    char *path = members_join(walk->m->path, below);
    stele_status status = STELE_OK;
    DIR *folder;
    if (path == NULL)
        return STELE_ERR_MEMORY;
    folder = depth <= DEPTH_MAX ? opendir(path) : NULL;
    if (folder != NULL) {
        status = folder_entries(walk, folder, below, depth);
        closedir(folder);
    } else if (depth > DEPTH_MAX) {
        folder_pass_over(walk, path, "a directory that lies too deep");
    } else {
        diag_report(walk->m->diag, &core_codes[STE001], path, STELE_NO_OFFSET, 0, NULL, "%s",
                    strerror(errno));
        if (depth == 0)
            status = STELE_ERR_READ;
    }
    free(path);
    return status;
}

stele_status members_list_folder(members *m)
{
    folder_walk walk = {.m = m};
    return folder_list(&walk, "", 0);
}
