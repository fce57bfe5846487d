/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that fill columns of events. */
#include "tables/tables.h"

#define FILL(name) \
    void fill_##name(stele_scan *s, const scan_column *of, const rows *r, const cell_place *to)

/* Defines the function for a column that depends only on the event `e` and is never null. */
#define FILL_PLAIN(name, type, value)                   \
    FILL(name)                                          \
    {                                                   \
        type *values = to->values;                      \
        (void)s;                                        \
        (void)of;                                       \
        for (size_t i = 0; i < r->count; i++) {         \
            const stele_event *const e = &r->events[i]; \
            values[i] = (value);                        \
        }                                               \
    }

/* Defines the function for a column that depends only on the event `e`, and is null if
   `is_there` is false. */
#define FILL_NULLS(name, type, is_there, value)         \
    FILL(name)                                          \
    {                                                   \
        type *values = to->values;                      \
        (void)s;                                        \
        (void)of;                                       \
        for (size_t i = 0; i < r->count; i++) {         \
            const stele_event *const e = &r->events[i]; \
            const bool has_value = (is_there);          \
            values[i] = has_value ? (value) : 0;        \
            if (!has_value)                             \
                place_null(to, i);                      \
        }                                               \
    }

/* Defines the function for a column that is the same for all events of a batch. */
#define FILL_BATCH(name, type, value)         \
    FILL(name)                                \
    {                                         \
        type *values = to->values;            \
        const type same = (value);            \
        (void)of;                             \
        for (size_t i = 0; i < r->count; i++) \
            values[i] = same;                 \
    }

FILL_PLAIN(kind, uint8_t, e->kind)
FILL_PLAIN(flags, uint8_t, e->flags)
FILL_PLAIN(offset, uint64_t, e->offset)
FILL_PLAIN(size, uint32_t, e->size)
FILL_NULLS(ticks, uint64_t, (e->flags & STELE_FLAG_NO_TIME) == 0, e->ticks)
FILL_NULLS(track, uint32_t, e->track != 0, e->track)
FILL_NULLS(cpu, uint16_t, (e->flags & STELE_FLAG_HAS_CPU) != 0, e->cpu)
FILL_BATCH(stream, uint32_t, ((void)s, r->batch->stream))

static uint32_t trace_of(const stele_scan *s, const stele_batch *batch)
{
    const stele_stream *stream = stele_stream_get(s->context, batch->stream);
    return stream != NULL ? stream->trace : 0;
}

FILL_BATCH(trace, uint32_t, trace_of(s, r->batch))

/* ---- Times ---- */

static inline bool has_time(const stele_event *e)
{
    return (e->flags & (STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED)) == 0;
}

FILL(ts)
{
    int64_t *values = to->values;
    unsigned flags = 0;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        values[i] = r->events[i].time_ns;
        flags |= r->events[i].flags;
    }
    if ((flags & (STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED)) == 0)
        return;
    for (size_t i = 0; i < r->count; i++) {
        if (has_time(&r->events[i]))
            continue;
        s->stats.unknown_count += (r->events[i].flags & STELE_FLAG_CLAMPED) != 0;
        values[i] = 0;
        place_null(to, i);
    }
}

FILL(wall)
{
    const stele_stream *stream = stele_stream_get(s->context, r->batch->stream);
    int64_t *values = to->values, wall_ns = 0;
    const bool has_wall = stream != NULL && stele_batch_wall(r->batch, &stream->clock, &wall_ns);
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        if (has_wall && has_time(&r->events[i]) &&
            !__builtin_add_overflow(r->events[i].time_ns, wall_ns, &values[i]))
            continue;
        values[i] = 0;
        place_null(to, i);
    }
}

/* Computes the duration of a COMPLETE event in nanoseconds. Returns false if it has none. */
static bool duration(const stele_event *e, int64_t *ns)
{
    return e->kind == STELE_KIND_COMPLETE && has_time(e) &&
           !__builtin_sub_overflow((int64_t)e->id, e->time_ns, ns);
}

FILL(dur)
{
    int64_t *values = to->values;
    (void)s;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        if (duration(&r->events[i], &values[i]))
            continue;
        values[i] = 0;
        place_null(to, i);
    }
}

FILL_NULLS(lost_end, int64_t, e->id != 0, (int64_t)e->id)

/* ---- Names ---- */

FILL(name)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        values[i] = cell_of_name(s, r->batch, r->events[i].name);
        if (r->events[i].name == 0)
            place_null(to, i);
    }
}

FILL(category)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        const stele_name name = stele_category_name(s->context, r->events[i].category);
        values[i] = cell_of_name(s, r->batch, name);
        if (name == 0)
            place_null(to, i);
    }
}

/* ---- Numbers and names of threads and processes ---- */

#define FILL_TRACK(name, type, is_there, value)                                  \
    FILL(name)                                                                   \
    {                                                                            \
        type *values = to->values;                                               \
        (void)of;                                                                \
        for (size_t i = 0; i < r->count; i++) {                                  \
            const track_cells *const t = track_cells_get(s, r->events[i].track); \
            values[i] = t->value;                                                \
            if (!(t->is_there))                                                  \
                place_null(to, i);                                               \
        }                                                                        \
    }

FILL_TRACK(tid, uint64_t, has_tid, tid)
FILL_TRACK(pid, uint64_t, has_pid, pid)
FILL_TRACK(thread, stele_cell_text, thread_name != 0, thread)
FILL_TRACK(process, stele_cell_text, process_name != 0, process)

/* ---- Value and id, whose meaning depends on the kind ---- */

#define KINDS(a, b, c, d)                                              \
    (STELE_KIND_BIT(STELE_KIND_##a) | STELE_KIND_BIT(STELE_KIND_##b) | \
     STELE_KIND_BIT(STELE_KIND_##c) | STELE_KIND_BIT(STELE_KIND_##d))

/* Kinds whose value or id is always valid, and kinds for which 0 means that there is none. */
#define VALUE_ALWAYS (KINDS(BLOB, OBJECT, SYSCALL, SNAPSHOT) | KINDS(METADATA, INSN, LOAD, STORE))
#define VALUE_NOT_0  KINDS(SWITCH, LOG, SAMPLE, LOST)
#define ID_ALWAYS                                                                         \
    (KINDS(COUNTER, ASYNC_BEGIN, ASYNC_STEP, ASYNC_END) |                                 \
     KINDS(FLOW_BEGIN, FLOW_STEP, FLOW_END, BLOB) | KINDS(OBJECT, METADATA, INSN, LOAD) | \
     STELE_KIND_BIT(STELE_KIND_STORE))
#define ID_NOT_0 (KINDS(BEGIN, END, TAIL_EXIT, SWITCH) | KINDS(WAKE, SAMPLE, LOST, LOST))

static inline bool is_there(const stele_event *e, uint64_t value, uint64_t always, uint64_t not_0)
{
    return (always >> e->kind & 1) != 0 || ((not_0 >> e->kind & 1) != 0 && value != 0);
}

FILL_NULLS(value, uint64_t, is_there(e, e->value, VALUE_ALWAYS, VALUE_NOT_0), e->value)
FILL_NULLS(id, uint64_t, is_there(e, e->id, ID_ALWAYS, ID_NOT_0), e->id)
