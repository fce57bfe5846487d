/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices of instruction traces: what lies between two snapshots, as a trace of its own from which a
 * replayer can start. Indexes, counts and the number of the global snapshot are counted from the
 * beginning of the slice, whose first instruction has a program counter.
 *
 * All functions write a directory, as stele_writer_open() does. They need traces that can be read
 * from the middle or twice: STELE_ERR_UNSUPPORTED for standard input and for a single compressed
 * file. STELE_ERR_ARGUMENT, with a finding: the traces do not allow the operation. One thread at a
 * time uses a trace and its context.
 */
#ifndef STELE_XTRACE_SLICE_H
#define STELE_XTRACE_SLICE_H

#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of the trace a slice is. */
typedef struct stele_xtrace_slice {
    /* Numbers of snapshots: the slice is from `first` up to, not including, `end`; `end`
       UINT64_MAX: to the end of the trace. */
    uint64_t first, end;
    bool is_global;  /* `first` and `end` count in each thread from its global snapshot */
    bool from_start; /* the slice begins before the first snapshot; `first` is 0 */
} stele_xtrace_slice;

/* Writes a slice of each thread that has the snapshot `first`; a thread without it is reported. */
STELE_API stele_status stele_xtrace_slice_write(stele_trace *trace, const stele_xtrace_slice *slice,
                                                const char *path, bool replace);

/* Divides a whole trace into slices of `every` snapshots, in directories 000000, 000001, and so
   on. */
STELE_API stele_status stele_xtrace_split_write(stele_trace *trace, uint64_t every,
                                                const char *path, bool replace);

/* Joins slices that follow each other. Threads are matched by their numbers. */
STELE_API stele_status stele_xtrace_join_write(stele_trace *const *slices, size_t count,
                                               const char *path, bool replace);

#ifdef __cplusplus
}
#endif
#endif
