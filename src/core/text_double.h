/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point numbers as text, in the manner of core/text.h. */
#ifndef CORE_TEXT_DOUBLE_H
#define CORE_TEXT_DOUBLE_H

#include "core/output.h"

#define TEXT_DOUBLE_SIZE 32 /* bytes that text_double() writes at most */

/* Writes the shortest decimal number that reads back as the same double; "NaN", "Infinity",
   "-Infinity". */
char *text_double(char *to, double value);

/* Appends a number to an output as text_double() writes it. */
static inline void output_double(output *out, double value)
{
    char *to = (char *)output_reserve(out, TEXT_DOUBLE_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(text_double(to, value) - to));
}

#endif
