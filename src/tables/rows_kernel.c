/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what a kernel does except scheduling: interrupts, requests to devices, packets. */
#include <stdlib.h>

#include "tables/stage.h"

#define HELD_MAX 256u

/* Collects items, which come one by one. Each has an event of its thread, for the columns of
   events. */
typedef struct kernel_stage {
    stele_kernel *kernel;
    stele_scan *scan;
    uint32_t wanted;   /* bits of stele_kernel_class values */
    stele_batch batch; /* has the stream of the events */
    stele_event events[HELD_MAX];
    stele_kernel_item items[HELD_MAX];
    size_t count;
} kernel_stage;

#define BIT(of) (1u << (of))

static stele_status give(kernel_stage *t)
{
    const rows r = {.batch = &t->batch, .events = t->events, .kernel = t->items, .count = t->count};
    t->count = 0;
    return r.count != 0 ? stage_put(t->scan, &r) : STELE_OK;
}

static stele_status take(void *user, const stele_kernel_item *item)
{
    kernel_stage *t = user;
    stele_status status = STELE_OK;
    if ((BIT(item->of) & t->wanted) == 0)
        return STELE_OK;
    if (t->count == HELD_MAX || (t->count != 0 && t->batch.stream != item->stream))
        status = give(t);
    t->batch.stream = item->stream;
    t->events[t->count] =
        (stele_event){.time_ns = item->begin_ns, .offset = item->offset, .track = item->thread};
    t->items[t->count++] = *item;
    return status;
}

static stele_status kernel_add(void *user, const stele_segment *segment)
{
    kernel_stage *t = user;
    const stele_status status = stele_kernel_add(t->kernel, segment);
    return status == STELE_OK ? give(t) : status;
}

static stele_status kernel_finish(void *user)
{
    kernel_stage *t = user;
    const stele_status status = stele_kernel_finish(t->kernel);
    return status == STELE_OK ? give(t) : status;
}

static stele_status kernel_bound(void *user, int64_t begin_ns, int64_t end_ns)
{
    kernel_stage *t = user;
    return stele_kernel_set_window(t->kernel, begin_ns, end_ns);
}

static void kernel_close(void *user)
{
    kernel_stage *t = user;
    stele_kernel_free(t->kernel);
    free(t);
}

stele_status stage_open_kernel(stele_scan *s, stage_engine *engine)
{
    kernel_stage *t = calloc(1, sizeof *t);
    const stele_kernel_options options = {
        .struct_size = sizeof options, .on_item = take, .user = t};
    stele_status status;
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->scan = s;
    t->wanted =
        s->table->source == SOURCE_INTERRUPTS
            ? BIT(STELE_KERNEL_IRQ) | BIT(STELE_KERNEL_SOFTIRQ) | BIT(STELE_KERNEL_SOFTIRQ_RAISE)
            : BIT(STELE_KERNEL_DISK) | BIT(STELE_KERNEL_SEND) | BIT(STELE_KERNEL_RECEIVE);
    *engine = (stage_engine){.user = t,
                             .add = kernel_add,
                             .finish = kernel_finish,
                             .bound = kernel_bound,
                             .close = kernel_close};
    status = stele_kernel_new(s->context, &options, &t->kernel);
    engine->columns = status == STELE_OK ? stele_kernel_columns(t->kernel) : 0;
    return status;
}

/* ---- Columns of the table -------------------------------------------------------------------- */

#define FILL_ITEM(name, type, is_there, value) \
    STAGE_FILL(kernel, stele_kernel_item, kernel, name, type, is_there, value)

FILL_ITEM(dur, int64_t, p->is_timed, p->end_ns - p->begin_ns)
FILL_ITEM(kind, uint8_t, true, p->of)
FILL_ITEM(name, stele_cell_text, p->name != 0, cell_of_name(s, NULL, p->name))
FILL_ITEM(number, uint64_t, p->of != STELE_KERNEL_SEND && p->of != STELE_KERNEL_RECEIVE, p->number)
FILL_ITEM(bytes, uint64_t, true, p->byte_count)
FILL_ITEM(cpu, uint32_t, p->cpu != 0, stage_number_of(s, p->cpu))
