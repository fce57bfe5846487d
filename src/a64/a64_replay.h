/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the general registers: their values, as far as they follow from the instructions that
   were executed, what these loaded, and what was recorded. A value that cannot be known becomes
   unknown; nothing is guessed. */
#ifndef A64_A64_REPLAY_H
#define A64_A64_REPLAY_H

#include "a64/a64_registers.h"

/* Executes an instruction on the registers; `what` is the result of a64_classify(). */
void a64_replay(a64_registers *r, const a64_insn *what, const a64_record *record);

/* Gives `size` bytes, 8 at most, at `offset` of the bytes that an instruction read or wrote, as a
   little-endian number. Returns false if they do not exist, or are not known. */
bool a64_accessed(const a64_record *record, bool is_store, unsigned offset, unsigned size,
                  uint64_t *value);

/* Gives the address of an instruction's first access. Returns false if it is not known. */
bool a64_address(const a64_registers *r, const a64_insn *what, const a64_record *record,
                 uint64_t *address);

#endif
