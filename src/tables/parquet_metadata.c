/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the metadata of a file of Parquet: the schema; for each row group the offsets of its
 * chunks with their least and largest values; and the same for each page, so that readers can skip
 * pages.
 */
#include <zstd.h>

#include "core/load.h"
#include "tables/parquet.h"
#include "tables/parquet_chunk.h"
#include "tables/parquet_metadata.h"
#include "tables/thrift.h"

/* Writes the least or largest value in the form that statistics need. */
static void put_bound(thrift *t, const parquet_column *p, int id, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    thrift_bytes(t, id, bytes, p->how->type == PHYSICAL_INT32 ? 4 : 8);
}

bool parquet_has_bounds(const parquet_column *p)
{
    return p->how->type == PHYSICAL_INT32 || p->how->type == PHYSICAL_INT64;
}

void parquet_put_column_index(parquet *q, parquet_column *p)
{
    thrift t = {.out = q->out};
    p->index_offset = output_offset(q->out);
    thrift_begin(&t, 0);
    thrift_list(&t, 1, THRIFT_TRUE, p->page_count);
    for (size_t i = 0; i < p->page_count; i++)
        output_byte(q->out, p->pages[i].is_null ? THRIFT_TRUE : THRIFT_FALSE);
    for (int id = 2; id <= 3; id++) {
        thrift_list(&t, id, THRIFT_BYTES, p->page_count);
        for (size_t i = 0; i < p->page_count; i++) {
            if (p->pages[i].is_null)
                thrift_bytes(&t, 0, "", 0);
            else
                put_bound(&t, p, 0, id == 2 ? p->pages[i].min : p->pages[i].max);
        }
    }
    thrift_i32(&t, 4, 0); /* boundary order of the pages: unordered */
    thrift_list(&t, 5, THRIFT_I64, p->page_count);
    for (size_t i = 0; i < p->page_count; i++)
        thrift_varint(q->out, thrift_zigzag((int64_t)p->pages[i].null_count));
    thrift_end(&t);
    p->index_size = (uint32_t)(output_offset(q->out) - p->index_offset);
}

void parquet_put_offset_index(parquet *q, parquet_column *p)
{
    thrift t = {.out = q->out};
    p->offsets_offset = output_offset(q->out);
    thrift_begin(&t, 0);
    thrift_list(&t, 1, THRIFT_STRUCT, p->page_count);
    for (size_t i = 0; i < p->page_count; i++) {
        thrift_begin(&t, 0);
        thrift_i64(&t, 1, (int64_t)p->pages[i].offset);
        thrift_i32(&t, 2, (int32_t)p->pages[i].size);
        thrift_i64(&t, 3, (int64_t)p->pages[i].first_row);
        thrift_end(&t);
    }
    thrift_end(&t);
    p->offsets_size = (uint32_t)(output_offset(q->out) - p->offsets_offset);
}

/* Writes the number of nulls and the least and largest value of a chunk. */
static void put_statistics(thrift *t, const parquet_column *p)
{
    parquet_page all = {.is_null = true};
    for (size_t i = 0; i < p->page_count; i++) {
        all.null_count += p->pages[i].null_count;
        if (p->pages[i].is_null)
            continue;
        parquet_widen(p, &all, p->pages[i].min, all.is_null);
        parquet_widen(p, &all, p->pages[i].max, false);
        all.is_null = false;
    }
    thrift_begin(t, 12);
    thrift_i64(t, 3, (int64_t)all.null_count);
    if (parquet_has_bounds(p) && !all.is_null) {
        put_bound(t, p, 5, all.max);
        put_bound(t, p, 6, all.min);
    }
    thrift_end(t);
}

void parquet_put_column_metadata(parquet *q, thrift *t, const parquet_column *p)
{
    thrift_begin(t, 0);
    thrift_i64(t, 2, 0); /* offset of other metadata: there is none */
    thrift_begin(t, 3);
    thrift_i32(t, 1, p->how->type);
    thrift_list(t, 2, THRIFT_I32, p->has_dictionary ? 3 : 2);
    thrift_varint(t->out, thrift_zigzag(RLE));
    thrift_varint(t->out, thrift_zigzag(p->encoding));
    if (p->has_dictionary)
        thrift_varint(t->out, thrift_zigzag(PLAIN));
    thrift_list(t, 3, THRIFT_BYTES, 1);
    thrift_text(t, 0, p->name);
    thrift_i32(t, 4, CODEC_ZSTD);
    thrift_i64(t, 5, (int64_t)q->row_count);
    thrift_i64(t, 6, (int64_t)p->unpacked_size);
    thrift_i64(t, 7, (int64_t)p->packed_size);
    thrift_i64(t, 9, (int64_t)p->pages[0].offset);
    if (p->has_dictionary)
        thrift_i64(t, 11, (int64_t)p->dictionary_offset);
    put_statistics(t, p);
    thrift_end(t);
    thrift_i64(t, 4, (int64_t)p->offsets_offset);
    thrift_i32(t, 5, (int32_t)p->offsets_size);
    if (parquet_has_bounds(p)) {
        thrift_i64(t, 6, (int64_t)p->index_offset);
        thrift_i32(t, 7, (int32_t)p->index_size);
    }
    thrift_end(t);
}

void parquet_put_sorting(const parquet *q, thrift *t)
{
    if (q->sorted_count == 0)
        return;
    thrift_list(t, 4, THRIFT_STRUCT, q->sorted_count);
    for (size_t i = 0; i < q->sorted_count; i++) {
        thrift_begin(t, 0);
        thrift_i32(t, 1, (int32_t)q->sorted_by[i]);
        thrift_bool(t, 2, false);
        thrift_bool(t, 3, false);
        thrift_end(t);
    }
}

static void put_timestamp(thrift *t, bool is_plain)
{
    /* Times in UTC are shown by readers only in microseconds, so others are declared as local. */
    thrift_begin(t, 8);
    thrift_bool(t, 1, is_plain);
    thrift_begin(t, 2);
    thrift_begin(t, is_plain ? 2 : 3);
    thrift_end(t);
    thrift_end(t);
    thrift_end(t);
}

static void put_logical_type(thrift *t, const parquet_column *p)
{
    const physical *how = p->how;
    thrift_begin(t, 10);
    if (p->type == STELE_CELL_WALL) {
        put_timestamp(t, p->is_plain);
    } else if (how->type == PHYSICAL_FIXED) {
        thrift_begin(t, 5);
        thrift_i32(t, 1, 0);
        thrift_i32(t, 2, DECIMAL_DIGITS);
        thrift_end(t);
    } else if (how->bits != 0) {
        thrift_begin(t, 10);
        output_byte(t->out, 0x13); /* a byte, in field 1 */
        output_byte(t->out, (uint8_t)how->bits);
        t->last[t->depth] = 1;
        thrift_bool(t, 2, false);
        thrift_end(t);
    } else {
        thrift_begin(t, how->converted == CONVERTED_JSON ? 12 : 1);
        thrift_end(t);
    }
    thrift_end(t);
}

static void put_schema(const parquet *q, thrift *t)
{
    thrift_list(t, 2, THRIFT_STRUCT, q->column_count + 1);
    thrift_begin(t, 0);
    thrift_text(t, 4, q->scan->table->name);
    thrift_i32(t, 5, (int32_t)q->column_count);
    thrift_end(t);
    for (size_t i = 0; i < q->column_count; i++) {
        const parquet_column *p = &q->columns[i];
        const physical *how = p->how;
        thrift_begin(t, 0);
        thrift_i32(t, 1, how->type);
        if (how->type == PHYSICAL_FIXED)
            thrift_i32(t, 2, DECIMAL_SIZE);
        thrift_i32(t, 3, 1); /* repetition type: optional */
        thrift_text(t, 4, p->name);
        if (how->converted >= 0)
            thrift_i32(t, 6, how->converted);
        if (how->type == PHYSICAL_FIXED) {
            thrift_i32(t, 7, 0);
            thrift_i32(t, 8, DECIMAL_DIGITS);
        }
        if (how->converted >= 0 || p->type == STELE_CELL_WALL)
            put_logical_type(t, p);
        thrift_end(t);
    }
}

void parquet_put_footer(parquet *q)
{
    const uint64_t begin = output_offset(q->out);
    thrift t = {.out = q->out};
    uint8_t size[4];
    size_t groups_size;
    const uint8_t *groups = output_memory(q->groups, &groups_size);
    thrift_begin(&t, 0);
    thrift_i32(&t, 1, 2);
    put_schema(q, &t);
    thrift_i64(&t, 3, (int64_t)q->total_rows);
    thrift_list(&t, 4, THRIFT_STRUCT, q->group_count);
    output_write(q->out, groups, groups_size);
    thrift_text(&t, 6, "stele version " STELE_VERSION);
    thrift_list(&t, 7, THRIFT_STRUCT, q->column_count);
    for (size_t i = 0; i < q->column_count; i++) {
        thrift_begin(&t, 0);
        thrift_begin(&t, 1);
        thrift_end(&t);
        thrift_end(&t);
    }
    thrift_end(&t);
    store_le32(size, (uint32_t)(output_offset(q->out) - begin));
    output_write(q->out, size, sizeof size);
    output_write(q->out, "PAR1", 4);
}
