/* SPDX-License-Identifier: Apache-2.0 */
/* Field values as text for people: `len=4096 path="two words" at=0x7f00 (heap) list=[1 2]`. */
#ifndef SINKS_TEXT_VALUE_H
#define SINKS_TEXT_VALUE_H

#include "sinks/names.h"

typedef struct text_values {
    const stele_context *context;
    name_forms names;                /* in quotes where they need them */
    const char *key_begin, *key_end; /* around the names of members: colours; NULL: none */
    uint64_t shortened_count;        /* values of which only the beginning was shown */
} text_values;

stele_status text_values_init(text_values *values, stele_context *context);
void text_values_free(text_values *values);

/* `name=value` */
void text_put_member(text_values *values, output *out, const stele_batch *batch,
                     const stele_field *field);

/* The value, with its labels after it. */
void text_put_value(text_values *values, output *out, const stele_batch *batch,
                    const stele_field *field);

/* As text_visible(), with \n, \r and \t for the usual control characters. */
void text_put_visible(output *out, const void *bytes, size_t size);

#endif
