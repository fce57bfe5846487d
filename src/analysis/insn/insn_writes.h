/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction left in general registers, as far as its own record tells. */
#ifndef ANALYSIS_INSN_INSN_WRITES_H
#define ANALYSIS_INSN_INSN_WRITES_H

#include <stele/insn_analysis.h>

#include "model/insn.h"

#define INSN_WRITES_MAX 4u
#define INSN_SP         31u

typedef stele_insn_write insn_write;

/*
 * Loads (with what they add to their base), MRS, the result of exclusive stores, constants and
 * addresses made from the program counter, the return address of calls. Wants accesses and values.
 * Gives how many.
 */
size_t insn_writes(const insn_batch *batch, const insn *at, insn_write list[INSN_WRITES_MAX]);

#endif
