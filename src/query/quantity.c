/* SPDX-License-Identifier: Apache-2.0 */
#include "query/quantity.h"

#include <string.h>

#include "core/wide.h"

#define DIGITS_MAX 18u /* 10^18 fits in 64 bits */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_digit_or_gap(const char *at)
{
    return is_digit(*at) || (*at == '_' && is_digit(at[1]));
}

static uint64_t power_of_10(uint32_t exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static const char *read_whole(const char *at, quantity *q)
{
    for (; is_digit_or_gap(at); at++) {
        if (*at == '_')
            continue;
        if (__builtin_mul_overflow(q->whole, 10, &q->whole) ||
            __builtin_add_overflow(q->whole, (uint64_t)(*at - '0'), &q->whole))
            q->is_too_large = true;
    }
    return at;
}

/* Reads the fraction. Zeros count only if another digit follows, so that "1.000000000000000000000s"
   is valid. */
static const char *read_fraction(const char *at, quantity *q)
{
    uint32_t zeros = 0;
    for (; is_digit_or_gap(at); at++) {
        if (*at == '_')
            continue;
        if (*at == '0') {
            zeros++;
            continue;
        }
        if (q->is_too_fine || zeros >= DIGITS_MAX - q->digits) {
            q->is_too_fine = true;
            continue;
        }
        q->fraction = q->fraction * power_of_10(zeros + 1) + (uint64_t)(*at - '0');
        q->digits += zeros + 1;
        zeros = 0;
    }
    return at;
}

const char *quantity_read(const char *at, quantity *q)
{
    *q = (quantity){0};
    if (!is_digit(*at))
        return NULL;
    at = read_whole(at, q);
    if (*at != '.' || !is_digit(at[1]))
        return at;
    q->has_point = true;
    return read_fraction(at + 1, q);
}

/* No unit has more than 13 factors of 2 or of 5, so a fraction with more than 18 digits, the last
   one not 0, never gives a whole number. */
quantity_fit quantity_scale(const quantity *q, uint64_t factor, uint64_t *value)
{
    uint64_t rest;
    const wide_u128 part =
        u128_divide(u128_multiply(q->fraction, factor), power_of_10(q->digits), &rest);
    const wide_u128 total = u128_add(u128_multiply(q->whole, factor), part);
    if (q->is_too_large || !u128_fits_u64(total))
        return QUANTITY_TOO_LARGE;
    if (q->is_too_fine || rest != 0)
        return QUANTITY_TOO_FINE;
    *value = u128_low(total);
    return QUANTITY_FITS;
}

typedef struct quantity_unit {
    const char *name;
    uint64_t factor;
} quantity_unit;

static uint64_t unit_find(const quantity_unit *units, const char *name, size_t size)
{
    for (; units->name != NULL; units++) {
        if (strlen(units->name) == size && memcmp(units->name, name, size) == 0)
            return units->factor;
    }
    return 0;
}

uint64_t quantity_time_unit(const char *name, size_t size)
{
    static const quantity_unit units[] = {
        {"ns", 1},
        {"us", 1000},
        {"\xc2\xb5s", 1000}, /* the micro sign and the Greek letter */
        {"\xce\xbcs", 1000},
        {"ms", 1000000},
        {"s", 1000000000},
        {"m", UINT64_C(60000000000)},
        {"h", UINT64_C(3600000000000)},
        {NULL, 0},
    };
    return unit_find(units, name, size);
}

uint64_t quantity_size_unit(const char *name, size_t size)
{
    static const quantity_unit units[] = {
        {"B", 1},
        {"KB", 1000},
        {"KiB", UINT64_C(1) << 10},
        {"MB", 1000000},
        {"MiB", UINT64_C(1) << 20},
        {"GB", 1000000000},
        {"GiB", UINT64_C(1) << 30},
        {NULL, 0},
    };
    return unit_find(units, name, size);
}
