/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the model as attributes of a packet. */
#ifndef HEPH_WRITE_ATTRIBUTES_H
#define HEPH_WRITE_ATTRIBUTES_H

#include <stele/heph.h>

#include "model/writer.h"

typedef struct attribute_writer {
    stele_writer *writer; /* counts what cannot be carried */
    stele_heph_encoder *to;
    stele_kind kind; /* of the event in work */
    const stele_batch *batch;
    char path[UINT16_MAX]; /* name of the field in work, with those it is nested in */
} attribute_writer;

/* A text cut to what a length of 16 bits can say, in front of a character. */
stele_heph_text attribute_text(attribute_writer *a, stele_text text);

/* All entries of a part of the batch's tape, but for those that only other writers look at. */
void attribute_write_fields(attribute_writer *a, uint32_t first, uint32_t count);

void attribute_write_uint(attribute_writer *a, const char *name, uint64_t value);
void attribute_write_string(attribute_writer *a, const char *name, stele_text text);

#endif
