/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the values of fields as text for people: `len=4096 path="two words" at=0x7f00 (heap)
   list=[1 2]`. */
#ifndef SINKS_TEXT_VALUE_H
#define SINKS_TEXT_VALUE_H

#include "sinks/names.h"

typedef struct text_values {
    const stele_context *context;
    name_forms names;                /* names in quotes if they need them */
    const char *key_begin, *key_end; /* colours around the names of members; NULL: none */
    uint64_t shortened_count;        /* how many values were shown only in part */
} text_values;

stele_status text_values_init(text_values *values, stele_context *context);
void text_values_free(text_values *values);

/* Appends a field as `name=value`. */
void text_put_member(text_values *values, output *out, const stele_batch *batch,
                     const stele_field *field);

/* Appends the value of a field, and its labels. */
void text_put_value(text_values *values, output *out, const stele_batch *batch,
                    const stele_field *field);

/* Appends a text like text_visible(), but with \n, \r and \t for these control characters. */
void text_put_visible(output *out, const void *bytes, size_t size);

#endif
