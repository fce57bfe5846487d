/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to xinsndata: the instructions of one thread with what belongs to them. Snapshots have a
 * file of their own, which a writer of one output does not make; they are counted as lost.
 */
#include <stdlib.h>

#include "formats/xtrace/trace.h"
#include "model/batch.h"

#define MEM_LOAD  0x02u
#define MEM_STORE 0x0au

typedef struct xtrace_writer {
    stele_writer base;
    xtrace_names names;
    uint32_t track; /* the one that is written; valid with has_track */
    bool has_track;
    bool has_pc;         /* of the next instruction without its own */
    bool is_dropped;     /* the last instruction, and so what belongs to it */
    bool is_block_start; /* behind a branch or a snapshot */
    unsigned level;
    uint64_t pc;
} xtrace_writer;

static void lose(xtrace_writer *w, const stele_event *event, const char *what)
{
    writer_lose(&w->base, (stele_kind)event->kind, what, true, 1);
}

static void put_value(xtrace_writer *w, uint8_t token, uint64_t value)
{
    uint8_t bytes[9];
    bytes[0] = token;
    store_le64(bytes + 1, value);
    output_write(w->base.out, bytes, sizeof bytes);
}

static void put_u64(xtrace_writer *w, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    output_write(w->base.out, bytes, sizeof bytes);
}

/* Number `index` of an array of numbers. */
static uint64_t array_at(const stele_batch *batch, const stele_field *field, size_t index)
{
    return load_native64(batch->bytes + field->u.bytes.offset + 8 * index);
}

static const stele_field *find_field(const stele_batch *batch, const stele_event *event,
                                     stele_name name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        if (batch->fields[first + i].name == name)
            return &batch->fields[first + i];
    }
    return NULL;
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

/* All registers stand before the instruction. */
static void put_registers(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_field *field = find_field(batch, event, w->names.values[STELE_XTRACE_ALLGPR]);
    if (field == NULL || field->type != STELE_TYPE_UINTS ||
        field->u.bytes.size != STELE_XTRACE_GPR_COUNT * 8)
        return;
    output_byte(w->base.out, 0x0c);
    for (size_t i = 0; i < STELE_XTRACE_GPR_COUNT; i++)
        put_u64(w, array_at(batch, field, i));
}

static void put_opcode(xtrace_writer *w, const stele_event *event, unsigned level)
{
    const bool has_own =
        (event->flags & STELE_FLAG_UNRESOLVED) == 0 &&
        (!w->has_pc || w->is_block_start || level != w->level || event->id != w->pc);
    uint8_t bytes[13];
    bytes[0] = (uint8_t)(level << 6 | (has_own ? 0x09u : 0x01u));
    store_le64(bytes + 1, event->id);
    store_le32(bytes + (has_own ? 9 : 1), (uint32_t)event->value);
    output_write(w->base.out, bytes, has_own ? 13 : 5);
    w->has_pc |= has_own;
    w->pc = event->id + 4;
    w->level = level;
    w->is_block_start = xtrace_opcode_can_jump((uint32_t)event->value);
}

static void put_insn_fields(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    static const struct {
        stele_xtrace_kind kind;
        uint8_t token;
    } tokens[] = {{STELE_XTRACE_STXR, 0x03},       {STELE_XTRACE_MRS, 0x0b},
                  {STELE_XTRACE_DC, 0x23},         {STELE_XTRACE_TARGET_B, 0x2b},
                  {STELE_XTRACE_MISC_FLAGS, 0x1c}, {STELE_XTRACE_TIME, 0x07}};
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        size_t k = 0;
        while (k < sizeof tokens / sizeof *tokens && field->name != w->names.values[tokens[k].kind])
            k++;
        if (k < sizeof tokens / sizeof *tokens && field->type == STELE_TYPE_UINT)
            put_value(w, tokens[k].token, field->u.u);
        else if (field->name != w->names.opcode &&
                 field->name != w->names.values[STELE_XTRACE_ALLGPR])
            lose(w, event, "field of an instruction that no token holds");
    }
}

static void write_insn(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    const bool is_unresolved = (event->flags & STELE_FLAG_UNRESOLVED) != 0;
    w->is_dropped = is_unresolved ? w->has_pc : !xtrace_pc_can_be(event->id);
    if (w->is_dropped) {
        lose(w, event, "instruction without a program counter");
        return;
    }
    put_registers(w, batch, event);
    put_opcode(w, event, level_of(w, event));
    put_insn_fields(w, batch, event);
}

/* ---- Accesses and system calls ---- */

static void write_access(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_field *data = find_field(batch, event, w->names.data);
    const stele_field *order = find_field(batch, event, w->names.values[STELE_XTRACE_TIME]);
    const bool is_bytes = data != NULL && data->type == STELE_TYPE_BYTES;
    const size_t size = data == NULL ? 0 : is_bytes ? data->u.bytes.size : data->width / 8u;
    uint8_t value[8];
    unsigned k = 0;
    while (k < 8 && (size_t)1 << k < size)
        k++;
    if ((size_t)1 << k != size || (!is_bytes && (data->type != STELE_TYPE_UINT || k > 3))) {
        lose(w, event, "access of another size than 2^k bytes");
        return;
    }
    if (order != NULL && order->type == STELE_TYPE_UINT)
        put_value(w, 0x07, order->u.u);
    put_value(w, (uint8_t)(k << 4 | (event->kind == STELE_KIND_LOAD ? MEM_LOAD : MEM_STORE)),
              event->id);
    if (is_bytes) {
        output_write(w->base.out, batch->bytes + data->u.bytes.offset, size);
    } else {
        store_le64(value, data->u.u);
        output_write(w->base.out, value, size);
    }
}

static void put_vectors(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_field *base = find_field(batch, event, w->names.iov_base);
    const stele_field *length = find_field(batch, event, w->names.iov_length);
    size_t count;
    if (base == NULL || length == NULL || base->type != STELE_TYPE_UINTS ||
        length->type != STELE_TYPE_UINTS || base->u.bytes.size != length->u.bytes.size)
        return;
    count = base->u.bytes.size / 8;
    put_value(w, 0x24, count);
    for (size_t i = 0; i < count; i++) {
        put_u64(w, array_at(batch, base, i));
        put_u64(w, array_at(batch, length, i));
    }
}

/* A result without arguments is that of the call before. */
static void write_call(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_field *result = find_field(batch, event, w->names.result);
    bool has_arguments = false;
    for (size_t i = 0; i < 6; i++) {
        const stele_field *argument = find_field(batch, event, w->names.arguments[i]);
        if (argument == NULL || argument->type != STELE_TYPE_UINT)
            break;
        if (!has_arguments)
            put_value(w, 0x13, event->value);
        has_arguments = true;
        put_value(w, 0x13, argument->u.u);
    }
    if (!has_arguments && result == NULL)
        put_value(w, 0x13, event->value);
    put_vectors(w, batch, event);
    if (result != NULL)
        put_value(w, 0x1b, result->u.u);
}

/* ---- The writer ---- */

static void write_value(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    if (w->is_dropped || (event->flags & STELE_FLAG_UNRESOLVED) != 0)
        lose(w, event, "value without its instruction");
    else if (event->kind == STELE_KIND_SYSCALL)
        write_call(w, batch, event);
    else
        write_access(w, batch, event);
}

static void write_event(xtrace_writer *w, const stele_batch *batch, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_INSN:
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE:
    case STELE_KIND_SYSCALL: break;
    case STELE_KIND_SNAPSHOT:
        w->is_block_start = true;
        lose(w, event, "snapshot, which has a file of its own");
        return;
    case STELE_KIND_LOST: lose(w, event, "gap between instructions"); return;
    default: lose(w, event, "no token holds it"); return;
    }
    if (!w->has_track) {
        w->has_track = true;
        w->track = event->track;
    }
    if (event->track != w->track)
        lose(w, event, "of another thread than the first");
    else if (event->kind == STELE_KIND_INSN)
        write_insn(w, batch, event);
    else
        write_value(w, batch, event);
}

static stele_status xtrace_write(stele_writer *self, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++)
        write_event((xtrace_writer *)self, segment->batch,
                    &segment->batch->events[segment->first + i]);
    return self->out->status;
}

static stele_status xtrace_finish(stele_writer *self)
{
    return self->out->status;
}

static void xtrace_writer_close(stele_writer *self)
{
    free(self);
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
