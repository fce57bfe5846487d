/* SPDX-License-Identifier: Apache-2.0 */
#include "query/expression.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/expression_code.h"
#include "query/nearest.h"

stele_status expression_new_as(stele_context *context, const char *text, unsigned what,
                               expression **out)
{
    expression *e = calloc(1, sizeof *e);
    stele_status status;
    *out = NULL;
    if (e == NULL)
        return STELE_ERR_MEMORY;
    e->context = context;
    status = expression_parse(e, text, what);
    if (status == STELE_OK) {
        e->seen = calloc(e->operand_count + 1u, 1);
        e->rooms = calloc(e->operand_count + 1u, sizeof *e->rooms);
        if (e->seen == NULL || e->rooms == NULL)
            status = STELE_ERR_MEMORY;
    }
    if (status == STELE_OK)
        *out = e;
    else
        expression_free(e);
    return status;
}

stele_status expression_new(stele_context *context, const char *text, expression **out)
{
    return expression_new_as(context, text, 0, out);
}

stele_status stele_expression_new(stele_context *context, const char *text, expression **out)
{
    return expression_new_as(context, text, EXPRESSION_VALUE | EXPRESSION_SPANS, out);
}

void expression_free(expression *e)
{
    if (e == NULL)
        return;
    for (uint32_t i = 0; i < e->pattern_count; i++)
        pattern_free(&e->patterns[i]);
    for (uint32_t i = 0; e->rooms != NULL && i < e->operand_count; i++)
        free(e->rooms[i].bytes);
    free(e->patterns);
    free(e->rooms);
    free(e->code);
    free(e->inner);
    free(e->operands);
    free(e->arguments);
    free(e->seen);
    free(e->steps);
    arena_free(&e->texts);
    if (e->locale != (locale_t)0)
        freelocale(e->locale);
    free(e);
}

void stele_expression_free(expression *e)
{
    expression_free(e);
}

uint32_t stele_expression_columns(const expression *e)
{
    return e->columns;
}

void stele_expression_set_origin(expression *e, int64_t origin_ns)
{
    e->origin_ns = origin_ns;
}

void stele_expression_report(const expression *e)
{
    expression_report(e, &e->context->diag);
}

void expression_merge(expression *into, const expression *from)
{
    for (uint32_t i = 0; i < into->operand_count && i < from->operand_count; i++)
        into->seen[i] |= from->seen[i];
}

bool stele_expression_needs_spans(const expression *e)
{
    return e->needs_span;
}

static bool is_alone(const expression *e, operand_kind kind)
{
    return e->is_value && e->operand_count == 1 && e->operands[0].kind == kind;
}

bool expression_is_name(const expression *e)
{
    return is_alone(e, OPERAND_NAME);
}

bool expression_is_duration(const expression *e)
{
    return is_alone(e, OPERAND_DUR);
}

bool expression_is_self(const expression *e)
{
    return is_alone(e, OPERAND_SELF);
}

bool expression_uses_track_names(const expression *e)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (e->operands[i].kind == OPERAND_TRACK && !is_alone(e, OPERAND_TRACK))
            return true;
    }
    return false;
}

bool expression_uses_duration(const expression *e)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (e->operands[i].kind == OPERAND_DUR)
            return true;
    }
    return e->needs_span;
}

bool expression_uses_span(const expression *e)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (e->operands[i].kind == OPERAND_ID)
            return true;
    }
    return e->needs_span;
}

/* ---- Units of values ---- */

static stele_unit unit_of(const expression *e, const operand *o);

static stele_unit unit_of_argument(const expression *e, const operand *o, uint32_t index)
{
    return unit_of(e, &e->operands[e->arguments[o->first + index]]);
}

/* The unit of a sum: both parts have it, or one of them is a plain number as in "dur + 1ms". */
static stele_unit unit_of_sum(const expression *e, const operand *o)
{
    const stele_unit a = unit_of_argument(e, o, 0), b = unit_of_argument(e, o, 1);
    return a != STELE_UNIT_NONE ? a : b;
}

static stele_unit unit_of_product(const expression *e, const operand *o)
{
    const stele_unit a = unit_of_argument(e, o, 0), b = unit_of_argument(e, o, 1);
    return a != STELE_UNIT_NONE && b != STELE_UNIT_NONE ? STELE_UNIT_NONE
           : a != STELE_UNIT_NONE                       ? a
                                                        : b;
}

static stele_unit unit_of_call(const expression *e, const operand *o)
{
    switch (o->function) {
    case FUNCTION_ABS:
    case FUNCTION_FLOOR:
    case FUNCTION_CEIL:
    case FUNCTION_ROUND:
    case FUNCTION_BUCKET:
    case FUNCTION_LOG2_BIN:
    case FUNCTION_COALESCE:
    case FUNCTION_REMAINDER:
    case FUNCTION_NEGATE: return unit_of_argument(e, o, 0);
    case FUNCTION_MIN:
    case FUNCTION_MAX:
    case FUNCTION_ADD:
    case FUNCTION_SUBTRACT: return unit_of_sum(e, o);
    case FUNCTION_MULTIPLY: return unit_of_product(e, o);
    case FUNCTION_DIVIDE:
        /* The literal in `dur / 1ms` does not keep its unit, so the unit of the quotient is not
           known. */
        return STELE_UNIT_NONE;
    case FUNCTION_IF: return unit_of_argument(e, o, 1);
    default: return STELE_UNIT_NONE;
    }
}

static stele_unit unit_of(const expression *e, const operand *o)
{
    switch (o->kind) {
    case OPERAND_TIME:
    case OPERAND_CLOCK:
    case OPERAND_DUR:
    case OPERAND_SELF:
    case OPERAND_DELTA: return STELE_UNIT_NS;
    case OPERAND_SIZE: return STELE_UNIT_BYTES;
    case OPERAND_CALL: return unit_of_call(e, o);
    default: return STELE_UNIT_NONE;
    }
}

stele_unit stele_expression_unit(const expression *e)
{
    return e->is_value ? unit_of(e, &e->operands[e->root]) : STELE_UNIT_NONE;
}

bool expression_is_field(const expression *e)
{
    return e->operand_count == 1 && e->operands[0].kind == OPERAND_ARG;
}

uint32_t expression_columns(const expression *e)
{
    return e->columns;
}

bool expression_uses_time(const expression *e)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (e->operands[i].kind == OPERAND_TIME)
            return true;
    }
    return false;
}

void expression_set_origin(expression *e, int64_t origin_ns)
{
    e->origin_ns = origin_ns;
}

/* ---- Reporting fields and names that no event had ---- */

/* Returns the name of the pool that is nearest to the text; empty if none is near. */
static stele_text nearest_name(const stele_context *context, stele_text text)
{
    stele_text nearest = {"", 0};
    unsigned limit = edit_limit(text.size);
    for (stele_name name = 1; name < stele_name_count(context); name++) {
        const stele_text other = stele_name_text(context, NULL, name);
        unsigned distance;
        if (other.size == 0 || other.size > NEAREST_SIZE_MAX || text.size > NEAREST_SIZE_MAX)
            continue;
        distance = edit_distance(text, other);
        if (distance != 0 && distance < limit) {
            limit = distance;
            nearest = other;
        }
    }
    return nearest;
}

static void report_arg(const expression *e, diag_sink *diag, const operand *o)
{
    const path_step *step = &e->steps[o->first];
    const stele_text near =
        step->is_index ? (stele_text){"", 0} : nearest_name(e->context, step->text);
    char expected[96];
    if (step->is_index || step->text.size > 64)
        snprintf(expected, sizeof expected, "such a field in an event");
    else
        snprintf(expected, sizeof expected, "a field '%.*s' in an event%s", (int)step->text.size,
                 step->text.bytes, o->count > 1 ? ", and in that the rest" : "");
    diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected,
                near.size != 0 ? "none; there is a name '%.*s'" : "none%.*s", (int)near.size,
                near.bytes);
}

static bool is_name(const stele_context *context, stele_text text)
{
    for (stele_name name = 1; name < stele_name_count(context); name++) {
        const stele_text other = stele_name_text(context, NULL, name);
        if (other.size == text.size && memcmp(other.bytes, text.bytes, text.size) == 0)
            return true;
    }
    return false;
}

/* Reports a text that a name or a category is to equal, if nothing that was read is called so. */
static void report_equal(const expression *e, diag_sink *diag, const instruction *code)
{
    const operand *left = &e->operands[code->left], *right = &e->operands[code->right];
    stele_text text, near;
    char expected[96];
    if (left->kind == OPERAND_LITERAL) {
        const operand *other = left;
        left = right;
        right = other;
    }
    if ((left->kind != OPERAND_NAME && left->kind != OPERAND_CATEGORY) ||
        right->kind != OPERAND_LITERAL || right->literal.type != VALUE_TEXT)
        return;
    text = right->literal.u.text;
    if (text.size == 0 || e->context->names_full_reported || is_name(e->context, text))
        return;
    near = nearest_name(e->context, text);
    snprintf(expected, sizeof expected, "a %s '%.*s'",
             left->kind == OPERAND_NAME ? "name" : "category",
             (int)(text.size < 64 ? text.size : 64), text.bytes);
    diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected,
                near.size != 0 ? "none; did you mean '%.*s'?" : "none%.*s", (int)near.size,
                near.bytes);
}

/* Whether the expression itself expects that the operand may be missing: it is in a coalesce(). */
static bool is_doubted(const expression *e, uint32_t index)
{
    for (uint32_t i = index + 1; i < e->operand_count; i++) {
        const operand *o = &e->operands[i];
        if (o->kind != OPERAND_CALL || o->function != FUNCTION_COALESCE)
            continue;
        for (uint32_t a = 0; a < o->count; a++) {
            if (e->arguments[o->first + a] == index)
                return true;
        }
    }
    for (uint32_t i = 0; i < e->code_count; i++) {
        if (e->code[i].op == OP_EXISTS && e->code[i].left == index)
            return true;
    }
    for (uint32_t i = 0; i < e->inner_count; i++) {
        if (e->inner[i].op == OP_EXISTS && e->inner[i].left == index)
            return true;
    }
    return false;
}

void expression_report(const expression *e, diag_sink *diag)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        const operand *o = &e->operands[i];
        const unsigned seen = e->seen[i] & (EXPRESSION_SEEN_ASKED | EXPRESSION_SEEN_THERE);
        if (o->kind == OPERAND_ARG && seen == EXPRESSION_SEEN_ASKED && !is_doubted(e, i))
            report_arg(e, diag, o);
        else if (o->kind == OPERAND_DUR && (e->seen[i] & EXPRESSION_SEEN_BEGIN) != 0)
            diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0,
                        "`dur` of complete events",
                        "begin and end events, which have none of their own; `stele calls`, "
                        "`stele stats` and `stele profile` pair them and select calls by `dur`");
    }
    for (uint32_t i = 0; i < e->code_count; i++) {
        if (e->code[i].op == OP_EQUAL)
            report_equal(e, diag, &e->code[i]);
    }
}
