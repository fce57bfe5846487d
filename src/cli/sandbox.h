/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run of the command may still do, once it is known what it is asked for. A trace is input
 * from somewhere else: should a fault in a decoder let it run code of its own, that code finds no
 * files but those that the command line names, no network, and no programs to run.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sandbox sandbox;

/* Begins with nothing allowed but what every program needs (libraries, time zones). Returns NULL
   where the kernel or this build has no means, or if out of memory: nothing is restricted then. */
sandbox *sandbox_new(void);

/* A file, or a folder with all that is in it, may be read. Links in a folder lead to what may be
   read as well, as they did when the command started. What is not there needs no permission. */
void sandbox_allow_reading(sandbox *s, const char *path);

/* The same for writing, with what is made beside a file until it is whole. Folders above it that
   are not there yet may be made. */
void sandbox_allow_writing(sandbox *s, const char *path);

/* Files may be made, read and removed in a folder, and in no other. */
void sandbox_allow_folder(sandbox *s, const char *path);

/* Everything may be read: where a trace itself names files, as with --debug-info. */
void sandbox_allow_reading_all(sandbox *s);

/* From here on, and never again otherwise: files as was allowed (Landlock); neither sockets, nor
   other programs, nor what changes the system or other processes (seccomp). Frees it. False: not
   even one of the two could be put into force. */
bool sandbox_enter(sandbox *s);

#endif
