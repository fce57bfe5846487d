/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the register snapshots of a trace from the fields of its snapshot events. */
#include <stele/insn_analysis.h>

#include <string.h>

static const char *const system_texts[STELE_INSN_SYSTEM_REGISTER_COUNT] = {
    "fpcr",    "fpsr",     "nzcv",    "tpidr_el0", "tpidrro_el0", "ttbr0_el1",
    "elr_el1", "spsr_el1", "esr_el1", "tpidr_el1", "daif"};

const char *stele_insn_system_register_text(stele_insn_system_register number)
{
    return (unsigned)number < STELE_INSN_SYSTEM_REGISTER_COUNT ? system_texts[number] : "";
}

static bool is_name(stele_text name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.bytes, text, name.size) == 0;
}

static void take_number(stele_insn_snapshot *at, stele_text name, uint64_t value)
{
    if (is_name(name, "user_count"))
        at->user_count = value;
    else if (is_name(name, "total_count"))
        at->total_count = value;
    else if (is_name(name, "vl"))
        at->vl_bits = value;
    for (size_t i = 0; i < STELE_INSN_SYSTEM_REGISTER_COUNT; i++) {
        if (is_name(name, system_texts[i]))
            at->system[i] = value;
    }
}

static void take_bytes(stele_insn_snapshot *at, stele_text name, stele_text bytes)
{
    if (is_name(name, "z"))
        at->z = bytes;
    else if (is_name(name, "p"))
        at->p = bytes;
    else if (is_name(name, "ffr"))
        at->ffr = bytes;
    else if (is_name(name, "za"))
        at->za = bytes;
    else if (is_name(name, "x") && bytes.size == sizeof at->x)
        memcpy(at->x, bytes.bytes, sizeof at->x);
}

static stele_status take_event(const stele_context *context, const stele_batch *batch,
                               const stele_event *event, stele_insn_snapshot_fn *take, void *user)
{
    const stele_track *track = stele_track_get(context, event->track);
    stele_insn_snapshot at = {.thread = track != NULL ? track->number : 0, .number = event->value};
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        const stele_text name = stele_name_text(context, batch, field->name);
        if (field->type == STELE_TYPE_UINT)
            take_number(&at, name, field->u.u);
        else
            take_bytes(&at, name, stele_field_text(context, batch, field));
    }
    return take(user, &at);
}

stele_status stele_insn_take_snapshots(const stele_context *context, const stele_segment *segment,
                                       stele_insn_snapshot_fn *take, void *user)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind == STELE_KIND_SNAPSHOT)
            status = take_event(context, segment->batch, event, take, user);
    }
    return status;
}

void stele_insn_snapshot_request(stele_request *request)
{
    request->kinds = STELE_KIND_BIT(STELE_KIND_SNAPSHOT);
    request->columns =
        STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS;
    request->order = STELE_ORDER_NONE;
}
