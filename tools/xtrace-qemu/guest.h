/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers and memory of the guest. The plugin API of QEMU 7.2 gives neither. Registers are read
 * where they lie in QEMU's structure of a CPU: guest_open() finds the places by writing marks
 * through the functions that QEMU has for debuggers, so they need not be known beforehand.
 */
#ifndef XTRACE_QEMU_GUEST_H
#define XTRACE_QEMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_VECTOR_SIZE_MAX    256u
#define GUEST_PREDICATE_SIZE_MAX (GUEST_VECTOR_SIZE_MAX / 8)
#define GUEST_FFR                16u /* its number among the predicates */
#define GUEST_SP                 31u

typedef struct guest {
    void *cpu;         /* QEMU's CPUState */
    void *env;         /* QEMU's CPUARMState */
    const uint64_t *x; /* X0 to X30, SP */
    const uint8_t (*z)[GUEST_VECTOR_SIZE_MAX];
    const uint8_t (*p)[GUEST_PREDICATE_SIZE_MAX]; /* P0 to P15, FFR */
    const uint8_t (*za)[GUEST_VECTOR_SIZE_MAX];
    const uint64_t *svcr;
    bool has_sve;
    unsigned vector_size_max; /* of this CPU, in bytes */
} guest;

/* Once, before any CPU runs. NULL, or what this QEMU lacks. */
const char *guest_init(void);

/* In the first instruction of a CPU. NULL, or what was not found. */
const char *guest_open(guest *g, unsigned index);

/* X0 to X30; 31 is zero. */
static inline uint64_t guest_x(const guest *g, unsigned n)
{
    return n == 31 ? 0 : g->x[n];
}

uint32_t guest_nzcv(const guest *g); /* in bits 28 to 31 */
uint32_t guest_fpcr(const guest *g);
uint32_t guest_fpsr(const guest *g);
bool guest_has_za(const guest *g);          /* ZA is on */
unsigned guest_vector_size(const guest *g); /* at present, in bytes */

/* Without the tag in the upper byte, which does not count in user mode. */
static inline uint64_t guest_address(uint64_t address)
{
    return address & ((UINT64_C(1) << 56) - 1);
}

/* Where the byte of this address lies. */
const uint8_t *guest_memory(uint64_t address);

/* Reads what may not be mapped. */
bool guest_read(uint64_t address, void *to, size_t size);

#endif
