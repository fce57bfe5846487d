/* SPDX-License-Identifier: Apache-2.0 */
/* How often each opcode was executed at each exception level, or each address. */
#ifndef ANALYSIS_INSN_INSN_MIX_H
#define ANALYSIS_INSN_INSN_MIX_H

#include "a64/a64.h"
#include "analysis/insn/insn_counts.h"
#include "model/insn.h"

typedef enum insn_mix_key {
    INSN_MIX_OPCODE, /* opcode, with the level in bits 32 and 33 */
    INSN_MIX_PC      /* address; UINT64_MAX if it is not known */
} insn_mix_key;

typedef struct insn_mix {
    insn_mix_key key;
    insn_counts counts;
} insn_mix;

stele_status insn_mix_init(insn_mix *mix, insn_mix_key key);
void insn_mix_free(insn_mix *mix);
stele_status insn_mix_add(insn_mix *mix, const insn_batch *batch);

static inline uint32_t insn_mix_opcode(uint64_t key)
{
    return (uint32_t)key;
}

static inline unsigned insn_mix_level(uint64_t key)
{
    return (unsigned)(key >> 32);
}

#endif
