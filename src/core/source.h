/* SPDX-License-Identifier: Apache-2.0 */
/* A source: one input (a file, a pipe, memory; unpacked while it is read), or a set of named
   members (a directory, a tar archive, compressed or not) whose inputs are opened one by one. */
#ifndef CORE_SOURCE_H
#define CORE_SOURCE_H

#include "core/input.h"
#include "core/members.h"

typedef struct source source;

/*
 * Opens a path ("-" is standard input). Compressed data is recognised by content and unpacked. A
 * tar archive becomes a set of members; a compressed one is unpacked once to a temporary file in
 * `temp_dir`, which closing the source removes. Errors: STELE_ERR_READ, STELE_ERR_UNSUPPORTED,
 * STELE_ERR_WRITE (the temporary file), each with a finding; STELE_ERR_MEMORY.
 */
stele_status source_open(diag_sink *diag, const char *path, const char *temp_dir, source **out);

/* Opens a file that grows: see input_open_followed(), also for `idle_ms`. */
stele_status source_open_followed(diag_sink *diag, const char *path, const char *temp_dir,
                                  int64_t idle_ms, source **out);

/* Lists a directory that grows. It is a set of members even if it has only one. */
stele_status source_open_growing(diag_sink *diag, const char *path, source **out);

/* Updates the sizes of members to those of the same members in a later listing. */
void source_take_sizes(source *s, const source *later);

/* Opens bytes in memory as a source; they must outlive it. */
stele_status source_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                                const char *temp_dir, source **out);

/*
 * Opens several directories and archives as one set, which findings call `name`. Names of members
 * begin at the directory that all paths have in common, with the name of the archive in front. A
 * file that two of the directories have is one member. Errors are those of source_open(), and
 * STELE_ERR_ARGUMENT: one of the paths is neither a directory nor an archive.
 */
stele_status source_open_parts(diag_sink *diag, const char *name, const char *const *paths,
                               size_t count, const char *temp_dir, source **out);

/* Copies an input that can only be read from front to back to a temporary file in `temp_dir`, and
   reads it from there, so that it becomes seekable. Errors are those of source_open(); after one
   the source can only be closed. */
stele_status source_make_seekable(source *s, const char *temp_dir);

bool source_is_folder(const char *path);

/* Whether a path leads to a directory or an archive. A pipe is not read to find out. */
bool source_path_is_set(const char *path);
void source_close(source *s);

const char *source_path(const source *s);

/* How the source is packed: "", "gzip", "zstd", "bzip2", "tar", "tar+gzip" and so on,
   "directory". */
const char *source_packing(const source *s);

/* The one input, owned by the source; NULL for a set of several members. A set of just one member
   gives its input, so that an archive of one trace file reads like the file. */
input *source_input(source *s);

/* How many members a set has; 0 if it is not a set. Members are all regular files, sorted by name;
   in directories also those that links lead to. */
size_t source_member_count(const source *s);

/* Length of the part of a member's name that says which of several directories it is in; 0 if only
   one was opened. */
size_t source_member_root(const source *s, size_t index);
const source_member *source_member_at(const source *s, size_t index);

/* Returns what findings call the input of a member, to be freed. Returns NULL if out of memory. */
char *source_member_path(const source *s, size_t index);

/* Opens a member, as a seekable input if possible; the caller closes it before the source. A member
   that is itself compressed (.gz, .zst) is unpacked while it is read. */
stele_status source_open_member(source *s, size_t index, input **in);

/* Gives a member back that will be opened again, which then takes less time: some are kept open
   until the source is closed. */
void source_keep_member(source *s, size_t index, input *in);

/* Gives the bytes of the input, or of all members, after unpacking. For an input that is read from
   front to back they are known only once its end was reached. Returns false if they are not
   known. */
bool source_content_size(const source *s, uint64_t *size);

/* The bytes, as stored, that are read from the input or the members; 0 if not known. */
uint64_t source_stored_size(const source *s);

#endif
