/* SPDX-License-Identifier: Apache-2.0 */
/* The values of words for an event, and the fields that paths lead to. */
#include <stdlib.h>
#include <string.h>

#include <stele/text.h>

#include "core/load.h"
#include "model/batch.h"
#include "query/expression_code.h"

static bool value_set_name(value *v, const expression *e, const stele_batch *batch, stele_name name)
{
    v->u.text = stele_name_text(e->context, batch, name);
    v->name = name;
    return value_set(v, VALUE_TEXT);
}

static bool value_set_static(value *v, const char *text)
{
    return value_set_text(v, (stele_text){text, strlen(text)});
}

/* ---- Fields by their paths ---- */

static bool step_is_name(const expression *e, const stele_batch *batch, const path_step *step,
                         stele_name name)
{
    if ((name & STELE_NAME_LOCAL) == 0)
        return name == step->name;
    return text_equals(stele_name_text(e->context, batch, name), step->text);
}

/* Finds the member or element of a step among `count` entries; NULL if there is none. */
static const stele_field *fields_find(const expression *e, const stele_batch *batch,
                                      const path_step *step, const stele_field *fields,
                                      uint32_t count)
{
    uint64_t index = 0;
    for (uint32_t i = 0; i < count; i += stele_field_length(&fields[i]), index++) {
        if (step->is_index ? index == step->index : step_is_name(e, batch, step, fields[i].name))
            return &fields[i];
    }
    return NULL;
}

/* Finds the member among those of contexts, which are structures among the event's fields. */
static const stele_field *contexts_find(const expression *e, const stele_batch *batch,
                                        const path_step *step, const stele_field *fields,
                                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i += stele_field_length(&fields[i])) {
        const stele_field *at = &fields[i], *found;
        if (at->type != STELE_TYPE_STRUCT || (at->hint & STELE_HINT_CONTEXT) == 0)
            continue;
        found = fields_find(e, batch, step, at + 1 + at->label_count, at->u.run.length);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Finds the first step: in the fields of the event, else in its contexts, else in the context of
   its batch. */
static const stele_field *fields_find_top(const expression *e, const stele_batch *batch,
                                          const stele_event *event, const path_step *step)
{
    const stele_field *field = NULL;
    uint32_t first;
    if ((batch->columns & STELE_COLUMN_FIELDS) != 0) {
        const uint32_t count = stele_event_fields(batch, event, &first);
        field = fields_find(e, batch, step, batch->fields + first, count);
        if (field == NULL)
            field = contexts_find(e, batch, step, batch->fields + first, count);
    }
    if (field == NULL && (batch->columns & STELE_COLUMN_CONTEXT) != 0) {
        const stele_field *context = batch->fields + batch->context_first;
        field = fields_find(e, batch, step, context, batch->context_count);
        if (field == NULL)
            field = contexts_find(e, batch, step, context, batch->context_count);
    }
    return field;
}

/* The first member of a run. */
static const stele_field *run_members(const stele_field *run)
{
    return run + 1 + run->label_count;
}

/* Returns the selected member of a variant; other fields themselves. */
static const stele_field *variant_resolve(const stele_field *field)
{
    while (field->type == STELE_TYPE_VARIANT && field->u.run.length > 0)
        field = run_members(field);
    return field;
}

/* Makes a field of an element of an array of numbers, in `element`. Returns NULL if there is no
   such element. */
static const stele_field *element_find(const stele_batch *batch, const stele_field *field,
                                       uint64_t index, stele_field *element)
{
    static const uint8_t types[] = {STELE_TYPE_UINT, STELE_TYPE_INT, STELE_TYPE_FLOAT};
    if (element == NULL || index >= field->u.bytes.size / 8)
        return NULL;
    *element = (stele_field){
        .type = types[field->type - STELE_TYPE_UINTS], .width = field->width, .hint = field->hint};
    element->u.u = load_native64(batch->bytes + field->u.bytes.offset + index * 8);
    return element;
}

/* The value of a BIGINT, which is little-endian and has 9 bytes or more. A value that needs more
   than 127 bits becomes the greatest or least one, which compares correctly with every literal. */
static wide_i128 bigint_value(const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const uint32_t size = field->u.bytes.size;
    const bool is_negative =
        (field->hint & STELE_HINT_SIGNED) != 0 && size > 0 && (bytes[size - 1] & 0x80) != 0;
    const uint8_t fill = is_negative ? 0xff : 0;
    uint64_t low = 0, high = 0;
    bool fits;
    for (uint32_t i = 8; i-- > 0;) {
        low = low << 8 | (i < size ? bytes[i] : fill);
        high = high << 8 | (i + 8 < size ? bytes[i + 8] : fill);
    }
    fits = (high >> 63 != 0) == is_negative;
    for (uint32_t i = 16; i < size && fits; i++)
        fits = bytes[i] == fill;
    if (fits)
        return i128_make((int64_t)high, low);
    return is_negative ? i128_make(INT64_MIN, 0) : i128_make(INT64_MAX, UINT64_MAX);
}

static bool value_set_scalar(value *v, const expression *e, const stele_batch *batch,
                             const stele_field *field)
{
    switch (field->type) {
    case STELE_TYPE_NULL: return value_set(v, VALUE_NULL);
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID: return value_set_uint(v, field->u.u);
    case STELE_TYPE_INT: return value_set_int(v, field->u.i);
    case STELE_TYPE_FLOAT: return value_set_float(v, field->u.f);
    case STELE_TYPE_NAME: return value_set_name(v, e, batch, (stele_name)field->u.u);
    case STELE_TYPE_STRING:
    case STELE_TYPE_BYTES: return value_set_text(v, stele_field_text(e->context, batch, field));
    case STELE_TYPE_BIGINT: return value_set_wide(v, bigint_value(batch, field));
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS:
        v->u.i = i128_of_u64(field->u.bytes.size / 8);
        return value_set(v, VALUE_RUN);
    default: v->u.i = i128_of_u64(field->u.run.count); return value_set(v, VALUE_RUN);
    }
}

/* Finds the field that a path leads to; NULL if there is none. `element` receives an element of an
   array of numbers. */
static const stele_field *arg_find(const expression *e, const stele_batch *batch,
                                   const stele_event *event, const operand *o, stele_field *element)
{
    const path_step *step = &e->steps[o->first];
    const path_step *end = step + o->count;
    const stele_field *field = fields_find_top(e, batch, event, step);
    for (step++; field != NULL && step < end; step++) {
        if (field->type == STELE_TYPE_VARIANT && step->is_index)
            field = variant_resolve(field);
        if (field->type >= STELE_TYPE_UINTS && field->type <= STELE_TYPE_FLOATS)
            return step->is_index && step + 1 == end
                       ? element_find(batch, field, step->index, element)
                       : NULL;
        if (field->type < STELE_TYPE_RUN_FIRST)
            return NULL;
        field = fields_find(e, batch, step, run_members(field), field->u.run.length);
    }
    return field != NULL ? variant_resolve(field) : NULL;
}

static bool value_set_arg(value *v, const expression *e, const stele_batch *batch,
                          const stele_event *event, const operand *o)
{
    stele_field element;
    const stele_field *field = arg_find(e, batch, event, o, &element);
    if (field == NULL)
        return false;
    value_set_scalar(v, e, batch, field);
    v->labels = field + 1; /* not used if the field is an element, which has no labels */
    v->label_count = field->label_count;
    return true;
}

const stele_field *expression_field(expression *e, const stele_batch *batch,
                                    const stele_event *event, stele_field *element)
{
    const stele_field *field;
    if (!expression_is_field(e))
        return NULL;
    field = arg_find(e, batch, event, &e->operands[0], element);
    e->seen[0] |= EXPRESSION_SEEN_ASKED | (field != NULL ? EXPRESSION_SEEN_THERE : 0);
    return field;
}

void expression_set_there(expression *e)
{
    if (e->operand_count != 0)
        e->seen[0] |= EXPRESSION_SEEN_THERE;
}

const stele_field *stele_field_find(stele_context *context, const stele_batch *batch,
                                    const stele_event *event, const char *path,
                                    stele_field *element)
{
    const size_t size = strlen(path);
    const stele_field *field = NULL;
    char *text = malloc(size + sizeof "arg.");
    expression *e;
    if (text == NULL)
        return NULL;
    memcpy(text, "arg.", 4);
    memcpy(text + 4, path, size + 1);
    if (expression_new(context, text, &e) == STELE_OK) {
        field = expression_field(e, batch, event, element);
        expression_free(e);
    }
    free(text);
    return field;
}

/* ---- Operands other than fields ---- */

static bool value_set_track_number(value *v, const stele_context *context, uint32_t track,
                                   stele_track_kind kind)
{
    const stele_track *t = stele_track_get(context, track);
    if (t != NULL && t->kind == STELE_TRACK_THREAD && kind == STELE_TRACK_PROCESS)
        t = stele_track_get(context, t->parent);
    return t != NULL && t->kind == kind && value_set_uint(v, t->number);
}

static bool value_set_cpu(value *v, const stele_context *context, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        return value_set_int(v, event->cpu);
    return value_set_track_number(v, context, event->track, STELE_TRACK_CPU);
}

static bool value_set_track_name(value *v, const expression *e, const stele_event *event)
{
    const stele_track *t = stele_track_get(e->context, event->track);
    return value_set_name(v, e, NULL, t != NULL ? t->name : 0);
}

static bool value_set_kind(value *v, const stele_event *event)
{
    return value_set_static(v, stele_kind_text((stele_kind)event->kind));
}

static wide_i128 difference(int64_t a, int64_t b)
{
    return i128_subtract(i128_of_i64(a), i128_of_i64(b));
}

static bool value_set_time(value *v, const expression *e, const stele_event *event,
                           operand_kind kind)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return false;
    if (kind == OPERAND_TIME)
        return value_set_wide(v, difference(event->time_ns, e->origin_ns));
    if (kind == OPERAND_CLOCK)
        return value_set_int(v, event->time_ns);
    return value_set_uint(v, event->ticks);
}

/* Sets the duration. It is not known of a span whose entry was lost. */
static bool value_set_duration(value *v, const subject *of)
{
    if (of->span == NULL)
        return of->event->kind == STELE_KIND_COMPLETE &&
               (of->event->flags & STELE_FLAG_NO_TIME) == 0 &&
               value_set_wide(v, difference((int64_t)of->event->id, of->event->time_ns));
    return of->span->end != STELE_SPAN_ENTRY_LOST &&
           value_set_wide(v, difference(of->span->end_ns, of->span->begin_ns));
}

/* Sets which ends of a span the window cuts. There is no value if it cuts none. */
static bool value_set_cut(value *v, const stele_span *span)
{
    return (span->is_begin_cut || span->is_end_cut) &&
           value_set_static(v, !span->is_begin_cut ? "end"
                               : span->is_end_cut  ? "both"
                                                   : "begin");
}

static bool value_set_span(value *v, const expression *e, const stele_span *span, operand_kind kind)
{
    if (span == NULL)
        return false;
    switch (kind) {
    case OPERAND_SELF:
        return span->end != STELE_SPAN_ENTRY_LOST && value_set_uint(v, span->self_ns);
    case OPERAND_DEPTH: return value_set_int(v, span->depth);
    case OPERAND_CALLER: return value_set_name(v, e, NULL, span->caller);
    case OPERAND_ROOT: return value_set_name(v, e, NULL, span->root);
    case OPERAND_DELTA:
        return span->delta_ns != STELE_SPAN_NO_DELTA && value_set_int(v, span->delta_ns);
    case OPERAND_PARENT: return span->parent != 0 && value_set_uint(v, span->parent);
    case OPERAND_CHILDREN: return value_set_uint(v, span->child_count);
    case OPERAND_ENDED: return value_set_static(v, stele_span_end_text((stele_span_end)span->end));
    case OPERAND_CUT: return value_set_cut(v, span);
    default: return value_set_static(v, stele_span_source_text((stele_span_source)span->source));
    }
}

bool operand_set_event(value *v, expression *e, const subject *of, const operand *o)
{
    const stele_batch *const batch = of->batch;
    const stele_event *const event = of->event;
    switch (o->kind) {
    case OPERAND_NAME: return value_set_name(v, e, batch, event->name);
    case OPERAND_CATEGORY:
        return value_set_name(v, e, NULL, stele_category_name(e->context, event->category));
    case OPERAND_TRACK: return value_set_track_name(v, e, event);
    case OPERAND_KIND: return value_set_kind(v, event);
    case OPERAND_TIME:
    case OPERAND_CLOCK:
    case OPERAND_TICKS: return value_set_time(v, e, event, o->kind);
    case OPERAND_DUR: return value_set_duration(v, of);
    case OPERAND_VALUE: return value_set_uint(v, event->value);
    case OPERAND_ID: return value_set_uint(v, of->span != NULL ? of->span->id : event->id);
    case OPERAND_CPU: return value_set_cpu(v, e->context, event);
    case OPERAND_TID:
        return value_set_track_number(v, e->context, event->track, STELE_TRACK_THREAD);
    case OPERAND_PID:
        return value_set_track_number(v, e->context, event->track, STELE_TRACK_PROCESS);
    case OPERAND_SIZE: return value_set_int(v, event->size);
    case OPERAND_OFFSET: return value_set_uint(v, event->offset);
    case OPERAND_ARG: return value_set_arg(v, e, batch, event, o);
    default: return value_set_span(v, e, of->span, o->kind);
    }
}
