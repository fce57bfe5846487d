/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/insn_steps.h"

#include <stdlib.h>
#include <string.h>

typedef struct insn_steps {
    stele_writer base;
    step_take_fn *take;
    step now;
    bool has_step;
    uint32_t track; /* 0: none yet */
} insn_steps;

static void lose(insn_steps *s, const stele_event *event, const char *what)
{
    writer_lose(&s->base, (stele_kind)event->kind, what, true, 1);
}

static void hand_on(insn_steps *s)
{
    if (s->has_step)
        s->take(&s->base, &s->now);
    s->has_step = false;
}

static void begin_step(insn_steps *s, const stele_event *event)
{
    step *now = &s->now;
    const bool has_pc = (event->flags & STELE_FLAG_UNRESOLVED) == 0;
    if (s->has_step && has_pc) {
        now->next_pc = event->id;
        now->has_next = true;
    }
    hand_on(s);
    if (!has_pc || event->id == 0) {
        lose(s, event, "no program counter");
        return;
    }
    s->has_step = true;
    now->pc = event->id;
    now->opcode = (uint32_t)event->value;
    now->insn = a64_classify(now->opcode);
    now->has_operands = a64_operands_find(now->opcode, &now->reads, &now->writes);
    now->has_next = false;
    now->access_count = 0;
}

/* The bytes are the first field: a number of their width, or as they are. */
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
        if (!is_insn && event->kind != STELE_KIND_LOAD && event->kind != STELE_KIND_STORE)
            lose(s, event, "the kind");
        else if (event->track != s->track)
            lose(s, event, "another thread than the first");
        else if (is_insn)
            begin_step(s, event);
        else
            add_access(s, segment->batch, event);
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
    *writer = &made->base;
    return STELE_OK;
}
