/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two values, and finds out whether a value is true. */
#include <math.h>
#include <string.h>

#include "query/expression_code.h"

#define ORDER_OF(a, b) ((a) < (b) ? ORDER_LESS : (a) > (b) ? ORDER_GREATER : ORDER_EQUAL)

/* Compares exactly: the integer is never rounded to a double. */
static ordering order_int_float(wide_i128 i, double f)
{
    const double limit = 0x1p127;
    double whole;
    int order;
    if (isnan(f))
        return ORDER_NONE;
    if (f >= limit)
        return ORDER_LESS;
    if (f < -limit)
        return ORDER_GREATER;
    whole = floor(f);
    order = i128_compare(i, i128_of_double(whole));
    if (order != 0)
        return order < 0 ? ORDER_LESS : ORDER_GREATER;
    return f > whole ? ORDER_LESS : ORDER_EQUAL;
}

static ordering order_reverse(ordering o)
{
    return o == ORDER_LESS ? ORDER_GREATER : o == ORDER_GREATER ? ORDER_LESS : o;
}

static ordering order_texts(stele_text a, stele_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.bytes, b.bytes, size);
    return order != 0 ? ORDER_OF(order, 0) : ORDER_OF(a.size, b.size);
}

ordering value_order(const value *a, const value *b)
{
    if (a->type == VALUE_NULL || b->type == VALUE_NULL)
        return a->type == b->type ? ORDER_EQUAL : ORDER_NONE;
    if (a->type == VALUE_INT && b->type == VALUE_INT)
        return ORDER_OF(i128_compare(a->u.i, b->u.i), 0);
    if (a->type == VALUE_INT && b->type == VALUE_FLOAT)
        return order_int_float(a->u.i, b->u.f);
    if (a->type == VALUE_FLOAT && b->type == VALUE_INT)
        return order_reverse(order_int_float(b->u.i, a->u.f));
    if (a->type == VALUE_FLOAT && b->type == VALUE_FLOAT)
        return isunordered(a->u.f, b->u.f) ? ORDER_NONE : ORDER_OF(a->u.f, b->u.f);
    if (a->type == VALUE_TEXT && b->type == VALUE_TEXT)
        return order_texts(a->u.text, b->u.text);
    return ORDER_FOREIGN;
}

bool value_truth(const value *v)
{
    switch (v->type) {
    case VALUE_INT: return !i128_is_zero(v->u.i);
    case VALUE_FLOAT: return v->u.f != 0;
    case VALUE_TEXT: return v->u.text.size != 0;
    case VALUE_RUN: return true;
    default: return false;
    }
}
