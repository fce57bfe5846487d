/* SPDX-License-Identifier: Apache-2.0 */
/* Filling batches at full speed. A decoder asks for room once for each record, with *_reserve(),
   and then appends with the unchecked *_push() calls. All indexes have 32 bits; a batch counts as
   full long before they overflow. */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include <stele/event.h>

#include <string.h>

#include "core/load.h"

#define BATCH_EVENTS 256u /* default capacity for events */
/* A batch with that many field entries takes no further event. */
#define BATCH_FIELDS_FULL (16u << 10)
/* A batch with that many bytes takes no further event. */
#define BATCH_BYTES_FULL (256u << 10)

/* Makes a batch as stele_batch_new() does, for a reader: writers need not check its fields. */
stele_status batch_new_read(uint32_t event_capacity, stele_batch **batch);

/* Grow a table of the batch so that `count` more entries fit. Return false if out of memory, or if
   there are too many for 31 bits. */
bool batch_grow_fields(stele_batch *batch, uint32_t count);
bool batch_grow_bytes(stele_batch *batch, uint32_t count);
bool batch_grow_names(stele_batch *batch, uint32_t count);

/* Adds a name that only this batch knows. Returns UINT32_MAX if out of memory. */
stele_name batch_add_local_name(stele_batch *batch, const void *bytes, size_t size);

/* Appends a copy of an event of another batch, with its fields, payloads and local names. Returns
   false if out of memory. `to` must have room for the event. */
bool batch_copy_event(stele_batch *to, const stele_batch *from, const stele_event *event);

static inline bool batch_is_full(const stele_batch *batch)
{
    return batch->event_count == batch->event_capacity || batch->field_count >= BATCH_FIELDS_FULL ||
           batch->byte_count >= BATCH_BYTES_FULL;
}

static inline bool batch_reserve_fields(stele_batch *batch, uint32_t count)
{
    return batch->field_capacity - batch->field_count >= count || batch_grow_fields(batch, count);
}

static inline bool batch_reserve_bytes(stele_batch *batch, uint32_t count)
{
    return batch->byte_capacity - batch->byte_count >= count || batch_grow_bytes(batch, count);
}

/* Appends an event, which is not cleared: the decoder fills in every member. */
static inline stele_event *batch_push_event(stele_batch *batch)
{
    return &batch->events[batch->event_count++];
}

/* event_set() writes an event with eight stores of 8 bytes, for the inner loops of decoders; member
   by member the compiler makes twelve or more. event_rest() combines members for it that are the
   same for many events. */
static inline uint64_t event_rest(uint16_t field_count, uint16_t category, uint16_t cpu,
                                  uint8_t kind, uint8_t flags)
{
#if LOAD_IS_LITTLE
    return field_count | (uint64_t)category << 16 | (uint64_t)cpu << 32 | (uint64_t)kind << 48 |
           (uint64_t)flags << 56;
#else
    return (uint64_t)field_count << 48 | (uint64_t)category << 32 | (uint64_t)cpu << 16 |
           (uint64_t)kind << 8 | flags;
#endif
}

static inline void event_set(stele_event *event, int64_t time_ns, uint64_t ticks, uint64_t value,
                             uint64_t id, uint64_t offset, uint32_t size, stele_name name,
                             uint32_t track, uint32_t field_first, uint64_t rest)
{
    const int low = LOAD_IS_LITTLE ? 0 : 32, high = 32 - low;
    uint8_t *at = (uint8_t *)event;
    _Static_assert(sizeof *event == 64, "an event is eight words");
    store_native64(at, (uint64_t)time_ns);
    store_native64(at + 8, ticks);
    store_native64(at + 16, value);
    store_native64(at + 24, id);
    store_native64(at + 32, offset);
    store_native64(at + 40, (uint64_t)size << low | (uint64_t)name << high);
    store_native64(at + 48, (uint64_t)track << low | (uint64_t)field_first << high);
    store_native64(at + 56, rest);
}

/* Appends a field entry, which is not cleared. */
static inline stele_field *batch_push_field(stele_batch *batch)
{
    return &batch->fields[batch->field_count++];
}

/* Appends bytes for which room was reserved. Returns their offset in the batch's bytes. */
static inline uint32_t batch_push_bytes(stele_batch *batch, const void *bytes, uint32_t size)
{
    const uint32_t offset = batch->byte_count;
    memcpy(batch->bytes + offset, bytes, size);
    batch->byte_count += size;
    return offset;
}

/* Whether the value of fields of this type is in the bytes of the batch. */
bool field_has_bytes(uint8_t type);

/* Appends room for an array of `count` 8-byte numbers, aligned for them, and sets its offset.
   Returns NULL if out of memory. */
void *batch_push_array(stele_batch *batch, uint32_t count, uint32_t *offset);

/* Appends copies of fields of another batch, with their payloads and local names. Returns false if
   out of memory. */
bool batch_copy_fields(stele_batch *to, const stele_batch *from, uint32_t first, uint32_t count);

/* Makes the entries from `first` to the last one the fields of an event. If they are too many for
   16 bits, an entry of type STRUCT that holds their number is put before them. Returns false if out
   of memory. */
bool batch_set_fields(stele_batch *batch, stele_event *event, uint32_t first);

/* Adds `shift_ns` to every time of the batch. A time that then does not fit becomes the nearest one
   that does, and is flagged CLAMPED. `offset_ns` is the part of the shift that corrects the
   clock. */
void batch_shift(stele_batch *batch, int64_t shift_ns, int64_t offset_ns);

/* Stretches the scale of all times of a batch by 1 + `drift`; the time `from_ns` stays as it is. */
void batch_drift(stele_batch *batch, double drift, int64_t from_ns);

/* Stretches one time as batch_drift() does. The drift is more than -1, so that the order of times
   stays. */
int64_t time_drift(int64_t time_ns, double drift, int64_t from_ns);

/* The time that decides an event's position in an ordered flow. */
static inline int64_t event_key(const stele_event *event, bool by_end)
{
    return by_end && event->kind == STELE_KIND_COMPLETE ? (int64_t)event->id : event->time_ns;
}

/* The first field of an event with this name; NULL if there is none, or if the name is 0. */
static inline const stele_field *batch_field(const stele_batch *batch, const stele_event *event,
                                             stele_name name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *fields = batch->fields + first;
    for (uint32_t at = 0; name != 0 && at < count; at += stele_field_length(fields + at))
        if (fields[at].name == name)
            return &fields[at];
    return NULL;
}

#endif
