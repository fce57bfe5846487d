/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a chunk of Parquet: the values of one column in a row group. If there are few different
 * values, a page has them as a dictionary and the others refer to it by number; otherwise whole
 * numbers are written as differences, and all others as they are. Each page is packed separately.
 */
#include <stdlib.h>
#include <zstd.h>

#include "core/table.h"
#include "tables/encode.h"
#include "tables/parquet.h"
#include "tables/parquet_chunk.h"
#include "tables/thrift.h"

/* Packs q->body and writes it as a page. */
static void put_page(parquet *q, parquet_column *p, int type, size_t value_count, int encoding)
{
    size_t size, head_size, packed_size;
    const uint8_t *bytes = output_memory(q->body, &size), *head;
    thrift t = {.out = q->head};
    const size_t bound = ZSTD_compressBound(size);
    if (bound > q->packed_capacity) {
        free(q->packed);
        q->packed = malloc(bound);
        q->packed_capacity = q->packed != NULL ? bound : 0;
    }
    packed_size =
        q->packed != NULL ? ZSTD_compressCCtx(q->zstd, q->packed, bound, bytes, size, q->level) : 0;
    if (q->packed == NULL || ZSTD_isError(packed_size)) {
        stele_output_fail(q->out, STELE_ERR_MEMORY);
        return;
    }
    q->head->at = q->head->buffer;
    thrift_begin(&t, 0);
    thrift_i32(&t, 1, type);
    thrift_i32(&t, 2, (int32_t)size);
    thrift_i32(&t, 3, (int32_t)packed_size);
    thrift_begin(&t, type == DATA_PAGE ? 5 : 7);
    thrift_i32(&t, 1, (int32_t)value_count);
    thrift_i32(&t, 2, encoding);
    if (type == DATA_PAGE) {
        thrift_i32(&t, 3, RLE);
        thrift_i32(&t, 4, RLE);
    }
    thrift_end(&t);
    thrift_end(&t);
    head = output_memory(q->head, &head_size);
    output_write(q->out, head, head_size);
    output_write(q->out, q->packed, packed_size);
    p->unpacked_size += head_size + size;
    p->packed_size += head_size + packed_size;
}

static void put_text(output *out, stele_text text)
{
    uint8_t size[4];
    store_le32(size, (uint32_t)text.size);
    output_write(out, size, sizeof size);
    output_write(out, text.bytes, text.size);
}

/* Writes a value without encoding. */
static void put_plain(output *out, const parquet_column *p, size_t row)
{
    uint8_t bytes[8];
    if (parquet_is_text(p)) {
        put_text(out, parquet_text_at(p, row));
        return;
    }
    if (p->how->type == PHYSICAL_FIXED) {
        output_byte(out, 0);
        store_be64(bytes, parquet_number_at(p, row));
        output_write(out, bytes, DECIMAL_SIZE - 1);
        return;
    }
    store_le64(bytes, parquet_number_at(p, row));
    output_write(out, bytes, p->how->type == PHYSICAL_INT32 ? 4 : 8);
}

static bool can_have_dictionary(const parquet_column *p)
{
    return p->type != STELE_CELL_JSON && p->type != STELE_CELL_BOOL && p->type != STELE_CELL_I64 &&
           p->type != STELE_CELL_WALL && p->type != STELE_CELL_DOUBLE;
}

/* Whether two rows have the same value. The bytes of a lasting name are at one address, so
   comparing addresses is enough for those. */
static bool is_same(const parquet_column *p, size_t a, size_t b)
{
    stele_text x, y;
    if (!parquet_is_text(p) || p->type == STELE_CELL_ENUM || p->is_lasting)
        return memcmp(p->values + a * p->size, p->values + b * p->size, p->size) == 0;
    x = parquet_text_at(p, a);
    y = parquet_text_at(p, b);
    return x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0;
}

static uint32_t hash_at(const parquet *q, const parquet_column *p, size_t row)
{
    stele_text text;
    if (!parquet_is_text(p) || p->type == STELE_CELL_ENUM)
        return hash_table_hash_u64(&q->table, parquet_number_at(p, row));
    if (p->is_lasting)
        return hash_table_hash_bytes(&q->table, p->values + row * p->size, p->size);
    text = parquet_text_at(p, row);
    return hash_table_hash_bytes(&q->table, text.bytes, text.size);
}

/* The number of a row's value in the dictionary, made if needed. Returns HASH_NONE if there are
   too many values, or if out of memory. */
static uint32_t code_of(parquet *q, const parquet_column *p, size_t row, size_t *count)
{
    uint32_t hash;
    if (!hash_table_reserve(&q->table))
        return HASH_NONE;
    hash = hash_at(q, p, row);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&q->table, hash, &at)) != HASH_NONE;) {
        if (is_same(p, q->dictionary[number], row))
            return number;
    }
    if (*count == DICTIONARY_MAX)
        return HASH_NONE;
    q->dictionary[*count] = (uint32_t)row;
    hash_table_put(&q->table, hash, (uint32_t)*count);
    return (uint32_t)(*count)++;
}

/* Makes numbers for the values of all rows. Returns how many values there are, 0 if there are
   too many. */
static size_t make_dictionary(parquet *q, const parquet_column *p)
{
    size_t count = 0, last = SIZE_MAX;
    hash_table_clear(&q->table);
    for (size_t row = 0; row < q->row_count; row++) {
        if (!parquet_is_there(p, row))
            continue;
        q->codes[row] =
            last != SIZE_MAX && is_same(p, last, row) ? q->codes[last] : code_of(q, p, row, &count);
        if (q->codes[row] == HASH_NONE || (row == 4096 && count > 3000 && !parquet_is_text(p)))
            return 0;
        last = row;
    }
    return count;
}

static void put_dictionary(parquet *q, parquet_column *p, size_t count)
{
    q->body->at = q->body->buffer;
    for (size_t i = 0; i < count; i++)
        put_plain(q->body, p, q->dictionary[i]);
    p->dictionary_offset = output_offset(q->out);
    put_page(q, p, DICTIONARY_PAGE, count, PLAIN);
}

/* Writes which rows have a value; this comes before the values of a page. */
static void put_levels(parquet *q, const parquet_column *p, size_t from, size_t count)
{
    uint8_t size[4] = {0};
    size_t made;
    output_write(q->body, size, sizeof size);
    encode_bits(q->body, p->valid, from, count);
    output_memory(q->body, &made);
    store_le32(q->body->buffer, (uint32_t)(made - sizeof size));
}

static int64_t signed_of(uint64_t value)
{
    return (int64_t)value;
}

void parquet_widen(const parquet_column *p, parquet_page *g, uint64_t value, bool is_first)
{
    const bool is_signed = p->how->is_signed;
    if (is_first || (is_signed ? signed_of(value) < signed_of(g->min) : value < g->min))
        g->min = value;
    if (is_first || (is_signed ? signed_of(value) > signed_of(g->max) : value > g->max))
        g->max = value;
}

/* Collects the values of a page that are not null as numbers, and notes the least and the
   largest. Returns how many there are. */
static size_t take_numbers(parquet *q, const parquet_column *p, size_t from, size_t count,
                           parquet_page *g)
{
    size_t made = 0;
    for (size_t row = from; row < from + count; row++) {
        uint64_t value;
        if (!parquet_is_there(p, row))
            continue;
        value = parquet_number_at(p, row);
        parquet_widen(p, g, value, made == 0);
        q->numbers[made++] = (int64_t)value;
    }
    return made;
}

static void put_codes(parquet *q, const parquet_column *p, size_t from, size_t count,
                      size_t dictionary_count)
{
    unsigned width = encode_width(dictionary_count - 1);
    size_t made = 0;
    uint32_t *codes = (uint32_t *)q->numbers;
    if (width == 0)
        width = 1;
    for (size_t row = from; row < from + count; row++) {
        if (parquet_is_there(p, row))
            codes[made++] = q->codes[row];
    }
    output_byte(q->body, (uint8_t)width);
    encode_hybrid(q->body, codes, made, width);
}

static void put_booleans(parquet *q, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        uint8_t byte = 0;
        for (size_t j = i; j < count && j < i + 8; j++)
            byte |= (uint8_t)((q->numbers[j] & 1) << (j - i));
        output_byte(q->body, byte);
    }
}

static int put_values(parquet *q, parquet_column *p, size_t from, size_t count, parquet_page *g)
{
    size_t there;
    if (parquet_is_text(p)) {
        for (size_t row = from; row < from + count; row++) {
            if (parquet_is_there(p, row))
                put_text(q->body, parquet_text_at(p, row));
        }
        return PLAIN;
    }
    there = take_numbers(q, p, from, count, g);
    if (p->type == STELE_CELL_BOOL) {
        put_booleans(q, there);
        return PLAIN;
    }
    if (p->how->type == PHYSICAL_INT64) {
        encode_delta(q->body, q->numbers, there);
        return DELTA_BINARY_PACKED;
    }
    for (size_t row = from; row < from + count; row++) {
        if (parquet_is_there(p, row))
            put_plain(q->body, p, row);
    }
    return PLAIN;
}

static size_t count_nulls(const parquet_column *p, size_t from, size_t count)
{
    size_t nulls = 0;
    for (size_t row = from; row < from + count; row++)
        nulls += !parquet_is_there(p, row);
    return nulls;
}

static int put_data_page(parquet *q, parquet_column *p, size_t from, size_t count,
                         size_t dictionary_count)
{
    parquet_page *g = &p->pages[p->page_count++];
    int encoding = RLE_DICTIONARY;
    *g = (parquet_page){.offset = output_offset(q->out),
                        .first_row = from,
                        .null_count = count_nulls(p, from, count)};
    g->is_null = g->null_count == count;
    q->body->at = q->body->buffer;
    put_levels(q, p, from, count);
    if (dictionary_count != 0) {
        if (!parquet_is_text(p))
            take_numbers(q, p, from, count, g);
        put_codes(q, p, from, count, dictionary_count);
    } else {
        encoding = put_values(q, p, from, count, g);
    }
    put_page(q, p, DATA_PAGE, count, encoding);
    g->size = (uint32_t)(output_offset(q->out) - g->offset);
    return encoding;
}

void parquet_put_chunk(parquet *q, parquet_column *p)
{
    const size_t dictionary_count = can_have_dictionary(p) ? make_dictionary(q, p) : 0;
    p->page_count = 0;
    p->unpacked_size = p->packed_size = 0;
    p->has_dictionary = dictionary_count != 0;
    if (p->has_dictionary)
        put_dictionary(q, p, dictionary_count);
    for (size_t from = 0; from < q->row_count; from += PAGE_ROWS) {
        const size_t left = q->row_count - from;
        p->encoding =
            put_data_page(q, p, from, left < PAGE_ROWS ? left : PAGE_ROWS, dictionary_count);
    }
}
