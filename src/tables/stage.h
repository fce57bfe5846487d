/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of analyses, which give their results in arrays that are valid during one call only. The
   columns are filled during that call, the rows are kept, and given chunk by chunk. */
#ifndef TABLES_STAGE_H
#define TABLES_STAGE_H

#include <stele/sched.h>

#include "tables/tables.h"

/* An analysis that takes segments, and calls stage_put() with its results. */
typedef struct stage_engine {
    void *user;
    stele_status (*add)(void *user, const stele_segment *segment);
    stele_status (*finish)(void *user);
    stele_status (*bound)(void *user, int64_t begin_ns, int64_t end_ns);
    void (*close)(void *user); /* frees the analysis; NULL: nothing to free */
    /* how many calls and operations were not followed, as a limit was reached; NULL: none ever */
    uint64_t (*left_out)(void *user);
    uint32_t columns; /* STELE_COLUMN_... bits that its events must have */
} stage_engine;

/* Make the analysis for a table. `needs` are the columns of events that the scan needs. After a
   failure the engine is closed with the scan. */
stele_status stage_open_spans(stele_scan *s, uint32_t needs, stage_engine *engine);
/* Whether the columns of a table of spans need no more than calls, so that stage_open_calls()
   can be used (rows_calls.c). */
bool stage_can_be_calls(const stele_scan *s);
stele_status stage_open_calls(stele_scan *s, stage_engine *engine);
stele_status stage_open_sched(stele_scan *s, stage_engine *engine);
stele_status stage_open_kernel(stele_scan *s, stage_engine *engine);
stele_status stage_open_snapshots(stele_scan *s, stage_engine *engine);

/*
 * Calls of traces of instructions, for a table of calls (rows_insn_calls.c). `*out` is NULL if
 * there are none, or if the table has other rows; it must be closed after a failure, too.
 * insn_calls_more() passes on those of the next instructions, and returns STELE_END after the last.
 */
stele_status insn_calls_open(stele_scan *s, insn_calls_source **out);
void insn_calls_close(insn_calls_source *t);
stele_status insn_calls_more(insn_calls_source *t, const stage_engine *to);
/* How many calls were not followed, as they were nested too deeply. */
uint64_t insn_calls_left_out(const insn_calls_source *t);

/* Fills the columns of some rows, and keeps them for later chunks. */
stele_status stage_put(stele_scan *s, const rows *r);

/*
 * Defines the function for a column of the item `p` in a list of rows, null if `is_there` is false.
 */
#define STAGE_FILL(prefix, item_type, list, name, type, is_there, value)             \
    void fill_##prefix##_##name(stele_scan *s, const scan_column *of, const rows *r, \
                                const cell_place *to)                                \
    {                                                                                \
        type *values = to->values;                                                   \
        (void)s;                                                                     \
        (void)of;                                                                    \
        memset(values, 0, r->count * sizeof *values);                                \
        for (size_t i = 0; i < r->count; i++) {                                      \
            const item_type *const p = &r->list[i];                                  \
            if (is_there)                                                            \
                values[i] = (value);                                                 \
            else                                                                     \
                place_null(to, i);                                                   \
        }                                                                            \
    }

/* The number of a thread or CPU, by its track; 0 if there is no such track. */
static inline uint32_t stage_number_of(const stele_scan *s, uint32_t track)
{
    const stele_track *found = stele_track_get(s->context, track);
    return found != NULL ? (uint32_t)found->number : 0;
}

#endif
