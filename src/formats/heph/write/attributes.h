/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the fields of an event as attributes of a packet. */
#ifndef HEPH_WRITE_ATTRIBUTES_H
#define HEPH_WRITE_ATTRIBUTES_H

#include <stele/heph.h>

#include "model/writer.h"

typedef struct attribute_writer {
    /* The writer that counts what cannot be carried. */
    stele_writer *writer;
    stele_heph_encoder *to;
    /* The kind of the event that is being written. */
    stele_kind kind;
    const stele_batch *batch;
    /* The name of the field that is being written, with the names of the fields that it is nested
       in. */
    char path[UINT16_MAX];
} attribute_writer;

/* Cuts a text to what a length of 16 bits can express, at the boundary of a character. */
stele_heph_text attribute_text(attribute_writer *a, stele_text text);

/* Writes all entries of a part of the batch's tape, except those that only writers of other formats
   look at. */
void attribute_write_fields(attribute_writer *a, uint32_t first, uint32_t count);

void attribute_write_uint(attribute_writer *a, const char *name, uint64_t value);
void attribute_write_string(attribute_writer *a, const char *name, stele_text text);

#endif
