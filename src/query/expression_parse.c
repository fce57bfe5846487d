/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles expressions by recursive descent:
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "query/expression_token.h"
#include "query/nearest.h"

/* Every parse_...() below begins with the first token of its rule as the current one, and leaves
   the token after the rule. It returns false once something was reported, or if out of memory; what
   it made so far is freed with the expression. */

/* Appends an instruction. Jumps are relative, so that instructions can be moved to an operand. */
static bool emit(parser *p, opcode op, uint32_t left, uint32_t right)
{
    expression *e = p->e;
    instruction *code = table_grow(p, e->code, e->code_count, &e->code_capacity, sizeof *e->code);
    if (code == NULL)
        return false;
    e->code = code;
    code[e->code_count++] = (instruction){op, left, right};
    return true;
}

/* Appends an operand. Its arguments have lower indices, as they were parsed before it, so that no
   operand contains itself; `depth` bounds how deep evaluation goes. */
static bool add_operand(parser *p, const operand *o, uint32_t *index)
{
    expression *e = p->e;
    operand *operands =
        table_grow(p, e->operands, e->operand_count, &e->operand_capacity, sizeof *e->operands);
    if (operands == NULL)
        return false;
    e->operands = operands;
    if (o->depth > OPERAND_DEPTH_MAX)
        return fail(p, p->token_at, "an expression that nests less deep");
    *index = e->operand_count++;
    operands[*index] = *o;
    return true;
}

/* Appends an argument. Those of one call lie side by side, because they are added only after all of
   them were parsed. */
static bool add_argument(parser *p, uint32_t index)
{
    expression *e = p->e;
    uint32_t *arguments =
        table_grow(p, e->arguments, e->argument_count, &e->argument_capacity, sizeof *e->arguments);
    if (arguments == NULL)
        return false;
    e->arguments = arguments;
    arguments[e->argument_count++] = index;
    return true;
}

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

/* ---- Values and conditions ---- */

/* The result of parsing: a condition, whose instructions begin at `code_first`, or an operand. */
typedef struct parsed {
    bool is_condition;
    uint8_t depth; /* largest depth of the operands of a condition */
    uint32_t operand, code_first;
} parsed;

static bool parse_condition(parser *p, parsed *to);

/* The depth of what was parsed, whether it is a condition or a value. */
static uint8_t depth_of(const parser *p, const parsed *from)
{
    return from->is_condition ? from->depth : p->e->operands[from->operand].depth;
}

static uint8_t deeper(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Makes a condition of a value: an instruction at the end of the code sets its truth. */
static bool make_condition(parser *p, parsed *from)
{
    if (from->is_condition)
        return true;
    from->depth = depth_of(p, from);
    from->is_condition = true;
    return types_check_condition(p, from->operand, p->token_at) &&
           emit(p, OP_TRUTH, from->operand, 0);
}

/* Makes a value of a condition: its instructions, which are the last ones of the code, move to an
   operand that executes them when its value is wanted. */
static bool make_value(parser *p, parsed *from)
{
    expression *e = p->e;
    operand o = {.kind = OPERAND_CONDITION, .first = e->inner_count};
    if (!from->is_condition)
        return true;
    o.depth = (uint8_t)(from->depth + 1);
    o.count = e->code_count - from->code_first;
    for (uint32_t i = 0; i < o.count; i++) {
        instruction *inner =
            table_grow(p, e->inner, e->inner_count, &e->inner_capacity, sizeof *e->inner);
        if (inner == NULL)
            return false;
        e->inner = inner;
        inner[e->inner_count++] = e->code[from->code_first + i];
    }
    e->code_count = from->code_first;
    from->is_condition = false;
    return add_operand(p, &o, &from->operand);
}

/* ---- Calls of functions ---- */

/* Adds the call of a function or operator. It is one deeper than the deepest argument. */
static bool add_call(parser *p, unsigned function, const uint32_t *arguments, uint32_t count,
                     uint32_t *index)
{
    operand o = {.kind = OPERAND_CALL,
                 .function = (uint8_t)function,
                 .first = p->e->argument_count,
                 .count = count};
    for (uint32_t i = 0; i < count; i++) {
        o.depth = deeper(o.depth, p->e->operands[arguments[i]].depth);
        if (!add_argument(p, arguments[i]))
            return false;
    }
    o.depth++;
    return add_operand(p, &o, index);
}

#define FUNCTION_ARGUMENTS_MAX 16u

static const struct {
    const char *name;
    unsigned least, most; /* number of arguments: at least, at most */
} functions[] = {
#define X(id, name, least, most) {name, least, most},
    FUNCTIONS(X)
#undef X
};

/* The position of a parenthesis directly after the token; NULL if there is none. */
static const char *call_begin(const parser *p)
{
    const char *at = p->token_end + strspn(p->token_end, " \t\r\n");
    return *at == '(' ? at : NULL;
}

/* Reports an unknown function, with the one that is probably meant. */
static bool fail_function(parser *p)
{
    const size_t size = (size_t)(p->token_end - p->token_at);
    unsigned limit = edit_limit(size);
    const char *nearest = NULL;
    char expected[96];
    for (unsigned i = 0; size <= NEAREST_SIZE_MAX && i < FUNCTION_COUNT; i++) {
        const unsigned distance =
            edit_distance((stele_text){p->token_at, size},
                          (stele_text){functions[i].name, strlen(functions[i].name)});
        if (distance < limit) {
            limit = distance;
            nearest = functions[i].name;
        }
    }
    snprintf(expected, sizeof expected, "%s%sa function of `stele help expressions`",
             nearest != NULL ? nearest : "", nearest != NULL ? ", or " : "");
    return fail(p, p->token_at, expected);
}

/* Reports, at `at`, that a function has another number of arguments. */
static bool fail_arguments(parser *p, const char *at, unsigned function)
{
    const unsigned least = functions[function].least, most = functions[function].most;
    char expected[96];
    if (least == most)
        snprintf(expected, sizeof expected, "%u argument%s of %s", least, least == 1 ? "" : "s",
                 functions[function].name);
    else
        snprintf(expected, sizeof expected, "%u to %u arguments of %s", least, most,
                 functions[function].name);
    return fail(p, at, expected);
}

/* Enters a parenthesis. The parser recurses only through parentheses, so counting them bounds its
   stack. */
static bool enter(parser *p)
{
    if (p->depth++ == EXPRESSION_DEPTH_MAX)
        return fail(p, p->token_at, "parentheses that nest less deep");
    return token_skip(p);
}

/* Parses the arguments of a function, which may be conditions. */
static bool parse_arguments(parser *p, unsigned function, uint32_t *index)
{
    uint32_t arguments[FUNCTION_ARGUMENTS_MAX], count = 0;
    const char *const at = p->token_at;
    if (!token_skip(p) || !enter(p))
        return false;
    /* `most` is never above FUNCTION_ARGUMENTS_MAX, so that `arguments` has room. */
    while (p->token != TOKEN_CLOSE) {
        parsed argument;
        if (count == functions[function].most)
            return fail_arguments(p, p->token_at, function);
        if (!parse_condition(p, &argument) || !make_value(p, &argument))
            return false;
        arguments[count++] = argument.operand;
        if (p->token != TOKEN_COMMA)
            break;
        if (!token_skip(p))
            return false;
    }
    if (!token_expect(p, TOKEN_CLOSE, ", or ) after an argument"))
        return false;
    p->depth--;
    return count < functions[function].least ? fail_arguments(p, at, function)
                                             : add_call(p, function, arguments, count, index);
}

/* Names of functions are found in any case of their letters, unlike words. */
static bool parse_call(parser *p, uint32_t *index)
{
    const size_t size = (size_t)(p->token_end - p->token_at);
    for (unsigned i = 0; i < FUNCTION_COUNT; i++) {
        if (strlen(functions[i].name) == size &&
            strncasecmp(functions[i].name, p->token_at, size) == 0)
            return parse_arguments(p, i, index);
    }
    return fail_function(p);
}

/* ---- Operands: literals, words and calls ---- */

static bool parse_operand(parser *p, uint32_t *index)
{
    operand o = {.kind = OPERAND_LITERAL};
    bool is_good;
    switch (p->token) {
    case TOKEN_WORD:
        if (call_begin(p) != NULL)
            return parse_call(p, index);
        is_good = parse_word(p, &o); /* a word, or a path to a field */
        break;
    case TOKEN_NUMBER: is_good = parse_number(p, &o.literal); break;
    case TOKEN_STRING: is_good = parse_string(p, &o.literal); break;
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        o.literal = (value){.type = VALUE_INT, .u.i = i128_of_u64(p->token == TOKEN_TRUE)};
        is_good = token_skip(p);
        break;
    case TOKEN_NULL:
        o.literal = (value){.type = VALUE_NULL};
        is_good = token_skip(p);
        break;
    default: return fail(p, p->token_at, "a name like dur or arg.length, a number or a string");
    }
    return is_good && add_operand(p, &o, index);
}

/* Parses an operand, or what is in parentheses: a condition or a value. */
static bool parse_primary(parser *p, parsed *to)
{
    if (p->token != TOKEN_OPEN) {
        *to = (parsed){.is_condition = false};
        return parse_operand(p, &to->operand);
    }
    if (!enter(p) || !parse_condition(p, to) || !token_expect(p, TOKEN_CLOSE, "an operator or )"))
        return false;
    p->depth--;
    return true;
}

/* Negates a value; a number with a sign stays a literal. */
static bool negate(parser *p, parsed *of)
{
    operand *o;
    if (!make_value(p, of))
        return false;
    o = &p->e->operands[of->operand];
    if (o->kind == OPERAND_LITERAL && o->literal.type == VALUE_INT)
        o->literal.u.i = i128_negate(o->literal.u.i);
    else if (o->kind == OPERAND_LITERAL && o->literal.type == VALUE_FLOAT)
        o->literal.u.f = -o->literal.u.f;
    else
        return add_call(p, FUNCTION_NEGATE, &of->operand, 1, &of->operand);
    return true;
}

/* Signs are counted in a loop, so that many of them need no stack. */
static bool parse_factor(parser *p, parsed *to)
{
    bool is_negated = false;
    for (; p->token == TOKEN_MINUS; is_negated = !is_negated) {
        if (!token_skip(p))
            return false;
    }
    return parse_primary(p, to) && (!is_negated || negate(p, to));
}

/* Parses operands that operators of one rank join, from left to right. */
static bool parse_chain(parser *p, parsed *to, bool (*parse)(parser *, parsed *), token first,
                        token last, function_id function)
{
    if (!parse(p, to))
        return false;
    while (p->token >= first && p->token <= last) {
        /* Tokens of one rank and the functions of their operators have the same order. */
        const unsigned found = (unsigned)function + (unsigned)(p->token - first);
        uint32_t arguments[2];
        parsed right;
        if (!make_value(p, to) || !token_skip(p) || !parse(p, &right) || !make_value(p, &right))
            return false;
        arguments[0] = to->operand;
        arguments[1] = right.operand;
        if (!add_call(p, found, arguments, 2, &to->operand))
            return false;
    }
    return true;
}

static bool parse_product(parser *p, parsed *to)
{
    return parse_chain(p, to, parse_factor, TOKEN_STAR, TOKEN_PERCENT, FUNCTION_MULTIPLY);
}

static bool parse_sum(parser *p, parsed *to)
{
    return parse_chain(p, to, parse_product, TOKEN_PLUS, TOKEN_MINUS, FUNCTION_ADD);
}

/* Parses a sum whose value is wanted. */
static bool parse_value(parser *p, parsed *to)
{
    return parse_sum(p, to) && make_value(p, to);
}

/* ---- Conditions: comparisons, and, or, not ---- */

#define NO_JUMP UINT32_MAX

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

stele_status expression_parse(expression *e, const char *text, unsigned what)
{
    const bool is_value = (what & EXPRESSION_VALUE) != 0;
    parser p = {.e = e,
                .text = text,
                .token_at = text,
                .token_end = text,
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
