/* SPDX-License-Identifier: Apache-2.0 */
/* Saved indexes: the result of indexing a trace, in a file next to it for the next time.
   docs/index.md has the layout. An index is only used for the very trace that it was made of, and
   results do not depend on whether there is one. */
#ifndef MODEL_SAVED_INDEX_H
#define MODEL_SAVED_INDEX_H

#include "core/cursor.h"
#include "model/trace.h"

/* Extension of the file, after the whole path of the trace. */
#define SAVED_INDEX_EXTENSION ".stele-index"

/* Uses the index file of a trace, which then counts as indexed. Returns false if there is none, or
   if it is not valid or of another trace, which is reported (STE017), or if `*status` became an
   error. */
bool saved_index_use(stele_trace *trace, stele_status *status);

/* Opens the index file next to the trace, or in the cache, if it is of the trace as it is now. The
   overview in it is `*size` bytes from `*offset`. The caller closes the input.
   Returns false if there is no such file. */
bool saved_index_open(const stele_trace *trace, input **in, uint64_t *offset, uint64_t *size);

/* Reports that an index is not used, and why. */
void saved_index_refuse(const stele_trace *trace, const char *path, const char *found);

/* Bytes that a program keeps in the index, for itself. */
typedef struct saved_extra {
    const void *bytes;
    size_t size;
} saved_extra;

/* Writes an index file as stele_trace_save_index() does; with `always` also if it can say nothing
   but which trace it is of. `extra` may be NULL. */
stele_status saved_index_write(stele_trace *trace, stele_output *out, bool always,
                               const saved_extra *extra);

/* What the index says of a trace that has grown since; see extend_index(). */
typedef struct saved_sections {
    uint64_t old_size;             /* of the trace */
    cursor format, blocks, opened; /* of what save_index() wrote, of seek_index_put() and of
                                      seek_opened_put(); `at` is NULL where there is none */
} saved_sections;

/* ---- Numbers in index files ------------------------------------------------------------------ */

/* Writes an unsigned number in LEB128: seven bits in each byte, the lowest first; the highest bit
   says that another byte follows. */
void saved_put_u64(output *out, uint64_t value);

/* Writes a signed number as an unsigned one whose lowest bit is the sign (zigzag). */
void saved_put_i64(output *out, int64_t value);

/* Read a number and move the cursor after it. Return false if the bytes end before the number, or
   if it has more than 64 bits. */
bool saved_take_u64(cursor *from, uint64_t *value);
bool saved_take_i64(cursor *from, int64_t *value);

/* Reads an unsigned number. Returns false also if it does not fit in 32 bits. */
bool saved_take_u32(cursor *from, uint32_t *value);

#endif
