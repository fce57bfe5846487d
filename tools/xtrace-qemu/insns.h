/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a program: what each needs when it runs is worked out when it is translated.
 */
#ifndef XTRACE_QEMU_INSNS_H
#define XTRACE_QEMU_INSNS_H

#include <stdint.h>

typedef struct insn {
    uint64_t pc;
    uint32_t opcode;
    uint32_t traits; /* opcode.h */
} insn;

/* The same for the same instruction at the same place, for ever; NULL without memory. */
const insn *insns_add(uint64_t pc, uint32_t opcode);

#endif
