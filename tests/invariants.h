/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every segment that a reader gives, whatever its input was. */
#ifndef TESTS_INVARIANTS_H
#define TESTS_INVARIANTS_H

#include <stele/stele.h>

static inline bool invariant_name(const stele_context *context, const stele_batch *batch,
                                  uint64_t name)
{
    return (name & STELE_NAME_LOCAL) != 0 ? (name & ~(uint64_t)STELE_NAME_LOCAL) < batch->name_count
                                          : name < stele_name_count(context);
}

static inline bool invariant_bytes(const stele_batch *batch, const stele_field *field)
{
    const bool is_array = field->type >= STELE_TYPE_UINTS && field->type <= STELE_TYPE_FLOATS;
    return field->u.bytes.offset <= batch->byte_count &&
           field->u.bytes.size <= batch->byte_count - field->u.bytes.offset &&
           (!is_array || (field->u.bytes.size % 8 == 0 && field->u.bytes.offset % 8 == 0));
}

/* Checks one entry of the tape with its own part of it; `room` is the most entries it can have.
   Returns what does not hold, NULL if all does. */
static inline const char *invariant_field(const stele_context *context, const stele_batch *batch,
                                          const stele_field *field, uint32_t room)
{
    if (field->type >= STELE_TYPE_COUNT)
        return "a field has no type";
    if (!invariant_name(context, batch, field->name))
        return "a field has no name";
    if (field->label_count >= room)
        return "labels run past their event";
    for (uint32_t i = 1; i <= field->label_count; i++) {
        if (field[i].type != STELE_TYPE_STRING && field[i].type != STELE_TYPE_NAME)
            return "a label is no text";
    }
    if (field->type >= STELE_TYPE_RUN_FIRST && field->u.run.length >= room - field->label_count)
        return "a run is longer than what it lies in";
    if (field->type == STELE_TYPE_NAME)
        return invariant_name(context, batch, field->u.u) ? NULL : "a value names nothing";
    if (field->type >= STELE_TYPE_STRING && field->type < STELE_TYPE_RUN_FIRST &&
        !invariant_bytes(batch, field))
        return "bytes of a field lie outside of the batch";
    return NULL;
}

static inline const char *invariant_fields(const stele_context *context, const stele_batch *batch,
                                           uint32_t first, uint32_t count)
{
    if (first > batch->field_count || count > batch->field_count - first)
        return "fields lie outside of the batch";
    for (uint32_t i = 0; i < count; i++) {
        const char *broken = invariant_field(context, batch, &batch->fields[first + i], count - i);
        if (broken != NULL)
            return broken;
    }
    return NULL;
}

/* Checks an event. `input_size` is where records end at the latest; UINT64_MAX: not known.
   Returns what does not hold, NULL if all does. */
static inline const char *invariant_event(const stele_context *context, const stele_batch *batch,
                                          const stele_event *event, uint64_t input_size)
{
    uint32_t first, count;
    if (event->kind == STELE_KIND_NONE || event->kind >= STELE_KIND_COUNT)
        return "an event has no kind";
    /* A damaged record may say that it is longer than the input. */
    if (event->offset > input_size ||
        (event->size != UINT32_MAX && (event->flags & STELE_FLAG_DAMAGED) == 0 &&
         event->size > input_size - event->offset))
        return "a record lies outside of the input";
    if (!invariant_name(context, batch, event->name))
        return "the name of an event is none";
    if (event->track > stele_track_count(context))
        return "the track of an event is none";
    if (event->field_count == 0)
        return NULL;
    if (event->field_first >= batch->field_count)
        return "fields lie outside of the batch";
    count = stele_event_fields(batch, event, &first);
    return invariant_fields(context, batch, first, count);
}

/* Checks a segment. Returns what does not hold, NULL if all does. */
static inline const char *invariant_segment(const stele_context *context,
                                            const stele_segment *segment, uint64_t input_size)
{
    const stele_batch *batch = segment->batch;
    const char *broken;
    if (segment->count == 0)
        return "a segment is empty";
    if (segment->first > batch->event_count || segment->count > batch->event_count - segment->first)
        return "a segment lies outside of its batch";
    if (batch->event_count > batch->event_capacity || batch->field_count > batch->field_capacity ||
        batch->byte_count > batch->byte_capacity || batch->name_count > batch->name_capacity)
        return "a batch holds more than it can";
    if (stele_stream_get(context, batch->stream) == NULL)
        return "a batch is of no stream";
    for (uint32_t i = 0; i < batch->name_count; i++) {
        if (batch->names[i].offset > batch->byte_count ||
            batch->names[i].size > batch->byte_count - batch->names[i].offset)
            return "a name lies outside of the batch";
    }
    broken = invariant_fields(context, batch, batch->context_first, batch->context_count);
    for (uint32_t i = 0; broken == NULL && i < segment->count; i++)
        broken = invariant_event(context, batch, &batch->events[segment->first + i], input_size);
    return broken;
}

#endif
