/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses comparisons that can never hold, where the types of both sides are known before anything
   is read: a number with a text, and a word with a text that it never is. */
#include <stdio.h>
#include <string.h>

#include <stele/spans.h>

#include "query/expression_token.h"
#include "query/nearest.h"

/* The type of an operand: VALUE_INT stands for numbers of any kind, VALUE_MISSING for what only
   the events tell. */
static value_type type_of(const operand *o)
{
    switch (o->kind) {
    case OPERAND_LITERAL:
        return o->literal.type == VALUE_FLOAT  ? VALUE_INT
               : o->literal.type == VALUE_NULL ? VALUE_MISSING
                                               : o->literal.type;
    case OPERAND_NAME:
    case OPERAND_CATEGORY:
    case OPERAND_TRACK:
    case OPERAND_KIND:
    case OPERAND_CALLER:
    case OPERAND_ROOT:
    case OPERAND_ENDED:
    case OPERAND_CUT:
    case OPERAND_SOURCE: return VALUE_TEXT;
    case OPERAND_ARG: return VALUE_MISSING;
    case OPERAND_CALL: break;
    default: return VALUE_INT;
    }
    switch (o->function) {
    case FUNCTION_LABEL:
    case FUNCTION_LOWER:
    case FUNCTION_REPLACE:
    case FUNCTION_SUBSTR:
    case FUNCTION_TEXT:
    case FUNCTION_UPPER: return VALUE_TEXT;
    case FUNCTION_COALESCE:
    case FUNCTION_IF:
    case FUNCTION_MAX:
    case FUNCTION_MIN: return VALUE_MISSING;
    default: return VALUE_INT;
    }
}

/* The text of a number that a word has as a text. Returns NULL if the word is not one of those, or
   has no text of this number. */
static const char *known_text(operand_kind kind, unsigned number)
{
    static const char *const cuts[] = {"begin", "end", "both"};
    switch (kind) {
    case OPERAND_KIND:
        return number < STELE_KIND_COUNT ? stele_kind_text((stele_kind)number) : NULL;
    case OPERAND_ENDED:
        return number < STELE_SPAN_END_COUNT ? stele_span_end_text((stele_span_end)number) : NULL;
    case OPERAND_CUT: return number < sizeof cuts / sizeof *cuts ? cuts[number] : NULL;
    case OPERAND_SOURCE:
        return number < STELE_SPAN_SOURCE_COUNT ? stele_span_source_text((stele_span_source)number)
                                                : NULL;
    default: return NULL;
    }
}

/* Refuses a text that the word never is. */
static bool check_known(parser *p, operand_kind kind, stele_text text, const char *at)
{
    const char *known, *nearest = NULL;
    unsigned limit = edit_limit(text.size);
    char expected[160];
    if (known_text(kind, 0) == NULL)
        return true;
    for (unsigned i = 0; (known = known_text(kind, i)) != NULL; i++) {
        const stele_text other = {known, strlen(known)};
        unsigned distance;
        if (text.size == other.size && memcmp(text.bytes, known, text.size) == 0)
            return true;
        distance = text.size > NEAREST_SIZE_MAX ? limit : edit_distance(text, other);
        if (distance < limit) {
            limit = distance;
            nearest = known;
        }
    }
    if (nearest != NULL)
        snprintf(expected, sizeof expected, "\"%s\"", nearest);
    else
        snprintf(expected, sizeof expected, "a text that this can be, like \"%s\" or \"%s\"",
                 known_text(kind, 1), known_text(kind, 2));
    return fail(p, at, expected);
}

bool types_check(parser *p, uint32_t left, uint32_t right, const char *at)
{
    const operand *a = &p->e->operands[left], *b = &p->e->operands[right];
    const value_type type = type_of(a), other = type_of(b);
    if (type == VALUE_INT && other == VALUE_TEXT)
        return fail(p, at, "a number, because the other side is one");
    if (type == VALUE_TEXT && other == VALUE_INT)
        return fail(p, at, "a text in quotes, because the other side is one");
    if (b->kind == OPERAND_LITERAL && other == VALUE_TEXT)
        return check_known(p, a->kind, b->literal.u.text, at);
    return a->kind != OPERAND_LITERAL || type != VALUE_TEXT ||
           check_known(p, b->kind, a->literal.u.text, at);
}

bool types_check_condition(parser *p, uint32_t index, const char *at)
{
    const operand *o = &p->e->operands[index];
    return o->kind != OPERAND_LITERAL || o->literal.type != VALUE_TEXT ||
           fail(p, at, "a condition; a text alone always holds");
}
