/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as pairs of xinsndata and xsnapshot, one pair for each thread or core. What the
 * files hold beyond the events (the order of an instruction's tokens, the header, the layout) comes
 * as raw fields from the format's own reader; without them, the usual form is written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/xtrace/trace.h"
#include "formats/xtrace/write/group.h"
#include "model/batch.h"

/* The characters "XTRC". */
#define HEADER_FLAG 0x43525458u
#define HEADER_SIZE 24u

/* These limits are more than any layout has. */
#define Z_STRIDE_MAX 256u
#define P_STRIDE_MAX 64u
#define P_COUNT_MAX  17u
#define ZA_SIZE_MAX  (2048u * 2048u)

typedef struct thread {
    uint32_t track;
    bool is_core;
    xtrace_pair pair;
    xtrace_groups groups;
    /* The last instruction was dropped, and what belongs to it is dropped, too. */
    bool is_dropped;
    /* The state of the snapshots. */
    bool has_layout, has_header;
    stele_xtrace_layout layout;
    stele_xtrace_header header;
    bool has_base;
    /* The counts of the first snapshot, less what was written before it. */
    uint64_t user_base, total_base;
    /* Snapshots whose instruction has not been written yet. */
    uint8_t *pending;
    size_t pending_size, pending_capacity;
} thread;

typedef struct xtrace_writer {
    stele_writer base;
    xtrace_names names;
    thread *threads;
    size_t thread_count, thread_capacity;
    /* The index of the thread of the last event. */
    size_t current;
    unsigned core_count;
    stele_status status;
} xtrace_writer;

static void lose(xtrace_writer *w, const stele_event *event, const char *what)
{
    writer_lose(&w->base, (stele_kind)event->kind, what, true, 1);
}

static void fail(xtrace_writer *w, stele_status status)
{
    if (w->status == STELE_OK)
        w->status = status;
}

/* ---- Fields ---- */

/* Gives the number at `index` of an array of numbers. */
static uint64_t array_at(const stele_batch *batch, const stele_field *field, size_t index)
{
    return load_native64(batch->bytes + field->u.bytes.offset + 8 * index);
}

static const stele_field *find_field(const stele_batch *batch, const stele_event *event,
                                     stele_name name, stele_type type)
{
    const stele_field *field = batch_field(batch, event, name);
    return field != NULL && field->type == type ? field : NULL;
}

/* Stores the numbers of an array in the format's order of bytes. */
static void array_store(const stele_batch *batch, const stele_field *field, uint8_t *to,
                        size_t stride)
{
    for (size_t i = 0; i < field->u.bytes.size / 8; i++)
        store_le64(to + stride * i, array_at(batch, field, i));
}

/* ---- Threads ---- */

/* Opens a thread. The main core and all threads are called "hint9". */
static bool thread_open(xtrace_writer *w, thread *t, uint32_t number)
{
    const stele_track *track = stele_track_get(w->base.context, number);
    char stem[96];
    *t = (thread){.track = number, .is_core = track != NULL && track->kind == STELE_TRACK_CPU};
    snprintf(stem, sizeof stem, "xtrace.%" PRIu32 ".%" PRIu64 ".hint%d",
             track != NULL ? track->source : 0, track != NULL ? track->number : 0,
             t->is_core && w->core_count != 0 ? 13 : 9);
    w->core_count += t->is_core;
    return xtrace_pair_open(&t->pair, w->base.out, stem);
}

/* Finds the thread of an event. Gives NULL when there is no room for one more: in a single pair, or
   in memory. */
static thread *thread_find(xtrace_writer *w, const stele_event *event)
{
    if (w->current < w->thread_count && w->threads[w->current].track == event->track)
        return &w->threads[w->current];
    for (w->current = 0; w->current < w->thread_count; w->current++) {
        if (w->threads[w->current].track == event->track)
            return &w->threads[w->current];
    }
    if (w->thread_count != 0 && !w->base.out->is_folder) {
        lose(w, event, "of another thread than the first, in a single file");
        return NULL;
    }
    if (w->thread_count == w->thread_capacity) {
        thread *grown = array_grow_size(w->threads, sizeof *grown, &w->thread_capacity, 4);
        if (grown == NULL) {
            fail(w, STELE_ERR_MEMORY);
            return NULL;
        }
        w->threads = grown;
    }
    if (!thread_open(w, &w->threads[w->thread_count], event->track)) {
        fail(w, STELE_ERR_MEMORY);
        return NULL;
    }
    return &w->threads[w->thread_count++];
}

/* Writes the current instruction, and the snapshots that were taken before it. */
static void thread_flush(xtrace_writer *w, thread *t)
{
    output *out;
    uint64_t index;
    stele_status status;
    if (!xtrace_groups_is_pending(&t->groups))
        return;
    status = xtrace_pair_insns(&t->pair, &out);
    if (status == STELE_OK)
        status = xtrace_groups_put(&t->groups, t->pending_size != 0, out, &index);
    if (status != STELE_OK) {
        fail(w, status);
        return;
    }
    for (size_t at = 0; at < t->pending_size; at += t->layout.size) {
        store_le64(t->pending + at + 8, index);
        output_write(t->pair.snapshots, t->pending + at, t->layout.size);
    }
    t->pending_size = 0;
}

/* ---- Instructions ---- */

static unsigned level_of(const xtrace_writer *w, const stele_event *event)
{
    for (unsigned i = 1; i < 4; i++) {
        if (event->category != 0 && event->category == w->names.categories[i])
            return i;
    }
    return 0;
}

static void add_token(xtrace_writer *w, thread *t, const stele_xtrace_token *token)
{
    if (!xtrace_groups_add(&t->groups, token))
        fail(w, STELE_ERR_MEMORY);
}

static void add_value(xtrace_writer *w, thread *t, stele_xtrace_kind kind, uint64_t value)
{
    add_token(w, t, &(stele_xtrace_token){.kind = kind, .value = value});
}

/* Adds all registers in front of the instruction. */
static void add_registers(xtrace_writer *w, thread *t, const stele_batch *batch,
                          const stele_event *event)
{
    const stele_name name = w->names.values[STELE_XTRACE_ALLGPR];
    const stele_field *field = find_field(batch, event, name, STELE_TYPE_UINTS);
    uint8_t bytes[STELE_XTRACE_GPR_COUNT * 8];
    if (field == NULL || field->u.bytes.size != sizeof bytes)
        return;
    array_store(batch, field, bytes, 8);
    add_token(w, t,
              &(stele_xtrace_token){
                  .kind = STELE_XTRACE_ALLGPR, .payload = bytes, .payload_size = sizeof bytes});
}

static stele_xtrace_kind kind_of_field(const xtrace_writer *w, const stele_field *field)
{
    static const stele_xtrace_kind kinds[] = {STELE_XTRACE_STXR,       STELE_XTRACE_MRS,
                                              STELE_XTRACE_DC,         STELE_XTRACE_TARGET_B,
                                              STELE_XTRACE_MISC_FLAGS, STELE_XTRACE_TIME};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (field->name == w->names.values[kinds[i]] && field->type == STELE_TYPE_UINT)
            return kinds[i];
    }
    return STELE_XTRACE_NONE;
}

static void add_insn_fields(xtrace_writer *w, thread *t, const stele_batch *batch,
                            const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        const stele_xtrace_kind kind = kind_of_field(w, field);
        if (kind != STELE_XTRACE_NONE)
            add_value(w, t, kind, field->u.u);
        else if ((field->hint & STELE_HINT_RAW) == 0 && field->name != w->names.opcode &&
                 field->name != w->names.values[STELE_XTRACE_ALLGPR])
            lose(w, event, "field of an instruction that no token holds");
    }
}

static void write_insn(xtrace_writer *w, thread *t, const stele_batch *batch,
                       const stele_event *event)
{
    const bool is_unresolved = (event->flags & STELE_FLAG_UNRESOLVED) != 0;
    const stele_field *tokens = find_field(batch, event, w->names.tokens, STELE_TYPE_BYTES);
    const stele_xtrace_token insn = {.kind =
                                         is_unresolved ? STELE_XTRACE_INST : STELE_XTRACE_PCINST,
                                     .level = (uint8_t)level_of(w, event),
                                     .pc = event->id,
                                     .opcode = (uint32_t)event->value};
    thread_flush(w, t);
    t->is_dropped = is_unresolved ? t->groups.has_pc : !xtrace_pc_can_be(event->id);
    if (t->is_dropped) {
        lose(w, event, "instruction without a program counter");
        return;
    }
    add_registers(w, t, batch, event);
    if (!xtrace_groups_add_insn(&t->groups, &insn) ||
        (tokens != NULL &&
         !xtrace_groups_set_order(&t->groups, batch->bytes + tokens->u.bytes.offset,
                                  tokens->u.bytes.size)))
        fail(w, STELE_ERR_MEMORY);
    add_insn_fields(w, t, batch, event);
}

/* ---- Accesses and system calls ---- */

static void write_access(xtrace_writer *w, thread *t, const stele_batch *batch,
                         const stele_event *event)
{
    const stele_field *bytes = find_field(batch, event, w->names.data, STELE_TYPE_BYTES);
    const stele_field *number = find_field(batch, event, w->names.data, STELE_TYPE_UINT);
    const stele_field *order =
        find_field(batch, event, w->names.values[STELE_XTRACE_TIME], STELE_TYPE_UINT);
    stele_xtrace_token token = {.kind = event->kind == STELE_KIND_LOAD ? STELE_XTRACE_LOAD
                                                                       : STELE_XTRACE_STORE,
                                .address = event->id};
    uint8_t value[8];
    if (bytes != NULL) {
        token.payload = batch->bytes + bytes->u.bytes.offset;
        token.payload_size = bytes->u.bytes.size;
    } else if (number != NULL && number->width <= 64) {
        store_le64(value, number->u.u);
        token.payload = value;
        token.payload_size = number->width / 8u;
    }
    if (token.payload_size == 0 || token.payload_size > STELE_XTRACE_VALUE_MAX ||
        (token.payload_size & (token.payload_size - 1)) != 0) {
        lose(w, event, "access of another size than 2^k bytes");
        return;
    }
    if (order != NULL)
        add_value(w, t, STELE_XTRACE_TIME, order->u.u);
    add_token(w, t, &token);
}

static void add_vectors(xtrace_writer *w, thread *t, const stele_batch *batch,
                        const stele_event *event)
{
    const stele_field *base = find_field(batch, event, w->names.iov_base, STELE_TYPE_UINTS);
    const stele_field *length = find_field(batch, event, w->names.iov_length, STELE_TYPE_UINTS);
    uint8_t bytes[STELE_XTRACE_IOVECS_MAX * XTRACE_IOVEC];
    if (base == NULL || length == NULL)
        return;
    if (base->u.bytes.size != length->u.bytes.size || base->u.bytes.size * 2 > sizeof bytes) {
        lose(w, event, "vectors that are not pairs, or too many");
        return;
    }
    array_store(batch, base, bytes, XTRACE_IOVEC);
    array_store(batch, length, bytes + 8, XTRACE_IOVEC);
    add_token(w, t,
              &(stele_xtrace_token){.kind = STELE_XTRACE_SYSCALL_VEC,
                                    .payload = bytes,
                                    .payload_size = base->u.bytes.size * 2});
}

/* Writes the tokens of a system call. A result without arguments belongs to the call before. */
static void write_call(xtrace_writer *w, thread *t, const stele_batch *batch,
                       const stele_event *event)
{
    const stele_field *result = find_field(batch, event, w->names.result, STELE_TYPE_INT);
    const stele_field *argument;
    bool has_arguments = false;
    for (size_t i = 0; i < 6; i++) {
        argument = find_field(batch, event, w->names.arguments[i], STELE_TYPE_UINT);
        if (argument == NULL)
            break;
        if (!has_arguments)
            add_value(w, t, STELE_XTRACE_SVCARG, event->value);
        has_arguments = true;
        add_value(w, t, STELE_XTRACE_SVCARG, argument->u.u);
    }
    if (!has_arguments && result == NULL)
        add_value(w, t, STELE_XTRACE_SVCARG, event->value);
    add_vectors(w, t, batch, event);
    if (result != NULL)
        add_value(w, t, STELE_XTRACE_SVCRET, result->u.u);
}

static void write_value(xtrace_writer *w, thread *t, const stele_batch *batch,
                        const stele_event *event)
{
    if (t->is_dropped || !xtrace_groups_is_pending(&t->groups) ||
        (event->flags & STELE_FLAG_UNRESOLVED) != 0)
        lose(w, event, "value without its instruction");
    else if (event->kind == STELE_KIND_SYSCALL)
        write_call(w, t, batch, event);
    else
        write_access(w, t, batch, event);
}

/* ---- Snapshots ---- */

/* Gives the bytes of a field, which must be `*size` unless that is 0; NULL when the size
   differs. */
static const uint8_t *field_bytes(const stele_batch *batch, const stele_event *event,
                                  stele_name name, uint32_t *size)
{
    const stele_field *field = find_field(batch, event, name, STELE_TYPE_BYTES);
    if (field == NULL || (*size != 0 && field->u.bytes.size != *size))
        return NULL;
    *size = field->u.bytes.size;
    return batch->bytes + field->u.bytes.offset;
}

static uint64_t field_number(const stele_batch *batch, const stele_event *event, stele_name name,
                             uint64_t otherwise)
{
    const stele_field *field = find_field(batch, event, name, STELE_TYPE_UINT);
    return field != NULL ? field->u.u : otherwise;
}

/* Finds the layout by the sizes of the registers. */
static stele_xtrace_layout layout_of(const xtrace_writer *w, const stele_batch *batch,
                                     const stele_event *event)
{
    uint32_t z = 0, p = 0, ffr = 0, za = 0, header = 0;
    const bool has_header = field_bytes(batch, event, w->names.header, &header) != NULL;
    stele_xtrace_layout layout = {
        .header_size = has_header ? header : HEADER_SIZE,
        .vl_bits = (uint32_t)field_number(batch, event, w->names.vl, 0),
        .fp_size = (uint32_t)field_number(batch, event, w->names.fp_size, 8),
        .fp_padding = (uint32_t)field_number(batch, event, w->names.fp_padding, 0)};
    if (field_bytes(batch, event, w->names.z, &z) != NULL)
        layout.z_stride = z / 32;
    if (field_bytes(batch, event, w->names.ffr, &ffr) != NULL)
        layout.p_stride = ffr;
    if (field_bytes(batch, event, w->names.p, &p) != NULL && ffr != 0)
        layout.p_count = p / ffr;
    if (field_bytes(batch, event, w->names.za, &za) != NULL)
        layout.za_size = za;
    if (header != 0 && header != 19 && header != XTRACE_HEADER_MAX)
        layout.header_size = HEADER_SIZE;
    if (layout.z_stride > Z_STRIDE_MAX || layout.za_size > ZA_SIZE_MAX ||
        layout.p_stride > P_STRIDE_MAX || layout.p_count > P_COUNT_MAX)
        /* The registers do not fit this layout. */
        layout = stele_xtrace_layout_standard(HEADER_SIZE, 128);
    return stele_xtrace_layout_place(&layout);
}

/* Fills in a snapshot. It is written as a whole, or not at all. */
static bool snapshot_take(const xtrace_writer *w, const stele_xtrace_layout *layout,
                          const stele_batch *batch, const stele_event *event,
                          uint8_t x[STELE_XTRACE_GPR_COUNT * 8], stele_xtrace_snapshot *snapshot)
{
    const xtrace_names *n = &w->names;
    const stele_field *registers = find_field(batch, event, n->x, STELE_TYPE_UINTS);
    uint32_t z = 32 * layout->z_stride, p = layout->p_count * layout->p_stride;
    uint32_t ffr = layout->p_stride, za = layout->za_size;
    *snapshot = (stele_xtrace_snapshot){
        .file_number = field_number(batch, event, n->file_number, 0),
        .index = field_number(batch, event, n->index, 0),
        .user_count = field_number(batch, event, n->user_count, 0),
        .total_count = field_number(batch, event, n->total_count, 0),
        .x = x,
        .z = field_bytes(batch, event, n->z, &z),
        .p = field_bytes(batch, event, n->p, &p),
        .ffr = field_bytes(batch, event, n->ffr, &ffr),
        .za = field_bytes(batch, event, n->za, &za),
        .vl_bits = layout->vl_bits,
    };
    for (size_t i = 0; i < STELE_XTRACE_SYSTEM_COUNT; i++)
        snapshot->system[i] = field_number(batch, event, n->system[i], 0);
    if (registers == NULL || registers->u.bytes.size != STELE_XTRACE_GPR_COUNT * 8)
        return false;
    array_store(batch, registers, x, 8);
    return snapshot->z != NULL && snapshot->p != NULL && snapshot->ffr != NULL &&
           snapshot->za != NULL && za == layout->za_size;
}

/* Writes the header as it was in the trace that was read, or in its usual form. */
static void put_header(xtrace_writer *w, thread *t, const stele_batch *batch,
                       const stele_event *event)
{
    uint8_t bytes[XTRACE_HEADER_MAX];
    uint32_t size = t->layout.header_size;
    const uint8_t *header = size != 0 ? field_bytes(batch, event, w->names.header, &size) : NULL;
    if (header == NULL) {
        t->has_header = size != 0;
        t->header = (stele_xtrace_header){.flag = HEADER_FLAG, .version = 1, .is_core = t->is_core};
        stele_xtrace_header_encode(&t->header, size, bytes);
        header = bytes;
    }
    output_write(t->pair.snapshots, header, size);
}

static stele_status thread_begin_snapshots(xtrace_writer *w, thread *t, const stele_batch *batch,
                                           const stele_event *event,
                                           const stele_xtrace_layout *layout)
{
    output *out;
    const stele_status status = xtrace_pair_snapshots(&t->pair, &out);
    if (status != STELE_OK)
        return status;
    t->layout = *layout;
    t->has_layout = true;
    put_header(w, t, batch, event);
    return STELE_OK;
}

static uint8_t *thread_pending(thread *t)
{
    const size_t size = t->pending_size + t->layout.size;
    if (size > t->pending_capacity) {
        uint8_t *grown = array_reserve_size(t->pending, 1, &t->pending_capacity, size);
        if (grown == NULL)
            return NULL;
        t->pending = grown;
    }
    return t->pending + t->pending_size;
}

static void write_snapshot(xtrace_writer *w, thread *t, const stele_batch *batch,
                           const stele_event *event)
{
    uint8_t x[STELE_XTRACE_GPR_COUNT * 8], *to;
    stele_xtrace_snapshot snapshot;
    stele_xtrace_layout layout;
    stele_status status = STELE_OK;
    thread_flush(w, t);
    layout = t->has_layout ? t->layout : layout_of(w, batch, event);
    /* No file is begun for a snapshot that cannot be written, because a header alone tells no
       layout. */
    if (!snapshot_take(w, &layout, batch, event, x, &snapshot)) {
        if (t->has_layout)
            lose(w, event, "snapshot of other sizes than the first");
        else
            lose(w, event, "snapshot without all of its registers");
        return;
    }
    if (!t->has_layout)
        status = thread_begin_snapshots(w, t, batch, event, &layout);
    if (status == STELE_ERR_UNSUPPORTED) {
        lose(w, event, "snapshot, which needs a second file");
        return;
    }
    to = status == STELE_OK ? thread_pending(t) : NULL;
    if (to == NULL) {
        fail(w, status != STELE_OK ? status : STELE_ERR_MEMORY);
        return;
    }
    if (!t->has_base || t->groups.total_count == 0) {
        t->has_base = true;
        t->user_base = snapshot.user_count - t->groups.user_count;
        t->total_base = snapshot.total_count - t->groups.total_count;
    }
    snapshot.user_count = t->user_base + t->groups.user_count;
    snapshot.total_count = t->total_base + t->groups.total_count;
    stele_xtrace_snapshot_encode(&t->layout, &snapshot, to);
    t->pending_size += t->layout.size;
}

/* ---- The writer ---- */

static void write_event(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    thread *t;
    switch (event->kind) {
    case STELE_KIND_INSN:
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE:
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT: break;
    case STELE_KIND_LOST: lose(w, event, "gap between instructions"); return;
    default: lose(w, event, "no token holds it"); return;
    }
    if (stele_name_text(w->base.context, batch, event->name).size != 0)
        writer_lose(&w->base, (stele_kind)event->kind, "name", false, 1);
    t = thread_find(w, event);
    if (t == NULL)
        return;
    if (event->kind == STELE_KIND_INSN)
        write_insn(w, t, batch, event);
    else if (event->kind == STELE_KIND_SNAPSHOT)
        write_snapshot(w, t, batch, event);
    else
        write_value(w, t, batch, event);
}

static stele_status writer_status(const xtrace_writer *w)
{
    stele_status status = w->status;
    for (size_t i = 0; status == STELE_OK && i < w->thread_count; i++)
        status = xtrace_pair_status(&w->threads[i].pair);
    return status;
}

static stele_status xtrace_write(stele_writer *self, const stele_segment *segment)
{
    xtrace_writer *w = (xtrace_writer *)self;
    for (uint32_t i = 0; w->status == STELE_OK && i < segment->count; i++)
        write_event(w, segment->batch, &segment->batch->events[segment->first + i]);
    return writer_status(w);
}

/* Writes the snapshots after the last instruction, and completes the header. */
static void thread_finish(xtrace_writer *w, thread *t)
{
    thread_flush(w, t);
    if (w->status != STELE_OK || !t->has_layout)
        return;
    for (size_t at = 0; at < t->pending_size; at += t->layout.size) {
        if (t->groups.total_count != 0)
            store_le64(t->pending + at + 8, t->groups.size);
        output_write(t->pair.snapshots, t->pending + at, t->layout.size);
    }
    if (t->has_header && t->groups.has_order) {
        uint8_t bytes[XTRACE_HEADER_MAX];
        t->header.has_order = 1;
        stele_xtrace_header_encode(&t->header, t->layout.header_size, bytes);
        if (!output_patch(t->pair.snapshots, 0, bytes, t->layout.header_size))
            writer_lose(&w->base, STELE_KIND_NONE, "mark that the order of accesses is there",
                        false, 1);
    }
}

static stele_status xtrace_finish(stele_writer *self)
{
    xtrace_writer *w = (xtrace_writer *)self;
    for (size_t i = 0; i < w->thread_count; i++)
        thread_finish(w, &w->threads[i]);
    return writer_status(w);
}

static void xtrace_writer_close(stele_writer *self)
{
    xtrace_writer *w = (xtrace_writer *)self;
    for (size_t i = 0; i < w->thread_count; i++) {
        xtrace_groups_free(&w->threads[i].groups);
        xtrace_pair_close(&w->threads[i].pair);
        free(w->threads[i].pending);
    }
    free(w->threads);
    free(w);
}

stele_status xtrace_writer_open(stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer)
{
    static const writer_ops ops = {xtrace_write, xtrace_finish, xtrace_writer_close};
    xtrace_writer *w;
    *writer = NULL;
    if (options->version != NULL) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, "no version",
                    "'%s'", options->version);
        return STELE_ERR_ARGUMENT;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base = (stele_writer){.ops = &ops, .context = context, .out = out};
    if (!xtrace_names_intern(context, &w->names)) {
        free(w);
        return STELE_ERR_MEMORY;
    }
    *writer = &w->base;
    return STELE_OK;
}
