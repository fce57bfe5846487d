/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files below a directory. */
#include "core/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/aside.h"
#include "core/intern.h"
#include "core/path.h"

#define DEPTH_MAX 32u

/* A link to a directory. It is followed after all directories that can be reached without links. */
typedef struct folder_link {
    char *name;
    unsigned depth;
} folder_link;

typedef struct folder_walk {
    members *m;
    size_t entry_count; /* entries of any kind so far */
    intern seen;        /* ids (device and inode) of the directories that were entered */
    folder_link *links;
    size_t link_count, link_capacity;
} folder_walk;

static stele_status folder_list(folder_walk *walk, const char *below, unsigned depth);

static stele_status folder_pass_over(const folder_walk *walk, const char *path, const char *what)
{
    diag_report(walk->m->diag, &core_codes[STE011], path, STELE_NO_OFFSET, 0, NULL, "%s", what);
    return STELE_OK;
}

static stele_status folder_keep_link(folder_walk *walk, const char *name, unsigned depth)
{
    folder_link *link;
    if (walk->link_count == walk->link_capacity) {
        folder_link *grown = array_grow_size(walk->links, sizeof *grown, &walk->link_capacity, 16);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        walk->links = grown;
    }
    link = &walk->links[walk->link_count];
    *link = (folder_link){strdup(name), depth};
    if (link->name == NULL)
        return STELE_ERR_MEMORY;
    walk->link_count++;
    return STELE_OK;
}

/* Handles an entry of a directory: `name` is its path below the root, `path` its full path. */
static stele_status folder_visit(folder_walk *walk, const char *name, const char *path,
                                 unsigned depth)
{
    struct stat st;
    bool is_link;
    if (aside_is_name(path_base(name)))
        return folder_pass_over(walk, path, "what a run that was ended left unfinished");
    if (lstat(path, &st) != 0)
        return STELE_OK; /* gone since it was listed */
    is_link = S_ISLNK(st.st_mode);
    if (is_link && stat(path, &st) != 0)
        return folder_pass_over(walk, path, "a link to nothing");
    if (S_ISDIR(st.st_mode))
        return is_link ? folder_keep_link(walk, name, depth + 1)
                       : folder_list(walk, name, depth + 1);
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

/* Notes that a directory is entered. Returns STELE_END if it was entered before. */
static stele_status folder_see(folder_walk *walk, const struct stat *st)
{
    const uint64_t id[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    const uint32_t count = walk->seen.count,
                   number = intern_add(&walk->seen, (const char *)id, sizeof id);
    if (number == INTERN_NONE)
        return STELE_ERR_MEMORY;
    return number < count ? STELE_END : STELE_OK;
}

static stele_status folder_enter(folder_walk *walk, const char *path, const char *below,
                                 unsigned depth)
{
    DIR *folder = depth <= DEPTH_MAX ? opendir(path) : NULL;
    struct stat st;
    stele_status status = STELE_OK;
    if (folder != NULL) {
        if (fstat(dirfd(folder), &st) == 0)
            status = folder_see(walk, &st);
        if (status == STELE_OK)
            status = folder_entries(walk, folder, below, depth);
        closedir(folder);
        return status == STELE_END ? STELE_OK : status;
    }
    if (depth > DEPTH_MAX)
        return folder_pass_over(walk, path, "a directory that lies too deep");
    diag_report(walk->m->diag, &core_codes[STE001], path, STELE_NO_OFFSET, 0, NULL, "%s",
                strerror(errno));
    return depth == 0 ? STELE_ERR_READ : STELE_OK;
}

/* Lists a directory. None is entered twice, so that links in a circle end. */
static stele_status folder_list(folder_walk *walk, const char *below, unsigned depth)
{
    char *path = members_join(walk->m->path, below);
    const stele_status status =
        path != NULL ? folder_enter(walk, path, below, depth) : STELE_ERR_MEMORY;
    free(path);
    return status;
}

static int link_compare(const void *a, const void *b)
{
    return strcmp(((const folder_link *)a)->name, ((const folder_link *)b)->name);
}

/* Follows links, then the links that were found through them, and so on. Links of one round are
   sorted by name, so that the result does not depend on the order in which directories are read. */
static stele_status folder_follow(folder_walk *walk)
{
    stele_status status = STELE_OK;
    size_t next = 0;
    while (status == STELE_OK && next < walk->link_count) {
        const size_t end = walk->link_count;
        qsort(walk->links + next, end - next, sizeof *walk->links, link_compare);
        for (; status == STELE_OK && next < end; next++)
            status = folder_list(walk, walk->links[next].name, walk->links[next].depth);
    }
    return status;
}

stele_status members_list_folders(members *m, const char *const *folders, size_t count)
{
    folder_walk walk = {.m = m};
    stele_status status = intern_init(&walk.seen, SIZE_MAX) ? STELE_OK : STELE_ERR_MEMORY;
    for (size_t i = 0; status == STELE_OK && i < count; i++)
        status = folder_list(&walk, folders[i], 0);
    if (status == STELE_OK)
        status = folder_follow(&walk);
    for (size_t i = 0; i < walk.link_count; i++)
        free(walk.links[i].name);
    free(walk.links);
    intern_free(&walk.seen);
    return status;
}
