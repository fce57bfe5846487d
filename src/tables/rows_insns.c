/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of instructions, memory accesses and branches, and their columns. */
#include <stdlib.h>

#include "tables/tables.h"

/* A branch that was executed; the row is valid after its batch is gone. */
typedef struct branch_row {
    uint64_t number, pc, offset, target;
    uint32_t trace, stream, opcode;
    bool has_pc, has_next, is_taken;
    uint8_t kind;
} branch_row;

/* State of reading instructions, one trace after another. */
struct insn_source {
    branch_row *branches;
    /* a branch that was last in its batch, until the next instruction is known */
    branch_row pending;
    uint32_t pending_track;
    bool has_pending;
    stele_insn_reader *reader; /* NULL: no trace was opened yet */
    const stele_insn_batch *batch;
    size_t trace;       /* index of the trace that is read next */
    uint32_t at;        /* how many instructions of the batch were taken */
    uint32_t access_at; /* how many accesses of the current instruction were taken */
    bool wants_accesses, wants_snapshots;
};

stele_status insn_source_open(stele_scan *s, uint32_t needs)
{
    struct insn_source *t = s->insns = calloc(1, sizeof *t);
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->wants_accesses = s->table->source == SOURCE_ACCESSES || (needs & INSN_NEEDS_ACCESSES) != 0;
    t->wants_snapshots = (needs & INSN_NEEDS_SNAPSHOTS) != 0;
    if (s->table->source == SOURCE_BRANCHES) {
        t->branches = malloc(ROWS_AT_ONCE * sizeof *t->branches);
        s->row_events = calloc(ROWS_AT_ONCE, sizeof *s->row_events);
        return t->branches != NULL && s->row_events != NULL ? STELE_OK : STELE_ERR_MEMORY;
    }
    if (t->wants_accesses && s->table->source == SOURCE_ACCESSES) {
        s->row_insns = malloc(ROWS_AT_ONCE * sizeof *s->row_insns);
        if (s->row_insns == NULL)
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

void insn_source_close(stele_scan *s)
{
    if (s->insns != NULL) {
        stele_insn_reader_free(s->insns->reader);
        free(s->insns->branches);
    }
    free(s->insns);
    free(s->row_insns);
}

/* Reads the next batch of the current trace, or of the next trace that has instructions. */
static stele_status next_batch(stele_scan *s)
{
    struct insn_source *t = s->insns;
    const stele_insn_options options = {.struct_size = sizeof options,
                                        .wants_accesses = t->wants_accesses,
                                        .wants_snapshots = t->wants_snapshots};
    stele_status status = STELE_END;
    t->at = t->access_at = 0;
    t->batch = NULL;
    for (;;) {
        if (t->reader != NULL)
            status = stele_insn_reader_next(t->reader, &t->batch);
        if (t->reader != NULL && status != STELE_END)
            return status;
        stele_insn_reader_free(t->reader);
        t->reader = NULL;
        t->batch = NULL;
        if (t->trace == s->trace_count)
            return STELE_END;
        if (!stele_trace_has_insns(s->traces[t->trace++]))
            continue;
        status = stele_insn_reader_new(s->traces[t->trace - 1], &options, &t->reader);
        if (status != STELE_OK)
            return status;
    }
}

stele_status rows_of_insns(stele_scan *s, size_t room, rows *r)
{
    struct insn_source *t = s->insns;
    while (t->batch == NULL || t->at == t->batch->insn_count) {
        const stele_status status = next_batch(s);
        if (status != STELE_OK)
            return status;
    }
    r->insns = t->batch;
    r->insn_first = t->at;
    r->count = t->batch->insn_count - t->at;
    if (r->count > room)
        r->count = room;
    t->at += (uint32_t)r->count;
    return STELE_OK;
}

stele_status rows_of_accesses(stele_scan *s, size_t room, rows *r)
{
    struct insn_source *t = s->insns;
    while (r->count == 0) {
        if (t->batch == NULL || t->at == t->batch->insn_count) {
            const stele_status status = next_batch(s);
            if (status != STELE_OK)
                return status;
        }
        r->insns = t->batch;
        while (t->at < t->batch->insn_count && r->count < room) {
            const stele_insn *insn = &t->batch->insns[t->at];
            if (t->access_at == insn->access_count) {
                t->at++;
                t->access_at = 0;
                continue;
            }
            s->row_insns[r->count] = t->at;
            s->row_items[r->count++] = insn->access_first + t->access_at++;
        }
    }
    r->insn_rows = s->row_insns;
    r->items = s->row_items;
    return STELE_OK;
}

/* ---- Rows of branches ------------------------------------------------------------------------ */

static void put_branch(stele_scan *s, rows *r, const branch_row *row, uint32_t track)
{
    s->row_events[r->count] = (stele_event){.offset = row->offset, .track = track};
    s->insns->branches[r->count++] = *row;
}

/* Sets whether a branch jumped and to where, from the instruction executed after it, unless
   something is missing in between. An unconditional branch always jumped. */
static void resolve(branch_row *row, const stele_insn *next)
{
    const bool is_known = next != NULL && row->has_pc && (next->flags & STELE_INSN_HAS_PC) != 0 &&
                          (next->flags & STELE_INSN_AFTER_DAMAGE) == 0;
    row->has_next = is_known;
    row->is_taken =
        row->kind != STELE_A64_BRANCH_CONDITIONAL || (is_known && next->pc != row->pc + 4);
    row->target = is_known ? next->pc : 0;
}

/* Makes the row of an instruction that is a branch. Returns false if it is not. */
static bool take_branch(stele_scan *s, const stele_insn_batch *b, uint32_t at, branch_row *row)
{
    const stele_stream *stream = stele_stream_get(s->context, b->stream);
    const stele_insn *insn = &b->insns[at];
    stele_a64_insn known = STELE_INIT(stele_a64_insn);
    stele_a64_classify(insn->opcode, &known);
    if (known.branch == STELE_A64_BRANCH_NONE)
        return false;
    *row = (branch_row){.number = b->number + at,
                        .pc = insn->pc,
                        .offset = b->offset + insn->offset,
                        .trace = stream != NULL ? stream->trace : 0,
                        .stream = b->stream,
                        .opcode = insn->opcode,
                        .has_pc = (insn->flags & STELE_INSN_HAS_PC) != 0,
                        .kind = (uint8_t)known.branch};
    return true;
}

/* Completes the branch at the end of a batch with the first instruction of the next batch of its
   stream. */
static void settle_pending(stele_scan *s, rows *r)
{
    struct insn_source *t = s->insns;
    const stele_insn_batch *b = t->batch;
    const bool goes_on = b != NULL && b->insn_count != 0 && b->stream == t->pending.stream &&
                         b->number == t->pending.number + 1;
    if (!t->has_pending)
        return;
    resolve(&t->pending, goes_on ? &b->insns[0] : NULL);
    put_branch(s, r, &t->pending, t->pending_track);
    t->has_pending = false;
}

static void take_branches(stele_scan *s, size_t room, rows *r)
{
    struct insn_source *t = s->insns;
    const stele_insn_batch *b = t->batch;
    for (; t->at < b->insn_count && r->count < room; t->at++) {
        branch_row row;
        if (!take_branch(s, b, t->at, &row))
            continue;
        if (t->at + 1 == b->insn_count) {
            t->pending = row;
            t->pending_track = b->track;
            t->has_pending = true;
        } else {
            resolve(&row, &b->insns[t->at + 1]);
            put_branch(s, r, &row, b->track);
        }
    }
}

stele_status rows_of_branches(stele_scan *s, size_t room, rows *r)
{
    struct insn_source *t = s->insns;
    stele_status status = STELE_OK;
    r->events = s->row_events;
    r->branches = t->branches;
    while (r->count == 0 && status == STELE_OK) {
        if (t->batch == NULL || t->at == t->batch->insn_count) {
            status = next_batch(s);
            settle_pending(s, r);
        }
        if (status == STELE_OK)
            take_branches(s, room, r);
    }
    return r->count != 0 ? STELE_OK : status;
}

/* ---- Columns of instructions ----------------------------------------------------------------- */

static inline uint32_t index_of(const rows *r, size_t row)
{
    return r->insn_rows != NULL ? r->insn_rows[row] : r->insn_first + (uint32_t)row;
}

/* Defines the function for a column of the instruction `e`, which has the index `at` in its
   batch `b`. Instructions that are consecutive have a loop of their own. */
#define FILL_INSN(name, type, is_there, value)                                            \
    static inline __attribute__((always_inline)) void insn_##name##_each(                 \
        const stele_scan *s, const rows *r, const cell_place *to, const uint32_t *picked) \
    {                                                                                     \
        const stele_insn_batch *const b = r->insns;                                       \
        const size_t count = r->count;                                                    \
        type *const values = to->values;                                                  \
        (void)s;                                                                          \
        for (size_t i = 0; i < count; i++) {                                              \
            const uint32_t at = picked != NULL ? picked[i] : r->insn_first + (uint32_t)i; \
            const stele_insn *const e = &b->insns[at];                                    \
            const bool has_value = (is_there);                                            \
            (void)e;                                                                      \
            values[i] = has_value ? (value) : 0;                                          \
            if (!has_value)                                                               \
                place_null(to, i);                                                        \
        }                                                                                 \
    }                                                                                     \
                                                                                          \
    void fill_insn_##name(stele_scan *s, const scan_column *of, const rows *r,            \
                          const cell_place *to)                                           \
    {                                                                                     \
        (void)of;                                                                         \
        if (r->insn_rows == NULL)                                                         \
            insn_##name##_each(s, r, to, NULL);                                           \
        else                                                                              \
            insn_##name##_each(s, r, to, r->insn_rows);                                   \
    }

static uint32_t trace_of(const stele_scan *s, const stele_insn_batch *batch)
{
    const stele_stream *stream = stele_stream_get(s->context, batch->stream);
    return stream != NULL ? stream->trace : 0;
}

FILL_INSN(trace, uint32_t, true, trace_of(s, b))
FILL_INSN(stream, uint32_t, true, b->stream)
FILL_INSN(track, uint32_t, b->track != 0, b->track)
FILL_INSN(number, uint64_t, true, b->number + at)
FILL_INSN(pc, uint64_t, (e->flags & STELE_INSN_HAS_PC) != 0, e->pc)
FILL_INSN(opcode, uint32_t, true, e->opcode)
FILL_INSN(level, uint8_t, true, e->level)
FILL_INSN(accesses, uint16_t, true, e->access_count)
FILL_INSN(jumped, uint8_t, true, (e->flags & STELE_INSN_DISCONTINUOUS) != 0)
FILL_INSN(snapshot, uint64_t, b->snapshot != STELE_INSN_NO_SNAPSHOT, b->snapshot)
FILL_INSN(offset, uint64_t, true, b->offset + e->offset)

#define FILL_INSN_TRACK(name, type, is_there, value)                           \
    void fill_insn_##name(stele_scan *s, const scan_column *of, const rows *r, \
                          const cell_place *to)                                \
    {                                                                          \
        const track_cells *const t = track_cells_get(s, r->insns->track);      \
        type *values = to->values;                                             \
        (void)of;                                                              \
        for (size_t i = 0; i < r->count; i++) {                                \
            values[i] = t->value;                                              \
            if (!(t->is_there))                                                \
                place_null(to, i);                                             \
        }                                                                      \
    }

FILL_INSN_TRACK(tid, uint64_t, has_tid, tid)

/* Defines the function for a column of static texts about the opcode. */
#define FILL_INSN_WORD(name, text)                                              \
    void fill_insn_##name(stele_scan *s, const scan_column *of, const rows *r,  \
                          const cell_place *to)                                 \
    {                                                                           \
        stele_cell_text *values = to->values;                                   \
        (void)s;                                                                \
        (void)of;                                                               \
        for (size_t i = 0; i < r->count; i++) {                                 \
            stele_a64_insn known = STELE_INIT(stele_a64_insn);                  \
            stele_a64_classify(r->insns->insns[index_of(r, i)].opcode, &known); \
            values[i] = cell_of_text(text);                                     \
        }                                                                       \
    }

FILL_INSN_WORD(class, stele_a64_class_text(known.class_number))
FILL_INSN_WORD(group, stele_a64_group_text(known.group))

#define FILL_ACCESS(name, type, value)                                           \
    void fill_access_##name(stele_scan *s, const scan_column *of, const rows *r, \
                            const cell_place *to)                                \
    {                                                                            \
        const stele_insn_batch *const b = r->insns;                              \
        type *values = to->values;                                               \
        (void)s;                                                                 \
        (void)of;                                                                \
        for (size_t i = 0; i < r->count; i++) {                                  \
            const stele_insn_access *const e = &b->accesses[r->items[i]];        \
            values[i] = (value);                                                 \
        }                                                                        \
    }

FILL_ACCESS(address, uint64_t, e->address)
FILL_ACCESS(size, uint32_t, UINT32_C(1) << e->size_log2)
FILL_ACCESS(store, uint8_t, e->is_store != 0)
FILL_ACCESS(value, uint64_t, stele_insn_access_number(b, e))

#define FILL_BRANCH(name, type, is_there, value)                                 \
    void fill_branch_##name(stele_scan *s, const scan_column *of, const rows *r, \
                            const cell_place *to)                                \
    {                                                                            \
        type *values = to->values;                                               \
        (void)s;                                                                 \
        (void)of;                                                                \
        for (size_t i = 0; i < r->count; i++) {                                  \
            const branch_row *const e = &r->branches[i];                         \
            const bool has_value = (is_there);                                   \
            values[i] = has_value ? (value) : 0;                                 \
            if (!has_value)                                                      \
                place_null(to, i);                                               \
        }                                                                        \
    }

FILL_BRANCH(trace, uint32_t, true, e->trace)
FILL_BRANCH(stream, uint32_t, true, e->stream)
FILL_BRANCH(number, uint64_t, true, e->number)
FILL_BRANCH(pc, uint64_t, e->has_pc, e->pc)
FILL_BRANCH(opcode, uint32_t, true, e->opcode)
FILL_BRANCH(kind, uint8_t, true, e->kind)
FILL_BRANCH(taken, uint8_t, e->kind != STELE_A64_BRANCH_CONDITIONAL || e->has_next, e->is_taken)
FILL_BRANCH(target, uint64_t, e->has_next, e->target)
