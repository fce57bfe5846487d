/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of analyses that give what they find as it becomes known, in arrays that hold for a call
 * only: the columns that were asked for are filled then, put aside, and handed on chunk by chunk.
 */
#ifndef TABLES_STAGE_H
#define TABLES_STAGE_H

#include <stele/sched.h>

#include "tables/tables.h"

/* An analysis that takes segments, and calls stage_put() with what it finds. */
typedef struct stage_engine {
    void *user;
    stele_status (*add)(void *user, const stele_segment *segment);
    stele_status (*finish)(void *user);
    stele_status (*bound)(void *user, int64_t begin_ns, int64_t end_ns);
    void (*close)(void *user); /* NULL: there is nothing */
    uint32_t columns;          /* that it asks of a reader */
} stage_engine;

/* `needs` are the columns that are asked for. After a failure the engine is closed with the scan.
 */
stele_status stage_open_spans(stele_scan *s, uint32_t needs, stage_engine *engine);
/* The same, where the columns need no more than calls (rows_calls.c). */
bool stage_can_be_calls(const stele_scan *s);
stele_status stage_open_calls(stele_scan *s, stage_engine *engine);
stele_status stage_open_sched(stele_scan *s, stage_engine *engine);
stele_status stage_open_kernel(stele_scan *s, stage_engine *engine);
stele_status stage_open_snapshots(stele_scan *s, stage_engine *engine);

/* Fills the columns of some rows, and puts them aside. */
stele_status stage_put(stele_scan *s, const rows *r);

/* A column of the item `p` of a list of rows, null where `is_there` is false. */
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

/* The number of a thread or CPU; 0: there is none. */
static inline uint32_t stage_number_of(const stele_scan *s, uint32_t track)
{
    const stele_track *found = stele_track_get(s->context, track);
    return found != NULL ? (uint32_t)found->number : 0;
}

#endif
