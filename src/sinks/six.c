/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/six.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define POWER_MAX 27 /* 10^27 is the largest that 64 bits of mantissa hold exactly */

static const long double powers[POWER_MAX + 1] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                                  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                                  1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                                  1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static char *put_exact(char *to, double value)
{
    return to + snprintf(to, SIX_SIZE, "%g", value);
}

static long double scale(double size, int power)
{
    return power >= 0 ? (long double)size * powers[power] : (long double)size / powers[-power];
}

/*
 * The first six digits and the decimal exponent of the first one. A product or quotient is off by
 * less than 2^-63 of itself, so only what lies that close to a half can round wrongly: false.
 */
static bool find_digits(double size, unsigned *digits, int *exponent)
{
    int binary;
    long double scaled, rest;
    (void)frexp(size, &binary);
    *exponent = (int)floor((binary - 1) * 0.30102999566398120);
    if (LDBL_MANT_DIG < 64 || *exponent < 6 - POWER_MAX || *exponent > POWER_MAX)
        return false;
    scaled = scale(size, 5 - *exponent);
    if (scaled >= 1e6L)
        scaled = scale(size, 5 - ++*exponent);
    *digits = (unsigned)scaled;
    rest = scaled - *digits;
    if (fabsl(rest - 0.5L) < 1e-9L)
        return false;
    *digits += rest > 0.5L;
    if (*digits == 1000000) {
        *digits = 100000;
        ++*exponent;
    }
    return true;
}

/* "123", "0.00123", "1.23e+06": zeros at the end are left out. */
static char *put_digits(char *to, unsigned digits, int exponent)
{
    char text[8];
    int count = 6, before = exponent + 1;
    (void)text_padded(text, digits, 6);
    while (count > 1 && text[count - 1] == '0')
        count--;
    if (exponent < -4 || exponent >= 6) {
        *to++ = text[0];
        if (count > 1) {
            *to++ = '.';
            memcpy(to, text + 1, (size_t)count - 1);
            to += count - 1;
        }
        return to + snprintf(to, 8, "e%+03d", exponent);
    }
    if (before <= 0) {
        memcpy(to, "0.0000", (size_t)(2 - before));
        to += 2 - before;
        memcpy(to, text, (size_t)count);
        return to + count;
    }
    memcpy(to, text, (size_t)before);
    to += before;
    if (count > before) {
        *to++ = '.';
        memcpy(to, text + before, (size_t)(count - before));
        to += count - before;
    }
    return to;
}

char *six_put(char *to, double value)
{
    const double size = fabs(value);
    unsigned digits;
    int exponent;
    if (size == 0) {
        if (signbit(value))
            *to++ = '-';
        *to++ = '0';
        return to;
    }
    if (!isfinite(value) || !find_digits(size, &digits, &exponent))
        return put_exact(to, value);
    if (value < 0)
        *to++ = '-';
    return put_digits(to, digits, exponent);
}
