/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/spans_made.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/batch.h"

/* A field with a longer name keeps its name when it comes from the end of a span. */
#define FIELD_NAME_MAX 4096u
/* How many fields of a begin are searched for one of the end, which bounds the cost. */
#define FIELDS_LOOKED_AT 256u

stele_status spans_made_init(spans_made *m, stele_context *context, stele_span_fn *fn, void *user)
{
    m->context = context;
    m->fn = fn;
    m->user = user;
    return stele_batch_new(SPANS_MADE, &m->batch);
}

void spans_made_free(spans_made *m)
{
    stele_batch_free(m->batch);
    free(m->end_names);
    hash_table_free(&m->end_name_numbers);
}

stele_status spans_made_give(spans_made *m)
{
    const stele_segment segment = {m->batch, 0, m->batch->event_count};
    const stele_status status = m->fn(m->user, &segment, m->spans);
    stele_batch_clear(m->batch);
    return status;
}

void spans_made_undo(spans_made *m)
{
    m->batch->event_count--;
    m->batch->field_count = m->fields_before;
    m->batch->byte_count = m->bytes_before;
    m->batch->name_count = m->names_before;
}

/* ---- Fields of begin and end ---- */

/* Makes the name "NAME.end". Returns `name` itself if the pool of names is full. */
static stele_name end_name_make(spans_made *m, const stele_batch *batch, stele_name name)
{
    static const char ending[] = ".end";
    const stele_text text = stele_name_text(m->context, batch, name);
    char made[FIELD_NAME_MAX + sizeof ending];
    stele_name interned;
    if (text.size > FIELD_NAME_MAX)
        return name;
    memcpy(made, text.bytes, text.size);
    memcpy(made + text.size, ending, sizeof ending);
    interned = stele_name_intern(m->context, made, text.size + sizeof ending - 1);
    return interned != UINT32_MAX ? interned : name;
}

static stele_name end_name_get(spans_made *m, const stele_batch *batch, stele_name name)
{
    uint32_t hash;
    end_name *names;
    if ((name & STELE_NAME_LOCAL) != 0 || !hash_table_reserve(&m->end_name_numbers))
        return end_name_make(m, batch, name);
    hash = hash_table_hash_u64(&m->end_name_numbers, name);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&m->end_name_numbers, hash, &at)) != HASH_NONE;)
        if (m->end_names[number].name == name)
            return m->end_names[number].made;
    if (m->end_name_count == m->end_name_capacity) {
        names = array_grow(m->end_names, sizeof *names, &m->end_name_capacity, 16);
        if (names == NULL)
            return end_name_make(m, batch, name);
        m->end_names = names;
    }
    m->end_names[m->end_name_count] = (end_name){name, end_name_make(m, batch, name)};
    hash_table_put(&m->end_name_numbers, hash, m->end_name_count);
    return m->end_names[m->end_name_count++].made;
}

/* Whether two fields, with their labels and members, have the same values. */
static bool is_same_value(const spans_made *m, const stele_batch *a_batch, const stele_field *a,
                          const stele_batch *b_batch, const stele_field *b)
{
    const uint32_t length = stele_field_length(a);
    if (stele_field_length(b) != length)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        if (a[i].type != b[i].type || a[i].label_count != b[i].label_count)
            return false;
        if (a[i].type == STELE_TYPE_NAME || field_has_bytes(a[i].type)) {
            const stele_text one = stele_field_text(m->context, a_batch, &a[i]);
            const stele_text other = stele_field_text(m->context, b_batch, &b[i]);
            if (one.size != other.size || memcmp(one.bytes, other.bytes, one.size) != 0)
                return false;
        } else if (a[i].u.u != b[i].u.u) {
            return false;
        }
    }
    return true;
}

static bool is_same_name(const spans_made *m, const stele_batch *a_batch, stele_name a,
                         const stele_batch *b_batch, stele_name b)
{
    stele_text one, other;
    if (((a | b) & STELE_NAME_LOCAL) == 0)
        return a == b;
    one = stele_name_text(m->context, a_batch, a);
    other = stele_name_text(m->context, b_batch, b);
    return one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0;
}

/*
 * Finds the field of the begin that has the same name as `wanted`. Returns NULL if there is none.
 */
static const stele_field *field_like(const spans_made *m, spans_end begin, const stele_batch *batch,
                                     const stele_field *wanted)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(begin.batch, begin.event, &first);
    for (uint32_t at = 0, looked = 0; at < count && looked < FIELDS_LOOKED_AT; looked++) {
        const stele_field *field = &begin.batch->fields[first + at];
        if (is_same_name(m, begin.batch, field->name, batch, wanted->name))
            return field;
        at += stele_field_length(field);
    }
    return NULL;
}

/* Appends those fields of the end that the begin does not have, or has with another value.
   Returns false if out of memory. */
static bool add_end_fields(spans_made *m, spans_end begin, spans_end end)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(end.batch, end.event, &first);
    for (uint32_t at = 0; at < count;) {
        const stele_field *field = &end.batch->fields[first + at];
        const uint32_t length = stele_field_length(field), made = m->batch->field_count;
        const stele_field *like = field_like(m, begin, end.batch, field);
        if (like == NULL || !is_same_value(m, begin.batch, like, end.batch, field)) {
            if (!batch_copy_fields(m->batch, end.batch, first + at, length))
                return false;
            if (like != NULL)
                m->batch->fields[made].name = end_name_get(m, end.batch, field->name);
        }
        at += length;
    }
    return true;
}

/* ---- Events with their fields ---- */

/* Whether events of `from` can be added to a batch: the members that hold for all events of a
   batch are equal. */
static bool fits(const stele_batch *batch, const stele_batch *from)
{
    return batch->stream == from->stream && batch->shift_ns == from->shift_ns &&
           batch->offset_ns == from->offset_ns && batch->file == from->file;
}

static void set_head(stele_batch *batch, const stele_batch *from)
{
    batch->stream = from->stream;
    batch->shift_ns = from->shift_ns;
    batch->offset_ns = from->offset_ns;
    batch->file = from->file;
    batch->columns = STELE_COLUMNS_ALL & ~(uint32_t)STELE_COLUMN_CONTEXT;
}

static stele_event *copy_event(spans_made *m, spans_end from, bool has_fields)
{
    stele_batch *batch = m->batch;
    stele_event bare;
    if ((!has_fields || from.event->field_count == 0) &&
        (from.event->name & STELE_NAME_LOCAL) == 0) {
        stele_event *const copy = batch_push_event(batch);
        *copy = *from.event;
        copy->field_first = batch->field_count;
        copy->field_count = 0;
        return copy;
    }
    bare = *from.event;
    bare.field_count = 0;
    if (!batch_copy_event(batch, from.batch, has_fields ? from.event : &bare))
        return NULL;
    return &batch->events[batch->event_count - 1];
}

stele_status spans_made_add(spans_made *m, const stele_span *span, spans_end begin, spans_end end,
                            bool has_fields)
{
    const spans_end from = begin.event != NULL ? begin : end;
    stele_batch *batch = m->batch;
    stele_status status = STELE_OK;
    stele_event *event;
    if (batch->event_count != 0 && (batch_is_full(batch) || !fits(batch, from.batch)))
        status = spans_made_flush(m);
    if (status != STELE_OK)
        return status;
    if (batch->event_count == 0)
        set_head(batch, from.batch);
    m->fields_before = batch->field_count;
    m->bytes_before = batch->byte_count;
    m->names_before = batch->name_count;
    event = copy_event(m, from, has_fields);
    if (event == NULL)
        return STELE_ERR_MEMORY;
    if (has_fields && begin.event != NULL && end.event != NULL && end.event->field_count != 0) {
        const uint32_t first = event->field_count != 0 ? event->field_first : batch->field_count;
        if (event->field_count != STELE_FIELDS_MANY &&
            (!add_end_fields(m, begin, end) || !batch_set_fields(batch, event, first)))
            return STELE_ERR_MEMORY;
    }
    if (event->kind != STELE_KIND_COMPLETE)
        event->value = end.event != NULL ? end.event->ticks : 0;
    event->kind = STELE_KIND_COMPLETE;
    event->time_ns = span->begin_ns;
    event->id = (uint64_t)span->end_ns;
    m->spans[batch->event_count - 1] = *span;
    return STELE_OK;
}
