/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the index of a trace found, kept in a file beside it for the next time. docs/index.md has
 * the layout. An index is only used for the very trace that it was made of, and nothing depends on
 * there being one.
 */
#ifndef MODEL_SAVED_INDEX_H
#define MODEL_SAVED_INDEX_H

#include "core/cursor.h"
#include "model/trace.h"

/* What is appended to the path of a trace. */
#define SAVED_INDEX_EXTENSION ".stele-index"

/*
 * Uses the file beside the trace: the trace is then indexed. False: there is none, or it is not of
 * this trace or not sound, which is reported (STE017); or `*status` is an error.
 */
bool saved_index_use(stele_trace *trace, stele_status *status);

/*
 * Opens the file beside the trace, or in the cache, where it is of this trace as it is now: what
 * follows the index proper is `*size` bytes from `*offset` on. The caller closes the input. False:
 * there is none.
 */
bool saved_index_open(const stele_trace *trace, input **in, uint64_t *offset, uint64_t *size);

/* Reports that an index is not used, and why. */
void saved_index_refuse(const stele_trace *trace, const char *path, const char *found);

/* As stele_trace_save_index(); with `always` also where there is nothing to say of the trace but
   which one it is. */
stele_status saved_index_write(stele_trace *trace, stele_output *out, bool always);

/* ---- Numbers in it --------------------------------------------------------------------------- */

/* Unsigned: seven bits a byte, the lowest first; the highest bit says that more follow. */
void saved_put_u64(output *out, uint64_t value);

/* Signed: the sign in the lowest bit. */
void saved_put_i64(output *out, int64_t value);

/* False where the bytes end before the number, or it has more than 64 bits. */
bool saved_take_u64(cursor *from, uint64_t *value);
bool saved_take_i64(cursor *from, int64_t *value);

/* A number that fits in 32 bits. */
bool saved_take_u32(cursor *from, uint32_t *value);

#endif
