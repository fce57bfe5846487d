/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_syscalls.h"

#include "core/load.h"

void insn_syscalls_init(insn_syscalls *s, insn_syscall_take_fn *take, void *user)
{
    s->take = take;
    s->user = user;
    s->is_open = false;
    s->stray_count = 0;
}

stele_status insn_syscalls_finish(insn_syscalls *s)
{
    const bool was_open = s->is_open;
    s->is_open = false;
    return was_open ? s->take(s->user, &s->open) : STELE_OK;
}

static uint64_t number_of(const insn_batch *batch, const insn *at)
{
    return batch->number + (uint64_t)(at - batch->insns);
}

static stele_status begin(insn_syscalls *s, const insn_batch *batch, const insn *at)
{
    const stele_status status = insn_syscalls_finish(s);
    insn_syscall *open = &s->open;
    open->track = batch->track;
    open->insn_number = number_of(batch, at);
    open->pc = at->pc;
    open->argument_count = open->vector_count = 0;
    open->has_call = open->has_result = false;
    s->is_open = true;
    return status;
}

/* Takes a value of a system call: the first one is its number, then come its arguments. If the
   call has all of them, the value begins another call. */
static stele_status take_argument(insn_syscalls *s, const insn_batch *batch, const insn *at,
                                  uint64_t value)
{
    stele_status status = STELE_OK;
    if (!s->is_open || s->open.argument_count == SYSCALL_ARGUMENTS_MAX)
        status = begin(s, batch, at);
    if (!s->open.has_call) {
        s->open.call = value;
        s->open.has_call = true;
    } else {
        s->open.arguments[s->open.argument_count++] = value;
    }
    return status;
}

static void take_vectors(insn_syscalls *s, const insn_batch *batch, const insn_value *value)
{
    const uint8_t *bytes = batch->bytes + value->u.bytes.offset;
    const uint32_t count = value->u.bytes.size / 16;
    if (!s->is_open) {
        s->stray_count++;
        return;
    }
    s->open.vector_count = count < SYSCALL_VECTORS_MAX ? count : SYSCALL_VECTORS_MAX;
    for (uint32_t i = 0; i < 2 * s->open.vector_count; i++)
        s->open.vectors[i] = load_le64(bytes + (size_t)8 * i);
}

static stele_status take_result(insn_syscalls *s, const insn_batch *batch, const insn *at,
                                uint64_t value)
{
    if (!s->is_open) {
        s->stray_count++;
        return STELE_OK;
    }
    s->open.has_result = true;
    s->open.result = value;
    s->open.insn_count = number_of(batch, at) - s->open.insn_number + 1;
    return insn_syscalls_finish(s);
}

/* Whether an opcode is SVC #imm16 (Arm ARM, C6.2). */
static inline bool is_svc(uint32_t opcode)
{
    return (opcode & 0xffe0001fu) == 0xd4000001u;
}

static stele_status take_values(insn_syscalls *s, const insn_batch *batch, const insn *at)
{
    const insn_value *value = insn_values(batch, at), *last = value + at->value_count;
    stele_status status = STELE_OK;
    for (; value < last && status == STELE_OK; value++) {
        if (value->kind == INSN_VALUE_ARGUMENT)
            status = take_argument(s, batch, at, value->u.number);
        else if (value->kind == INSN_VALUE_VECTORS)
            take_vectors(s, batch, value);
        else if (value->kind == INSN_VALUE_RESULT)
            status = take_result(s, batch, at, value->u.number);
    }
    return status;
}

stele_status insn_syscalls_add(insn_syscalls *s, const insn_batch *batch)
{
    stele_status status = STELE_OK;
    if (s->is_open && s->open.track != batch->track)
        status = insn_syscalls_finish(s);
    for (uint32_t i = 0; i < batch->insn_count && status == STELE_OK; i++) {
        const insn *at = &batch->insns[i];
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        if (is_svc(at->opcode))
            status = begin(s, batch, at);
        if (status == STELE_OK && at->value_count != 0)
            status = take_values(s, batch, at);
    }
    return status;
}
