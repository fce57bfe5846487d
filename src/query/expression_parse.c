/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles expressions by recursive descent. Sums and what they join are in
 * expression_sum.c:
 *
 *     condition = and { ("or" | "||") and }
 *     and       = not { ("and" | "&&") not }
 *     not       = { "not" | "!" } test
 *     test      = "exists" sum
 *               | sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
 *                     | ("~" | "!~" | "=~" | "~*") string
 *                     | ["not"] "in" "(" sum { "," sum } ")"
 *                     | ["not"] "between" sum "and" sum ]
 *     sum       = product { ("+" | "-") product }
 *     product   = factor { ("*" | "/" | "%") factor }
 *     factor    = { "-" } primary
 *     primary   = "(" condition ")" | function "(" condition { "," condition } ")"
 *               | word | "arg" step { step | "[" index "]" } | literal
 *     step      = "." ( name | string )
 *
 * Parentheses contain a value or a condition, which is known only after they were read: a condition
 * has made instructions; where a value is wanted these are moved to an operand.
 */
#include <string.h>

#include "query/expression_sum.h"

#define NO_JUMP UINT32_MAX

/* Makes room for a pattern, which the caller fills and then counts. Returns NULL if out of
   memory. */
static pattern *pattern_room(parser *p)
{
    expression *e = p->e;
    pattern *patterns =
        table_grow(p, e->patterns, e->pattern_count, &e->pattern_capacity, sizeof *e->patterns);
    if (patterns == NULL)
        return NULL;
    e->patterns = patterns;
    return &patterns[e->pattern_count];
}

/* Emits a jump whose target is not known yet. Such jumps form a list: each has the index of the one
   before as its target, until patch_jumps() sets the real one. */
static bool emit_jump(parser *p, opcode op, uint32_t *pending)
{
    const uint32_t index = p->e->code_count;
    if (!emit(p, op, *pending, 0))
        return false;
    *pending = index;
    return true;
}

/* Sets the target of the jumps of a list to the next instruction. All of them then lead forward. */
static void patch_jumps(parser *p, uint32_t pending)
{
    while (pending != NO_JUMP) {
        const uint32_t next = p->e->code[pending].left;
        p->e->code[pending].left = p->e->code_count - pending;
        pending = next;
    }
}

/* Notes that the condition uses an operand, which may be deeper than the others. */
static void widen(const parser *p, parsed *condition, uint32_t index)
{
    condition->depth = deeper(condition->depth, p->e->operands[index].depth);
}

/* Parses the values of `in`: comparisons with one operand, left at the first that holds. */
static bool parse_list(parser *p, parsed *to, uint32_t left)
{
    uint32_t pending = NO_JUMP;
    parsed right;
    if (!token_expect(p, TOKEN_OPEN, "( and the values of a list"))
        return false;
    for (;;) {
        const char *const at = p->token_at;
        if (!parse_value(p, &right) || !types_check(p, left, right.operand, at) ||
            !emit(p, OP_EQUAL, left, right.operand))
            return false;
        widen(p, to, right.operand);
        if (p->token != TOKEN_COMMA)
            break;
        if (!token_skip(p) || !emit_jump(p, OP_JUMP_TRUE, &pending))
            return false;
    }
    patch_jumps(p, pending);
    return token_expect(p, TOKEN_CLOSE, ", or ) after a value of a list");
}

/* Parses the two ends of `between`, which belong to the range. */
static bool parse_between(parser *p, parsed *to, uint32_t left)
{
    uint32_t pending = NO_JUMP;
    parsed low, high;
    const char *const low_at = p->token_at, *high_at;
    if (!parse_value(p, &low) || !types_check(p, left, low.operand, low_at) ||
        !emit(p, OP_GREATER_EQUAL, left, low.operand) || !emit_jump(p, OP_JUMP_FALSE, &pending) ||
        !token_expect(p, TOKEN_AND, "and, and the upper end"))
        return false;
    high_at = p->token_at;
    if (!parse_value(p, &high) || !types_check(p, left, high.operand, high_at) ||
        !emit(p, OP_LESS_EQUAL, left, high.operand))
        return false;
    widen(p, to, low.operand);
    widen(p, to, high.operand);
    patch_jumps(p, pending);
    return true;
}

/* Parses a pattern, which is a literal: it is compiled here, not for each event. It counts only
   when it is complete, so that no half of a pattern is freed. */
static bool parse_pattern(parser *p, token relation, uint32_t left)
{
    const char *const at = p->token_at, *refusal = NULL;
    value text;
    pattern *room;
    if (p->token != TOKEN_STRING)
        return fail(p, at, "a pattern in quotes");
    if (!parse_string(p, &text))
        return false;
    room = pattern_room(p);
    if (room == NULL)
        return false;
    if (relation == TOKEN_REGEX || relation == TOKEN_REGEX_ANY_CASE)
        refusal = pattern_init_regex(room, text.u.text.bytes, relation == TOKEN_REGEX_ANY_CASE);
    else if (!pattern_init_glob(room, text.u.text.bytes))
        return fail_memory(p);
    if (refusal != NULL)
        return fail(p, at, refusal);
    p->e->pattern_count++;
    return emit(p, relation == TOKEN_GLOB_NOT ? OP_MATCH_NOT : OP_MATCH, left,
                p->e->pattern_count - 1);
}

/* Parses "in" or "between", with or without "not". A MISSING value is neither in nor not in. */
static bool parse_membership(parser *p, parsed *to, uint32_t left)
{
    const bool is_negated = p->token == TOKEN_NOT;
    uint32_t pending = NO_JUMP;
    token relation;
    if (is_negated &&
        (!token_skip(p) || !emit(p, OP_THERE, left, 0) || !emit_jump(p, OP_JUMP_FALSE, &pending)))
        return false;
    relation = p->token;
    if (relation != TOKEN_IN && relation != TOKEN_BETWEEN)
        return fail(p, p->token_at, "in or between");
    if (!token_skip(p) ||
        !(relation == TOKEN_IN ? parse_list(p, to, left) : parse_between(p, to, left)) ||
        (is_negated && !emit(p, OP_NOT, 0, 0)))
        return false;
    patch_jumps(p, pending);
    return true;
}

/* Parses a comparison from its operator on; its left side is the operand of `to`. */
static bool parse_relation(parser *p, parsed *to)
{
    const token relation = p->token;
    const uint32_t left = to->operand;
    const char *at;
    parsed right;
    to->is_condition = true;
    widen(p, to, left);
    switch (relation) {
    case TOKEN_GLOB:
    case TOKEN_GLOB_NOT:
    case TOKEN_REGEX:
    case TOKEN_REGEX_ANY_CASE: return token_skip(p) && parse_pattern(p, relation, left);
    case TOKEN_IN:
    case TOKEN_BETWEEN:
    case TOKEN_NOT: return parse_membership(p, to, left);
    default:
        if (!token_skip(p))
            return false;
        at = p->token_at;
        if (!parse_value(p, &right) || !types_check(p, left, right.operand, at))
            return false;
        widen(p, to, right.operand);
        return emit(p, (opcode)(relation - TOKEN_EQUAL + OP_EQUAL), left, right.operand);
    }
}

static bool is_relation(token t)
{
    return (t >= TOKEN_EQUAL && t <= TOKEN_REGEX_ANY_CASE) || t == TOKEN_IN || t == TOKEN_BETWEEN ||
           t == TOKEN_NOT;
}

/* Parses what `not`, `and` and `or` join. */
static bool parse_test(parser *p, parsed *to)
{
    const uint32_t code_first = p->e->code_count;
    const bool is_exists = p->token == TOKEN_EXISTS;
    bool is_good;
    if ((is_exists && !token_skip(p)) || !parse_sum(p, to))
        return false;
    if (!is_exists && !is_relation(p->token))
        return true; /* without a relation it stays what it is: a condition or a value */
    if (!make_value(p, to))
        return false;
    to->code_first = code_first;
    to->depth = 0;
    if (!is_exists)
        return parse_relation(p, to);
    widen(p, to, to->operand);
    is_good = emit(p, OP_EXISTS, to->operand, 0);
    to->is_condition = true;
    return is_good;
}

/* An even number of `not` makes a condition, too: `not not dur` is 0 or 1. */
static bool parse_not(parser *p, parsed *to)
{
    const uint32_t code_first = p->e->code_count;
    bool is_asked = false, is_negated = false;
    while (p->token == TOKEN_NOT) {
        is_asked = true;
        is_negated = !is_negated;
        if (!token_skip(p))
            return false;
    }
    if (!parse_test(p, to) || (is_asked && !make_condition(p, to)))
        return false;
    to->code_first = code_first;
    return !is_negated || emit(p, OP_NOT, 0, 0);
}

/* Parses conditions that `separator` joins; the instruction `jump` leaves as soon as the outcome is
   known. */
static bool parse_joined(parser *p, parsed *to, bool (*parse)(parser *, parsed *), token separator,
                         opcode jump)
{
    const uint32_t code_first = p->e->code_count;
    uint32_t pending = NO_JUMP;
    uint8_t depth = 0;
    if (!parse(p, to))
        return false;
    while (p->token == separator) {
        if (!make_condition(p, to))
            return false;
        depth = deeper(depth, to->depth);
        if (!token_skip(p) || !emit_jump(p, jump, &pending) || !parse(p, to) ||
            !make_condition(p, to))
            return false;
    }
    /* Without a separator `to` is what `parse` made of it, perhaps a value. */
    patch_jumps(p, pending);
    to->depth = deeper(depth, to->depth);
    to->code_first = code_first;
    return true;
}

/* A condition that fails ends an `and`, one that holds ends an `or`. */
static bool parse_and(parser *p, parsed *to)
{
    return parse_joined(p, to, parse_not, TOKEN_AND, OP_JUMP_FALSE);
}

static bool parse_condition(parser *p, parsed *to)
{
    return parse_joined(p, to, parse_and, TOKEN_OR, OP_JUMP_TRUE);
}

/* ---- The whole expression ---- */

stele_status expression_parse(expression *e, const char *text, unsigned what)
{
    const bool is_value = (what & EXPRESSION_VALUE) != 0;
    parser p = {.e = e,
                .text = text,
                .token_at = text,
                .token_end = text,
                .parse_condition = parse_condition,
                .has_spans = (what & EXPRESSION_SPANS) != 0};
    parsed all;
    e->is_value = is_value;
    if (strlen(text) > e->context->limits.record_size_max) {
        fail(&p, text, "a shorter expression");
    } else if (token_next(&p, text) && parse_condition(&p, &all)) {
        if (p.token != TOKEN_END)
            fail(&p, p.token_at, "an operator, and, or, or the end");
        else if (is_value ? make_value(&p, &all) : make_condition(&p, &all))
            e->root = all.operand;
    }
    return p.status;
}
