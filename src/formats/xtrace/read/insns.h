/* SPDX-License-Identifier: Apache-2.0 */
/* The producer of instructions: its state (insns.c), and how tokens become instructions
   (insns_walk.c). */
#ifndef XTRACE_READ_INSNS_H
#define XTRACE_READ_INSNS_H

#include "formats/xtrace/trace.h"
#include "model/insn.h"

/* Every token that the walk steps over is shorter than this. */
#define WALK_MARGIN 512u

typedef struct insns {
    insn_producer base;
    xtrace_trace *trace;
    insn_request request;
    diag_sink *diag;
    /* The open part of the trace, and where the parts end. */
    size_t part, part_end;
    bool is_open;
    /* The stream has no part with the number that the request wants. */
    bool is_absent;
    /* The flags of the next instruction, for what stands before it. */
    uint8_t flags;
    xtrace_input from;
    xtrace_scan scan;
    xtrace_snapshots snapshots;
    /* The number of the last snapshot; INSN_SNAPSHOT_FIRST when there is none yet. */
    uint64_t snapshot;
    /* Where the request's part of this stream begins. */
    uint64_t begin;
    /* Where that part ends. */
    uint64_t stop;
    /* The balance of the streams before. */
    stele_balance balance;
} insns;

/* The limits of the walk. */
typedef struct walk_limits {
    /* No instruction begins here or later. */
    const uint8_t *at_end;
    /* No token begins here or later. */
    const uint8_t *token_end;
    uint32_t insn_count;
} walk_limits;

/* Adds what belongs to the instruction of a group. Returns false if out of memory. */
bool insns_push_group(insns *p, insn_batch *batch, insn *to, const xtrace_group *group);

/*
 * Fills the batch with instructions from the window's position on, up to the limits, as long as
 * their tokens are the usual ones. The batch stays empty where the first one is not.
 */
void insns_walk(insns *p, insn_batch *batch, const walk_limits *limits);

#endif
