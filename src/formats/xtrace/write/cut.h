/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a part of a thread's trace with its own bytes: instructions with all of their tokens, and
 * snapshots whose index and counts are made to fit what is kept. What is asked for comes in the
 * order of the trace. An instruction after a gap becomes a PCINST; keeping all changes nothing.
 */
#ifndef XTRACE_WRITE_CUT_H
#define XTRACE_WRITE_CUT_H

#include "formats/xtrace/trace.h"

typedef struct xtrace_cut {
    const xtrace_trace *trace;
    const xtrace_part *part;
    xtrace_pair *pair; /* of the outputs */
    xtrace_input insns;
    xtrace_scan scan;
    xtrace_group group;         /* the next one to be kept or left out */
    bool has_group, is_scanned; /* there is one; the scan is open */
    xtrace_snapshots snapshots; /* `next` is that of the index */
    uint8_t *pending;           /* snapshots that were kept, and whose instruction comes next */
    size_t pending_count, pending_capacity;
    uint64_t user_removed, total_removed; /* instructions, or what else counts are to be less by */
    uint64_t shift;                       /* from offsets read to those written, modulo 2^64 */
    uint64_t gap;                         /* where what was left out last begins; UINT64_MAX: none
                                             since the last one kept */
    uint64_t skipped; /* snapshots that stand in front of the slice: the global one is to be less */
    bool has_header;  /* that of the snapshots was written; it is with the first of them */
    bool is_mended;   /* snapshots get the index of their instruction, and that a program counter,
                         also where they had none */
} xtrace_cut;

/* Opens the files of a part, at the first group and snapshot. `trace` must be one that can be read
   twice. STELE_ERR_READ, STELE_ERR_MEMORY, STELE_ERR_UNSUPPORTED. */
stele_status xtrace_cut_open(xtrace_cut *cut, const xtrace_trace *trace, const xtrace_part *part,
                             xtrace_pair *pair);
void xtrace_cut_close(xtrace_cut *cut);

/* The group at hand, then goes to the next one. */
stele_status xtrace_cut_keep(xtrace_cut *cut);
stele_status xtrace_cut_leave(xtrace_cut *cut);

/* Goes to a snapshot by number, and starts scanning at an offset that is one of a group. */
stele_status xtrace_cut_seek(xtrace_cut *cut, uint64_t number, uint64_t offset);

/* Whether the snapshot at hand was taken before the instruction at hand, or there is none. */
bool xtrace_cut_is_due(const xtrace_cut *cut);

/* The snapshot at hand, which is due, then goes to the next one. */
stele_status xtrace_cut_keep_snapshot(xtrace_cut *cut);

/* Writes the snapshots that have no instruction after them. */
stele_status xtrace_cut_finish(xtrace_cut *cut);

#endif
