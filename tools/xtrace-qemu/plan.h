/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses of instructions for which QEMU reports none, or others than the architecture does:
 * exclusive stores, atomics, and SVE and SME accesses of elements. They are worked out from the
 * registers before the instruction runs, and recorded with what memory holds afterwards.
 */
#ifndef XTRACE_QEMU_PLAN_H
#define XTRACE_QEMU_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"

/* At worst each element of a vector of 2048 bits is three bytes, which take two accesses. */
#define PLAN_ACCESSES_MAX (2 * GUEST_VECTOR_SIZE_MAX)

typedef struct plan_access {
    uint64_t address;
    uint8_t size_log2;
    uint8_t lane; /* byte of the vector in which the element begins */
    bool is_store;
    bool was_before; /* the value is that of before, in plan.before */
} plan_access;

typedef struct plan {
    unsigned count;
    plan_access accesses[PLAN_ACCESSES_MAX];
    uint8_t before[16];
} plan;

void plan_make(plan *p, const guest *g, uint32_t opcode, uint32_t traits);

/* After the instruction: did this access take place? `status` is the result of an exclusive
   store. */
bool plan_took_place(const plan_access *access, const guest *g, uint32_t traits, uint64_t status);

#endif
