/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes calls from instructions: BEGIN and END events of functions, whose time is the number of
 * instructions executed before. Analyses of calls take them like those of any trace.
 *
 * A call pushes the address after it; a return goes to the nearest frame that waits for its
 * address. A branch to the start of another function is a tail call: that function replaces the top
 * one. An exception is a call of its handler, which lasts until the exception level is lower again.
 * So is a jump without a branch, such as to a signal handler.
 */
#ifndef ANALYSIS_INSN_INSN_CALLS_H
#define ANALYSIS_INSN_INSN_CALLS_H

#include "a64/a64.h"
#include "model/context.h"
#include "model/insn.h"

#define INSN_CALLS_DEPTH_MAX 65536u

/* Names the function that contains an address. `*start` is set to its first address, 0 if that
   is not known. Returns UINT32_MAX if out of memory. */
typedef stele_name insn_name_fn(void *user, uint64_t pc, uint64_t *start);

/* Receives the events in the order of time. */
typedef stele_status insn_emit_fn(void *user, const stele_segment *segment);

typedef struct insn_calls_options {
    insn_name_fn *name;
    void *name_user;
    insn_emit_fn *emit;
    void *emit_user;
} insn_calls_options;

typedef struct insn_frame {
    uint64_t start;     /* first address of the function */
    uint64_t return_pc; /* address at which its caller continues; 0: not known */
    stele_name name;
    uint8_t level;
} insn_frame;

typedef struct insn_calls {
    insn_calls_options options;
    stele_batch *events;
    insn_frame *frames;
    size_t depth, capacity;
    insn last; /* the previous instruction, valid if has_last is set */
    bool has_last;
    uint64_t time;      /* how many instructions were executed that are not hidden */
    uint64_t cut_count; /* calls that were not pushed because the stack was at its limit */
    uint32_t track;
    a64_cache classes;
} insn_calls;

/* Starts with an empty stack. Returns STELE_ERR_MEMORY if out of memory. */
stele_status insn_calls_init(insn_calls *calls, const insn_calls_options *options);
void insn_calls_free(insn_calls *calls);

/* Adds the instructions of a batch, which needs neither accesses nor values. Hidden instructions
   take no time. */
stele_status insn_calls_add(insn_calls *calls, const insn_batch *batch);

/* Ends all calls and gives the last events; call it at the end of a stream. */
stele_status insn_calls_end(insn_calls *calls);

#endif
