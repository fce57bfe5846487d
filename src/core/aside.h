/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and folders that are written aside until they are whole: without a name where the system
 * can do that, so that nothing is left of them whatever ends the process; else under a name that
 * nobody can guess, beside the one that they will have. What is put in place is synced before.
 */
#ifndef CORE_ASIDE_H
#define CORE_ASIDE_H

#include <stdbool.h>
#include <sys/types.h>

/* A new file beside `path`, to be read and written. `*name` is NULL where it has none, else to be
   freed. -1: errno says why. */
int aside_open(const char *path, char **name);

/* Gives a file without a name one beside `path`. NULL: errno says why. */
char *aside_name(int fd, const char *path);

/* A new folder beside `path`, with that mode where it is not 0. NULL: errno says why. */
char *aside_folder(const char *path, mode_t mode);

/* Puts the file under its name: in the place of what has it if `replace`, else EEXIST. Either `fd`
   or `name` is its: -1 and NULL are none. False: errno says why. */
bool aside_place(int fd, const char *name, const char *path, bool replace);

/* The same for a folder; one of its name must be empty. */
bool aside_place_folder(const char *name, const char *path);

/*
 * The same for a folder of whose name one with files in it exists: those that the new one does not
 * have are in it afterwards, too. False: the old one is as it was. Some file systems cannot do that
 * at all, as aside_can_swap() tells.
 */
bool aside_swap_folder(const char *name, const char *path);
bool aside_can_swap(const char *path);

/* Syncs the file or folder of this name, or the folder that it lies in. False: errno says why; what
   cannot be synced counts as synced. */
bool aside_sync(const char *path);
bool aside_sync_folder_of(const char *path);

/* Whether a name is one of those that are given here: what has it was not finished. */
bool aside_is_name(const char *name);

#endif
