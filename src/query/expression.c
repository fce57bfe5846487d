/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling expressions, by recursive descent:
 *
 *     condition = and { ("or" | "||") and }
 *     and       = not { ("and" | "&&") not }
 *     not       = { "not" | "!" } ( "(" condition ")" | test )
 *     test      = "exists" operand
 *               | operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
 *                         | ("~" | "!~") string
 *                         | "in" "(" operand { "," operand } ")" ]
 *     operand   = word | "arg" step { step | "[" index "]" } | literal
 *     step      = "." ( name | string )
 */
#include "query/expression.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "query/expression_code.h"
#include "query/nearest.h"
#include "query/quantity.h"

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
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_EXISTS,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_UNKNOWN
} token;

typedef struct parser {
    stele_context *context;
    expression *e;
    const char *text;
    const char *token_at, *token_end; /* of the token to be parsed next */
    token token;
    uint32_t depth;      /* of parentheses */
    stele_status status; /* STELE_OK until something failed */
} parser;

/* ---- Errors ---- */

#define EXCERPT_SIZE   64 /* bytes of the expression that a finding shows */
#define EXCERPT_BEFORE 40 /* of those at most, in front of the place */
#define FOUND_SIZE     24 /* bytes at the place */

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

/* Copies up to `size_max` bytes, no part of a character, without control characters. Gives the
   place behind them. */
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

/* What is found at a place: a token, or the rest of a word that is part of one. */
static size_t found_size(const parser *p, const char *at)
{
    const size_t size = at == p->token_at ? (size_t)(p->token_end - at) : strcspn(at, " \t\r\n");
    return size < FOUND_SIZE ? size : FOUND_SIZE;
}

/* Reports the place in three lines: what was found where, the expression around it, and a caret. */
static bool fail(parser *p, const char *at, const char *expected)
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
    diag_report(&p->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected,
                "%s at column %u\n    %s%s%s\n    %*s",
                *at == '\0'        ? "the end"
                : found[0] == '\0' ? "a space"
                                   : found,
                count_characters(p->text, at) + 1, is_cut ? "..." : "", excerpt,
                *end != '\0' ? "..." : "", (int)count_characters(from, at) + (is_cut ? 3 : 0) + 1,
                "^");
    return false;
}

static bool fail_memory(parser *p)
{
    if (p->status == STELE_OK)
        p->status = STELE_ERR_MEMORY;
    return false;
}

/* ---- Tokens ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '@' ||
           (unsigned char)c >= 0x80;
}

static const char *word_end(const char *at)
{
    while (is_letter(*at) || is_digit(*at))
        at++;
    return at;
}

/* Behind the closing quote; NULL when there is none. */
static const char *string_end(const char *at)
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
        {"false", TOKEN_FALSE}, {"null", TOKEN_NULL},
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
        /* the longer ones first */
        {"==", TOKEN_EQUAL},      {"!=", TOKEN_UNEQUAL},
        {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
        {"!~", TOKEN_GLOB_NOT},   {"&&", TOKEN_AND},
        {"||", TOKEN_OR},         {"<", TOKEN_LESS},
        {">", TOKEN_GREATER},     {"~", TOKEN_GLOB},
        {"!", TOKEN_NOT},         {"(", TOKEN_OPEN},
        {")", TOKEN_CLOSE},       {",", TOKEN_COMMA},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *size = strlen(symbols[i].text);
        if (strncmp(symbols[i].text, at, *size) == 0)
            return symbols[i].token;
    }
    *size = 1;
    return TOKEN_UNKNOWN;
}

/* Goes on behind `at`. */
static bool token_next(parser *p, const char *at)
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
    } else if (is_digit(*at) || (*at == '-' && is_digit(at[1]))) {
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

static bool token_skip(parser *p)
{
    return token_next(p, p->token_end);
}

static bool token_expect(parser *p, token wanted, const char *expected)
{
    return p->token == wanted ? token_skip(p) : fail(p, p->token_at, expected);
}

/* ---- Tables ---- */

/* The table with room for one more; NULL when memory is exhausted. */
static void *table_grow(parser *p, void *table, uint32_t count, uint32_t *capacity, size_t size)
{
    void *grown;
    if (count < *capacity)
        return table;
    grown = array_grow(table, size, capacity, 8);
    if (grown == NULL)
        fail_memory(p);
    return grown;
}

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

static bool add_operand(parser *p, const operand *o, uint32_t *index)
{
    expression *e = p->e;
    operand *operands =
        table_grow(p, e->operands, e->operand_count, &e->operand_capacity, sizeof *e->operands);
    if (operands == NULL)
        return false;
    e->operands = operands;
    *index = e->operand_count++;
    operands[*index] = *o;
    return true;
}

static bool add_step(parser *p, const path_step *step)
{
    expression *e = p->e;
    path_step *steps = table_grow(p, e->steps, e->step_count, &e->step_capacity, sizeof *e->steps);
    if (steps == NULL)
        return false;
    e->steps = steps;
    steps[e->step_count++] = *step;
    return true;
}

static bool add_glob(parser *p, const char *pattern, uint32_t *index)
{
    expression *e = p->e;
    glob_set *globs = table_grow(p, e->globs, e->glob_count, &e->glob_capacity, sizeof *e->globs);
    if (globs == NULL)
        return false;
    e->globs = globs;
    *index = e->glob_count++;
    return glob_set_init(&globs[*index], &(stele_globs){&pattern, 1}) || fail_memory(p);
}

/* ---- Literals ---- */

/* The string between quotes: `\` quotes a quote and itself; before any other byte it stays. */
static bool string_decode(parser *p, const char *at, const char *end, stele_text *text)
{
    char *to = arena_take(&p->e->texts, (size_t)(end - at));
    if (to == NULL)
        return fail_memory(p);
    *text = (stele_text){to, 0};
    for (at++; at < end - 1; at++) {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\'' || at[1] == '\\'))
            at++;
        *to++ = *at;
    }
    *to = '\0';
    text->size = (size_t)(to - text->bytes);
    return true;
}

/* The nearest double, whatever the locale of the process. */
static bool decimal_value(parser *p, const char *at, const char *end, value *v)
{
    char *digits = arena_take(&p->e->texts, (size_t)(end - at) + 1), *to = digits;
    locale_t c, before;
    if (digits == NULL)
        return fail_memory(p);
    for (; at < end; at++) {
        if (*at != '_')
            *to++ = *at;
    }
    *to = '\0';
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return fail_memory(p);
    before = uselocale(c);
    *v = (value){.type = VALUE_FLOAT, .u.f = strtod(digits, NULL)};
    uselocale(before);
    freelocale(c);
    return true;
}

static bool hex_value(parser *p, const char *at, uint64_t *bits)
{
    *bits = 0;
    for (at += 2; at < p->token_end; at++) {
        const char c = (char)(*at | 0x20);
        if (*at == '_')
            continue;
        if (!is_digit(*at) && (c < 'a' || c > 'f'))
            return fail(p, p->token_at, "a number like 0x1f");
        if (*bits >> 60 != 0)
            return fail(p, p->token_at, "a number of 64 bits");
        *bits = *bits << 4 | (uint64_t)(is_digit(*at) ? *at - '0' : c - 'a' + 10);
    }
    return true;
}

/* Behind an exponent that begins at `at`; `at` when there is none. */
static const char *exponent_end(const char *at)
{
    const char *digits = at + 1;
    if (*at != 'e' && *at != 'E')
        return at;
    if (*digits == '-' || *digits == '+')
        digits++;
    return is_digit(*digits) ? digits + strspn(digits, "0123456789") : at;
}

static bool unit_value(parser *p, const quantity *q, const char *unit, uint64_t *whole)
{
    const size_t size = (size_t)(p->token_end - unit);
    uint64_t factor = size == 0 ? 1 : quantity_time_unit(unit, size);
    const bool is_time = size != 0 && factor != 0;
    if (factor == 0)
        factor = quantity_size_unit(unit, size);
    if (factor == 0)
        return fail(p, p->token_at,
                    "a number, or one with ns, us, ms, s, m, h, B, KB, KiB, MB, "
                    "MiB, GB or GiB");
    switch (quantity_scale(q, factor, whole)) {
    case QUANTITY_TOO_LARGE: return fail(p, p->token_at, "a number of 64 bits");
    case QUANTITY_TOO_FINE:
        return fail(p, p->token_at, is_time ? "a whole number of ns" : "a whole number of bytes");
    case QUANTITY_FITS: break;
    }
    return true;
}

static bool parse_number(parser *p, value *v)
{
    const bool is_negative = *p->token_at == '-';
    const char *at = p->token_at + is_negative, *rest, *exponent;
    quantity q;
    uint64_t whole;
    if (at[0] == '0' && (at[1] | 0x20) == 'x') {
        if (!hex_value(p, at, &whole))
            return false;
    } else {
        rest = quantity_read(at, &q);
        exponent = exponent_end(rest);
        if (exponent > p->token_end)
            p->token_end = exponent; /* of "1e-3" the lexer saw "1e" */
        if (exponent == p->token_end && (exponent > rest || q.has_point))
            return decimal_value(p, p->token_at, p->token_end, v) && token_skip(p);
        if (!unit_value(p, &q, rest, &whole))
            return false;
    }
    *v = (value){.type = VALUE_INT, .u.i = is_negative ? -(wide_i128)whole : (wide_i128)whole};
    return token_skip(p);
}

/* ---- Operands ---- */

typedef struct word {
    const char *text;
    operand_kind kind;
    uint32_t columns;
} word;

static const word words[] = {
    {"name", OPERAND_NAME, STELE_COLUMN_NAME},
    {"category", OPERAND_CATEGORY, STELE_COLUMN_NAME},
    {"track", OPERAND_TRACK, STELE_COLUMN_TRACK},
    {"kind", OPERAND_KIND, 0},
    {"time", OPERAND_TIME, STELE_COLUMN_TIME},
    {"clock", OPERAND_CLOCK, STELE_COLUMN_TIME},
    {"dur", OPERAND_DUR, STELE_COLUMN_TIME | STELE_COLUMN_VALUE},
    {"ticks", OPERAND_TICKS, STELE_COLUMN_TIME},
    {"value", OPERAND_VALUE, STELE_COLUMN_VALUE},
    {"id", OPERAND_ID, STELE_COLUMN_VALUE},
    {"cpu", OPERAND_CPU, STELE_COLUMN_TRACK},
    {"tid", OPERAND_TID, STELE_COLUMN_TRACK},
    {"pid", OPERAND_PID, STELE_COLUMN_TRACK},
    {"size", OPERAND_SIZE, 0},
    {"offset", OPERAND_OFFSET, 0},
    {"arg", OPERAND_ARG, STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT},
};
#define WORD_COUNT (sizeof words / sizeof *words)

/* Most unknown words are meant as fields; some are mistyped. */
static bool fail_word(parser *p)
{
    const size_t size = (size_t)(p->token_end - p->token_at);
    const word *nearest = NULL;
    unsigned distance_min = edit_limit(size);
    char expected[128];
    for (size_t i = 0; size <= NEAREST_SIZE_MAX && i < WORD_COUNT; i++) {
        const unsigned distance = edit_distance((stele_text){p->token_at, size},
                                                (stele_text){words[i].text, strlen(words[i].text)});
        if (distance < distance_min) {
            distance_min = distance;
            nearest = &words[i];
        }
    }
    if (size > 48)
        return fail(p, p->token_at, "arg.NAME for a field of the event");
    snprintf(expected, sizeof expected, "%s%sarg.%.*s for a field of the event",
             nearest != NULL ? nearest->text : "", nearest != NULL ? ", or " : "", (int)size,
             p->token_at);
    return fail(p, p->token_at, expected);
}

static bool name_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '-';
}

/* A member by name, from behind its dot. */
static bool parse_member(parser *p, const char **at)
{
    path_step step = {.is_index = false};
    const char *end = *at;
    if (**at == '"' || **at == '\'') {
        end = string_end(*at);
        if (end == NULL)
            return fail(p, *at, "a closing quote");
        if (!string_decode(p, *at, end, &step.text))
            return false;
    } else {
        while (name_byte(*end))
            end++;
        if (end == *at)
            return fail(p, *at, "the name of a field, in quotes where it has strange characters");
        step.text.size = (size_t)(end - *at);
        step.text.bytes = arena_copy(&p->e->texts, *at, step.text.size);
        if (step.text.bytes == NULL)
            return fail_memory(p);
    }
    step.name = stele_name_intern(p->context, step.text.bytes, step.text.size);
    if (step.name == UINT32_MAX && p->context->names.size < p->context->names.size_max)
        return fail_memory(p); /* not full */
    *at = end;
    return add_step(p, &step);
}

static bool parse_index(parser *p, const char **at)
{
    quantity q;
    const char *rest = quantity_read(*at, &q);
    path_step step = {.is_index = true};
    if (rest == NULL || *rest != ']' || q.has_point || q.is_too_large)
        return fail(p, *at, "the number of an element, from 0, and ]");
    step.index = q.whole;
    *at = rest + 1;
    return add_step(p, &step);
}

/* "arg" is the token; its steps follow without spaces between. */
static bool parse_path(parser *p, operand *o)
{
    const char *at = p->token_end;
    o->step_first = p->e->step_count;
    if (*at != '.')
        return fail(p, at, "a dot and the name of a field, as in arg.length");
    while (*at == '.' || *at == '[') {
        const bool is_member = *at++ == '.';
        if (!(is_member ? parse_member(p, &at) : parse_index(p, &at)))
            return false;
    }
    o->step_count = p->e->step_count - o->step_first;
    return token_next(p, at);
}

static bool parse_word(parser *p, operand *o)
{
    const size_t size = (size_t)(p->token_end - p->token_at);
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strlen(words[i].text) == size && memcmp(words[i].text, p->token_at, size) == 0) {
            o->kind = words[i].kind;
            p->e->columns |= words[i].columns;
            return o->kind == OPERAND_ARG ? parse_path(p, o) : token_skip(p);
        }
    }
    return fail_word(p);
}

static bool parse_string(parser *p, value *v)
{
    *v = (value){.type = VALUE_TEXT, .name = STELE_NAME_LOCAL};
    return string_decode(p, p->token_at, p->token_end, &v->u.text) && token_skip(p);
}

static bool parse_operand(parser *p, uint32_t *index)
{
    operand o = {.kind = OPERAND_LITERAL};
    bool is_good;
    switch (p->token) {
    case TOKEN_WORD: is_good = parse_word(p, &o); break;
    case TOKEN_NUMBER: is_good = parse_number(p, &o.literal); break;
    case TOKEN_STRING: is_good = parse_string(p, &o.literal); break;
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        o.literal = (value){.type = VALUE_INT, .u.i = p->token == TOKEN_TRUE};
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

/* ---- Conditions ---- */

#define NO_JUMP UINT32_MAX

/* Jumps whose target is not known yet form a list through their targets. */
static bool emit_jump(parser *p, opcode op, uint32_t *pending)
{
    const uint32_t index = p->e->code_count;
    if (!emit(p, op, *pending, 0))
        return false;
    *pending = index;
    return true;
}

static void patch_jumps(parser *p, uint32_t pending)
{
    while (pending != NO_JUMP) {
        const uint32_t next = p->e->code[pending].left;
        p->e->code[pending].left = p->e->code_count;
        pending = next;
    }
}

static bool parse_list(parser *p, uint32_t left)
{
    uint32_t right, pending = NO_JUMP;
    if (!token_expect(p, TOKEN_OPEN, "( and the values of a list"))
        return false;
    for (;;) {
        if (!parse_operand(p, &right) || !emit(p, OP_EQUAL, left, right))
            return false;
        if (p->token != TOKEN_COMMA)
            break;
        if (!token_skip(p) || !emit_jump(p, OP_JUMP_TRUE, &pending))
            return false;
    }
    patch_jumps(p, pending);
    return token_expect(p, TOKEN_CLOSE, ", or ) behind a value of a list");
}

static bool parse_glob(parser *p, opcode op, uint32_t left)
{
    value pattern;
    uint32_t index;
    if (p->token != TOKEN_STRING)
        return fail(p, p->token_at, "a pattern in quotes");
    return parse_string(p, &pattern) && add_glob(p, pattern.u.text.bytes, &index) &&
           emit(p, op, left, index);
}

static bool parse_test(parser *p)
{
    uint32_t left, right;
    const bool is_exists = p->token == TOKEN_EXISTS;
    token relation;
    if ((is_exists && !token_skip(p)) || !parse_operand(p, &left))
        return false;
    if (is_exists)
        return emit(p, OP_EXISTS, left, 0);
    relation = p->token;
    switch (relation) {
    case TOKEN_EQUAL:
    case TOKEN_UNEQUAL:
    case TOKEN_LESS:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER:
    case TOKEN_GREATER_EQUAL:
        return token_skip(p) && parse_operand(p, &right) &&
               emit(p, (opcode)(relation - TOKEN_EQUAL + OP_EQUAL), left, right);
    case TOKEN_GLOB: return token_skip(p) && parse_glob(p, OP_GLOB, left);
    case TOKEN_GLOB_NOT: return token_skip(p) && parse_glob(p, OP_GLOB_NOT, left);
    case TOKEN_IN: return token_skip(p) && parse_list(p, left);
    default: return emit(p, OP_TRUTH, left, 0);
    }
}

static bool parse_condition(parser *p);

static bool parse_not(parser *p)
{
    bool is_negated = false;
    while (p->token == TOKEN_NOT) {
        is_negated = !is_negated;
        if (!token_skip(p))
            return false;
    }
    if (p->token == TOKEN_OPEN) {
        if (p->depth++ == EXPRESSION_DEPTH_MAX)
            return fail(p, p->token_at, "parentheses that nest less deep");
        if (!token_skip(p) || !parse_condition(p) ||
            !token_expect(p, TOKEN_CLOSE, "an operator or )"))
            return false;
        p->depth--;
    } else if (!parse_test(p)) {
        return false;
    }
    return !is_negated || emit(p, OP_NOT, 0, 0);
}

/* What `separator` joins; `jump` leaves it as soon as the outcome is clear. */
static bool parse_joined(parser *p, bool (*parse)(parser *), token separator, opcode jump)
{
    uint32_t pending = NO_JUMP;
    for (;;) {
        if (!parse(p))
            return false;
        if (p->token != separator)
            break;
        if (!token_skip(p) || !emit_jump(p, jump, &pending))
            return false;
    }
    patch_jumps(p, pending);
    return true;
}

static bool parse_and(parser *p)
{
    return parse_joined(p, parse_not, TOKEN_AND, OP_JUMP_FALSE);
}

static bool parse_condition(parser *p)
{
    return parse_joined(p, parse_and, TOKEN_OR, OP_JUMP_TRUE);
}

/* ---- Interface ---- */

stele_status expression_new(stele_context *context, const char *text, expression **out)
{
    parser p = {.context = context, .text = text, .token_at = text, .token_end = text};
    *out = NULL;
    p.e = calloc(1, sizeof *p.e);
    if (p.e == NULL)
        return STELE_ERR_MEMORY;
    p.e->context = context;
    if (strlen(text) > context->limits.record_size_max)
        fail(&p, text, "a shorter expression");
    else if (token_next(&p, text) && parse_condition(&p) && p.token != TOKEN_END)
        fail(&p, p.token_at, "an operator, and, or, or the end");
    if (p.status != STELE_OK) {
        expression_free(p.e);
        return p.status;
    }
    p.e->seen = calloc(p.e->operand_count + 1u, 1);
    if (p.e->seen == NULL) {
        expression_free(p.e);
        return STELE_ERR_MEMORY;
    }
    *out = p.e;
    return STELE_OK;
}

void expression_free(expression *e)
{
    if (e == NULL)
        return;
    for (uint32_t i = 0; i < e->glob_count; i++)
        glob_set_free(&e->globs[i]);
    free(e->globs);
    free(e->code);
    free(e->operands);
    free(e->seen);
    free(e->steps);
    arena_free(&e->texts);
    free(e);
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

/* ---- What no event had ---- */

/* The name of the pool that is nearest to the text; empty where none is near. */
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
    const path_step *step = &e->steps[o->step_first];
    const stele_text near =
        step->is_index ? (stele_text){"", 0} : nearest_name(e->context, step->text);
    char expected[96];
    if (step->is_index || step->text.size > 64)
        snprintf(expected, sizeof expected, "such a field in an event");
    else
        snprintf(expected, sizeof expected, "a field '%.*s' in an event%s", (int)step->text.size,
                 step->text.bytes, o->step_count > 1 ? ", and in that the rest" : "");
    diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected,
                near.size != 0 ? "none; there is a name '%.*s'" : "none%.*s", (int)near.size,
                near.bytes);
}

/* Whether the expression itself asks if there is such a thing. */
static bool is_doubted(const expression *e, uint32_t index)
{
    for (uint32_t i = 0; i < e->code_count; i++) {
        if (e->code[i].op == OP_EXISTS && e->code[i].left == index)
            return true;
    }
    return false;
}

void expression_report(const expression *e, diag_sink *diag)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        const operand *o = &e->operands[i];
        if (o->kind == OPERAND_ARG && e->seen[i] == EXPRESSION_SEEN_ASKED && !is_doubted(e, i))
            report_arg(e, diag, o);
        else if (o->kind == OPERAND_DUR && (e->seen[i] & EXPRESSION_SEEN_BEGIN) != 0)
            diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0,
                        "`dur` of complete events",
                        "begin and end events, which have none of their own; `stele profile` "
                        "pairs them and selects calls by `dur`");
    }
}
