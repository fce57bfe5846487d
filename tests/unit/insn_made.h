/* SPDX-License-Identifier: Apache-2.0 */
/* Makes batches of instructions by hand. */
#ifndef UNIT_INSN_MADE_H
#define UNIT_INSN_MADE_H

#include "model/insn.h"
#include "test.h"

static inline insn_batch *made_batch(uint32_t track)
{
    insn_batch *batch;
    REQUIRE(insn_batch_new(0, &batch) == STELE_OK);
    batch->track = batch->stream = track;
    return batch;
}

/* Adds the next instruction to a batch. */
static inline insn *made_insn(insn_batch *batch, uint64_t pc, uint32_t opcode)
{
    insn *at = &batch->insns[batch->insn_count++];
    REQUIRE(batch->insn_count <= batch->insn_capacity);
    *at = (insn){.pc = pc,
                 .opcode = opcode,
                 .access_first = batch->access_count,
                 .value_first = batch->value_count,
                 .flags = INSN_HAS_PC};
    return at;
}

/* Adds an access to the last instruction. */
static inline void made_access(insn_batch *batch, bool is_store, uint64_t address,
                               unsigned size_log2)
{
    REQUIRE(batch->access_count < batch->access_capacity);
    batch->accesses[batch->access_count++] =
        (insn_access){.address = address, .size_log2 = (uint8_t)size_log2, .is_store = is_store};
    batch->insns[batch->insn_count - 1].access_count++;
}

#define NOP UINT32_C(0xd503201f)

/* Adds an instruction at 0x1000 with one access. */
static inline void made_load(insn_batch *batch, uint64_t address)
{
    made_insn(batch, 0x1000, NOP);
    made_access(batch, false, address, 3);
}

#endif
