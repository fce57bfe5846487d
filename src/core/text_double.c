/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest decimal of a double by the Schubfach method: Raffaello Giulietti, "The Schubfach way
   to render doubles", 2021. Names are those of the paper. */
#include "core/text_double.h"

#include "core/load.h"
#include "core/text.h"
#include "core/text_power.h"

#define POWER_STEP 27

/* ceil(10^e * 2^x) with 192 bits, highest word first, for every 27th e. */
static const uint64_t powers[][3] = {
    {0xff77b1fcbebcdc4f, 0x25e8e89c13bb0f7a, 0xdf9b302944a88415}, /* 10^-292 */
    {0xce5d73ff402d98e3, 0xfb0a3d212dc8128f, 0xb839ca17a14a01cb}, /* 10^-265 */
    {0xa6b34ad8c9dfc06f, 0xf42faa48c0ea481e, 0xd7bde82603302c06}, /* 10^-238 */
    {0x86a8d39ef77164bc, 0xae5dff9c02033197, 0x02c85d6b781b02d4}, /* 10^-211 */
    {0xd98ddaee19068c76, 0x3badd624dd9b0957, 0x2dbb637d5b77493e}, /* 10^-184 */
    {0xafbd2350644eeacf, 0xe5d1929ef90898fa, 0x88865218f5493e65}, /* 10^-157 */
    {0x8df5efabc5979c8f, 0xca8d3ffa1ef463c1, 0xd897747ed9d851e8}, /* 10^-130 */
    {0xe55990879ddcaabd, 0xcc420a6a101d0515, 0xc2f41cf139d59e10}, /* 10^-103 */
    {0xb94470938fa89bce, 0xf808e40e8d5b3e69, 0xbf953486d9966118}, /* 10^-76 */
    {0x95a8637627989aad, 0xdde7001379a44aa8, 0x2eb5b82ea93e5f5d}, /* 10^-49 */
    {0xf1c90080baf72cb1, 0x5324c68b12dd6338, 0x70cb148213caa7e5}, /* 10^-22 */
    {0xc350000000000000, 0x0000000000000000, 0x0000000000000000}, /* 10^5 */
    {0x9dc5ada82b70b59d, 0xf020000000000000, 0x0000000000000000}, /* 10^32 */
    {0xfee50b7025c36a08, 0x02f236d04753d5b4, 0x8e80000000000000}, /* 10^59 */
    {0xcde6fd5e09abcf26, 0xed4c0226b55e6f86, 0xad18db241667cf42}, /* 10^86 */
    {0xa6539930bf6bff45, 0x84db8346b786151c, 0x91d1eac1fe9754be}, /* 10^113 */
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2, 0x5c6658d409fb8bf8}, /* 10^140 */
    {0xd910f7ff28069da4, 0x1b2ba1518094da04, 0xc4e8e60f9cf29c85}, /* 10^167 */
    {0xaf58416654a6babb, 0x387ac8d1970027b2, 0x03c5b3eebd70b863}, /* 10^194 */
    {0x8da471a9de737e24, 0x5ceaecfed289e5d2, 0xac195df9a79706b7}, /* 10^221 */
    {0xe4d5e82392a40515, 0x0fabaf3feaa5334a, 0x611fe6a4368498ba}, /* 10^248 */
    {0xb8da1662e7b00a17, 0x3d6a751f3b936243, 0xfcc1493dcb1551e0}, /* 10^275 */
    {0x95527a5202df0ccb, 0x0f37801e0c43ebc8, 0x985032667e54efd4}, /* 10^302 */
};

static const uint64_t powers_of_5[POWER_STEP] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
};

typedef struct decimal {
    uint64_t digits; /* 17 decimal digits at most */
    int exponent;    /* power of ten that the digits are multiplied by */
} decimal;

/* Computes a power from the next lower entry of the table and a power of 5. The entries have 64
   bits more than needed, which makes the floor exact for every exponent in range. */
wide_u128 text_power_of_10(int exponent)
{
    const int index = (exponent - TEXT_POWER_MIN) / POWER_STEP;
    const int base = index * POWER_STEP + TEXT_POWER_MIN;
    const int rest = exponent - base;
    const uint64_t factor = powers_of_5[rest];
    const int shift = text_power_log2(exponent) - text_power_log2(base) - rest;
    const wide_u128 low = u128_multiply(powers[index][2], factor);
    const wide_u128 middle =
        u128_add(u128_multiply(powers[index][1], factor), u128_make(0, u128_high(low)));
    const wide_u128 high =
        u128_add(u128_multiply(powers[index][0], factor), u128_make(0, u128_high(middle)));
    const uint64_t kept = u128_low(middle), top = u128_low(high);
    if (shift == 0)
        return u128_add(u128_make(top, kept), u128_make(0, 1));
    return u128_add(u128_make(u128_high(high) << (64 - shift) | top >> shift,
                              top << (64 - shift) | kept >> shift),
                    u128_make(0, 1));
}

/* The upper 64 bits of g * value / 2^64; the lowest bit is set if any lower bit was cut off. */
static uint64_t round_to_odd(wide_u128 g, uint64_t value)
{
    const wide_u128 low = u128_multiply(u128_low(g), value);
    const wide_u128 high =
        u128_add(u128_multiply(u128_high(g), value), u128_make(0, u128_high(low)));
    return u128_high(high) | (u128_low(high) > 1);
}

/* The shortest decimal that reads back as c * 2^q, and of several that one nearest to it. */
static decimal decimal_make(uint64_t c, int q, bool is_lower_closer)
{
    const uint64_t out = c & 1; /* the borders of the interval belong to an even value only */
    const int k = (q * 1262611 - (is_lower_closer ? 524031 : 0)) >> 22;
    const int h = q + text_power_log2(-k) + 1;
    const wide_u128 g = text_power_of_10(-k);
    const uint64_t lower = round_to_odd(g, (4 * c - 2 + is_lower_closer) << h) + out;
    const uint64_t value = round_to_odd(g, 4 * c << h);
    const uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - out;
    const uint64_t s = value / 4;
    const uint64_t middle = 4 * s + 2;
    bool is_low_inside, is_high_inside;
    if (s >= 10) {
        const uint64_t tens = s / 10;
        is_low_inside = lower <= 40 * tens;
        is_high_inside = 40 * tens + 40 <= upper;
        if (is_low_inside != is_high_inside)
            return (decimal){tens + is_high_inside, k + 1};
    }
    is_low_inside = lower <= 4 * s;
    is_high_inside = 4 * s + 4 <= upper;
    if (is_low_inside != is_high_inside)
        return (decimal){s + is_high_inside, k};
    return (decimal){s + (value > middle || (value == middle && (s & 1) != 0)), k};
}

/* Removes trailing zeros: at most 16, in steps of 8, 4, 2, 1 and 1. */
static decimal decimal_trim(decimal d)
{
    static const uint64_t powers_of_10[] = {10, 10, 100, 10000, 100000000};
    static const int counts[] = {1, 1, 2, 4, 8};
    for (int i = 4; i >= 0; i--) {
        if (d.digits % powers_of_10[i] == 0) {
            d.digits /= powers_of_10[i];
            d.exponent += counts[i];
        }
    }
    return d;
}

static char *text_zeros(char *to, int count)
{
    for (; count > 0; count--)
        *to++ = '0';
    return to;
}

/* Writes the number with the point where JavaScript puts it: 1e21, 123.4, 0.00001, 1e-7. */
static char *text_decimal(char *to, decimal d)
{
    char digits[TEXT_U64_SIZE];
    int count, point;
    d = decimal_trim(d);
    count = (int)(text_u64(digits, d.digits) - digits);
    point = count + d.exponent;
    if (d.exponent >= 0 && point <= 21) {
        memcpy(to, digits, (size_t)count);
        return text_zeros(to + count, d.exponent);
    }
    if (point > -6 && point <= 0) {
        *to++ = '0';
        *to++ = '.';
        to = text_zeros(to, -point);
        memcpy(to, digits, (size_t)count);
        return to + count;
    }
    if (point > 0 && point <= 21) {
        memcpy(to, digits, (size_t)point);
        to[point] = '.';
        memcpy(to + point + 1, digits + point, (size_t)(count - point));
        return to + count + 1;
    }
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, (size_t)count - 1);
        to += count - 1;
    }
    *to++ = 'e';
    *to++ = point > 0 ? '+' : '-';
    return text_u64(to, (uint64_t)(point > 0 ? point - 1 : 1 - point));
}

static char *text_word(char *to, const char *word)
{
    const size_t size = strlen(word);
    memcpy(to, word, size);
    return to + size;
}

char *text_double(char *to, double value)
{
    const uint64_t bits = store_double(value);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff && fraction != 0)
        return text_word(to, "NaN");
    if (bits >> 63 != 0)
        *to++ = '-';
    if (exponent == 0x7ff)
        return text_word(to, "Infinity");
    if (exponent == 0 && fraction == 0)
        return text_word(to, "0");
    if (exponent >= 1023 && exponent < 1023 + 53) {
        const double magnitude = value < 0 ? -value : value;
        const uint64_t whole = (uint64_t)magnitude;
        if ((double)whole == magnitude)
            return text_u64(to, whole);
    }
    if (exponent == 0)
        return text_decimal(to, decimal_make(fraction, -1074, false));
    return text_decimal(to, decimal_make(fraction | UINT64_C(1) << 52, exponent - 1075,
                                         fraction == 0 && exponent > 1));
}
