/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pair of files of one thread: instructions and snapshots of registers. All layouts are those of
 * docs/instructions.md and FORMAT.md of Stele's xtrace format.
 */
#ifndef XTRACE_QEMU_TRACE_H
#define XTRACE_QEMU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest.h"

#define TRACE_ACCESS_LOG2_MAX 8u /* 256 bytes */

enum trace_value { /* tokens that carry 8 bytes */
                   TRACE_STXR = 0x03,
                   TRACE_TIME = 0x07,
                   TRACE_MRS = 0x0b,
                   TRACE_SVCARG = 0x13,
                   TRACE_FLAGS = 0x1c,
                   TRACE_SVCRET = 0x1b,
                   TRACE_DC = 0x23,
                   TRACE_TARGET = 0x2b,
};

typedef struct trace_settings {
    const char *folder;
    bool has_header;
    bool has_fixed_layout; /* snapshots as large as those of vectors of 2048 bits */
    bool has_order;        /* TIME tokens */
} trace_settings;

typedef struct trace {
    int insns, snapshots; /* files; -1 is none */
    uint8_t *window;      /* a part of insns, mapped: what is in it outlives the process */
    uint64_t window_offset;
    uint64_t offset;   /* in insns: what is recorded ends there */
    uint8_t *snapshot; /* room for one */
    int error;         /* errno of the first write that failed; nothing is written after it */
} trace;

#define TRACE_NONE ((trace){.insns = -1, .snapshots = -1})

/* False, and error, if the files cannot be made. */
bool trace_open(trace *t, const trace_settings *settings, uint64_t stamp, long thread);
static inline bool trace_is_open(const trace *t)
{
    return t->insns != -1;
}

/* Brings insns to its size, which else it has no sooner than when it is closed: zeros stand after
   what is recorded. */
void trace_settle(trace *t);
void trace_close(trace *t);
void trace_abandon(trace *t); /* in the child of a fork: the files are the parent's */

void trace_insn(trace *t, uint64_t pc, uint32_t opcode, bool has_pc);
void trace_value(trace *t, enum trace_value token, uint64_t value);
void trace_access(trace *t, bool is_store, unsigned size_log2, uint64_t address,
                  const uint8_t *bytes);
void trace_registers(trace *t, const guest *g);                   /* ALLGPR */
void trace_vectors(trace *t, const void *iovecs, uint64_t count); /* SYSCALL_VEC */
void trace_snapshot(trace *t, const trace_settings *settings, const guest *g, uint64_t tpidr,
                    uint64_t insn_count); /* of which the next instruction is the first after it */

#endif
