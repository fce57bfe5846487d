/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals with units ("1.5ms", "4KiB") as exact integers, without floating point. */
#ifndef QUERY_QUANTITY_H
#define QUERY_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal as written in a text, without its unit: whole + fraction / 10^digits. */
typedef struct quantity {
    uint64_t whole;
    uint64_t fraction;
    uint32_t digits;   /* digits of the fraction, 18 at most; the last one is not 0 */
    bool has_point;    /* it was written with a point */
    bool is_too_large; /* the whole part does not fit in 64 bits */
    bool is_too_fine;  /* the fraction has more digits: with no unit it is a whole number */
} quantity;

typedef enum quantity_fit {
    QUANTITY_FITS,
    QUANTITY_TOO_LARGE, /* more than 64 bits */
    QUANTITY_TOO_FINE   /* not a whole number */
} quantity_fit;

/* Reads digits with at most one point; '_' may be between two digits. Returns the position after
   them; NULL if there is no digit at `at`. The text must end with a zero byte. */
const char *quantity_read(const char *at, quantity *q);

/* Multiplies the quantity by `factor`, if the result is a whole number of 64 bits. */
quantity_fit quantity_scale(const quantity *q, uint64_t factor, uint64_t *value);

/* Nanoseconds of a unit of time: "ns", "us" or "µs", "ms", "s", "m", "h"; 0 for any other text. */
uint64_t quantity_time_unit(const char *unit, size_t size);

/* Bytes of a unit of size: "B", "KB", "KiB", "MB", "MiB", "GB", "GiB"; 0 for any other text. */
uint64_t quantity_size_unit(const char *unit, size_t size);

#endif
