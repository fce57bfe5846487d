/* SPDX-License-Identifier: Apache-2.0 */
/* Calls made of instructions, for `insn calls`, which shows them. */
#ifndef CLI_INSN_INSN_FOLLOW_H
#define CLI_INSN_INSN_FOLLOW_H

#include <stele/analysis.h>
#include <stele/insn_analysis.h>

#include "cli/insn/insn.h"

typedef struct insns_following {
    cli *c;
    insns *s;
    stele_insn_calls *calls;
    struct known_name *names;
    stele_paths *paths;   /* of the forms with paths */
    stele_writer *writer; /* of the others */
    const consumer *to;   /* of other commands */
} insns_following;

/* Reads all arguments. False: none could be read, or nobody wants to see a result. */
bool insns_follow_all(insns_following *f);

/* Says what was cut, and frees what following took. */
void insns_follow_end(insns_following *f);

#endif
