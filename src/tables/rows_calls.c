/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of calls, for columns that need nothing but what the calls engine knows. The engine takes
 * whole segments and copies no events, which makes it several times as fast as spans. Names that
 * only their batch knows are kept as long as their calls are open.
 */
#include <stdlib.h>

#include "core/array.h"
#include "tables/stage.h"

/* A copy of an open call's name that is known only in the batch of its begin. */
typedef struct kept_name {
    char *bytes; /* NULL: the entry is free */
    size_t size;
    uint32_t next_free;
} kept_name;

typedef struct call_rows {
    stele_scan *scan;
    stele_calls *calls;
    kept_name *kept; /* by tag, from 1 on */
    uint32_t kept_count, kept_capacity, free_tag;
    const stele_batch *batch; /* batch of the current event, while events are added one by one */
    const stele_event *event;
} call_rows;

/* ---- Names known in one batch ---- */

/* Copies a name. Returns its tag, 0 if out of memory. */
static uint32_t keep_name(call_rows *c, const stele_batch *batch, stele_name name)
{
    const stele_text text = stele_name_text(c->scan->context, batch, name);
    uint32_t tag = c->free_tag;
    char *bytes = malloc(text.size + 1);
    if (bytes == NULL)
        return 0;
    if (tag == 0) {
        if (c->kept_count + 1 >= c->kept_capacity) {
            kept_name *grown = array_grow(c->kept, sizeof *grown, &c->kept_capacity, 64);
            if (grown == NULL) {
                free(bytes);
                return 0;
            }
            c->kept = grown;
        }
        tag = ++c->kept_count;
    } else {
        c->free_tag = c->kept[tag].next_free;
    }
    memcpy(bytes, text.bytes, text.size);
    c->kept[tag] = (kept_name){.bytes = bytes, .size = text.size};
    return tag;
}

static void forget_name(call_rows *c, uint32_t tag)
{
    free(c->kept[tag].bytes);
    c->kept[tag] = (kept_name){.next_free = c->free_tag};
    c->free_tag = tag;
}

static bool has_local_names(const stele_segment *segment)
{
    const stele_event *events = segment->batch->events + segment->first;
    stele_name all = 0;
    if (segment->batch->name_count == 0)
        return false;
    for (uint32_t i = 0; i < segment->count; i++)
        all |= events[i].name;
    return (all & STELE_NAME_LOCAL) != 0;
}

/* ---- Rows of calls ---- */

static stele_status take(void *user, const stele_call_span *spans, size_t count)
{
    call_rows *c = user;
    const rows r = {.calls = spans, .call_rows = c, .count = count};
    const stele_status status = stage_put(c->scan, &r);
    for (size_t i = 0; c->kept_count != 0 && i < count; i++) {
        if (spans[i].tag != 0)
            forget_name(c, spans[i].tag);
    }
    return status;
}

/* Adds events one by one, so that it is known which event began a call. */
static stele_status add_local(call_rows *c, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_segment one = {segment->batch, segment->first + i, 1};
        const stele_event *event = &segment->batch->events[one.first];
        const bool begins = event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_COMPLETE;
        const uint64_t cut_count = stele_calls_get_counts(c->calls)->cut_count;
        uint32_t tag = 0;
        if (begins && (event->name & STELE_NAME_LOCAL) != 0 &&
            (event->flags & STELE_FLAG_REPEATED) == 0) {
            tag = keep_name(c, segment->batch, event->name);
            if (tag == 0)
                return STELE_ERR_MEMORY;
        }
        c->batch = segment->batch;
        c->event = event;
        stele_calls_tag(c->calls, tag);
        status = stele_calls_add(c->calls, &one, NULL);
        if (tag != 0 && stele_calls_get_counts(c->calls)->cut_count != cut_count)
            forget_name(c, tag);
    }
    c->event = NULL;
    return status;
}

static stele_status calls_add(void *user, const stele_segment *segment)
{
    call_rows *c = user;
    if (has_local_names(segment))
        return add_local(c, segment);
    stele_calls_tag(c->calls, 0);
    return stele_calls_add(c->calls, segment, NULL);
}

static stele_status calls_finish(void *user)
{
    return stele_calls_finish(((call_rows *)user)->calls);
}

static uint64_t calls_left_out(void *user)
{
    return stele_calls_get_counts(((call_rows *)user)->calls)->cut_count;
}

static stele_status calls_bound(void *user, int64_t begin_ns, int64_t end_ns)
{
    return stele_calls_set_window(((call_rows *)user)->calls, begin_ns, end_ns);
}

static void calls_close(void *user)
{
    call_rows *c = user;
    for (uint32_t i = 1; c->kept != NULL && i <= c->kept_count; i++)
        free(c->kept[i].bytes);
    stele_calls_free(c->calls);
    free(c->kept);
    free(c);
}

/* ---- Columns of calls ---- */

#define FILL_CALL(name, type, is_there, value)                                        \
    static void fill_call_##name(stele_scan *s, const scan_column *of, const rows *r, \
                                 const cell_place *to)                                \
    {                                                                                 \
        type *values = to->values;                                                    \
        (void)s;                                                                      \
        (void)of;                                                                     \
        for (size_t i = 0; i < r->count; i++) {                                       \
            const stele_call_span *const p = &r->calls[i];                            \
            const bool has_value = (is_there);                                        \
            values[i] = has_value ? (value) : 0;                                      \
            if (!has_value)                                                           \
                place_null(to, i);                                                    \
        }                                                                             \
    }

#define HAS_BEGIN (p->end != STELE_CALL_ENTRY_LOST)

FILL_CALL(ts, int64_t, HAS_BEGIN, p->begin_ns)
FILL_CALL(dur, int64_t, HAS_BEGIN, (int64_t)stele_call_duration_ns(p))
FILL_CALL(end_ts, int64_t, p->end != STELE_CALL_OPEN, p->end_ns)
FILL_CALL(self, int64_t, HAS_BEGIN, (int64_t)p->self_ns)
FILL_CALL(depth, uint32_t, true, p->depth)
FILL_CALL(ending, uint8_t, true, p->end)
FILL_CALL(track, uint32_t, p->track != 0, p->track)

/* Fills the column `trace`. Calls do not have it, so this works for a single trace only. */
static void fill_call_trace(stele_scan *s, const scan_column *of, const rows *r,
                            const cell_place *to)
{
    const uint32_t number = stele_trace_get_info(s->traces[0])->number;
    uint32_t *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++)
        values[i] = number;
}

/* The name of a call that is known only in a batch: that of its begin, or of an exit without a
   begin. Returns false if it has no such name. */
static bool local_name(stele_scan *s, const call_rows *c, const stele_call_span *p,
                       stele_cell_text *cell)
{
    const bool is_kept = p->tag != 0;
    const bool is_lost = p->end == STELE_CALL_ENTRY_LOST && c->event != NULL &&
                         (c->event->name & STELE_NAME_LOCAL) != 0;
    if (is_kept)
        *cell = cell_of_bytes(s, c->kept[p->tag].bytes, c->kept[p->tag].size);
    else if (is_lost)
        *cell = cell_of_name(s, c->batch, c->event->name);
    s->has_fleeting_names =
        s->has_fleeting_names || ((is_kept || is_lost) && cell->size > STELE_CELL_INLINE);
    return is_kept || is_lost;
}

static void fill_call_name(stele_scan *s, const scan_column *of, const rows *r,
                           const cell_place *to)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        const stele_call_span *const p = &r->calls[i];
        values[i] = cell_of_name(s, NULL, p->name);
        if (p->name == 0 && !local_name(s, r->call_rows, p, &values[i]))
            place_null(to, i);
    }
}

#define FILL_CALL_TRACK(name, type, is_there, value)                                  \
    static void fill_call_##name(stele_scan *s, const scan_column *of, const rows *r, \
                                 const cell_place *to)                                \
    {                                                                                 \
        type *values = to->values;                                                    \
        (void)of;                                                                     \
        for (size_t i = 0; i < r->count; i++) {                                       \
            const track_cells *const t = track_cells_get(s, r->calls[i].track);       \
            values[i] = t->value;                                                     \
            if (!(t->is_there))                                                       \
                place_null(to, i);                                                    \
        }                                                                             \
    }

FILL_CALL_TRACK(tid, uint64_t, has_tid, tid)
FILL_CALL_TRACK(pid, uint64_t, has_pid, pid)
FILL_CALL_TRACK(thread, stele_cell_text, thread_name != 0, thread)
FILL_CALL_TRACK(process, stele_cell_text, process_name != 0, process)

/* For each function that fills a column of spans, the one that fills it from calls. */
static const struct {
    fill_fn *of_spans, *of_calls;
} fills[] = {
    {fill_trace, fill_call_trace},
    {fill_span_ts, fill_call_ts},
    {fill_span_dur, fill_call_dur},
    {fill_span_end_ts, fill_call_end_ts},
    {fill_span_self, fill_call_self},
    {fill_span_depth, fill_call_depth},
    {fill_span_ending, fill_call_ending},
    {fill_track, fill_call_track},
    {fill_name, fill_call_name},
    {fill_tid, fill_call_tid},
    {fill_pid, fill_call_pid},
    {fill_thread, fill_call_thread},
    {fill_process, fill_call_process},
};

static fill_fn *fill_of_calls(fill_fn *of_spans)
{
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        if (fills[i].of_spans == of_spans)
            return fills[i].of_calls;
    }
    return NULL;
}

/* ---- Opening of the engine ---- */

bool stage_can_be_calls(const stele_scan *s)
{
    if (s->table->kinds != STELE_CALLS_KINDS)
        return false;
    for (size_t i = 0; i < s->column_count; i++) {
        if (fill_of_calls(s->columns[i].fill) == NULL ||
            (s->columns[i].fill == fill_trace && s->trace_count != 1))
            return false;
    }
    return true;
}

stele_status stage_open_calls(stele_scan *s, stage_engine *engine)
{
    const stele_call_options options = {.struct_size = sizeof options, .has_tags = true};
    call_rows *c = calloc(1, sizeof *c);
    stele_status status;
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->scan = s;
    status = stele_calls_new(s->context, &options, take, c, &c->calls);
    if (status != STELE_OK) {
        free(c);
        return status;
    }
    for (size_t i = 0; i < s->column_count; i++)
        s->columns[i].fill = fill_of_calls(s->columns[i].fill);
    *engine = (stage_engine){.user = c,
                             .add = calls_add,
                             .finish = calls_finish,
                             .bound = calls_bound,
                             .close = calls_close,
                             .left_out = calls_left_out,
                             .columns = stele_calls_columns(c->calls)};
    return STELE_OK;
}
