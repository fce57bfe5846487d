/* SPDX-License-Identifier: Apache-2.0 */
#include "model/batch.h"

#include <math.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/saturate.h"

stele_status stele_batch_new(uint32_t event_capacity, stele_batch **out)
{
    stele_batch *batch = calloc(1, sizeof *batch);
    *out = NULL;
    if (batch == NULL)
        return STELE_ERR_MEMORY;
    batch->event_capacity = event_capacity != 0 ? event_capacity : BATCH_EVENTS;
    /* An event fills a cache line if it begins one. */
    batch->events =
        aligned_alloc(sizeof *batch->events, batch->event_capacity * sizeof *batch->events);
    if (batch->events == NULL || !batch_grow_fields(batch, 256) || !batch_grow_bytes(batch, 4096)) {
        stele_batch_free(batch);
        return STELE_ERR_MEMORY;
    }
    *out = batch;
    return STELE_OK;
}

stele_status batch_new_read(uint32_t event_capacity, stele_batch **out)
{
    const stele_status status = stele_batch_new(event_capacity, out);
    if (status == STELE_OK)
        (*out)->is_read = true;
    return status;
}

void stele_batch_free(stele_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->events);
    free(batch->fields);
    free(batch->bytes);
    free(batch->names);
    free(batch);
}

void stele_batch_clear(stele_batch *batch)
{
    batch->event_count = batch->field_count = batch->byte_count = batch->name_count = 0;
    batch->context_first = batch->context_count = 0;
    batch->columns = 0;
    batch->shift_ns = 0;
    batch->offset_ns = 0;
    batch->packet = 0;
    batch->file = 0;
    batch->fill_count++;
}

/* Returns a capacity for `count` more than `used`, at least twice the old one; 0 if it does not fit
   in 31 bits. */
static uint32_t capacity_for(uint32_t used, uint32_t count, uint32_t capacity)
{
    const uint64_t want = (uint64_t)used + count;
    uint64_t grown = capacity;
    while (grown < want)
        grown = grown == 0 ? 256 : grown * 2;
    return grown > INT32_MAX ? 0 : (uint32_t)grown;
}

bool batch_grow_fields(stele_batch *batch, uint32_t count)
{
    const uint32_t capacity = capacity_for(batch->field_count, count, batch->field_capacity);
    stele_field *fields;
    if (capacity == 0)
        return false;
    fields = array_fit(batch->fields, sizeof *fields, capacity);
    if (fields == NULL)
        return false;
    batch->fields = fields;
    batch->field_capacity = capacity;
    return true;
}

bool batch_grow_bytes(stele_batch *batch, uint32_t count)
{
    const uint32_t capacity = capacity_for(batch->byte_count, count, batch->byte_capacity);
    uint8_t *bytes;
    if (capacity == 0)
        return false;
    bytes = array_fit(batch->bytes, 1, capacity);
    if (bytes == NULL)
        return false;
    batch->bytes = bytes;
    batch->byte_capacity = capacity;
    return true;
}

bool batch_grow_names(stele_batch *batch, uint32_t count)
{
    const uint32_t capacity = capacity_for(batch->name_count, count, batch->name_capacity);
    stele_local_name *names;
    if (capacity == 0)
        return false;
    names = array_fit(batch->names, sizeof *names, capacity);
    if (names == NULL)
        return false;
    batch->names = names;
    batch->name_capacity = capacity;
    return true;
}

stele_name batch_add_local_name(stele_batch *batch, const void *bytes, size_t size)
{
    if (size > INT32_MAX || !batch_reserve_bytes(batch, (uint32_t)size))
        return UINT32_MAX;
    if (batch->name_count == batch->name_capacity && !batch_grow_names(batch, 1))
        return UINT32_MAX;
    /* Both tables have room, so nothing can fail after this. */
    batch->names[batch->name_count].offset = batch_push_bytes(batch, bytes, (uint32_t)size);
    batch->names[batch->name_count].size = (uint32_t)size;
    return STELE_NAME_LOCAL | batch->name_count++;
}

void *batch_push_array(stele_batch *batch, uint32_t count, uint32_t *offset)
{
    const uint64_t size = (uint64_t)count * 8;
    /* The bytes are aligned as a whole, so that aligning the offset aligns the array. */
    const uint32_t padding = (0u - batch->byte_count) & 7u;
    if (size > INT32_MAX - 8 || !batch_reserve_bytes(batch, (uint32_t)size + padding))
        return NULL;
    *offset = batch->byte_count + padding;
    batch->byte_count = *offset + (uint32_t)size;
    return batch->bytes + *offset;
}

bool batch_set_fields(stele_batch *batch, stele_event *event, uint32_t first)
{
    const uint32_t count = batch->field_count - first;
    event->field_first = first;
    /* The usual case: the count fits into the event. */
    if (count < STELE_FIELDS_MANY) {
        event->field_count = (uint16_t)count;
        return true;
    }
    if (!batch_reserve_fields(batch, 1))
        return false;
    /* The entries are the last ones of the tape, so that they can move up by one. */
    memmove(batch->fields + first + 1, batch->fields + first, count * sizeof *batch->fields);
    batch->field_count++;
    batch->fields[first] = (stele_field){.type = STELE_TYPE_STRUCT, .u.run = {count, count}};
    event->field_count = STELE_FIELDS_MANY;
    return true;
}

uint32_t stele_event_fields(const stele_batch *batch, const stele_event *event, uint32_t *first)
{
    *first = event->field_first;
    if (event->field_count != STELE_FIELDS_MANY)
        return event->field_count;
    /* The entry at `first` only holds the number. */
    *first += 1;
    return batch->fields[event->field_first].u.run.length;
}

/* ---- Making events by hand ---- */

stele_event *stele_batch_add_event(stele_batch *batch)
{
    stele_event *event;
    if (batch_is_full(batch))
        return NULL;
    event = batch_push_event(batch);
    *event = (stele_event){.field_first = batch->field_count};
    return event;
}

stele_field *stele_batch_add_field(stele_batch *batch, stele_name name, stele_type type)
{
    stele_event *event;
    stele_field *field;
    if (batch->event_count == 0 || !batch_reserve_fields(batch, 1))
        return NULL;
    event = &batch->events[batch->event_count - 1];
    field = batch_push_field(batch);
    *field = (stele_field){.name = name, .type = (uint8_t)type};
    /* The event has an entry for its count already, which counts the new one, too. */
    if (event->field_count == STELE_FIELDS_MANY) {
        batch->fields[event->field_first].u.run.length++;
        batch->fields[event->field_first].u.run.count++;
        return field;
    }
    if (!batch_set_fields(batch, event, event->field_first))
        return NULL;
    /* batch_set_fields() may have moved the new entry: it is the last one still. */
    return &batch->fields[batch->field_count - 1];
}

stele_status stele_batch_add_bytes(stele_batch *batch, stele_name name, stele_type type,
                                   const void *bytes, size_t size)
{
    const bool is_array = type >= STELE_TYPE_UINTS && type < STELE_TYPE_RUN_FIRST;
    const uint32_t padding = is_array ? (0u - batch->byte_count) & 7u : 0;
    stele_field *field;
    uint32_t offset;
    if (!field_has_bytes((uint8_t)type) || batch->event_count == 0 || (is_array && size % 8 != 0))
        return STELE_ERR_ARGUMENT;
    if (size > INT32_MAX - 8)
        return STELE_ERR_LIMIT;
    if (!batch_reserve_bytes(batch, (uint32_t)size + padding))
        return STELE_ERR_MEMORY;
    field = stele_batch_add_field(batch, name, type);
    if (field == NULL)
        return STELE_ERR_MEMORY;
    memset(batch->bytes + batch->byte_count, 0, padding);
    batch->byte_count += padding;
    offset = size != 0 ? batch_push_bytes(batch, bytes, (uint32_t)size) : batch->byte_count;
    field->u.bytes.offset = offset;
    field->u.bytes.size = (uint32_t)size;
    return STELE_OK;
}

/* ---- Reading and copying of fields ---- */

bool field_has_bytes(uint8_t type)
{
    return type >= STELE_TYPE_STRING && type < STELE_TYPE_RUN_FIRST && type != STELE_TYPE_NAME;
}

/* Replaces a local name of one batch by the same name in another. Returns false if out of
   memory. */
static bool name_carry(stele_batch *to, const stele_batch *from, stele_name *name)
{
    const stele_local_name *local;
    if ((*name & STELE_NAME_LOCAL) == 0)
        return true;
    local = &from->names[*name & ~STELE_NAME_LOCAL];
    *name = batch_add_local_name(to, from->bytes + local->offset, local->size);
    return *name != UINT32_MAX;
}

/* Copies one entry, with its bytes and its local names. Room for the entry was reserved. Returns
   false if out of memory. */
static bool field_copy(stele_batch *to, const stele_batch *from, const stele_field *field)
{
    stele_field copy = *field;
    if (!name_carry(to, from, &copy.name))
        return false;
    if (copy.type == STELE_TYPE_NAME) {
        stele_name name = (stele_name)copy.u.u;
        if (!name_carry(to, from, &name))
            return false;
        copy.u.u = name;
    } else if (field_has_bytes(copy.type)) {
        const uint8_t *bytes = from->bytes + copy.u.bytes.offset;
        if (copy.type >= STELE_TYPE_UINTS) {
            void *array = batch_push_array(to, copy.u.bytes.size / 8, &copy.u.bytes.offset);
            if (array == NULL)
                return false;
            memcpy(array, bytes, copy.u.bytes.size);
        } else {
            if (!batch_reserve_bytes(to, copy.u.bytes.size))
                return false;
            copy.u.bytes.offset = batch_push_bytes(to, bytes, copy.u.bytes.size);
        }
    }
    *batch_push_field(to) = copy;
    return true;
}

bool batch_copy_fields(stele_batch *to, const stele_batch *from, uint32_t first, uint32_t count)
{
    if (!batch_reserve_fields(to, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!field_copy(to, from, &from->fields[first + i]))
            return false;
    }
    return true;
}

bool batch_copy_event(stele_batch *to, const stele_batch *from, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(from, event, &first);
    const uint32_t to_first = to->field_count;
    stele_event *copy;
    if (!batch_copy_fields(to, from, first, count))
        return false;
    copy = batch_push_event(to);
    *copy = *event;
    return name_carry(to, from, &copy->name) && batch_set_fields(to, copy, to_first);
}

/* ---- Shifting times ---- */

/* Shifts one time; flags the event if the result was clamped. */
static int64_t time_shift(int64_t time_ns, int64_t shift_ns, uint8_t *flags)
{
    int64_t sum;
    if (!__builtin_add_overflow(time_ns, shift_ns, &sum))
        return sum;
    *flags |= STELE_FLAG_CLAMPED;
    return shift_ns < 0 ? INT64_MIN : INT64_MAX;
}

bool stele_batch_wall(const stele_batch *batch, const stele_clock *clock, int64_t *wall_ns)
{
    int64_t moved_ns;
    return clock->has_wall &&
           !__builtin_sub_overflow(batch->shift_ns, batch->offset_ns, &moved_ns) &&
           !__builtin_sub_overflow(clock->wall_ns, moved_ns, wall_ns);
}

int64_t time_drift(int64_t time_ns, double drift, int64_t from_ns)
{
    const double moved_ns = floor(drift * ((double)time_ns - (double)from_ns));
    if (moved_ns >= 0x1p63)
        return INT64_MAX;
    return moved_ns < -0x1p63 ? INT64_MIN : add_saturated(time_ns, (int64_t)moved_ns);
}

/* Whether the member `id` of an event is a time: the end of a span or of a gap. */
static bool has_end_time(const stele_event *event)
{
    return event->kind == STELE_KIND_COMPLETE || (event->kind == STELE_KIND_LOST && event->id != 0);
}

void batch_drift(stele_batch *batch, double drift, int64_t from_ns)
{
    for (uint32_t i = 0; i < batch->event_count; i++) {
        stele_event *event = &batch->events[i];
        if (batch->columns & STELE_COLUMN_TIME)
            event->time_ns = time_drift(event->time_ns, drift, from_ns);
        if ((batch->columns & STELE_COLUMN_VALUE) && has_end_time(event))
            event->id = (uint64_t)time_drift((int64_t)event->id, drift, from_ns);
    }
}

void batch_shift(stele_batch *batch, int64_t shift_ns, int64_t offset_ns)
{
    /* The wall-clock time changes with the offset even if the two shifts cancel out. */
    batch->offset_ns += offset_ns;
    if (shift_ns == 0)
        return;
    batch->shift_ns += shift_ns;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        stele_event *event = &batch->events[i];
        if (batch->columns & STELE_COLUMN_TIME)
            event->time_ns = time_shift(event->time_ns, shift_ns, &event->flags);
        if ((batch->columns & STELE_COLUMN_VALUE) && has_end_time(event))
            event->id = (uint64_t)time_shift((int64_t)event->id, shift_ns, &event->flags);
    }
}

const char *stele_kind_text(stele_kind kind)
{
    static const char *const texts[STELE_KIND_COUNT] = {
        "none",        "complete",   "begin",     "end",        "tail-exit", "instant",  "counter",
        "async-begin", "async-step", "async-end", "flow-begin", "flow-step", "flow-end", "switch",
        "wake",        "log",        "blob",      "object",     "sample",    "lost",     "syscall",
        "snapshot",    "metadata",   "insn",      "load",       "store"};
    return (unsigned)kind < STELE_KIND_COUNT ? texts[kind] : "none";
}

const char *stele_type_text(stele_type type)
{
    static const char *const texts[STELE_TYPE_COUNT] = {
        "null",  "bool",   "uint",  "int",  "float",  "pointer", "koid",  "string", "name",
        "bytes", "bigint", "uints", "ints", "floats", "struct",  "array", "variant"};
    return (unsigned)type < STELE_TYPE_COUNT ? texts[type] : "none";
}
