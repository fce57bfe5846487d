/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point numbers as text, as core/text.h has integers. */
#ifndef CORE_TEXT_DOUBLE_H
#define CORE_TEXT_DOUBLE_H

#include "core/output.h"

#define TEXT_DOUBLE_SIZE 32 /* most bytes of text_double */

/* The shortest decimal that reads back as the same double; "NaN", "Infinity", "-Infinity". */
char *text_double(char *to, double value);

/* The same as an append. */
static inline void output_double(output *out, double value)
{
    char *to = (char *)output_reserve(out, TEXT_DOUBLE_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_double(to, value) - to));
}

#endif
