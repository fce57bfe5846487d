/* SPDX-License-Identifier: Apache-2.0 */
/* The functions and operators of expressions. Integers are exact, in 128 bits; a result that does
   not fit is MISSING. A text that a function makes is in a room of the operand, which is kept and
   only grows. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "core/text_double.h"
#include "query/expression_code.h"
#include "query/quantity.h"

/* Characters of the longest integer of 128 bits, with its sign. */
#define INT128_DIGITS 40

/* A call that is being evaluated. */
typedef struct call {
    expression *e;
    const subject *of;
    const operand *o;
    operand_value_fn *evaluate;
} call;

static const value *argument(const call *c, uint32_t index, value *room)
{
    return c->evaluate(c->e, c->of, &c->e->operands[c->e->arguments[c->o->first + index]], room);
}

static bool is_number(const value *v)
{
    return v->type == VALUE_INT || v->type == VALUE_FLOAT;
}

static double float_of(const value *v)
{
    return v->type == VALUE_INT ? i128_double(v->u.i) : v->u.f;
}

/* Copies a value. Returns false if it is MISSING. */
static bool value_copy(value *to, const value *from)
{
    *to = *from;
    return from->type != VALUE_MISSING;
}

/* ---- Arithmetic functions ---- */

/* Divides magnitudes, rounded down; `rest` gets the sign of the dividend. */
static wide_u128 divide_sizes(wide_i128 a, wide_i128 b, wide_i128 *rest)
{
    wide_u128 rest_size;
    const wide_u128 quotient = u128_divide_wide(i128_magnitude(a), i128_magnitude(b), &rest_size);
    *rest = i128_of_magnitude(rest_size, i128_is_negative(a));
    return quotient;
}

/* Divides two integers; the result is a decimal if it is not an integer. Returns false for a
   division by 0, and for the least integer divided by -1, which does not fit. */
static bool divide(value *v, wide_i128 a, wide_i128 b)
{
    const bool is_negative = i128_is_negative(a) != i128_is_negative(b);
    wide_i128 rest, result;
    if (i128_is_zero(b))
        return false;
    result = i128_of_magnitude(divide_sizes(a, b, &rest), is_negative);
    if (!i128_is_zero(rest))
        return value_set_float(v, i128_double(a) / i128_double(b));
    return (i128_is_zero(result) || i128_is_negative(result) == is_negative) &&
           value_set_wide(v, result);
}

static bool divide_rest(value *v, wide_i128 a, wide_i128 b)
{
    wide_i128 rest;
    if (i128_is_zero(b))
        return false;
    divide_sizes(a, b, &rest);
    return value_set_wide(v, rest);
}

static bool combine_ints(value *v, unsigned function, wide_i128 a, wide_i128 b)
{
    wide_i128 result;
    switch (function) {
    case FUNCTION_ADD: return i128_add_checked(a, b, &result) && value_set_wide(v, result);
    case FUNCTION_SUBTRACT:
        return i128_subtract_checked(a, b, &result) && value_set_wide(v, result);
    case FUNCTION_MULTIPLY:
        return i128_multiply_checked(a, b, &result) && value_set_wide(v, result);
    case FUNCTION_DIVIDE: return divide(v, a, b);
    default: return divide_rest(v, a, b);
    }
}

static bool combine_floats(value *v, unsigned function, double a, double b)
{
    switch (function) {
    case FUNCTION_ADD: return value_set_float(v, a + b);
    case FUNCTION_SUBTRACT: return value_set_float(v, a - b);
    case FUNCTION_MULTIPLY: return value_set_float(v, a * b);
    case FUNCTION_DIVIDE: return b != 0 && value_set_float(v, a / b);
    default: return b != 0 && value_set_float(v, fmod(a, b));
    }
}

static bool call_operator(value *v, const call *c)
{
    value left_room, right_room;
    const value *left = argument(c, 0, &left_room), *right = argument(c, 1, &right_room);
    if (left->type == VALUE_INT && right->type == VALUE_INT)
        return combine_ints(v, c->o->function, left->u.i, right->u.i);
    return is_number(left) && is_number(right) &&
           combine_floats(v, c->o->function, float_of(left), float_of(right));
}

static bool negate(value *v, const value *of)
{
    wide_i128 result;
    if (of->type == VALUE_FLOAT)
        return value_set_float(v, -of->u.f);
    return of->type == VALUE_INT && i128_subtract_checked(i128_of_u64(0), of->u.i, &result) &&
           value_set_wide(v, result);
}

static bool call_abs(value *v, const value *of)
{
    if (of->type == VALUE_INT && i128_is_negative(of->u.i))
        return negate(v, of);
    if (of->type == VALUE_FLOAT)
        return value_set_float(v, fabs(of->u.f));
    return of->type == VALUE_INT && value_set_wide(v, of->u.i);
}

/* Sets the value to a whole number: an integer if it fits, else a decimal. */
static bool set_whole(value *v, double f)
{
    if (fabs(f) < 0x1p126)
        return value_set_wide(v, i128_of_double(f));
    return value_set_float(v, f);
}

static bool call_round(value *v, unsigned function, const value *of)
{
    if (of->type == VALUE_INT)
        return value_set_wide(v, of->u.i);
    if (of->type != VALUE_FLOAT)
        return false;
    return set_whole(v, function == FUNCTION_FLOOR  ? floor(of->u.f)
                        : function == FUNCTION_CEIL ? ceil(of->u.f)
                                                    : round(of->u.f));
}

/* bucket(): the largest multiple of the width that is not above the value. */
static bool call_bucket(value *v, const value *of, const value *width)
{
    wide_i128 rest, result;
    if (of->type == VALUE_INT && width->type == VALUE_INT) {
        if (i128_is_negative(width->u.i) || i128_is_zero(width->u.i))
            return false;
        divide_sizes(of->u.i, width->u.i, &rest);
        if (i128_is_negative(rest))
            rest = i128_add(rest, width->u.i);
        return i128_subtract_checked(of->u.i, rest, &result) && value_set_wide(v, result);
    }
    return is_number(of) && is_number(width) && float_of(width) > 0 &&
           value_set_float(v, floor(float_of(of) / float_of(width)) * float_of(width));
}

/* log2_bin(): the largest power of two that is not above the value; 0 for values below 1. */
static bool call_log2_bin(value *v, const value *of)
{
    value whole = {.type = VALUE_INT};
    uint64_t high, low;
    if (!call_round(&whole, FUNCTION_FLOOR, of) || whole.type != VALUE_INT)
        return false;
    if (i128_is_negative(whole.u.i) || i128_is_zero(whole.u.i))
        return value_set_int(v, 0);
    high = (uint64_t)i128_high(whole.u.i);
    low = i128_low(whole.u.i);
    if (high != 0)
        return value_set_wide(v,
                              i128_make((int64_t)(UINT64_C(1) << (63 - __builtin_clzll(high))), 0));
    return value_set_uint(v, UINT64_C(1) << (63 - __builtin_clzll(low)));
}

/* min() and max(): the least or greatest of the arguments that are there, numbers or texts. */
static bool call_extreme(value *v, const call *c, ordering wanted)
{
    bool is_there = false;
    for (uint32_t i = 0; i < c->o->count; i++) {
        value room;
        const value *next = argument(c, i, &room);
        if (next->type != VALUE_INT && next->type != VALUE_FLOAT && next->type != VALUE_TEXT)
            continue;
        if (!is_there || value_order(next, v) == wanted)
            value_copy(v, next);
        is_there = true;
    }
    return is_there;
}

/* ---- Text functions ---- */

/* Returns room for a text of the call. Returns NULL if it is too long, or if out of memory. */
static char *room_of(const call *c, size_t size)
{
    text_room *const room = &c->e->rooms[c->o - c->e->operands];
    if (size > c->e->context->limits.record_size_max)
        return NULL;
    if (size > room->capacity) {
        char *grown = array_reserve_size(room->bytes, 1, &room->capacity, size + 64);
        if (grown == NULL)
            return NULL;
        room->bytes = grown;
    }
    return room->bytes;
}

static bool call_case(value *v, const call *c, stele_text of)
{
    const char first = c->o->function == FUNCTION_LOWER ? 'A' : 'a';
    char *to = room_of(c, of.size + 1);
    if (to == NULL)
        return false;
    for (size_t i = 0; i < of.size; i++)
        to[i] = (char)(of.bytes[i] >= first && of.bytes[i] < first + 26 ? of.bytes[i] ^ 0x20
                                                                        : of.bytes[i]);
    return value_set_text(v, (stele_text){to, of.size});
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static uint64_t character_count(stele_text of)
{
    uint64_t count = 0;
    for (size_t i = 0; i < of.size; i++)
        count += begins_character(of.bytes[i]);
    return count;
}

/* The offset in bytes after the first `count` characters, or the size of the text if it has
   fewer. */
static size_t character_at(stele_text of, uint64_t count)
{
    size_t at = 0;
    for (; at < of.size; at++) {
        if (begins_character(of.bytes[at]) && count-- == 0)
            break;
    }
    return at;
}

static uint64_t clamp_count(wide_i128 i)
{
    if (i128_is_negative(i))
        return 0;
    return i128_less(i128_of_u64(UINT32_MAX), i) ? UINT32_MAX : i128_low(i);
}

/* substr(): positions count characters from 0; negative ones count from the end, -1 is the last
   one. */
static bool call_substr(value *v, const call *c, stele_text of)
{
    value from_room, count_room;
    const value *from = argument(c, 1, &from_room);
    size_t first;
    if (from->type != VALUE_INT)
        return false;
    first = character_at(of, clamp_count(i128_is_negative(from->u.i)
                                             ? i128_add(i128_of_u64(character_count(of)), from->u.i)
                                             : from->u.i));
    of.bytes += first;
    of.size -= first;
    if (c->o->count > 2) {
        const value *count = argument(c, 2, &count_room);
        if (count->type != VALUE_INT)
            return false;
        of.size = character_at(of, clamp_count(count->u.i));
    }
    return value_set_text(v, of);
}

/* The offset of a text in another one, from `from` on; the size of that one if it is not found. */
static size_t find(stele_text in, size_t from, stele_text what)
{
    if (what.size == 0)
        return from;
    for (size_t at = from; what.size <= in.size && at <= in.size - what.size; at++) {
        const char *next = memchr(in.bytes + at, what.bytes[0], in.size - what.size - at + 1);
        if (next == NULL)
            break;
        at = (size_t)(next - in.bytes);
        if (memcmp(next, what.bytes, what.size) == 0)
            return at;
    }
    return in.size;
}

static bool call_replace(value *v, const call *c, stele_text in)
{
    value what_room, by_room;
    const value *what = argument(c, 1, &what_room), *by = argument(c, 2, &by_room);
    size_t size = 0, from = 0;
    char *to;
    if (what->type != VALUE_TEXT || by->type != VALUE_TEXT)
        return false;
    if (what->u.text.size == 0)
        return value_set_text(v, in);
    for (size_t at; (at = find(in, from, what->u.text)) < in.size; from = at + what->u.text.size)
        size += at - from + by->u.text.size;
    to = room_of(c, size + (in.size - from) + 1);
    if (to == NULL)
        return false;
    from = size = 0;
    for (size_t at; (at = find(in, from, what->u.text)) < in.size; from = at + what->u.text.size) {
        memcpy(to + size, in.bytes + from, at - from);
        memcpy(to + size + (at - from), by->u.text.bytes, by->u.text.size);
        size += at - from + by->u.text.size;
    }
    memcpy(to + size, in.bytes + from, in.size - from);
    return value_set_text(v, (stele_text){to, size + (in.size - from)});
}

static bool call_search(value *v, const call *c, stele_text in)
{
    value room;
    const value *what = argument(c, 1, &room);
    stele_text part;
    if (what->type != VALUE_TEXT)
        return false;
    part = what->u.text;
    if (c->o->function == FUNCTION_CONTAINS)
        return value_set_int(v, part.size == 0 || find(in, 0, part) < in.size);
    if (part.size > in.size)
        return value_set_int(v, 0);
    return value_set_int(
        v, memcmp(in.bytes + (c->o->function == FUNCTION_ENDS_WITH ? in.size - part.size : 0),
                  part.bytes, part.size) == 0);
}

static bool set_digits(value *v, const call *c, wide_i128 i)
{
    char *to = room_of(c, INT128_DIGITS), *at;
    wide_u128 left = i128_magnitude(i);
    uint64_t digit;
    if (to == NULL)
        return false;
    at = to + INT128_DIGITS;
    do {
        left = u128_divide(left, 10, &digit);
        *--at = (char)('0' + (int)digit);
    } while ((u128_high(left) | u128_low(left)) != 0);
    if (i128_is_negative(i))
        *--at = '-';
    return value_set_text(v, (stele_text){at, (size_t)(to + INT128_DIGITS - at)});
}

/* label(): the text that says what a field's value means. */
static bool call_label(value *v, const call *c, const value *of)
{
    if (of->label_count == 0 || of->type == VALUE_TEXT)
        return false;
    return value_set_text(v, stele_field_text(c->e->context, c->of->batch, of->labels));
}

static bool call_text(value *v, const call *c, const value *of)
{
    char *to;
    switch (of->type) {
    case VALUE_TEXT: return value_copy(v, of);
    case VALUE_INT: return set_digits(v, c, of->u.i);
    case VALUE_FLOAT:
        to = room_of(c, TEXT_DOUBLE_SIZE);
        return to != NULL &&
               value_set_text(v, (stele_text){to, (size_t)(text_double(to, of->u.f) - to)});
    default: return false;
    }
}

static bool set_decimal(value *v, expression *e, const char *digits)
{
    char *end;
    double f;
    locale_t before;
    if (!expression_locale(e))
        return false;
    before = uselocale(e->locale);
    f = strtod(digits, &end);
    uselocale(before);
    return *end == '\0' && end != digits && value_set_float(v, f);
}

/* number(): the number that a text is; the whole text must be a decimal number. */
static bool call_number(value *v, const call *c, const value *of)
{
    char digits[64];
    const char *at = digits, *end;
    uint64_t whole;
    quantity q;
    if (is_number(of))
        return value_copy(v, of);
    if (of->type != VALUE_TEXT || of->u.text.size >= sizeof digits || of->u.text.size == 0)
        return false;
    memcpy(digits, of->u.text.bytes, of->u.text.size);
    digits[of->u.text.size] = '\0';
    if (strspn(digits, "0123456789.eE+-") != of->u.text.size)
        return false;
    at += *digits == '-';
    end = quantity_read(at, &q);
    if (end == digits + of->u.text.size && !q.has_point &&
        quantity_scale(&q, 1, &whole) == QUANTITY_FITS)
        return value_set_wide(v, i128_of_magnitude(u128_make(0, whole), at > digits));
    return set_decimal(v, c->e, digits);
}

/* length(): characters of a text, elements of an array, or members of a structure. */
static bool call_length(value *v, const value *of)
{
    if (of->type == VALUE_TEXT)
        return value_set_uint(v, character_count(of->u.text));
    return of->type == VALUE_RUN && value_set_wide(v, of->u.i);
}

/* ---- Evaluation of any call ---- */

static bool call_choice(value *v, const call *c)
{
    value room;
    return value_copy(v, argument(c, value_truth(argument(c, 0, &room)) ? 1 : 2, &room));
}

static bool call_coalesce(value *v, const call *c)
{
    for (uint32_t i = 0; i < c->o->count; i++) {
        value room;
        const value *next = argument(c, i, &room);
        if (next->type != VALUE_MISSING && next->type != VALUE_NULL)
            return value_copy(v, next);
    }
    return false;
}

/* Evaluates functions whose first argument is a text. */
static bool call_on_text(value *v, const call *c)
{
    value room;
    const value *first = argument(c, 0, &room);
    stele_text text;
    if (first->type == VALUE_TEXT)
        text = first->u.text;
    else if (first->label_count != 0 && first->type != VALUE_MISSING)
        text = stele_field_text(c->e->context, c->of->batch, first->labels);
    else
        return false;
    switch (c->o->function) {
    case FUNCTION_LOWER:
    case FUNCTION_UPPER: return call_case(v, c, text);
    case FUNCTION_SUBSTR: return call_substr(v, c, text);
    case FUNCTION_REPLACE: return call_replace(v, c, text);
    default: return call_search(v, c, text);
    }
}

static bool call_on_value(value *v, const call *c)
{
    value room, other;
    const value *first = argument(c, 0, &room);
    switch (c->o->function) {
    case FUNCTION_NEGATE: return negate(v, first);
    case FUNCTION_ABS: return call_abs(v, first);
    case FUNCTION_FLOOR:
    case FUNCTION_CEIL:
    case FUNCTION_ROUND: return call_round(v, c->o->function, first);
    case FUNCTION_BUCKET: return call_bucket(v, first, argument(c, 1, &other));
    case FUNCTION_LOG2_BIN: return call_log2_bin(v, first);
    case FUNCTION_LABEL: return call_label(v, c, first);
    case FUNCTION_TEXT: return call_text(v, c, first);
    case FUNCTION_NUMBER: return call_number(v, c, first);
    case FUNCTION_LENGTH: return call_length(v, first);
    default: return false;
    }
}

bool operand_set_call(value *v, expression *e, const subject *of, const operand *o,
                      operand_value_fn *evaluate)
{
    const call c = {e, of, o, evaluate};
    switch (o->function) {
    case FUNCTION_ADD:
    case FUNCTION_SUBTRACT:
    case FUNCTION_MULTIPLY:
    case FUNCTION_DIVIDE:
    case FUNCTION_REMAINDER: return call_operator(v, &c);
    case FUNCTION_LOWER:
    case FUNCTION_UPPER:
    case FUNCTION_SUBSTR:
    case FUNCTION_REPLACE:
    case FUNCTION_CONTAINS:
    case FUNCTION_STARTS_WITH:
    case FUNCTION_ENDS_WITH: return call_on_text(v, &c);
    case FUNCTION_MIN: return call_extreme(v, &c, ORDER_LESS);
    case FUNCTION_MAX: return call_extreme(v, &c, ORDER_GREATER);
    case FUNCTION_IF: return call_choice(v, &c);
    case FUNCTION_COALESCE: return call_coalesce(v, &c);
    default: return call_on_value(v, &c);
    }
}
