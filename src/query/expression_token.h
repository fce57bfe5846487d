/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of expressions, and how what cannot be used is reported. */
#ifndef QUERY_EXPRESSION_TOKEN_H
#define QUERY_EXPRESSION_TOKEN_H

#include "query/expression_code.h"

typedef enum token {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_EQUAL, /* in the order of the opcodes */
    TOKEN_UNEQUAL,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_GLOB,
    TOKEN_GLOB_NOT,
    TOKEN_REGEX,
    TOKEN_REGEX_ANY_CASE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_BETWEEN,
    TOKEN_EXISTS,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_PERCENT,
    TOKEN_UNKNOWN
} token;

typedef struct parser {
    expression *e;
    const char *text;
    const char *token_at, *token_end; /* of the token to be parsed next */
    token token;
    bool has_spans;      /* words that only spans have can be used */
    uint32_t depth;      /* of parentheses */
    stele_status status; /* STELE_OK until something failed */
} parser;

/* Reports the place in three lines: what was found where, the expression around it, and a caret.
   Always false. */
bool fail(parser *p, const char *at, const char *expected);
bool fail_memory(parser *p);

/* Goes on at `at`, or after the token. */
bool token_next(parser *p, const char *at);
bool token_skip(parser *p);
bool token_expect(parser *p, token wanted, const char *expected);

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '@' ||
           (unsigned char)c >= 0x80;
}

/* The table with room for one more; NULL, and the parser fails, when memory is exhausted. */
void *table_grow(parser *p, void *table, uint32_t count, uint32_t *capacity, size_t size);

/* Each takes the token at hand, and what belongs to it, for such a thing. */
bool parse_number(parser *p, value *v);
bool parse_string(parser *p, value *v);
bool parse_word(parser *p, operand *o);

/* The place after the closing quote; NULL when there is none. */
const char *string_end(const char *at);

#endif
