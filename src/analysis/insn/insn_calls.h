/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls out of instructions: BEGIN and END events of functions, whose time is the number of
 * instructions before them. What takes calls of any trace takes these.
 *
 * A call pushes the address after it; a return goes to the nearest frame that waits there. A
 * branch to the start of another function is a tail call: that function takes the place of the one
 * that left. An exception is a call of its handler, up to where the level falls back; so is a jump
 * without a branch, such as to a handler of signals.
 */
#ifndef ANALYSIS_INSN_INSN_CALLS_H
#define ANALYSIS_INSN_INSN_CALLS_H

#include "a64/a64.h"
#include "model/context.h"
#include "model/insn.h"

#define INSN_CALLS_DEPTH_MAX 65536u

/* What to call the function that an address lies in; `*start` is where it begins, 0 when that is
   not known. UINT32_MAX: memory. */
typedef stele_name insn_name_fn(void *user, uint64_t pc, uint64_t *start);

/* Takes events in the order of time. */
typedef stele_status insn_emit_fn(void *user, const stele_segment *segment);

typedef struct insn_calls_options {
    insn_name_fn *name;
    void *name_user;
    insn_emit_fn *emit;
    void *emit_user;
} insn_calls_options;

typedef struct insn_frame {
    uint64_t start;     /* of the function */
    uint64_t return_pc; /* where its caller goes on; 0: not known */
    stele_name name;
    uint8_t level;
} insn_frame;

typedef struct insn_calls {
    insn_calls_options options;
    stele_batch *events;
    insn_frame *frames;
    size_t depth, capacity;
    insn last; /* valid with has_last */
    bool has_last;
    uint64_t time;      /* instructions so far that are not hidden */
    uint64_t cut_count; /* calls beyond the deepest, not followed */
    uint32_t track;
    a64_cache classes;
} insn_calls;

/* STELE_ERR_MEMORY. */
stele_status insn_calls_init(insn_calls *calls, const insn_calls_options *options);
void insn_calls_free(insn_calls *calls);

/* Wants neither accesses nor values. Hidden instructions take no time. */
stele_status insn_calls_add(insn_calls *calls, const insn_batch *batch);

/* Ends all calls, at the end of a stream, and gives the last events. */
stele_status insn_calls_end(insn_calls *calls);

#endif
