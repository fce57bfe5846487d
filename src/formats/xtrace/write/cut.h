/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a part of a thread's trace with its own bytes: instructions with all of their tokens, and
 * snapshots whose index and counts are adapted to what is kept. The caller keeps and leaves out
 * things in the order of the trace. An instruction after a gap becomes a PCINST; if everything is
 * kept, nothing changes.
 */
#ifndef XTRACE_WRITE_CUT_H
#define XTRACE_WRITE_CUT_H

#include "formats/xtrace/trace.h"

typedef struct xtrace_cut {
    const xtrace_trace *trace;
    const xtrace_part *part;
    /* The outputs. */
    xtrace_pair *pair;
    xtrace_input insns;
    xtrace_scan scan;
    /* The next group, which is to be kept or left out. */
    xtrace_group group;
    /* There is a next group; the scan is open. */
    bool has_group, is_scanned;
    /* The snapshots; `next` is the one to be kept next. */
    xtrace_snapshots snapshots;
    /* Kept snapshots whose instruction comes next. */
    uint8_t *pending;
    size_t pending_count, pending_capacity;
    /* What is subtracted from the counts of snapshots, such as the instructions that were left
       out. */
    uint64_t user_removed, total_removed;
    /* The difference of the offsets that are written from those that are read, modulo 2^64. */
    uint64_t shift;
    /* Where the gap begins that was left out last; UINT64_MAX when nothing was left out since the
       last group that was kept. */
    uint64_t gap;
    /* The number of snapshots in front of the slice; the number of the global snapshot is reduced
       by it. */
    uint64_t skipped;
    /* The header of the snapshots has been written, which happens with the first of them. */
    bool has_header;
    /* Snapshots get the index of their instruction, and the instruction gets a program counter,
       even if they had none before. */
    bool is_mended;
} xtrace_cut;

/* Opens the files of a part, at the first group and snapshot. It must be possible to read `trace`
   twice. Returns STELE_ERR_READ, STELE_ERR_MEMORY or STELE_ERR_UNSUPPORTED on failure. */
stele_status xtrace_cut_open(xtrace_cut *cut, const xtrace_trace *trace, const xtrace_part *part,
                             xtrace_pair *pair);
void xtrace_cut_close(xtrace_cut *cut);

/* Keep or leave out the current group, then move to the next one. */
stele_status xtrace_cut_keep(xtrace_cut *cut);
stele_status xtrace_cut_leave(xtrace_cut *cut);

/* Moves to a snapshot by number, and starts scanning at an offset where a group begins. */
stele_status xtrace_cut_seek(xtrace_cut *cut, uint64_t number, uint64_t offset);

/* Tells whether the current snapshot was taken before the current instruction. This also holds when
   there is no more instruction. */
bool xtrace_cut_is_due(const xtrace_cut *cut);

/* Keeps the current snapshot, which must be due, then moves to the next one. */
stele_status xtrace_cut_keep_snapshot(xtrace_cut *cut);

/* Writes the snapshots that have no instruction after them. */
stele_status xtrace_cut_finish(xtrace_cut *cut);

#endif
