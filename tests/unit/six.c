/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/six.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static void check_value(double value)
{
    char expected[SIX_SIZE], written[SIX_SIZE];
    snprintf(expected, sizeof expected, "%g", value);
    *six_put(written, value) = '\0';
    CHECK_EQ_STR(written, expected);
}

TEST(as_printf_known)
{
    static const double values[] = {
        0,    -0.0,   1,          -1,          0.5,         920.5,    0.1,
        1e5,  999999, 1e6,        999999.5,    9999995,     123456.5, 123457.5,
        1e-4, 1e-5,   9.99999e-5, 9.999995e-5, 0.000123456, 1e21,     1e22,
        1e27, 1e28,   1e-21,      1e-22,       1e300,       5e-324,   4.60003e+14,
        1e15, 2.5,    0.125,      1.0 / 3,     100000.5,    12345.65};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_value(values[i]);
    check_value((double)INFINITY);
    check_value(-(double)INFINITY);
}

/* All exponents, and numbers that are in the middle of two others, or near it. */
TEST(as_printf_many)
{
    uint64_t state = 88172645463325252u;
    for (unsigned i = 0; i < 300000; i++) {
        double value;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if (i % 3 == 0) {
            memcpy(&value, &state, sizeof value);
            if (isnan(value))
                continue;
        } else if (i % 3 == 1) {
            value = (double)(int64_t)(state % 2000000001) / 1000.0 - 1e6;
        } else {
            value = ((double)(state % 1000000) + 0.5) * pow(10, (int)(state >> 40) % 40 - 20);
        }
        check_value(value);
    }
}
