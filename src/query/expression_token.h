/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of expressions, and reports of errors in them. */
#ifndef QUERY_EXPRESSION_TOKEN_H
#define QUERY_EXPRESSION_TOKEN_H

#include "query/expression_code.h"

typedef enum token {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_EQUAL, /* the relations, in the order of their opcodes */
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

typedef struct parser parser;
typedef struct parsed parsed;

struct parser {
    expression *e;
    const char *text;
    const char *token_at, *token_end; /* the token to be parsed next, in `text` */
    token token;
    bool has_spans;      /* words that only spans have can be used */
    uint32_t depth;      /* how many parentheses are open */
    stele_status status; /* STELE_OK until something fails */
    /* Parses what parentheses and calls of functions contain: see expression_sum.h. */
    bool (*parse_condition)(parser *p, parsed *to);
};

/* Reports an error in three lines: what was expected and found at `at`, the expression around it,
   and a caret. Always returns false. */
bool fail(parser *p, const char *at, const char *expected);
bool fail_memory(parser *p);

/* token_next() reads the token at `at`; token_skip() reads the one after the current token. */
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

/* Returns a table with room for one more entry. Returns NULL, and the parser fails, if out of
   memory. */
void *table_grow(parser *p, void *table, uint32_t count, uint32_t *capacity, size_t size);

/* Each parses the current token, and what belongs to it, as this kind of operand. They return false
   after an error, which is reported. */
bool parse_number(parser *p, value *v);
bool parse_string(parser *p, value *v);
bool parse_word(parser *p, operand *o);

/* Refuse, with an error at `at`, a comparison of two operands that can never hold because of their
   types, and an operand that is not a condition. */
bool types_check(parser *p, uint32_t left, uint32_t right, const char *at);
bool types_check_condition(parser *p, uint32_t index, const char *at);

/* The position after the closing quote of the string at `at`; NULL if there is none. */
const char *string_end(const char *at);

#endif
