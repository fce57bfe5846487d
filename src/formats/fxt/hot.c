/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot path: nearly all records of real traces are events whose thread, category, name and
 * argument names are registered, and in which nothing is unusual. They become events here without a
 * detour; at the first doubt nothing has happened yet, and the general path takes over. Both give
 * the same (tests/unit/test_fxt_reader.c compares them).
 */
#include "formats/fxt/events.h"

/* An inline category or name. */
#define INLINE_MASK (UINT64_C(1) << 47 | UINT64_C(1) << 63)

static inline const fxt_string_entry *hot_string(const fxt_provider *p, uint64_t ref)
{
    return &p->pages[ref >> FXT_PAGE_BITS][ref & (FXT_PAGE_SIZE - 1)];
}

static const struct {
    uint8_t kind;
    bool has_word; /* behind the arguments */
} event_types[16] = {
    [STELE_FXT_INSTANT] = {STELE_KIND_INSTANT, false},
    [STELE_FXT_COUNTER] = {STELE_KIND_COUNTER, true},
    [STELE_FXT_DURATION_BEGIN] = {STELE_KIND_BEGIN, false},
    [STELE_FXT_DURATION_END] = {STELE_KIND_END, false},
    [STELE_FXT_DURATION_COMPLETE] = {STELE_KIND_COMPLETE, true},
    [STELE_FXT_ASYNC_BEGIN] = {STELE_KIND_ASYNC_BEGIN, true},
    [STELE_FXT_ASYNC_INSTANT] = {STELE_KIND_ASYNC_STEP, true},
    [STELE_FXT_ASYNC_END] = {STELE_KIND_ASYNC_END, true},
    [STELE_FXT_FLOW_BEGIN] = {STELE_KIND_FLOW_BEGIN, true},
    [STELE_FXT_FLOW_STEP] = {STELE_KIND_FLOW_STEP, true},
    [STELE_FXT_FLOW_END] = {STELE_KIND_FLOW_END, true},
};

/* Where the arguments end; NULL when that is not where the record's own contents begin again. */
static inline const uint8_t *hot_skip(const uint8_t *at, const uint8_t *end, unsigned count)
{
    for (; count > 0; count--) {
        const size_t left = (size_t)(end - at);
        size_t size;
        if (left < FXT_WORD)
            return NULL;
        size = fxt_bits(load_le64(at), 4, 15) * FXT_WORD;
        if (size == 0 || size > left)
            return NULL;
        at += size;
    }
    return at;
}

/* The value of an argument of exactly one header and one value word. */
static bool hot_word(fxt_events *e, stele_batch *batch, stele_field *field, unsigned type,
                     uint64_t value, uint64_t process)
{
    static const uint8_t types[9] = {
        [STELE_FXT_ARGUMENT_INT64] = STELE_TYPE_INT,
        [STELE_FXT_ARGUMENT_UINT64] = STELE_TYPE_UINT,
        [STELE_FXT_ARGUMENT_DOUBLE] = STELE_TYPE_FLOAT,
        [STELE_FXT_ARGUMENT_POINTER] = STELE_TYPE_POINTER,
        [STELE_FXT_ARGUMENT_KOID] = STELE_TYPE_KOID,
    };
    uint32_t label = 0;
    if (type > STELE_FXT_ARGUMENT_KOID || types[type] == STELE_TYPE_NULL)
        return false;
    field->type = types[type];
    field->width = 64;
    field->u.u = value;
    if (type == STELE_FXT_ARGUMENT_POINTER) {
        field->hint = STELE_HINT_HEX;
        label = fxt_state_pointer_label(e->state, process, value);
    } else if (type == STELE_FXT_ARGUMENT_KOID) {
        label = fxt_state_koid_label(e->state, value);
    }
    if (label != 0) {
        field->label_count = 1;
        *batch_push_field(batch) = (stele_field){.type = STELE_TYPE_NAME, .u.u = label - 1};
    }
    return true;
}

/* The value of an argument that is in its header, or an inline string. */
static bool hot_header(fxt_events *e, stele_batch *batch, stele_field *field, uint64_t header,
                       const uint8_t *at, size_t size)
{
    const uint32_t value = (uint32_t)(header >> 32);
    const fxt_string_entry *string;
    switch (fxt_bits(header, 0, 3)) {
    case STELE_FXT_ARGUMENT_INT32:
        field->type = STELE_TYPE_INT;
        field->u.i = (int32_t)value;
        break;
    case STELE_FXT_ARGUMENT_UINT32:
        field->type = STELE_TYPE_UINT;
        field->u.u = value;
        break;
    case STELE_FXT_ARGUMENT_STRING: {
        const uint32_t length = value & 0x7fffu;
        if ((value & STELE_FXT_INLINE) != 0) {
            if (FXT_WORD + fxt_padded(length) != size || !batch_reserve_bytes(batch, length))
                return false;
            field->type = STELE_TYPE_STRING;
            field->u.bytes.offset = batch_push_bytes(batch, at + FXT_WORD, length);
            field->u.bytes.size = length;
            return true;
        }
        string = hot_string(e->state->current, length);
        field->type = STELE_TYPE_NAME;
        field->u.u = string->name;
        return size == FXT_WORD && (string->is_known || length == 0);
    }
    default: return false;
    }
    field->width = 32;
    return size == FXT_WORD;
}

/* All arguments; false when one of them is unusual. Sizes are known to be sound. */
static bool hot_arguments(fxt_events *e, stele_batch *batch, const uint8_t *at, unsigned count,
                          uint64_t process)
{
    if (!batch_reserve_fields(batch, 2 * count))
        return false;
    for (; count > 0; count--) {
        const uint64_t header = load_le64(at);
        const uint64_t name_ref = fxt_bits(header, 16, 31);
        const size_t size = fxt_bits(header, 4, 15) * FXT_WORD;
        const fxt_string_entry *name;
        stele_field *field;
        if (fxt_string_is_inline((uint16_t)name_ref))
            return false;
        name = hot_string(e->state->current, name_ref);
        if (!name->is_known)
            return false;
        field = batch_push_field(batch);
        *field = (stele_field){.name = name->name};
        if (size == 2 * FXT_WORD && hot_word(e, batch, field, (unsigned)fxt_bits(header, 0, 3),
                                             load_le64(at + FXT_WORD), process)) {
            at += size;
            continue;
        }
        if (!hot_header(e, batch, field, header, at, size))
            return false;
        at += size;
    }
    return true;
}

bool fxt_events_add_hot(fxt_events *e, stele_batch *batch, const walk_record *at)
{
    const uint64_t header = at->header;
    const unsigned type = (unsigned)fxt_bits(header, 16, 19);
    const unsigned count = (unsigned)fxt_bits(header, 20, 23);
    const uint64_t category_ref = fxt_bits(header, 32, 47), name_ref = fxt_bits(header, 48, 63);
    const uint8_t *arguments = at->bytes + 2 * FXT_WORD, *end = at->bytes + at->size;
    const uint32_t field_first = batch->field_count, byte_first = batch->byte_count;
    fxt_provider *p = e->state->current;
    const fxt_string_entry *category, *name;
    const fxt_thread_entry *thread;
    const uint8_t *rest;
    stele_event *event;
    bool is_clamped = false;
    uint64_t ticks, word;
    int64_t ns;
    if (!e->is_hot || (header & INLINE_MASK) != 0 || p->threads == NULL || end < arguments ||
        type > STELE_FXT_FLOW_END)
        return false;
    thread = &p->threads[fxt_bits(header, 24, 31)];
    category = hot_string(p, category_ref);
    name = hot_string(p, name_ref);
    rest = hot_skip(arguments, end, count);
    if (!thread->is_known || rest == NULL ||
        (size_t)(end - rest) != (event_types[type].has_word ? FXT_WORD : 0))
        return false;
    if ((e->columns & STELE_COLUMN_NAME) != 0 &&
        ((category->category == 0 && category_ref != 0) || (!name->is_known && name_ref != 0)))
        return false;
    ticks = load_le64(at->bytes + FXT_WORD);
    ns = fxt_clock_ns(&p->clock, ticks, &is_clamped);
    word = event_types[type].has_word ? load_le64(rest) : 0;
    event = &batch->events[batch->event_count];
    event->value = 0;
    event->id = word;
    if (type == STELE_FXT_DURATION_COMPLETE) {
        event->value = word;
        event->id = (uint64_t)fxt_clock_ns(&p->clock, word, &is_clamped);
        if (word < ticks)
            return false;
    }
    if (is_clamped)
        return false;
    if ((e->columns & STELE_COLUMN_FIELDS) != 0 && count != 0 &&
        !hot_arguments(e, batch, arguments, count, thread->process)) {
        batch->field_count = field_first;
        batch->byte_count = byte_first;
        return false;
    }
    event->time_ns = ns;
    event->ticks = ticks;
    event->offset = at->offset;
    event->size = (uint32_t)at->size;
    event->name = name->name;
    event->track = thread->track;
    event->field_first = field_first;
    event->field_count = (uint16_t)(batch->field_count - field_first);
    event->category = category->category;
    event->cpu = 0;
    event->kind = event_types[type].kind;
    event->flags = 0;
    fxt_events_clear_columns(event, e->columns);
    p->last_ns = ns;
    /* Room that was filled but is not taken is as free as before. */
    if ((e->kinds & STELE_KIND_BIT(event->kind)) != 0) {
        batch->event_count++;
    } else {
        batch->field_count = field_first;
        batch->byte_count = byte_first;
    }
    return true;
}
