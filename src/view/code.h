/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about instructions: about a stretch of them, or about the code around one. */
#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include <stele/analysis.h>
#include <stele/insn.h>
#include <stele/symbols.h>

#include "view/viewer.h"

/*
 * Reads the instructions numbered `begin` to `end` of the threads that the question asks for. A
 * consumer whose function `end` is NULL gets snapshots as well. If the consumer returns STELE_END,
 * reading ends. Returns STELE_ERR_UNSUPPORTED if no trace has instructions.
 */
stele_status code_read(viewer *v, const question *q, uint64_t begin, uint64_t end,
                       stele_insn_consumer *consumer);

/* The most instructions of a stretch that are looked at; answers say where there are more. */
#define CODE_INSNS_MAX 20000000u

/* Gives the numbers of a stretch's first instruction and of the one after its last. */
void code_stretch(const viewer *v, const question *q, uint64_t *begin, uint64_t *end);

/*
 * Gives the calls that the instructions of a stretch make to `paths`. Calls that are open where it
 * begins are not known. `*is_cut` says whether the stretch has more instructions than are looked
 * at. Returns STELE_ERR_UNSUPPORTED if no trace has instructions.
 */
stele_status code_follow(viewer *v, const question *q, stele_paths *paths, bool *is_cut);

/* Writes ["pc","opcode","text"] of an instruction; the text is its class if there is no
   disassembly. */
void code_put_insn(stele_json *j, const char *key, stele_disassembly *d, uint64_t pc,
                   uint32_t opcode);

/* Answers with the instructions around one, what they read and write, and the registers as far
   as they are known. */
stele_status code_answer_moment(viewer *v, const question *q, stele_output *out);

#endif
