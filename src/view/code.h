/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about instructions: a stretch of them, or the code around one. */
#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include <stele/insn.h>
#include <stele/symbols.h>

#include "view/viewer.h"

/* Reads the instructions of the threads that are asked for, by their numbers. A consumer without an
   `end` wants snapshots. STELE_END of the consumer ends it; STELE_ERR_UNSUPPORTED: no trace has
   any. */
stele_status code_read(viewer *v, const question *q, uint64_t begin, uint64_t end,
                       stele_insn_consumer *consumer);

/* Adds ["pc","opcode","text"]; the class is the text where there is no disassembly. */
void code_put_insn(stele_json *j, const char *key, stele_disassembly *d, uint64_t pc,
                   uint32_t opcode);

/* The instructions around one, with what they read and write, and the registers as far as known. */
stele_status code_answer_moment(viewer *v, const question *q, stele_output *out);

#endif
