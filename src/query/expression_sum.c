/* SPDX-License-Identifier: Apache-2.0 */
/* Parses values: literals, words, calls of functions, and the sums and products that join them.
   expression_parse.c has the grammar. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "query/expression_sum.h"
#include "query/nearest.h"

bool emit(parser *p, opcode op, uint32_t left, uint32_t right)
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

/* ---- Values and conditions ---- */

/* The depth of what was parsed, whether it is a condition or a value. */
static uint8_t depth_of(const parser *p, const parsed *from)
{
    return from->is_condition ? from->depth : p->e->operands[from->operand].depth;
}

bool make_condition(parser *p, parsed *from)
{
    if (from->is_condition)
        return true;
    from->depth = depth_of(p, from);
    from->is_condition = true;
    return types_check_condition(p, from->operand, p->token_at) &&
           emit(p, OP_TRUTH, from->operand, 0);
}

bool make_value(parser *p, parsed *from)
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
        if (!p->parse_condition(p, &argument) || !make_value(p, &argument))
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
    if (!enter(p) || !p->parse_condition(p, to) ||
        !token_expect(p, TOKEN_CLOSE, "an operator or )"))
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

bool parse_sum(parser *p, parsed *to)
{
    return parse_chain(p, to, parse_product, TOKEN_PLUS, TOKEN_MINUS, FUNCTION_ADD);
}

bool parse_value(parser *p, parsed *to)
{
    return parse_sum(p, to) && make_value(p, to);
}
