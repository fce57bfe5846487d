/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/thrift.h"

void thrift_varint(output *out, uint64_t value)
{
    while (value >= 0x80) {
        output_byte(out, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    output_byte(out, (uint8_t)value);
}

static void head(thrift *t, int id, thrift_type type)
{
    const int step = id - t->last[t->depth];
    if (step > 0 && step < 16) {
        output_byte(t->out, (uint8_t)((unsigned)step << 4 | type));
    } else {
        output_byte(t->out, (uint8_t)type);
        thrift_varint(t->out, thrift_zigzag(id));
    }
    t->last[t->depth] = id;
}

void thrift_i32(thrift *t, int id, int32_t value)
{
    head(t, id, THRIFT_I32);
    thrift_varint(t->out, thrift_zigzag(value));
}

void thrift_i64(thrift *t, int id, int64_t value)
{
    head(t, id, THRIFT_I64);
    thrift_varint(t->out, thrift_zigzag(value));
}

void thrift_bool(thrift *t, int id, bool value)
{
    head(t, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_bytes(thrift *t, int id, const void *bytes, size_t size)
{
    if (id != 0)
        head(t, id, THRIFT_BYTES);
    thrift_varint(t->out, size);
    output_write(t->out, bytes, size);
}

void thrift_text(thrift *t, int id, const char *text)
{
    thrift_bytes(t, id, text, strlen(text));
}

void thrift_begin(thrift *t, int id)
{
    if (id != 0)
        head(t, id, THRIFT_STRUCT);
    if (t->depth + 1 < THRIFT_DEPTH_MAX)
        t->depth++;
    t->last[t->depth] = 0;
}

void thrift_end(thrift *t)
{
    output_byte(t->out, 0);
    t->depth--;
}

void thrift_list(thrift *t, int id, thrift_type type, size_t count)
{
    head(t, id, THRIFT_LIST);
    if (count < 15) {
        output_byte(t->out, (uint8_t)(count << 4 | type));
    } else {
        output_byte(t->out, (uint8_t)(0xf0 | type));
        thrift_varint(t->out, count);
    }
}
