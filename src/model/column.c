/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a field of many events as a column of numbers. */
#include <stele/event.h>
#include <string.h>

/* The first entry with a name among some entries of the tape; NULL if there is none. */
static const stele_field *find_field(const stele_batch *batch, uint32_t first, uint32_t count,
                                     stele_name name)
{
    const stele_field *fields = batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (fields[at].name == name && (fields[at].hint & STELE_HINT_RAW) == 0)
            return &fields[at];
    }
    return NULL;
}

static const stele_field *event_field(const stele_batch *batch, const stele_event *event,
                                      stele_name name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *field = find_field(batch, first, count, name);
    return field != NULL ? field
                         : find_field(batch, batch->context_first, batch->context_count, name);
}

static bool is_unsigned(const stele_field *field)
{
    return field->type == STELE_TYPE_UINT || field->type == STELE_TYPE_BOOL ||
           field->type == STELE_TYPE_POINTER || field->type == STELE_TYPE_KOID;
}

static bool take_int(const stele_field *field, int64_t *value)
{
    *value = field->u.i;
    return field->type == STELE_TYPE_INT || (is_unsigned(field) && field->u.u <= INT64_MAX);
}

static bool take_uint(const stele_field *field, uint64_t *value)
{
    *value = field->u.u;
    return is_unsigned(field) || (field->type == STELE_TYPE_INT && field->u.i >= 0);
}

#define DOUBLE_EXACT (INT64_C(1) << 53) /* all integers up to 2^53 are exact as doubles */

static bool take_float(const stele_field *field, double *value)
{
    int64_t number;
    if (field->type == STELE_TYPE_FLOAT) {
        *value = field->u.f;
        return true;
    }
    if (!take_int(field, &number) || number > DOUBLE_EXACT || number < -DOUBLE_EXACT)
        return false;
    *value = (double)number;
    return true;
}

/* Stores the value of a field as the type of the column. All three types have eight bytes. Returns
   false if it does not fit. */
static bool take(const stele_field *field, stele_type type, void *value)
{
    switch (type) {
    case STELE_TYPE_INT: return take_int(field, value);
    case STELE_TYPE_UINT: return take_uint(field, value);
    case STELE_TYPE_FLOAT: return take_float(field, value);
    default: return false;
    }
}

size_t stele_segment_column(const stele_segment *segment, stele_name name, stele_type type,
                            void *values, uint8_t *is_there)
{
    size_t count = 0;
    uint64_t *to = values;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        const stele_field *field = event_field(segment->batch, event, name);
        uint64_t value;
        is_there[i] = field != NULL && take(field, type, &value);
        if (!is_there[i])
            value = 0;
        memcpy(to + i, &value, sizeof value);
        count += is_there[i];
    }
    return count;
}
