/* SPDX-License-Identifier: Apache-2.0 */
/* Parses values, for expression_parse.c, which parses conditions. Conditions in parentheses are
   parsed by a function of the parser, so that this half needs nothing of the other. */
#ifndef QUERY_EXPRESSION_SUM_H
#define QUERY_EXPRESSION_SUM_H

#include "query/expression_token.h"

/* The result of parsing: a condition, whose instructions begin at `code_first`, or an operand. */
struct parsed {
    bool is_condition;
    uint8_t depth; /* largest depth of the operands of a condition */
    uint32_t operand, code_first;
};

static inline uint8_t deeper(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Appends an instruction. Jumps are relative, so that instructions can be moved to an operand. */
bool emit(parser *p, opcode op, uint32_t left, uint32_t right);

/* Makes a condition of a value: an instruction at the end of the code sets its truth. */
bool make_condition(parser *p, parsed *from);

/* Makes a value of a condition: its instructions, which are the last ones of the code, move to an
   operand that executes them when its value is wanted. */
bool make_value(parser *p, parsed *from);

/* Every parse_...() begins with the first token of its rule as the current one, and leaves
   the token after the rule. It returns false once something was reported, or if out of memory; what
   it made so far is freed with the expression. */

/* Parses sums, products and what they join. */
bool parse_sum(parser *p, parsed *to);

/* Parses a sum whose value is wanted. */
bool parse_value(parser *p, parsed *to);

#endif
