/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what can be proven wrong of a thread's instructions and snapshots. What keeps tokens from
 * being read is found by the scan. Nothing is reported that a sound trace can hold: where the
 * exception level changes, or all registers are recorded, anything may have happened in between.
 */
#ifndef XTRACE_CHECK_H
#define XTRACE_CHECK_H

#include "a64/a64_replay.h"
#include "formats/xtrace/trace.h"

/* The accesses of one instruction that are kept; further ones are not looked at. */
#define XTRACE_CHECK_ACCESSES 64u

/* What the tokens of one instruction say. */
typedef struct xtrace_facts {
    a64_record record;
    a64_access accesses[XTRACE_CHECK_ACCESSES];
    /* The registers of ALLGPR; NULL when the instruction has none. */
    const uint8_t *registers;
    /* The place of the first access; valid when `record.access_count` is not 0. */
    uint64_t access_offset;
    /* The end of the last access. */
    uint64_t access_end;
    uint64_t read_size, written_size;
    /* The instruction has more accesses than are kept. */
    bool is_partial;
    bool has_target, has_arguments, has_vectors, has_result;
    bool has_order;
    /* The orders of its first and last access, and the place of the first order. */
    uint64_t order_first, order_last, order_offset;
    uint64_t target, target_offset, arguments_offset, vectors_offset, vectors_size, result_offset;
    unsigned argument_count;
} xtrace_facts;

struct xtrace_check {
    const xtrace_trace *trace;
    const xtrace_part *part;
    diag_sink *diag;
    xtrace_facts facts;
    /* The last instruction; its bytes are no longer valid. */
    xtrace_group last;
    a64_insn last_what;
    /* There is a last instruction, and the next one follows it. */
    bool has_last;
    /* For this many more instructions, a value before them does not fit. */
    unsigned doubt_left;
    /* The place of that value. */
    uint64_t doubt_offset;
    bool has_target;
    /* The target that was recorded with the last instruction, and its place. */
    uint64_t target, target_offset;
    /* What is known of the registers before the next instruction. */
    a64_registers registers;
    /* The registers are those of a snapshot. */
    bool is_at_snapshot;
    bool has_order;
    /* The order of the last access that had one. */
    uint64_t order;
    /* The state of the checks of system calls. */
    /* A system call has been met. */
    bool has_calls;
    /* How many calls are still without a result. */
    uint64_t open_count;
    /* The state of the checks of snapshots. */
    bool has_gap, is_interval_reported, is_change_reported;
    /* The instructions in user mode before the next snapshot. */
    uint64_t user_count;
    /* The counts of the last snapshot. */
    uint64_t snapshot_user, snapshot_total;
    /* `user_count` at the last snapshot. */
    uint64_t snapshot_seen;
    uint64_t interval;
};

/* Makes a check; returns NULL if out of memory. */
xtrace_check *xtrace_check_new(const xtrace_trace *trace, const xtrace_part *part, diag_sink *diag);

/* Checks a group of tokens, in the order of the trace. */
void xtrace_check_group(xtrace_check *check, const char *name, const xtrace_group *group);

/* Checks a snapshot. `group` is the instruction after it, or NULL if there is none. */
void xtrace_check_snapshot(xtrace_check *check, const xtrace_snapshots *s,
                           const xtrace_group *group);

/* A jump within this many instructions after a value that does not fit may be due to what that
   value hides. */
#define DOUBTED_INSNS 3u

/* Notes a value that does not fit. If a jump follows, what the value may hide is lost. */
static inline void xtrace_check_doubt(xtrace_check *check, uint64_t offset)
{
    if (check->doubt_left == 0)
        check->doubt_offset = offset;
    check->doubt_left = DOUBTED_INSNS;
}

/* These are in check_registers.c: accesses are checked against the opcode, and registers against
   accesses and snapshots. */

void xtrace_check_accesses(xtrace_check *check, const char *name, const a64_insn *what);
void xtrace_check_registers(xtrace_check *check, const xtrace_snapshots *s);

#endif
