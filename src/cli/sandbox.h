/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restricts what the process may do, once its command line is known. A trace is input from
 * elsewhere: if an error in a decoder lets it execute code, that code finds only files that the
 * command line names, no network, and no programs to run.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sandbox sandbox;

/*
 * Starts with nothing allowed except what every program needs (libraries, time zones). Returns NULL
 * if the kernel or this build cannot restrict anything, or if out of memory; the process is not
 * restricted then.
 */
sandbox *sandbox_new(void);

/* Allows to read a file, or a folder with everything in it, including the targets that links in
   the folder have now. A path that does not exist needs no permission. */
void sandbox_allow_reading(sandbox *s, const char *path);

/* Allows to write a path, and to make temporary files beside it. Folders around it that do not
   exist may be made. */
void sandbox_allow_writing(sandbox *s, const char *path);

/* Allows to make, read and remove files in a folder, but not in others. */
void sandbox_allow_folder(sandbox *s, const char *path);

/* Allows to read everything, for options such as --debug-info that make a trace name files. */
void sandbox_allow_reading_all(sandbox *s);

/*
 * Applies the restrictions for the rest of the process, and frees `s`: files as allowed (Landlock);
 * no sockets, no other programs, nothing that changes the system or other processes (seccomp).
 * Returns false if neither could be applied.
 */
bool sandbox_enter(sandbox *s);

#endif
