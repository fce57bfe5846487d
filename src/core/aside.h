/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that are written aside until they are complete: without a name if the system
   supports that, so that nothing of them stays however the process ends; else under a random name
   in the same folder as the final one. They are synced before they are put in place. */
#ifndef CORE_ASIDE_H
#define CORE_ASIDE_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates a file in the same folder as `path`, for reading and writing. `*name` is NULL if it has
   no name, else its temporary name, to be freed. Returns the descriptor; -1: errno says why. */
int aside_open(const char *path, char **name);

/* Gives a file without a name a temporary one in the same folder as `path`. Returns it, to be
   freed; NULL: errno says why. */
char *aside_name(int fd, const char *path);

/* Creates a folder with a temporary name in the same folder as `path`; `mode` 0: the default one.
   Returns its name, to be freed; NULL: errno says why. */
char *aside_folder(const char *path, mode_t mode);

/* Gives a file its final name `path`; an existing file is replaced if `replace`, else the call
   fails with EEXIST. The file has either a descriptor or a temporary name; the other argument is -1
   or NULL. Returns false on failure: errno says why. */
bool aside_place(int fd, const char *name, const char *path, bool replace);

/* Gives a folder its final name. A folder that exists under that name must be empty. Returns false
   on failure: errno says why. */
bool aside_place_folder(const char *name, const char *path);

/* Replaces a folder that has files in it. If `adopts`, the new folder gets the files that only the
   old one has, and the old one is removed; else that has the name `name` then. Returns false on
   failure: the old folder is then unchanged. Some file systems cannot do this at all: see
   aside_can_swap(). */
bool aside_swap_folder(const char *name, const char *path, bool adopts);
bool aside_can_swap(const char *path);

/* Sync the file or folder with this name, or the folder that it lies in. Return false on failure:
   errno says why. What the file system cannot sync counts as synced. */
bool aside_sync(const char *path);
bool aside_sync_folder_of(const char *path);

/* Whether a name is one of the temporary names that these functions make: the file was not
   finished. */
bool aside_is_name(const char *name);

#endif
