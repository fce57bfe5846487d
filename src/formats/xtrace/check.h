/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be proven wrong of a thread's instructions and snapshots. What keeps tokens from being
 * read is found by the scan. Nothing is reported that a sound trace can hold: where a level
 * changes, or all registers are recorded, anything may have happened.
 */
#ifndef XTRACE_CHECK_H
#define XTRACE_CHECK_H

#include "a64/a64_replay.h"
#include "formats/xtrace/trace.h"

#define XTRACE_CHECK_ACCESSES 64u /* of one instruction; more are not looked at */

/* What the tokens of an instruction say. */
typedef struct xtrace_facts {
    a64_record record;
    a64_access accesses[XTRACE_CHECK_ACCESSES];
    const uint8_t *registers; /* ALLGPR; NULL: none */
    uint64_t access_offset;   /* of its first access; valid with record.access_count */
    uint64_t access_end;      /* after its last one */
    uint64_t read_size, written_size;
    bool is_partial; /* there are more accesses than these */
    bool has_target, has_arguments, has_vectors, has_result;
    bool has_order;
    uint64_t order_first, order_last, order_offset; /* of its accesses; where the first stands */
    uint64_t target, target_offset, arguments_offset, vectors_offset, vectors_size, result_offset;
    unsigned argument_count;
} xtrace_facts;

struct xtrace_check {
    const xtrace_trace *trace;
    const xtrace_part *part;
    diag_sink *diag;
    xtrace_facts facts;
    xtrace_group last; /* without its bytes */
    a64_insn last_what;
    bool has_last;         /* and the next instruction follows it */
    unsigned doubt_left;   /* for so many instructions, a value before them does not fit */
    uint64_t doubt_offset; /* where it stands */
    bool has_target;
    uint64_t target, target_offset; /* recorded with the last instruction, and where */
    a64_registers registers;        /* before the next instruction */
    bool is_at_snapshot;            /* which said so */
    bool has_order;
    uint64_t order; /* of the last access that had one */
    /* System calls: */
    bool has_calls;      /* there was one */
    uint64_t open_count; /* of those without a result */
    /* Snapshots: */
    bool has_gap, is_interval_reported, is_change_reported;
    uint64_t user_count;                    /* instructions of user mode before the next */
    uint64_t snapshot_user, snapshot_total; /* of the last snapshot */
    uint64_t snapshot_seen;                 /* user_count at that */
    uint64_t interval;
};

/* Returns NULL if out of memory. */
xtrace_check *xtrace_check_new(const xtrace_trace *trace, const xtrace_part *part, diag_sink *diag);

void xtrace_check_group(xtrace_check *check, const char *name, const xtrace_group *group);

/* `group` is the instruction after the snapshot; NULL if there is none. */
void xtrace_check_snapshot(xtrace_check *check, const xtrace_snapshots *s,
                           const xtrace_group *group);

/* How far after a value that does not fit a jump may be due to what that hides. */
#define DOUBTED_INSNS 3u

/* A value does not fit: what it may hide is lost if a jump follows. */
static inline void xtrace_check_doubt(xtrace_check *check, uint64_t offset)
{
    if (check->doubt_left == 0)
        check->doubt_offset = offset;
    check->doubt_left = DOUBTED_INSNS;
}

/* check_registers.c: accesses against the opcode, and registers against accesses and snapshots. */

void xtrace_check_accesses(xtrace_check *check, const char *name, const a64_insn *what);
void xtrace_check_registers(xtrace_check *check, const xtrace_snapshots *s);

#endif
