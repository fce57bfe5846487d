/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a trace lies: one input (a file, a pipe, memory; unpacked on the fly), or a set of named
 * members (a directory, a tar archive, packed or not) whose inputs are opened one by one.
 */
#ifndef CORE_SOURCE_H
#define CORE_SOURCE_H

#include "core/input.h"
#include "core/members.h"

typedef struct source source;

/*
 * Opens a path ("-" is standard input). gzip and zstd are recognised by content and unpacked; a tar
 * archive, packed or not, becomes a set of members (a packed one is unpacked once to a temporary
 * file in `temp_dir`, which is gone when the source is closed). Errors with a finding:
 * STELE_ERR_READ, STELE_ERR_UNSUPPORTED, STELE_ERR_WRITE (of the temporary file); also
 * STELE_ERR_MEMORY.
 */
stele_status source_open(diag_sink *diag, const char *path, const char *temp_dir, source **out);

/* The same for a file that grows, see input_open_followed(); `idle_ms` as there. */
stele_status source_open_followed(diag_sink *diag, const char *path, const char *temp_dir,
                                  int64_t idle_ms, source **out);

/* Lists a directory that grows, as a set also where it has one member. */
stele_status source_open_growing(diag_sink *diag, const char *path, source **out);

/* Members that both have are as large as another, later listing says. */
void source_take_sizes(source *s, const source *later);

/* The same for bytes in memory, which must outlive the source. */
stele_status source_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                                const char *temp_dir, source **out);

/*
 * Opens several directories and archives as one set, which is called `name`. Members are named from
 * the directory that all of them have in common, with the name of the archive in front; what lies
 * in two directories is a member once. Errors as of source_open(), and STELE_ERR_ARGUMENT: one of
 * the paths is of another kind.
 */
stele_status source_open_parts(diag_sink *diag, const char *name, const char *const *paths,
                               size_t count, const char *temp_dir, source **out);

/* Has an input that is read from front to back lie in a temporary file in `temp_dir` instead, from
   where it can be read anywhere. Errors as of source_open(); the source can only be closed then. */
stele_status source_make_seekable(source *s, const char *temp_dir);

bool source_is_folder(const char *path);

/* Whether a path leads to a directory or an archive; no pipe is read for that. */
bool source_path_is_set(const char *path);
void source_close(source *s);

const char *source_path(const source *s);

/* "", "gzip", "zstd", "bzip2", "tar" and "tar+gzip" and so on, "directory". */
const char *source_packing(const source *s);

/*
 * The one input, owned by the source; NULL for a set of members. A set of just one member gives
 * that one, so that an archive of one trace file reads like the file.
 */
input *source_input(source *s);

/* Members in the order of their names: all regular files below, in directories also those that
   links lead to. 0 unless it is a set. */
size_t source_member_count(const source *s);

/* Of a member's name, where the part below the directory that was opened begins: 0 unless there are
   several. */
size_t source_member_root(const source *s, size_t index);
const source_member *source_member_at(const source *s, size_t index);

/* What the input of a member is called, as findings show it; to be freed. Returns NULL if out of
 * memory. */
char *source_member_path(const source *s, size_t index);

/* Opens a member as a seekable input where possible; the caller closes it, before the source. A
   member that is packed itself (.gz, .zst) is unpacked on the fly. */
stele_status source_open_member(source *s, size_t index, input **in);

/*
 * Bytes of the input, or of all members, after unpacking. Of an input that is read from front to
 * back they are known once it was read to its end. False where they are not known.
 */
bool source_content_size(const source *s, uint64_t *size);

/* Bytes as stored that are read from the input or the members; 0 when not known. */
uint64_t source_stored_size(const source *s);

#endif
