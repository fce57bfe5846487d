/* SPDX-License-Identifier: Apache-2.0 */
/* Events as records: the numbers of their functions, their counters, and what is lost of them. */
#include "formats/xray/write/writer_state.h"

#include "core/array.h"

#define PAYLOAD_SIZE_MAX (BUFFER_SIZE - 16u * XRAY_METADATA_SIZE)
#define FUNCTION_MAX     0x0fffffffu

/* ---- Numbers of functions and times ---- */

/* Whether readers take a number for that of a function: its upper bits are that of an object, whose
   functions count from 1. */
static bool is_function(uint64_t number)
{
    return number <= FUNCTION_MAX && (number & STELE_XRAY_FUNCTION_MASK) != 0;
}

/* Whether a reader gives the name to the function without knowing more than its number. The last
   answers are kept, since calls are of few functions. */
static bool is_named_so(xray_writer *w, const stele_batch *batch, stele_name name,
                        uint32_t function)
{
    known_name *known = &w->known_names[function % KNOWN_NAMES];
    char number[16];
    stele_text text;
    if (name == 0)
        return true;
    if (known->name == name && known->function == function && (name & STELE_NAME_LOCAL) == 0)
        return known->is_number;
    text = stele_name_text(w->base.context, batch, name);
    *known =
        (known_name){.name = name,
                     .function = function,
                     .is_number = text.size == xray_number_text(function, number, sizeof number) &&
                                  memcmp(text.bytes, number, text.size) == 0};
    return known->is_number;
}

/* Returns the number of a function: its own if it comes from an XRay trace; other names are
   numbered as they come. */
static uint32_t function_of(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_name name = event->name;
    if (is_function(event->id) && event->kind != STELE_KIND_COMPLETE) {
        if (!is_named_so(w, batch, name, (uint32_t)event->id))
            writer_lose(&w->base, (stele_kind)event->kind, "names of functions, as numbers", false,
                        1);
        return (uint32_t)event->id;
    }
    writer_lose(&w->base, (stele_kind)event->kind, "names of functions, as numbers", false, 1);
    if ((name & STELE_NAME_LOCAL) != 0)
        return FUNCTION_MAX;
    if (name >= w->function_of_name_count) {
        uint32_t *grown =
            array_reach(w->function_of_name, sizeof *grown, &w->function_of_name_count, name);
        if (grown == NULL)
            return 0;
        w->function_of_name = grown;
    }
    if (w->function_of_name[name] == 0) {
        w->function_count += is_function(w->function_count + 1) ? 1 : 2;
        w->function_of_name[name] = w->function_count;
    }
    return w->function_of_name[name];
}

static uint64_t tsc_of_ns(int64_t time_ns)
{
    return time_ns < 0 ? 0 : (uint64_t)time_ns;
}

/* Returns the counter of an event; one without a time gets that of its thread. */
static uint64_t tsc_of(xray_writer *w, const xray_lane *lane, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 && lane->size != 0)
        return lane->tsc;
    /* The format's ticks are unsigned: negative ones would be read as very late times. */
    if (w->is_ticks && (event->time_ns >= 0 || event->ticks <= INT64_MAX))
        return event->ticks;
    if (event->time_ns < 0)
        writer_lose(&w->base, (stele_kind)event->kind, "times before zero, as zero", false, 1);
    return tsc_of_ns(event->time_ns);
}

/* Counts what the event lacks and its record must say. */
static void judge_event(xray_writer *w, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_HAS_CPU) == 0)
        writer_lose(&w->base, (stele_kind)event->kind, "no CPU, now that before it or CPU 0", false,
                    1);
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        writer_lose(&w->base, (stele_kind)event->kind, "having no time", false, 1);
}

/* ---- Events as records ---- */

/* Whether the field has a name that the reader gives to arguments. */
static bool is_argument_name(const xray_writer *w, const stele_batch *batch,
                             const stele_field *field)
{
    const stele_text name = stele_name_text(w->base.context, batch, field->name);
    return name.size > 3 && memcmp(name.bytes, "arg", 3) == 0 && name.bytes[3] >= '0' &&
           name.bytes[3] <= '9';
}

/* Writes the arguments of a call, which are the reader's fields arg0, arg1, ... */
static stele_status put_arguments(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                                  const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < count && status == STELE_OK;
         i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        if (field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT &&
            field->type != STELE_TYPE_POINTER) {
            writer_lose(&w->base, (stele_kind)event->kind, "fields that are not integers", true, 1);
            continue;
        }
        if (!is_argument_name(w, batch, field))
            writer_lose(&w->base, (stele_kind)event->kind, "names of arguments", true, 1);
        status = xray_lane_prepare(w, lane, lane->tsc, XRAY_METADATA_SIZE);
        xray_put_record(w, lane,
                        &(stele_xray_record){.kind = STELE_XRAY_CALL_ARGUMENT,
                                             .value = field->u.u,
                                             .tsc = lane->tsc},
                        NULL);
    }
    return status;
}

static bool has_integers(const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const uint8_t type = batch->fields[first + i].type;
        if (type == STELE_TYPE_UINT || type == STELE_TYPE_INT || type == STELE_TYPE_POINTER)
            return true;
    }
    return false;
}

/* The time at which the exit of a COMPLETE event is written: never before its entry. */
static uint64_t exit_time(xray_writer *w, const stele_event *event, uint64_t tsc)
{
    const uint64_t end = w->is_ticks ? event->value : tsc_of_ns((int64_t)event->id);
    if (end < tsc)
        writer_lose(&w->base, (stele_kind)event->kind, "end before its begin, as no length", false,
                    1);
    return end > tsc ? end : tsc;
}

static stele_status put_call(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                             const stele_event *event, uint64_t tsc)
{
    const uint32_t function = function_of(w, batch, event);
    const bool is_entry = event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_COMPLETE;
    const bool has_arguments = is_entry && has_integers(batch, event);
    const stele_xray_kind kind = event->kind == STELE_KIND_END         ? STELE_XRAY_EXIT
                                 : event->kind == STELE_KIND_TAIL_EXIT ? STELE_XRAY_TAIL_EXIT
                                 : has_arguments                       ? STELE_XRAY_ENTER_ARGS
                                                                       : STELE_XRAY_ENTER;
    stele_status status;
    judge_event(w, event);
    if (event->category != 0)
        writer_lose(&w->base, (stele_kind)event->kind, "categories", true, 1);
    /* An entry and its arguments must be in one buffer. */
    status = xray_lane_prepare(w, lane, tsc,
                               has_arguments ? 8 * XRAY_METADATA_SIZE : XRAY_FUNCTION_SIZE);
    if (status == STELE_OK)
        status = xray_put_function(w, lane, kind, function, tsc);
    if (status == STELE_OK && is_entry)
        status = put_arguments(w, lane, batch, event);
    if (status == STELE_OK && event->kind == STELE_KIND_COMPLETE)
        status = xray_push_exit(lane, function, exit_time(w, event, tsc));
    return status;
}

static const stele_field *find_field(const xray_writer *w, const stele_batch *batch,
                                     const stele_event *event, const char *name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_text text =
            stele_name_text(w->base.context, batch, batch->fields[first + i].name);
        if (text.size == strlen(name) && memcmp(text.bytes, name, text.size) == 0)
            return &batch->fields[first + i];
    }
    return NULL;
}

/* Writes an instant or a log as a custom event: with its payload if it came from one, otherwise
   with its name as the payload. */
static stele_status put_custom(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                               const stele_event *event, uint64_t tsc)
{
    const stele_field *data = find_field(w, batch, event, "data");
    const stele_field *type = find_field(w, batch, event, "type");
    const bool is_own = data != NULL && data->type == STELE_TYPE_BYTES;
    const bool has_type =
        is_own && type != NULL && type->type == STELE_TYPE_UINT && type->u.u <= UINT16_MAX;
    const bool is_typed = has_type && w->header.version >= 2;
    stele_text text = is_own ? stele_field_text(w->base.context, batch, data)
                             : stele_name_text(w->base.context, batch, event->name);
    stele_status status;
    if (w->is_basic) {
        writer_lose(&w->base, (stele_kind)event->kind, "events of this kind", true, 1);
        return STELE_OK;
    }
    judge_event(w, event);
    if (!is_own)
        writer_lose(&w->base, (stele_kind)event->kind, "all but the name, in a custom event", false,
                    1);
    if (has_type && !is_typed)
        writer_lose(&w->base, (stele_kind)event->kind, "types of events", false, 1);
    if (text.size > PAYLOAD_SIZE_MAX) {
        text.size = PAYLOAD_SIZE_MAX;
        writer_lose(&w->base, (stele_kind)event->kind, "payload beyond the size of a buffer", true,
                    1);
    }
    status = xray_lane_prepare(w, lane, tsc, XRAY_METADATA_SIZE + text.size);
    if (status == STELE_OK)
        xray_put_record(w, lane,
                        &(stele_xray_record){
                            .kind = is_typed ? STELE_XRAY_TYPED_EVENT : STELE_XRAY_CUSTOM_EVENT,
                            .function = is_typed ? (uint32_t)type->u.u : event->cpu,
                            .value = text.size,
                            .tsc = tsc},
                        text.bytes);
    return status;
}

stele_status xray_put_event(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    xray_lane *lane = xray_lane_of(w, event->track);
    stele_status status;
    uint64_t tsc;
    if (lane == NULL)
        return STELE_ERR_MEMORY;
    tsc = tsc_of(w, lane, event);
    if ((event->flags & STELE_FLAG_REPEATED) != 0) {
        writer_lose(&w->base, (stele_kind)event->kind, "copies of other events", true, 1);
        return STELE_OK;
    }
    status = xray_put_exits(w, lane, tsc);
    if (status == STELE_OK && (event->flags & STELE_FLAG_HAS_CPU) != 0 && event->cpu != lane->cpu) {
        lane->cpu = event->cpu;
        if (lane->size != 0) {
            status = xray_lane_prepare(w, lane, tsc, XRAY_METADATA_SIZE);
            xray_put_record(
                w, lane,
                &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = lane->cpu, .tsc = tsc},
                NULL);
        }
    }
    if (status != STELE_OK)
        return status;
    switch (event->kind) {
    case STELE_KIND_BEGIN:
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT:
    case STELE_KIND_COMPLETE: return put_call(w, lane, batch, event, tsc);
    case STELE_KIND_INSTANT:
    case STELE_KIND_LOG: return put_custom(w, lane, batch, event, tsc);
    default:
        writer_lose(&w->base, (stele_kind)event->kind, "events of this kind", true, 1);
        return STELE_OK;
    }
}
