/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_mix.h"

stele_status insn_mix_init(insn_mix *mix, insn_mix_key key)
{
    *mix = (insn_mix){.key = key};
    return insn_counts_init(&mix->counts) ? STELE_OK : STELE_ERR_MEMORY;
}

void insn_mix_free(insn_mix *mix)
{
    insn_counts_free(&mix->counts);
}

static inline uint64_t key_of(const insn *at, insn_mix_key key)
{
    if (key == INSN_MIX_OPCODE)
        return (uint64_t)at->level << 32 | at->opcode;
    return (at->flags & INSN_HAS_PC) != 0 ? at->pc : UINT64_MAX;
}

static inline __attribute__((always_inline)) bool
add_batch(insn_counts *counts, const insn_batch *batch, const insn_mix_key key)
{
    const insn *const end = batch->insns + batch->insn_count;
    for (const insn *at = batch->insns; at < end; at++) {
        if ((at->flags & INSN_HIDDEN) == 0 && !insn_counts_add(counts, key_of(at, key), 1))
            return false;
    }
    return true;
}

stele_status insn_mix_add(insn_mix *mix, const insn_batch *batch)
{
    const bool is_fine = mix->key == INSN_MIX_OPCODE
                             ? add_batch(&mix->counts, batch, INSN_MIX_OPCODE)
                             : add_batch(&mix->counts, batch, INSN_MIX_PC);
    return is_fine ? STELE_OK : STELE_ERR_MEMORY;
}
