/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the calls that instructions make, for 'insn calls' and other commands. */
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
    stele_paths *paths;   /* for output of paths; NULL otherwise */
    stele_writer *writer; /* for output of spans; NULL otherwise */
    const consumer *to;   /* for other commands; NULL otherwise */
} insns_following;

/* Reads all arguments. Returns false if none could be read, or if the output is closed. */
bool insns_follow_all(insns_following *f);

/* Prints what was cut, and frees the state of following. */
void insns_follow_end(insns_following *f);

#endif
