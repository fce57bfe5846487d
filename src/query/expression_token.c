/* SPDX-License-Identifier: Apache-2.0 */
#include "query/expression_token.h"

#include <string.h>
#include <strings.h>

#include "core/array.h"

/* ---- Errors in expressions ---- */

#define EXCERPT_SIZE   64 /* bytes of the expression that a finding shows */
#define EXCERPT_BEFORE 40 /* bytes of the excerpt before the place, at most */
#define FOUND_SIZE     24 /* bytes at the place that a finding shows */

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static unsigned count_characters(const char *from, const char *to)
{
    unsigned count = 0;
    for (; from < to; from++)
        count += !is_continuation(*from);
    return count;
}

/* Copies up to `size_max` bytes, no part of a character, with control characters replaced. Returns
   the position after the copied bytes. */
static const char *copy_printable(char *to, const char *from, size_t size_max)
{
    const char *end = from + strnlen(from, size_max);
    while (end > from && is_continuation(*end))
        end--;
    for (; from < end; from++)
        *to++ = (unsigned char)*from < 0x20 || *from == 0x7f ? '?' : *from;
    *to = '\0';
    return end;
}

/* Size of what is found at a place: the token, or the rest of a word that is part of a token. */
static size_t found_size(const parser *p, const char *at)
{
    const size_t size = at == p->token_at ? (size_t)(p->token_end - at) : strcspn(at, " \t\r\n");
    return size < FOUND_SIZE ? size : FOUND_SIZE;
}

bool fail(parser *p, const char *at, const char *expected)
{
    const char *from = at - p->text > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : p->text, *end;
    char excerpt[EXCERPT_SIZE + 1], found[FOUND_SIZE + 1];
    bool is_cut;
    if (p->status != STELE_OK)
        return false;
    p->status = STELE_ERR_ARGUMENT;
    while (from < at && is_continuation(*from))
        from++;
    is_cut = from > p->text;
    end = copy_printable(excerpt, from, EXCERPT_SIZE);
    copy_printable(found, at, found_size(p, at));
    diag_report(&p->e->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected,
                "%s at column %u\n    %s%s%s\n    %*s",
                *at == '\0'        ? "the end"
                : found[0] == '\0' ? "a space"
                                   : found,
                count_characters(p->text, at) + 1, is_cut ? "..." : "", excerpt,
                *end != '\0' ? "..." : "", (int)count_characters(from, at) + (is_cut ? 3 : 0) + 1,
                "^");
    return false;
}

bool fail_memory(parser *p)
{
    if (p->status == STELE_OK)
        p->status = STELE_ERR_MEMORY;
    return false;
}

/* ---- Tokens of expressions ---- */

static const char *word_end(const char *at)
{
    while (is_letter(*at) || is_digit(*at))
        at++;
    return at;
}

const char *string_end(const char *at)
{
    const char quote = *at++;
    for (; *at != quote; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        if (*at == '\0')
            return NULL;
    }
    return at + 1;
}

static token word_token(const char *word, size_t size)
{
    static const struct {
        const char *word;
        token token;
    } words[] = {
        {"and", TOKEN_AND},     {"or", TOKEN_OR},         {"not", TOKEN_NOT},
        {"in", TOKEN_IN},       {"exists", TOKEN_EXISTS}, {"true", TOKEN_TRUE},
        {"false", TOKEN_FALSE}, {"null", TOKEN_NULL},     {"between", TOKEN_BETWEEN},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == size && strncasecmp(words[i].word, word, size) == 0)
            return words[i].token;
    }
    return TOKEN_WORD;
}

static token symbol_token(const char *at, size_t *size)
{
    static const struct {
        char text[3];
        token token;
    } symbols[] = {
        /* In the order of trying: symbols that begin with another one come before it. */
        {"==", TOKEN_EQUAL},      {"!=", TOKEN_UNEQUAL},
        {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
        {"=~", TOKEN_REGEX},      {"~*", TOKEN_REGEX_ANY_CASE},
        {"!~", TOKEN_GLOB_NOT},   {"&&", TOKEN_AND},
        {"||", TOKEN_OR},         {"<", TOKEN_LESS},
        {">", TOKEN_GREATER},     {"~", TOKEN_GLOB},
        {"!", TOKEN_NOT},         {"(", TOKEN_OPEN},
        {")", TOKEN_CLOSE},       {",", TOKEN_COMMA},
        {"+", TOKEN_PLUS},        {"-", TOKEN_MINUS},
        {"*", TOKEN_STAR},        {"/", TOKEN_SLASH},
        {"%", TOKEN_PERCENT},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *size = strlen(symbols[i].text);
        if (strncmp(symbols[i].text, at, *size) == 0)
            return symbols[i].token;
    }
    *size = 1;
    return TOKEN_UNKNOWN;
}

bool token_next(parser *p, const char *at)
{
    size_t size;
    at += strspn(at, " \t\r\n");
    p->token_at = at;
    if (*at == '\0') {
        p->token_end = at;
        p->token = TOKEN_END;
    } else if (*at == '"' || *at == '\'') {
        p->token_end = string_end(at);
        p->token = TOKEN_STRING;
        if (p->token_end == NULL) {
            p->token_end = at + strlen(at);
            return fail(p, at, "a closing quote");
        }
    } else if (is_digit(*at)) {
        at = word_end(at + 1);
        p->token_end = *at == '.' ? word_end(at + 1) : at;
        p->token = TOKEN_NUMBER;
    } else if (is_letter(*at)) {
        p->token_end = word_end(at);
        p->token = word_token(at, (size_t)(p->token_end - at));
    } else {
        p->token = symbol_token(at, &size);
        p->token_end = at + size;
    }
    return true;
}

bool token_skip(parser *p)
{
    return token_next(p, p->token_end);
}

bool token_expect(parser *p, token wanted, const char *expected)
{
    return p->token == wanted ? token_skip(p) : fail(p, p->token_at, expected);
}

/* ---- Tables of the expression ---- */

void *table_grow(parser *p, void *table, uint32_t count, uint32_t *capacity, size_t size)
{
    void *grown;
    if (count < *capacity)
        return table;
    grown = array_grow(table, size, capacity, 8);
    if (grown == NULL)
        fail_memory(p);
    return grown;
}
