/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what an instruction wrote to general registers, as far as its own record shows it. */
#ifndef ANALYSIS_INSN_INSN_WRITES_H
#define ANALYSIS_INSN_INSN_WRITES_H

#include <stele/insn_analysis.h>

#include "model/insn.h"

#define INSN_WRITES_MAX 4u
#define INSN_SP         31u

typedef stele_insn_write insn_write;

/*
 * Lists the registers that an instruction wrote: by loads (with the change of the base), MRS,
 * results of exclusive stores, constants, addresses made from the program counter, and the return
 * address of calls. The batch must have accesses and values. Returns the number of entries.
 */
size_t insn_writes(const insn_batch *batch, const insn *at, insn_write list[INSN_WRITES_MAX]);

#endif
