/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of a trace for one choice of columns. Producers that want the same columns share
   them. */
#ifndef CTF_PROGRAM_SET_H
#define CTF_PROGRAM_SET_H

#include "formats/ctf/trace.h"

typedef struct ctf_program_set {
    struct ctf_program_set *next; /* next set of the trace */
    screen *screen;
    const field_names *fields;
    uint32_t columns, user_count;
    ctf_programs *of_subtrace[]; /* by number of the subtrace; NULL until needed */
} ctf_program_set;

/* Returns the set for the columns of the request, to be given back with program_set_give_back(), or
   NULL if out of memory. */
ctf_program_set *program_set_take(ctf_trace *trace, const produce_request *request);
void program_set_give_back(ctf_trace *trace, ctf_program_set *set);

/* Returns the programs for the streams of a subtrace, or NULL if out of memory. */
ctf_programs *program_set_of(const ctf_trace *trace, ctf_program_set *set,
                             const ctf_subtrace *subtrace);

#endif
