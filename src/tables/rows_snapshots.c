/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of register snapshots, and their columns. */
#include <stdlib.h>

#include <stele/insn_analysis.h>

#include "tables/stage.h"

/* State while the snapshots of a segment are taken one by one, each with its event. */
typedef struct snapshot_stage {
    stele_scan *scan;
    const stele_batch *batch;
    const stele_event *event;
} snapshot_stage;

static stele_status take(void *user, const stele_insn_snapshot *snapshot)
{
    snapshot_stage *t = user;
    const rows r = {.batch = t->batch, .events = t->event, .snapshots = snapshot, .count = 1};
    return stage_put(t->scan, &r);
}

static stele_status snapshots_add(void *user, const stele_segment *segment)
{
    snapshot_stage *t = user;
    stele_status status = STELE_OK;
    t->batch = segment->batch;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_segment one = {segment->batch, segment->first + i, 1};
        t->event = &segment->batch->events[one.first];
        status = stele_insn_take_snapshots(t->scan->context, &one, take, t);
    }
    return status;
}

static stele_status snapshots_finish(void *user)
{
    (void)user;
    return STELE_END;
}

static stele_status snapshots_bound(void *user, int64_t begin_ns, int64_t end_ns)
{
    (void)user;
    (void)begin_ns;
    (void)end_ns;
    return STELE_OK; /* the reader has left out snapshots that are not within the bounds */
}

stele_status stage_open_snapshots(stele_scan *s, stage_engine *engine)
{
    snapshot_stage *t = calloc(1, sizeof *t);
    stele_request request = STELE_INIT(stele_request);
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->scan = s;
    stele_insn_snapshot_request(&request);
    *engine = (stage_engine){.user = t,
                             .add = snapshots_add,
                             .finish = snapshots_finish,
                             .bound = snapshots_bound,
                             .close = free,
                             .columns = request.columns};
    return STELE_OK;
}

/* ---- Columns of the table -------------------------------------------------------------------- */

#define FILL_SNAPSHOT(name, type, is_there, value) \
    STAGE_FILL(snapshot, stele_insn_snapshot, snapshots, name, type, is_there, value)

FILL_SNAPSHOT(thread, uint64_t, true, p->thread)
FILL_SNAPSHOT(number, uint64_t, true, p->number)
FILL_SNAPSHOT(insns, uint64_t, true, p->total_count)
FILL_SNAPSHOT(user_insns, uint64_t, true, p->user_count)
FILL_SNAPSHOT(vl, uint64_t, true, p->vl_bits)

/* Fills a column named "x0" to "x30" or "sp" with that register. */
void fill_snapshot_register(stele_scan *s, const scan_column *of, const rows *r,
                            const cell_place *to)
{
    const char *name = of->entry->name;
    const size_t number = strcmp(name, "sp") == 0 ? STELE_INSN_SP : strtoul(name + 1, NULL, 10);
    uint64_t *values = to->values;
    (void)s;
    for (size_t i = 0; i < r->count; i++)
        values[i] = r->snapshots[i].x[number];
}

void fill_snapshot_system(stele_scan *s, const scan_column *of, const rows *r, const cell_place *to)
{
    uint64_t *values = to->values;
    int number = 0;
    (void)s;
    while (number + 1 < STELE_INSN_SYSTEM_REGISTER_COUNT &&
           strcmp(stele_insn_system_register_text((stele_insn_system_register)number),
                  of->entry->name) != 0)
        number++;
    for (size_t i = 0; i < r->count; i++)
        values[i] = r->snapshots[i].system[number];
}
