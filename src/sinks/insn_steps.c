/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/insn_steps.h"

#include <stdlib.h>
#include <string.h>

typedef struct insn_steps {
    stele_writer base;
    step_take_fn *take;
    step now;
    bool has_step;
    uint32_t track;       /* track of the thread; 0: none yet */
    uint64_t last_number; /* number of the last instruction that began, in its thread */
    a64_record record;    /* the current instruction as it was recorded */
    a64_registers registers;
    uint64_t snapshot[32]; /* registers before the next instruction, from a snapshot */
    bool has_snapshot;
} insn_steps;

static void lose(insn_steps *s, const stele_event *event, const char *what)
{
    writer_lose(&s->base, (stele_kind)event->kind, what, true, 1);
}

static void hand_on(insn_steps *s)
{
    step *now = &s->now;
    a64_access accesses[STEP_ACCESSES_MAX];
    if (!s->has_step)
        return;
    for (uint32_t i = 0; i < now->access_count; i++) {
        const step_access *from = &now->accesses[i];
        accesses[i] = (a64_access){.address = from->address,
                                   .bytes = from->size <= sizeof from->bytes ? from->bytes : NULL,
                                   .size = from->size,
                                   .is_store = from->is_store};
    }
    s->record.accesses = accesses;
    s->record.access_count = now->access_count;
    a64_replay(&s->registers, &now->insn, &s->record);
    now->after = &s->registers;
    s->take(&s->base, now);
    s->has_step = false;
}

static bool is_name(const insn_steps *s, const stele_batch *batch, stele_name name,
                    const char *text)
{
    const stele_text found = stele_name_text(s->base.context, batch, name);
    return found.size == strlen(text) && memcmp(found.bytes, text, found.size) == 0;
}

/* Notes the fields after the opcode: success of a store, a system register, flags. */
static void record_fields(insn_steps *s, const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 1; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        if (is_name(s, batch, field->name, "stxr")) {
            s->record.has_status = true;
            s->record.status = field->u.u;
        } else if (is_name(s, batch, field->name, "system_register")) {
            s->record.has_system = true;
            s->record.system = field->u.u;
        } else if (is_name(s, batch, field->name, "nzcv")) {
            s->record.has_flags = true;
            s->record.flags = field->u.u;
        }
    }
}

/* Begins an instruction. Registers stay known only if it follows directly on the last one, or as
   far as a snapshot has them. */
static void reach(insn_steps *s, const stele_batch *batch, const stele_event *event)
{
    const stele_text level = stele_name_text(s->base.context, batch,
                                             stele_category_name(s->base.context, event->category));
    if (event->ticks != s->last_number + 1)
        a64_forget_all(&s->registers);
    for (unsigned i = 0; s->has_snapshot && i < 32; i++)
        a64_learn(&s->registers, i, s->snapshot[i]);
    s->has_snapshot = false;
    s->last_number = event->ticks;
    s->record = (a64_record){.opcode = (uint32_t)event->value,
                             .level = level.size == 3 ? (uint8_t)(level.bytes[2] - '0') : 0,
                             .has_pc = true,
                             .pc = event->id};
    record_fields(s, batch, event);
}

/* Whether an instruction itself continues at `pc`. If not, a signal handler or another program
   begins or returns there, and the kernel has set the registers. */
static bool leads_to(const step *from, uint64_t pc)
{
    const a64_insn *insn = &from->insn;
    if (a64_is_indirect(insn) || insn->class == A64_EXCEPTION_RETURN)
        return true;
    if (pc == from->pc + 4)
        return !a64_is_branch(insn) || a64_is_conditional(insn) || insn->offset == 4;
    return a64_is_branch(insn) && pc == from->pc + (uint64_t)(int64_t)insn->offset;
}

static void begin_step(insn_steps *s, const stele_batch *batch, const stele_event *event)
{
    step *now = &s->now;
    const bool has_pc = (event->flags & STELE_FLAG_UNRESOLVED) == 0;
    const bool is_led_to = s->has_step && has_pc && leads_to(now, event->id);
    if (s->has_step && has_pc) {
        now->next_pc = event->id;
        now->has_next = true;
    }
    hand_on(s);
    if (!is_led_to)
        a64_forget_all(&s->registers);
    if (!has_pc || event->id == 0) {
        lose(s, event, "no program counter");
        return;
    }
    reach(s, batch, event);
    s->has_step = true;
    now->pc = event->id;
    now->opcode = (uint32_t)event->value;
    now->insn = a64_classify(now->opcode);
    now->has_operands = a64_operands_find(now->opcode, &now->reads, &now->writes);
    now->has_next = false;
    now->access_count = 0;
}

/* Notes the result of a system call, or the registers before the next instruction. */
static void learn(insn_steps *s, const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        if (event->kind == STELE_KIND_SYSCALL && is_name(s, batch, field->name, "return")) {
            s->record.has_result = s->has_step;
            s->record.result = field->u.u;
        } else if (event->kind == STELE_KIND_SNAPSHOT && is_name(s, batch, field->name, "x")) {
            const stele_text bytes = stele_field_text(s->base.context, batch, field);
            s->has_snapshot = bytes.size == sizeof s->snapshot;
            if (s->has_snapshot)
                memcpy(s->snapshot, bytes.bytes, sizeof s->snapshot);
        }
    }
}

/* Notes an access. Its bytes are in the first field, as a number of their width or as bytes. */
static void add_access(insn_steps *s, const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *data = &batch->fields[first];
    step_access *to = &s->now.accesses[s->now.access_count];
    if (!s->has_step || count == 0) {
        lose(s, event, "an access without an instruction");
        return;
    }
    if (s->now.access_count == STEP_ACCESSES_MAX) {
        lose(s, event, "an access beyond 64 of one instruction");
        return;
    }
    *to = (step_access){.address = event->id, .is_store = event->kind == STELE_KIND_STORE};
    if (data->type == STELE_TYPE_BYTES) {
        to->size = data->u.bytes.size;
        memcpy(to->bytes, batch->bytes + data->u.bytes.offset,
               to->size < sizeof to->bytes ? to->size : sizeof to->bytes);
    } else {
        to->size = data->width / 8u;
        for (unsigned i = 0; i < 8; i++)
            to->bytes[i] = (uint8_t)(data->u.u >> (8 * i));
    }
    s->now.access_count++;
}

static stele_status steps_write(stele_writer *self, const stele_segment *segment)
{
    insn_steps *s = (insn_steps *)self;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        const bool is_insn = event->kind == STELE_KIND_INSN;
        if (is_insn && s->track == 0)
            s->track = event->track;
        if (!is_insn && event->kind != STELE_KIND_LOAD && event->kind != STELE_KIND_STORE) {
            if (event->track == s->track || s->track == 0)
                learn(s, segment->batch, event);
            lose(s, event, "the kind");
        } else if (event->track != s->track) {
            lose(s, event, "another thread than the first");
        } else if (is_insn) {
            begin_step(s, segment->batch, event);
        } else {
            add_access(s, segment->batch, event);
        }
    }
    return self->out->status;
}

static stele_status steps_finish(stele_writer *self)
{
    hand_on((insn_steps *)self);
    return self->out->status;
}

static void steps_close(stele_writer *self)
{
    free(self);
}

stele_status insn_steps_open(stele_context *context, output *out, step_take_fn *take,
                             stele_writer **writer)
{
    static const writer_ops ops = {steps_write, steps_finish, steps_close};
    insn_steps *made = calloc(1, sizeof *made);
    *writer = NULL;
    if (made == NULL)
        return STELE_ERR_MEMORY;
    made->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    made->take = take;
    made->last_number = UINT64_MAX - 1; /* no instruction has the number after it */
    *writer = &made->base;
    return STELE_OK;
}
