/* SPDX-License-Identifier: Apache-2.0 */
/* Executes compiled expressions for events. */
#include <math.h>
#include <string.h>

#include "query/expression_code.h"

/* ---- Comparing values ---- */

/* Whether one of the labels of a value equals a text. */
static bool label_equals(const expression *e, const stele_batch *batch, const value *v,
                         stele_text text)
{
    for (uint32_t i = 0; i < v->label_count; i++) {
        if (text_equals(stele_field_text(e->context, batch, &v->labels[i]), text))
            return true;
    }
    return false;
}

/* Compares two values as a relation does. A MISSING value satisfies no relation, not even "!=". A
   number with labels compares with a text by its labels, and only for equality. */
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
    /* Values of types that cannot be compared are neither equal nor unequal. */
    case OP_UNEQUAL: return order != ORDER_EQUAL && order != ORDER_FOREIGN;
    case OP_LESS: return order == ORDER_LESS;
    case OP_LESS_EQUAL: return order == ORDER_LESS || order == ORDER_EQUAL;
    case OP_GREATER: return order == ORDER_GREATER;
    default: return order == ORDER_GREATER || order == ORDER_EQUAL;
    }
}

/* Whether a pattern matches one of the labels of a value. */
static bool pattern_matches_label(const expression *e, const stele_batch *batch, const pattern *p,
                                  const value *v)
{
    for (uint32_t i = 0; i < v->label_count; i++) {
        const stele_text text = stele_field_text(e->context, batch, &v->labels[i]);
        if (pattern_matches(p, text.bytes, text.size))
            return true;
    }
    return false;
}

/* Patterns with a higher index match each text anew: remembering verdicts takes memory. */
#define REMEMBERING_PATTERNS_MAX 16u

/* Whether a value satisfies a match instruction. A MISSING value, or one without a text, satisfies
   neither "~" nor "!~". */
static bool value_matches(expression *e, const stele_batch *batch, const instruction *at,
                          const value *v)
{
    pattern *const p = &e->patterns[at->right];
    bool matches;
    if (v->type == VALUE_TEXT)
        /* The verdict on a name of the pool is remembered, since the name never changes. */
        matches = v->name == STELE_NAME_LOCAL || at->right >= REMEMBERING_PATTERNS_MAX
                      ? pattern_matches(p, v->u.text.bytes, v->u.text.size)
                      : pattern_matches_name(p, e->context, batch, v->name);
    else if (v->type != VALUE_MISSING && v->label_count > 0)
        matches = pattern_matches_label(e, batch, p, v);
    else
        return false;
    return matches == (at->op == OP_MATCH);
}

/* ---- Executing instructions ---- */

/* Computes an operand that is not a literal. Calls and conditions recurse into operands before this
   one, so that the depth is at most OPERAND_DEPTH_MAX. Returns false if the value is missing. */
static bool operand_set(value *v, expression *e, const subject *of, const operand *o)
{
    if (o->kind == OPERAND_CALL)
        return operand_set_call(v, e, of, o, operand_value);
    if (o->kind == OPERAND_CONDITION)
        return value_set_int(
            v, expression_execute(e, of, e->inner + o->first, e->inner + o->first + o->count));
    return operand_set_event(v, e, of, o);
}

const value *operand_value(expression *e, const subject *of, const operand *o, value *room)
{
    uint8_t *seen = &e->seen[o - e->operands];
    if (o->kind == OPERAND_LITERAL)
        return &o->literal;
    if (operand_set(room, e, of, o)) {
        *seen |= EXPRESSION_SEEN_ASKED | EXPRESSION_SEEN_THERE;
        return room;
    }
    /* What was seen is for expression_report(): an operand that was asked for and never there. */
    *seen |= EXPRESSION_SEEN_ASKED;
    if (of->event->kind == STELE_KIND_BEGIN || of->event->kind == STELE_KIND_END)
        *seen |= EXPRESSION_SEEN_BEGIN;
    value_set(room, VALUE_MISSING);
    return room;
}

bool expression_execute(expression *e, const subject *of, const instruction *at,
                        const instruction *end)
{
    /* Jumps lead forward only, so that each instruction is executed once at most. */
    bool truth = false;
    while (at < end) {
        value left_room, right_room;
        const value *left;
        if (at->op == OP_JUMP_FALSE || at->op == OP_JUMP_TRUE) {
            at += truth == (at->op == OP_JUMP_TRUE) ? at->left : 1;
            continue;
        }
        if (at->op == OP_NOT) {
            truth = !truth;
            at++;
            continue;
        }
        /* All other instructions read at least one operand, whose value is in its own room or in
           the operand: both stay valid while the right one is computed. */
        left = operand_value(e, of, &e->operands[at->left], &left_room);
        switch (at->op) {
        case OP_TRUTH: truth = value_truth(left); break;
        case OP_EXISTS:
        case OP_THERE: truth = left->type != VALUE_MISSING; break;
        case OP_MATCH:
        case OP_MATCH_NOT: truth = value_matches(e, of->batch, at, left); break;
        default:
            /* The relations, OP_EQUAL to OP_GREATER_EQUAL, are what is left. */
            truth = value_compares(e, of->batch, (opcode)at->op, left,
                                   operand_value(e, of, &e->operands[at->right], &right_room));
        }
        at++;
    }
    return truth;
}

bool expression_holds_span(expression *e, const stele_batch *batch, const stele_event *event,
                           const stele_span *span)
{
    const subject of = {batch, event, span};
    value room;
    /* A condition has instructions, a value is an operand: never both. */
    if (e->is_value)
        return value_truth(operand_value(e, &of, &e->operands[e->root], &room));
    return expression_execute(e, &of, e->code, e->code + e->code_count);
}

bool expression_holds(expression *e, const stele_batch *batch, const stele_event *event)
{
    return expression_holds_span(e, batch, event, NULL);
}

/* ---- Judging by names alone ---- */

/* Expressions with more instructions are not followed, and may always hold. */
#define MAY_HOLD_MAX 256u

/* A set of truths has bit 0 for false and bit 1 for true. */
#define MAY_BE(truth) (1u << (truth))

static bool is_of_names(operand_kind kind)
{
    return kind == OPERAND_NAME || kind == OPERAND_CATEGORY || kind == OPERAND_KIND;
}

/* Whether the value of an operand depends on names and kinds only. The recursion is bounded by the
   depth that the parser allows. */
static bool operand_is_known(const expression *e, const operand *o)
{
    if (o->kind == OPERAND_LITERAL || is_of_names(o->kind))
        return true;
    if (o->kind != OPERAND_CALL)
        return false;
    for (uint32_t i = 0; i < o->count; i++) {
        if (!operand_is_known(e, &e->operands[e->arguments[o->first + i]]))
            return false;
    }
    return true;
}

/* Whether the outcome of an instruction depends on names and kinds only. Relations have a right
   operand; that of a match is the index of a pattern. */
static bool instruction_is_known(const expression *e, const instruction *at)
{
    return operand_is_known(e, &e->operands[at->left]) &&
           (at->op < OP_EQUAL || at->op > OP_GREATER_EQUAL ||
            operand_is_known(e, &e->operands[at->right]));
}

bool expression_uses_names(const expression *e)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (is_of_names(e->operands[i].kind))
            return true;
    }
    return false;
}

/* Follows both ways wherever the truth is not known. `truths[i]` is the set of values that the
   truth may have at instruction i, 0 if it cannot be reached. All jumps lead forward, so one pass
   suffices. */
bool expression_may_hold(expression *e, stele_kind kind, uint16_t category, stele_name name)
{
    const stele_event event = {.kind = (uint8_t)kind, .category = category, .name = name};
    const subject of = {NULL, &event, NULL};
    uint8_t truths[MAY_HOLD_MAX + 1] = {MAY_BE(false)};
    if (e->code_count > MAY_HOLD_MAX || e->is_value)
        return true;
    for (uint32_t i = 0; i < e->code_count; i++) {
        const instruction *at = &e->code[i];
        unsigned may = truths[i];
        /* No path leads to an instruction with an empty set. */
        if (may == 0)
            continue;
        if (at->op == OP_JUMP_FALSE || at->op == OP_JUMP_TRUE) {
            /* The truths that jump go to the target, the others to the next instruction. */
            const unsigned jumps = may & MAY_BE(at->op == OP_JUMP_TRUE);
            truths[i + at->left] |= (uint8_t)jumps;
            truths[i + 1] |= (uint8_t)(may & ~jumps);
            continue;
        }
        if (at->op == OP_NOT)
            /* Exchanges the bits of false and true. */
            may = (may >> 1 & 1) | (may << 1 & 2);
        else if (instruction_is_known(e, at))
            may = MAY_BE(expression_execute(e, &of, at, at + 1));
        else
            may = MAY_BE(false) | MAY_BE(true);
        truths[i + 1] |= (uint8_t)may;
    }
    return (truths[e->code_count] & MAY_BE(true)) != 0;
}

/* ---- Public functions ---- */

/* Gives an integer in the smallest of the public types that holds it: INT, UINT, WIDE. */
static void give_int(stele_value *to, wide_i128 i)
{
    to->type = STELE_VALUE_INT;
    to->u.i = (int64_t)i128_low(i);
    if (i128_fits_i64(i))
        return;
    to->type = STELE_VALUE_UINT;
    to->u.u = i128_low(i);
    if (i128_high(i) == 0)
        return;
    to->type = STELE_VALUE_WIDE;
    to->u.wide.low = i128_low(i);
    to->u.wide.high = i128_high(i);
}

void stele_expression_evaluate(expression *e, const stele_segment *segment, uint32_t index,
                               const stele_span *span, stele_value *to)
{
    const subject of = {segment->batch, &segment->batch->events[segment->first + index], span};
    value room;
    const value *v;
    *to = (stele_value){.name = STELE_NAME_LOCAL};
    if (!e->is_value) {
        to->type = STELE_VALUE_INT;
        to->u.i = expression_execute(e, &of, e->code, e->code + e->code_count);
        return;
    }
    v = operand_value(e, &of, &e->operands[e->root], &room);
    switch (v->type) {
    case VALUE_MISSING: return;
    case VALUE_NULL: to->type = STELE_VALUE_NULL; break;
    case VALUE_INT: give_int(to, v->u.i); break;
    case VALUE_FLOAT:
        to->type = STELE_VALUE_FLOAT;
        to->u.f = v->u.f;
        break;
    case VALUE_TEXT:
        to->type = STELE_VALUE_TEXT;
        to->name = v->name;
        to->u.text = v->u.text;
        break;
    case VALUE_RUN: to->type = STELE_VALUE_RUN; break;
    }
    if (e->operands[e->root].kind == OPERAND_TRACK)
        to->track = of.event->track;
    if (v->label_count != 0)
        to->label = stele_field_text(e->context, of.batch, v->labels);
}

bool stele_expression_holds(expression *e, const stele_segment *segment, uint32_t index,
                            const stele_span *span)
{
    return expression_holds_span(e, segment->batch, &segment->batch->events[segment->first + index],
                                 span);
}
