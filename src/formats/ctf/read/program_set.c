/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/program_set.h"

#include <stdlib.h>

ctf_program_set *program_set_take(ctf_trace *trace, const produce_request *request)
{
    ctf_program_set *set = trace->program_sets;
    while (set != NULL && (set->columns != request->columns || set->screen != request->screen ||
                           set->fields != request->fields))
        set = set->next;
    if (set == NULL) {
        set = calloc(1, sizeof *set + trace->subtrace_count * sizeof *set->of_subtrace);
        if (set == NULL)
            return NULL;
        set->columns = request->columns;
        set->screen = request->screen;
        set->fields = request->fields;
        set->next = trace->program_sets;
        trace->program_sets = set;
    }
    set->user_count++;
    return set;
}

void program_set_give_back(ctf_trace *trace, ctf_program_set *set)
{
    ctf_program_set **at = &trace->program_sets;
    if (set == NULL || --set->user_count > 0)
        return;
    while (*at != set)
        at = &(*at)->next;
    *at = set->next;
    for (uint32_t i = 0; i < trace->subtrace_count; i++)
        programs_free(set->of_subtrace[i]);
    free(set);
}

/* Adds the columns that are needed to restore events of Stele's writer, which keeps kinds and
   tracks in fields. */
static uint32_t columns_of(const ctf_subtrace *subtrace, uint32_t columns)
{
    const uint32_t told =
        STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS;
    return subtrace->spans == NULL ? columns
                                   : ((columns | told) & ~STELE_COLUMN_RAW) | DECODE_MARKS;
}

ctf_programs *program_set_of(const ctf_trace *trace, ctf_program_set *set,
                             const ctf_subtrace *subtrace)
{
    ctf_programs **programs = &set->of_subtrace[subtrace->number];
    if (*programs == NULL) {
        *programs = programs_new(&subtrace->schema, trace->base.context, trace->base.info.number,
                                 columns_of(subtrace, set->columns));
        if (*programs != NULL)
            programs_set_wanted(*programs, set->screen, set->fields);
    }
    return *programs;
}
