/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/insn/snapshots.h"

#include <string.h>

#include "core/load.h"

const char *const snapshot_system_names[SNAPSHOT_SYSTEM_COUNT] = {
    "fpcr",    "fpsr",     "nzcv",    "tpidr_el0", "tpidrro_el0", "ttbr0_el1",
    "elr_el1", "spsr_el1", "esr_el1", "tpidr_el1", "daif"};

typedef struct reading {
    cli *c;
    snapshot_take_fn *take;
    void *user;
} reading;

static bool is_name(stele_text name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.bytes, text, name.size) == 0;
}

static void take_number(snapshot *at, stele_text name, uint64_t value)
{
    if (is_name(name, "user_count"))
        at->user_count = value;
    else if (is_name(name, "total_count"))
        at->total_count = value;
    else if (is_name(name, "vl"))
        at->vl_bits = value;
    for (size_t i = 0; i < SNAPSHOT_SYSTEM_COUNT; i++) {
        if (is_name(name, snapshot_system_names[i]))
            at->system[i] = value;
    }
}

static void take_bytes(snapshot *at, stele_text name, stele_text bytes)
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

static stele_status take_event(reading *r, const stele_batch *batch, const stele_event *event)
{
    const stele_track *track = stele_track_get(r->c->context, event->track);
    snapshot at = {.thread = track != NULL ? track->number : 0, .number = event->value};
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        const stele_text name = stele_name_text(r->c->context, batch, field->name);
        if (field->type == STELE_TYPE_UINT)
            take_number(&at, name, field->u.u);
        else
            take_bytes(&at, name, stele_field_text(r->c->context, batch, field));
    }
    return r->take(r->user, &at);
}

static stele_status take_segment(void *user, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind == STELE_KIND_SNAPSHOT)
            status = take_event(user, segment->batch, event);
    }
    return status;
}

stele_status snapshots_read(cli *c, stele_trace *trace, snapshot_take_fn *take, void *user)
{
    const stele_request request = {.kinds = STELE_KIND_BIT(STELE_KIND_SNAPSHOT),
                                   .columns = STELE_COLUMN_NAME | STELE_COLUMN_TRACK |
                                              STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS,
                                   .order = STELE_ORDER_NONE};
    reading r = {c, take, user};
    return cli_read(c, &trace, 1, &request, &(consumer){NULL, take_segment, &r}, NULL);
}
