/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles operands of expressions: literals, words, paths to fields. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/expression_token.h"
#include "query/nearest.h"
#include "query/quantity.h"

/* ---- Literals: strings and numbers ---- */

/* Decodes the string between quotes: `\` quotes a quote and itself, and stays before any other
   byte. */
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

/* Reads a decimal as the nearest double, regardless of the locale of the process. */
static bool decimal_value(parser *p, const char *at, const char *end, value *v)
{
    char *digits = arena_take(&p->e->texts, (size_t)(end - at) + 1), *to = digits;
    locale_t before;
    if (digits == NULL)
        return fail_memory(p);
    for (; at < end; at++) {
        if (*at != '_')
            *to++ = *at;
    }
    *to = '\0';
    if (!expression_locale(p->e))
        return fail_memory(p);
    before = uselocale(p->e->locale);
    *v = (value){.type = VALUE_FLOAT, .u.f = strtod(digits, NULL)};
    uselocale(before);
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

/* The position after an exponent that begins at `at`; `at` if there is none. */
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

bool parse_number(parser *p, value *v)
{
    const char *at = p->token_at, *rest, *exponent;
    quantity q;
    uint64_t whole;
    if (at[0] == '0' && (at[1] | 0x20) == 'x') {
        if (!hex_value(p, at, &whole))
            return false;
    } else {
        rest = quantity_read(at, &q);
        exponent = exponent_end(rest);
        if (exponent > p->token_end)
            p->token_end = exponent; /* the token of "1e-3" ended after "1e" */
        if (exponent == p->token_end && (exponent > rest || q.has_point))
            return decimal_value(p, p->token_at, p->token_end, v) && token_skip(p);
        if (!unit_value(p, &q, rest, &whole))
            return false;
    }
    *v = (value){.type = VALUE_INT, .u.i = i128_of_u64(whole)};
    return token_skip(p);
}

/* ---- Words and paths ---- */

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
    {"self", OPERAND_SELF, 0},
    {"depth", OPERAND_DEPTH, 0},
    {"caller", OPERAND_CALLER, 0},
    {"root", OPERAND_ROOT, 0},
    {"delta", OPERAND_DELTA, 0},
    {"parent", OPERAND_PARENT, 0},
    {"children", OPERAND_CHILDREN, 0},
    {"ended", OPERAND_ENDED, 0},
    {"cut", OPERAND_CUT, 0},
    {"source", OPERAND_SOURCE, 0},
    {"arg", OPERAND_ARG, STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT},
};
#define WORD_COUNT (sizeof words / sizeof *words)

/* Finds a word of the language. Returns NULL if the text is not one. */
static const word *find_word(const char *text, size_t size)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strlen(words[i].text) == size && memcmp(words[i].text, text, size) == 0)
            return &words[i];
    }
    return NULL;
}

bool stele_expression_uses(const expression *e, const char *text)
{
    const word *found = find_word(text, strlen(text));
    for (uint32_t i = 0; found != NULL && i < e->operand_count; i++) {
        if (e->operands[i].kind == found->kind)
            return true;
    }
    return false;
}

/* Reports an unknown word. Most are meant as fields; a word that is near a known one may be
   mistyped. */
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

/* Parses a member of a path, from the position after its dot. */
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
    step.name = stele_name_intern(p->e->context, step.text.bytes, step.text.size);
    if (step.name == UINT32_MAX && p->e->context->names.size < p->e->context->names.size_max)
        return fail_memory(p); /* the pool is not full, so memory was exhausted */
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

/* Parses the path after the token "arg"; there are no spaces between its steps. */
static bool parse_path(parser *p, operand *o)
{
    const char *at = p->token_end;
    o->first = p->e->step_count;
    if (*at != '.')
        return fail(p, at, "a dot and the name of a field, as in arg.length");
    while (*at == '.' || *at == '[') {
        const bool is_member = *at++ == '.';
        if (!(is_member ? parse_member(p, &at) : parse_index(p, &at)))
            return false;
    }
    o->count = p->e->step_count - o->first;
    return token_next(p, at);
}

bool parse_word(parser *p, operand *o)
{
    const word *found = find_word(p->token_at, (size_t)(p->token_end - p->token_at));
    if (found == NULL)
        return fail_word(p);
    o->kind = found->kind;
    if (o->kind >= OPERAND_SPAN_FIRST && o->kind <= OPERAND_SPAN_LAST) {
        p->e->needs_span = true;
        if (!p->has_spans)
            return fail(p, p->token_at,
                        "a word of events; calls have this one (`stele help expressions`)");
    }
    p->e->columns |= found->columns;
    return o->kind == OPERAND_ARG ? parse_path(p, o) : token_skip(p);
}

bool parse_string(parser *p, value *v)
{
    *v = (value){.type = VALUE_TEXT, .name = STELE_NAME_LOCAL};
    return string_decode(p, p->token_at, p->token_end, &v->u.text) && token_skip(p);
}
