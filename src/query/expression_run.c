/* SPDX-License-Identifier: Apache-2.0 */
/* Running compiled expressions over events. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stele/text.h>

#include "core/load.h"
#include "model/batch.h"
#include "query/expression_code.h"

#define INT128_MAX ((wide_i128)(~(wide_u128)0 >> 1))

/* Values are made in place, with the members of their type only. The functions give true: there is
   a value. */
static bool value_set(value *v, value_type type)
{
    v->type = type;
    v->label_count = 0;
    return true;
}

static bool value_set_int(value *v, wide_i128 i)
{
    v->u.i = i;
    return value_set(v, VALUE_INT);
}

static bool value_set_float(value *v, double f)
{
    v->u.f = f;
    return value_set(v, VALUE_FLOAT);
}

static bool value_set_text(value *v, stele_text text)
{
    v->u.text = text;
    v->name = STELE_NAME_LOCAL;
    return value_set(v, VALUE_TEXT);
}

static bool value_set_name(value *v, const expression *e, const stele_batch *batch, stele_name name)
{
    v->u.text = stele_name_text(e->context, batch, name);
    v->name = name;
    return value_set(v, VALUE_TEXT);
}

/* ---- Fields ---- */

static bool text_equals(stele_text a, stele_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static bool step_is_name(const expression *e, const stele_batch *batch, const path_step *step,
                         stele_name name)
{
    if ((name & STELE_NAME_LOCAL) == 0)
        return name == step->name;
    return text_equals(stele_name_text(e->context, batch, name), step->text);
}

/* The step's member among `count` entries, NULL when there is none. */
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

/* The same among the members of contexts that stand between the fields. */
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

/* The member in the fields of the event, else in its contexts, else in what holds for its whole
   batch. */
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

/* The members of a run. */
static const stele_field *run_members(const stele_field *run)
{
    return run + 1 + run->label_count;
}

/* A variant stands for the member that is selected. */
static const stele_field *variant_resolve(const stele_field *field)
{
    while (field->type == STELE_TYPE_VARIANT && field->u.run.length > 0)
        field = run_members(field);
    return field;
}

/* An element of an array of numbers, as a field. */
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

/* Little-endian, of 9 bytes or more. What 127 bits cannot hold is the greatest or least value: on
   the right side of every literal. */
static wide_i128 bigint_value(const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const uint32_t size = field->u.bytes.size;
    const bool is_negative =
        (field->hint & STELE_HINT_SIGNED) != 0 && size > 0 && (bytes[size - 1] & 0x80) != 0;
    const uint8_t fill = is_negative ? 0xff : 0;
    wide_u128 bits = 0;
    for (uint32_t i = 16; i-- > 0;)
        bits = bits << 8 | (i < size ? bytes[i] : fill);
    for (uint32_t i = 16; i < size; i++) {
        if (bytes[i] != fill)
            return is_negative ? -INT128_MAX - 1 : INT128_MAX;
    }
    if (is_negative)
        return bits >> 127 != 0 ? -(wide_i128)(~bits) - 1 : -INT128_MAX - 1;
    return bits >> 127 != 0 ? INT128_MAX : (wide_i128)bits;
}

static bool value_set_scalar(value *v, const expression *e, const stele_batch *batch,
                             const stele_field *field)
{
    switch (field->type) {
    case STELE_TYPE_NULL: return value_set(v, VALUE_NULL);
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID: return value_set_int(v, field->u.u);
    case STELE_TYPE_INT: return value_set_int(v, field->u.i);
    case STELE_TYPE_FLOAT: return value_set_float(v, field->u.f);
    case STELE_TYPE_NAME: return value_set_name(v, e, batch, (stele_name)field->u.u);
    case STELE_TYPE_STRING:
    case STELE_TYPE_BYTES: return value_set_text(v, stele_field_text(e->context, batch, field));
    case STELE_TYPE_BIGINT: return value_set_int(v, bigint_value(batch, field));
    default: return value_set(v, VALUE_RUN);
    }
}

/* The field that the path leads to, NULL where there is none. `element` takes an element of an
   array of numbers. */
static const stele_field *arg_find(const expression *e, const stele_batch *batch,
                                   const stele_event *event, const operand *o, stele_field *element)
{
    const path_step *step = &e->steps[o->step_first];
    const path_step *end = step + o->step_count;
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
    v->labels = field + 1; /* of none, where it is an element */
    v->label_count = field->label_count;
    return true;
}

const stele_field *expression_field(expression *e, const stele_batch *batch,
                                    const stele_event *event, stele_field *element)
{
    const stele_field *field;
    if (e->operand_count == 0 || e->operands[0].kind != OPERAND_ARG)
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

/* ---- The other operands ---- */

static bool value_set_track_number(value *v, const stele_context *context, uint32_t track,
                                   stele_track_kind kind)
{
    const stele_track *t = stele_track_get(context, track);
    if (t != NULL && t->kind == STELE_TRACK_THREAD && kind == STELE_TRACK_PROCESS)
        t = stele_track_get(context, t->parent);
    return t != NULL && t->kind == kind && value_set_int(v, t->number);
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
    const char *text = stele_kind_text((stele_kind)event->kind);
    return value_set_text(v, (stele_text){text, strlen(text)});
}

static bool value_set_time(value *v, const expression *e, const stele_event *event,
                           operand_kind kind)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return false;
    if (kind == OPERAND_TIME)
        return value_set_int(v, (wide_i128)event->time_ns - e->origin_ns);
    if (kind == OPERAND_CLOCK)
        return value_set_int(v, event->time_ns);
    if (kind == OPERAND_TICKS)
        return value_set_int(v, event->ticks);
    return event->kind == STELE_KIND_COMPLETE &&
           value_set_int(v, (wide_i128)(int64_t)event->id - event->time_ns);
}

/* False, and nothing is set, when the event has no such thing. */
static bool value_set_operand(value *v, const expression *e, const stele_batch *batch,
                              const stele_event *event, const operand *o)
{
    switch (o->kind) {
    case OPERAND_LITERAL: break;
    case OPERAND_NAME: return value_set_name(v, e, batch, event->name);
    case OPERAND_CATEGORY:
        return value_set_name(v, e, NULL, stele_category_name(e->context, event->category));
    case OPERAND_TRACK: return value_set_track_name(v, e, event);
    case OPERAND_KIND: return value_set_kind(v, event);
    case OPERAND_TIME:
    case OPERAND_CLOCK:
    case OPERAND_TICKS:
    case OPERAND_DUR: return value_set_time(v, e, event, o->kind);
    case OPERAND_VALUE: return value_set_int(v, event->value);
    case OPERAND_ID: return value_set_int(v, event->id);
    case OPERAND_CPU: return value_set_cpu(v, e->context, event);
    case OPERAND_TID:
        return value_set_track_number(v, e->context, event->track, STELE_TRACK_THREAD);
    case OPERAND_PID:
        return value_set_track_number(v, e->context, event->track, STELE_TRACK_PROCESS);
    case OPERAND_SIZE: return value_set_int(v, event->size);
    case OPERAND_OFFSET: return value_set_int(v, event->offset);
    case OPERAND_ARG: return value_set_arg(v, e, batch, event, o);
    }
    return false;
}

/* The operand's value: a literal as it stands, all else made in `room`. */
static const value *operand_value(const expression *e, const stele_batch *batch,
                                  const stele_event *event, const operand *o, value *room)
{
    uint8_t *seen = &e->seen[o - e->operands];
    if (o->kind == OPERAND_LITERAL)
        return &o->literal;
    if (value_set_operand(room, e, batch, event, o)) {
        *seen |= EXPRESSION_SEEN_ASKED | EXPRESSION_SEEN_THERE;
        return room;
    }
    *seen |= EXPRESSION_SEEN_ASKED;
    if (event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_END)
        *seen |= EXPRESSION_SEEN_BEGIN;
    value_set(room, VALUE_MISSING);
    return room;
}

/* ---- Comparing ---- */

typedef enum ordering {
    ORDER_LESS,
    ORDER_EQUAL,
    ORDER_GREATER,
    ORDER_NONE,   /* different, and neither is greater: NaN, null */
    ORDER_FOREIGN /* cannot be compared */
} ordering;

#define ORDER_OF(a, b) ((a) < (b) ? ORDER_LESS : (a) > (b) ? ORDER_GREATER : ORDER_EQUAL)

/* Exact: the integer is never rounded to a double. */
static ordering order_int_float(wide_i128 i, double f)
{
    const double limit = 0x1p127;
    double whole;
    if (isnan(f))
        return ORDER_NONE;
    if (f >= limit)
        return ORDER_LESS;
    if (f < -limit)
        return ORDER_GREATER;
    whole = floor(f);
    if (i != (wide_i128)whole)
        return i < (wide_i128)whole ? ORDER_LESS : ORDER_GREATER;
    return f > whole ? ORDER_LESS : ORDER_EQUAL;
}

static ordering order_reverse(ordering o)
{
    return o == ORDER_LESS ? ORDER_GREATER : o == ORDER_GREATER ? ORDER_LESS : o;
}

static ordering order_texts(stele_text a, stele_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.bytes, b.bytes, size);
    return order != 0 ? ORDER_OF(order, 0) : ORDER_OF(a.size, b.size);
}

static ordering value_order(const value *a, const value *b)
{
    if (a->type == VALUE_NULL || b->type == VALUE_NULL)
        return a->type == b->type ? ORDER_EQUAL : ORDER_NONE;
    if (a->type == VALUE_INT && b->type == VALUE_INT)
        return ORDER_OF(a->u.i, b->u.i);
    if (a->type == VALUE_INT && b->type == VALUE_FLOAT)
        return order_int_float(a->u.i, b->u.f);
    if (a->type == VALUE_FLOAT && b->type == VALUE_INT)
        return order_reverse(order_int_float(b->u.i, a->u.f));
    if (a->type == VALUE_FLOAT && b->type == VALUE_FLOAT)
        return isunordered(a->u.f, b->u.f) ? ORDER_NONE : ORDER_OF(a->u.f, b->u.f);
    if (a->type == VALUE_TEXT && b->type == VALUE_TEXT)
        return order_texts(a->u.text, b->u.text);
    return ORDER_FOREIGN;
}

static bool label_equals(const expression *e, const stele_batch *batch, const value *v,
                         stele_text text)
{
    for (uint32_t i = 0; i < v->label_count; i++) {
        if (text_equals(stele_field_text(e->context, batch, &v->labels[i]), text))
            return true;
    }
    return false;
}

static bool value_compares(const expression *e, const stele_batch *batch, opcode op, const value *a,
                           const value *b)
{
    ordering order;
    if (a->type == VALUE_MISSING || b->type == VALUE_MISSING)
        return false;
    if (a->label_count > 0 && a->type != VALUE_TEXT && b->type == VALUE_TEXT)
        order = label_equals(e, batch, a, b->u.text) ? ORDER_EQUAL : ORDER_NONE;
    else if (b->label_count > 0 && b->type != VALUE_TEXT && a->type == VALUE_TEXT)
        order = label_equals(e, batch, b, a->u.text) ? ORDER_EQUAL : ORDER_NONE;
    else
        order = value_order(a, b);
    switch (op) {
    case OP_EQUAL: return order == ORDER_EQUAL;
    case OP_UNEQUAL: return order != ORDER_EQUAL && order != ORDER_FOREIGN;
    case OP_LESS: return order == ORDER_LESS;
    case OP_LESS_EQUAL: return order == ORDER_LESS || order == ORDER_EQUAL;
    case OP_GREATER: return order == ORDER_GREATER;
    default: return order == ORDER_GREATER || order == ORDER_EQUAL;
    }
}

static bool glob_matches_label(const expression *e, const stele_batch *batch, const glob_set *globs,
                               const value *v)
{
    for (uint32_t i = 0; i < v->label_count; i++) {
        const stele_text text = stele_field_text(e->context, batch, &v->labels[i]);
        if (glob_set_matches(globs, text.bytes, text.size))
            return true;
    }
    return false;
}

/* Patterns beyond this many look at the text each time: what they remember is memory. */
#define REMEMBERING_GLOBS_MAX 16u

static bool value_matches(expression *e, const stele_batch *batch, const instruction *at,
                          const value *v)
{
    glob_set *globs = &e->globs[at->right];
    bool matches;
    if (v->type == VALUE_TEXT)
        matches = v->name == STELE_NAME_LOCAL || at->right >= REMEMBERING_GLOBS_MAX
                      ? glob_set_matches(globs, v->u.text.bytes, v->u.text.size)
                      : glob_set_matches_name(globs, e->context, batch, v->name);
    else if (v->type != VALUE_MISSING && v->label_count > 0)
        matches = glob_matches_label(e, batch, globs, v);
    else
        return false;
    return matches == (at->op == OP_GLOB);
}

static bool value_truth(const value *v)
{
    switch (v->type) {
    case VALUE_INT: return v->u.i != 0;
    case VALUE_FLOAT: return v->u.f != 0;
    case VALUE_TEXT: return v->u.text.size != 0;
    case VALUE_RUN: return true;
    default: return false;
    }
}

bool expression_holds(expression *e, const stele_batch *batch, const stele_event *event)
{
    const instruction *at = e->code, *end = e->code + e->code_count;
    bool truth = false;
    while (at < end) {
        value left_room, right_room;
        const value *left;
        if (at->op == OP_JUMP_FALSE || at->op == OP_JUMP_TRUE) {
            at = truth == (at->op == OP_JUMP_TRUE) ? e->code + at->left : at + 1;
            continue;
        }
        if (at->op == OP_NOT) {
            truth = !truth;
            at++;
            continue;
        }
        left = operand_value(e, batch, event, &e->operands[at->left], &left_room);
        switch (at->op) {
        case OP_TRUTH: truth = value_truth(left); break;
        case OP_EXISTS: truth = left->type != VALUE_MISSING; break;
        case OP_GLOB:
        case OP_GLOB_NOT: truth = value_matches(e, batch, at, left); break;
        default:
            truth = value_compares(
                e, batch, (opcode)at->op, left,
                operand_value(e, batch, event, &e->operands[at->right], &right_room));
        }
        at++;
    }
    return truth;
}
