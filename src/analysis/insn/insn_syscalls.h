/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls of a trace of instructions: arguments, vectors and results put together. */
#ifndef ANALYSIS_INSN_INSN_SYSCALLS_H
#define ANALYSIS_INSN_INSN_SYSCALLS_H

#include "analysis/insn/syscalls.h"
#include "model/insn.h"

#define SYSCALL_VECTORS_MAX 1024u /* what Linux takes */

typedef struct insn_syscall {
    uint32_t track;
    uint64_t insn_number, pc; /* of the SVC */
    uint64_t call;            /* with has_call */
    uint64_t arguments[SYSCALL_ARGUMENTS_MAX];
    uint32_t argument_count; /* that the trace has */
    bool has_call, has_result;
    uint64_t result;
    uint64_t insn_count; /* from the SVC to the result, both in; with has_result */
    uint32_t vector_count;
    uint64_t vectors[2 * SYSCALL_VECTORS_MAX]; /* base and length of each */
} insn_syscall;

typedef stele_status insn_syscall_take_fn(void *user, const insn_syscall *call);

/* Calls are handed on when their result is known, or when it is known that there is none. */
typedef struct insn_syscalls {
    insn_syscall_take_fn *take;
    void *user;
    insn_syscall open;
    bool is_open;
    uint64_t stray_count; /* results and vectors of no call */
} insn_syscalls;

void insn_syscalls_init(insn_syscalls *s, insn_syscall_take_fn *take, void *user);
stele_status insn_syscalls_add(insn_syscalls *s, const insn_batch *batch);

/* Hands on a call that was open at the end. */
stele_status insn_syscalls_finish(insn_syscalls *s);

#endif
