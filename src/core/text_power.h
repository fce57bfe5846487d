/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of ten with 128 bits, for conversion of binary fractions to decimal digits. */
#ifndef CORE_TEXT_POWER_H
#define CORE_TEXT_POWER_H

#include "core/wide.h"

#define TEXT_POWER_MIN (-292)
#define TEXT_POWER_MAX 328

/* Computes floor(log2(10^exponent)). */
static inline int text_power_log2(int exponent)
{
    return (exponent * 1741647) >> 19;
}

/* Computes floor(10^exponent * 2^x) + 1, where x is such that the result has 128 bits. */
wide_u128 text_power_of_10(int exponent);

#endif
