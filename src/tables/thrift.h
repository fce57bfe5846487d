/* SPDX-License-Identifier: Apache-2.0 */
/* Writes structs in Thrift's compact protocol, as far as the metadata of Parquet needs it. */
#ifndef TABLES_THRIFT_H
#define TABLES_THRIFT_H

#include "core/output.h"

#define THRIFT_DEPTH_MAX 8

typedef enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BYTES = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12
} thrift_type;

/* State of writing; fields must be written in the order of their ids. */
typedef struct thrift {
    output *out;
    int last[THRIFT_DEPTH_MAX]; /* id of the last field at each depth */
    unsigned depth;
} thrift;

void thrift_varint(output *out, uint64_t value);

static inline uint64_t thrift_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

void thrift_i32(thrift *t, int id, int32_t value);
void thrift_i64(thrift *t, int id, int64_t value);
void thrift_bool(thrift *t, int id, bool value);
void thrift_bytes(thrift *t, int id, const void *bytes, size_t size);
void thrift_text(thrift *t, int id, const char *text);

/* Begin and end a struct as a field; with `id` 0 as the whole, or as an element of a list. */
void thrift_begin(thrift *t, int id);
void thrift_end(thrift *t);

/* Begins a list; the caller writes its elements. */
void thrift_list(thrift *t, int id, thrift_type type, size_t count);

#endif
