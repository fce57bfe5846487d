/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/six.h"

#include <stdio.h>
#include <string.h>

#include "core/load.h"
#include "core/text.h"
#include "core/text_power.h"

/* Limits of the decimal exponents for which the table has the power of 10. */
#define EXPONENT_MIN (5 - TEXT_POWER_MAX + 1)
#define EXPONENT_MAX (5 - TEXT_POWER_MIN)

/* Six digits, and the decimal exponent of the first one. */
typedef struct six {
    uint64_t digits;
    int exponent;
} six;

/* Compares a value with a whole number near it. Returns -1, 0 or 1 if it is less, equal or more. */
static int compare_whole(double value, uint64_t whole)
{
    const uint64_t floor = (uint64_t)value;
    return floor != whole ? (floor < whole ? -1 : 1) : value > (double)floor;
}

/*
 * Computes the digits of value = m * 2^q, where m has 64 bits, from the product of m and 10^k, of
 * which p are the upper 64 bits. The product has 128 bits, and its upper half is cut at bit s:
 *
 *     | digits: 17 to 21 bits | rest: s bits | lower half |      m * p * 2^(-64 - s)
 *
 * For 0 <= k <= 27 p and the product are exact; otherwise the upper half is too small by less than
 * two. A value that is then too close to the middle of two results is decided with whole numbers.
 * Returns false if those do not fit.
 */
static bool find_digits(double value, six *made)
{
    const uint64_t bits = store_double(value), fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t c = biased != 0 ? fraction | UINT64_C(1) << 52 : fraction;
    const int shift = __builtin_clzll(c), q = (biased != 0 ? biased : 1) - 1075 - shift;
    const int exponent = ((q + 63) * 1262611) >> 22, k = 5 - exponent;
    const int s = -1 - q - text_power_log2(k);
    uint64_t unit = UINT64_C(1) << s, rest, high;
    wide_u128 power, product;
    bool is_up;
    if (exponent < EXPONENT_MIN || exponent > EXPONENT_MAX)
        return false;
    power = text_power_of_10(k); /* the table rounds up, which is undone here */
    product = u128_multiply(c << shift, u128_high(power) - (u128_low(power) == 0));
    high = u128_high(product);
    *made = (six){high >> s, exponent};
    if (made->digits >= 1000000) {
        unit *= 10;
        made->digits /= 10;
        made->exponent++;
    }
    rest = high - made->digits * unit;
    is_up = rest >= unit / 2;
    if (k >= 0 && k <= 27) {
        if (rest == unit / 2 && u128_low(product) == 0)
            is_up = (made->digits & 1) != 0;
    } else if (rest + 2 >= unit / 2 && rest <= unit / 2) {
        uint64_t middle = made->digits * 2 + 1;
        int side;
        if (k > 0 || value >= 1e18)
            return false;
        for (int i = made->exponent; i > 5; i--)
            middle *= i == 6 ? 5 : 10;
        side = compare_whole(value, middle);
        is_up = side > 0 || (side == 0 && (made->digits & 1) != 0);
    }
    made->digits += is_up;
    if (made->digits == 1000000)
        *made = (six){100000, made->exponent + 1};
    return true;
}

/*
 * Writes the digits as "123", "0.00123" or "1.23e+06", without zeros at the end. Returns the end.
 */
static char *put_digits(char *to, six value)
{
    char text[16] = {0};
    const int exponent = value.exponent, before = exponent + 1;
    const unsigned power = (unsigned)(exponent < 0 ? -exponent : exponent);
    int count;
    (void)text_padded(text, value.digits * 100, 8);
    count = 8 - __builtin_clzll(load_le64(text) ^ UINT64_C(0x3030303030303030)) / 8;
    if (exponent < -4 || exponent >= 6) {
        *to++ = text[0];
        if (count > 1) {
            *to++ = '.';
            memcpy(to, text + 1, 8);
            to += count - 1;
        }
        *to++ = 'e';
        *to++ = exponent < 0 ? '-' : '+';
        return text_padded(to, power, power < 100 ? 2 : 3);
    }
    if (before <= 0) {
        memcpy(to, "0.0000", (size_t)(2 - before));
        to += 2 - before;
        memcpy(to, text, 8);
        return to + count;
    }
    memcpy(to, text, 8);
    if (count <= before)
        return to + before;
    to[before] = '.';
    memcpy(to + before + 1, text + before, 8);
    return to + count + 1;
}

char *six_put(char *to, double value)
{
    const uint64_t bits = store_double(value);
    const uint64_t size = bits & (UINT64_MAX >> 1);
    six made;
    if (size >= UINT64_C(0x7ff) << 52 || (size != 0 && !find_digits(load_double(size), &made)))
        return to + snprintf(to, SIX_SIZE, "%g", value);
    if (bits != size)
        *to++ = '-';
    if (size != 0)
        return put_digits(to, made);
    *to++ = '0';
    return to;
}
