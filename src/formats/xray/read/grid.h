/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_GRID_H
#define XRAY_READ_GRID_H

#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"

/* Bytes that tell where records stand, as far as there are so many. */
#define XRAY_GRID_SIZE ((size_t)5 * XRAY_BASIC_SIZE)

/* Whether the bytes can be a record: an entry, an exit or an argument of a function. */
bool xray_is_basic_record(const xray_trace *trace, const uint8_t *at);

/* How many bytes to skip at `at`, where no record stands: those of one that is damaged, or as many
   as stand before the next. `left` bytes are there, less than XRAY_GRID_SIZE only at the end. */
unsigned xray_basic_skip(const xray_trace *trace, const uint8_t *at, size_t left);

#endif
