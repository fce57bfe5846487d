/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the system calls in a trace of instructions, and joins their arguments, vectors and
   results. */
#ifndef ANALYSIS_INSN_INSN_SYSCALLS_H
#define ANALYSIS_INSN_INSN_SYSCALLS_H

#include "analysis/insn/syscalls.h"
#include "model/insn.h"

#define SYSCALL_VECTORS_MAX 1024u /* the largest number of vectors that Linux accepts */

typedef struct insn_syscall {
    uint32_t track;
    uint64_t insn_number, pc; /* number and address of the SVC instruction */
    uint64_t call;            /* number of the call, valid if has_call is set */
    uint64_t arguments[SYSCALL_ARGUMENTS_MAX];
    uint32_t argument_count; /* how many arguments the trace has */
    bool has_call, has_result;
    uint64_t result;
    /* instructions from the SVC to the result, both included; valid if has_result is set */
    uint64_t insn_count;
    uint32_t vector_count;
    uint64_t vectors[2 * SYSCALL_VECTORS_MAX]; /* base and length of each vector */
} insn_syscall;

typedef stele_status insn_syscall_take_fn(void *user, const insn_syscall *call);

/* State: a call is given to `take` when its result is known, or when it is known that there is
   none. */
typedef struct insn_syscalls {
    insn_syscall_take_fn *take;
    void *user;
    insn_syscall open;
    bool is_open;
    uint64_t stray_count; /* results and vectors that belong to no call */
} insn_syscalls;

void insn_syscalls_init(insn_syscalls *s, insn_syscall_take_fn *take, void *user);
stele_status insn_syscalls_add(insn_syscalls *s, const insn_batch *batch);

/* Gives a call that was still open at the end to `take`. */
stele_status insn_syscalls_finish(insn_syscalls *s);

#endif
