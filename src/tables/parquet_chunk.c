/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a chunk of Parquet: the values of one column in a row group. If there are few different
 * values, a page has them as a dictionary and the others refer to it by number; otherwise whole
 * numbers are written as differences, and all others as they are. Each page is packed separately.
 */
#include <stdlib.h>
#include <zstd.h>

#include "tables/encode.h"
#include "tables/parquet.h"
#include "tables/parquet_chunk.h"
#include "tables/parquet_dictionary.h"
#include "tables/thrift.h"
#include "tables/valid.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

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
    encode_bits(q->body, p->valid + from / 64, count); /* pages are whole words */
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

/* Notes the least and the largest of some numbers, of which there is at least one. */
static void widen_all(const parquet_column *p, parquet_page *g, const int64_t *numbers,
                      size_t count, bool is_first)
{
    /* with the highest bit flipped, numbers without a sign compare as if they had one */
    const uint64_t flip = p->how->is_signed ? 0 : UINT64_C(1) << 63;
    int64_t least = (int64_t)((uint64_t)numbers[0] ^ flip), largest = least;
    for (size_t i = 1; i < count; i++) {
        const int64_t number = (int64_t)((uint64_t)numbers[i] ^ flip);
        least = number < least ? number : least;
        largest = number > largest ? number : largest;
    }
    parquet_widen(p, g, (uint64_t)least ^ flip, is_first);
    parquet_widen(p, g, (uint64_t)largest ^ flip, false);
}

/* Copies numbers of `size` bytes, a constant, without those that are null. Returns how many there
   are. */
static ALWAYS_INLINE size_t copy_numbers(const parquet_column *p, size_t size, size_t from,
                                         size_t count, bool has_nulls, int64_t *to)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        to[made] = (int64_t)parquet_load(p->values + (from + i) * size, size);
        made += !has_nulls || parquet_is_there(p, from + i);
    }
    return made;
}

static size_t copy_rows(const parquet_column *p, size_t from, size_t count, bool has_nulls,
                        int64_t *to)
{
    size_t made = 0;
    switch (p->size) {
    case 1: return copy_numbers(p, 1, from, count, has_nulls, to);
    case 2: return copy_numbers(p, 2, from, count, has_nulls, to);
    case 4: return copy_numbers(p, 4, from, count, has_nulls, to);
    default: break;
    }
    if (!p->is_plain || p->type != STELE_CELL_WALL)
        return copy_numbers(p, 8, from, count, has_nulls, to);
    for (size_t row = from; row < from + count; row++) {
        to[made] = (int64_t)parquet_number_at(p, row);
        made += parquet_is_there(p, row);
    }
    return made;
}

#define NUMBERS_AT_ONCE ((size_t)1024)

/* Collects the values of a page that are not null as numbers, and notes the least and the
   largest. Returns how many there are. */
static size_t take_numbers(parquet *q, const parquet_column *p, size_t from, size_t count,
                           parquet_page *g)
{
    size_t made = 0;
    for (size_t at = 0; at < count; at += NUMBERS_AT_ONCE) {
        const size_t part = count - at < NUMBERS_AT_ONCE ? count - at : NUMBERS_AT_ONCE;
        const size_t there = copy_rows(p, from + at, part, g->null_count != 0, q->numbers + made);
        if (there != 0)
            widen_all(p, g, q->numbers + made, there, made == 0);
        made += there;
    }
    return made;
}

static void put_codes(parquet *q, size_t from, size_t count, const parquet_column *p,
                      bool has_nulls, size_t dictionary_count)
{
    const unsigned width = dictionary_count > 2 ? encode_width(dictionary_count - 1) : 1;
    const uint32_t *codes = q->codes + from;
    size_t made = has_nulls ? 0 : count;
    for (size_t row = from; has_nulls && row < from + count; row++) {
        q->codes[from + made] = q->codes[row];
        made += parquet_is_there(p, row);
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

static int put_data_page(parquet *q, parquet_column *p, size_t from, size_t count,
                         size_t dictionary_count)
{
    parquet_page *g = &p->pages[p->page_count++];
    int encoding = RLE_DICTIONARY;
    *g = (parquet_page){.offset = output_offset(q->out),
                        .first_row = from,
                        .null_count = valid_count_nulls(p->valid + from / 64, count)};
    g->is_null = g->null_count == count;
    q->body->at = q->body->buffer;
    put_levels(q, p, from, count);
    if (dictionary_count != 0) {
        if (!parquet_is_text(p))
            take_numbers(q, p, from, count, g);
        put_codes(q, from, count, p, g->null_count != 0, dictionary_count);
    } else {
        encoding = put_values(q, p, from, count, g);
    }
    put_page(q, p, DATA_PAGE, count, encoding);
    g->size = (uint32_t)(output_offset(q->out) - g->offset);
    return encoding;
}

void parquet_put_chunk(parquet *q, parquet_column *p)
{
    const size_t dictionary_count = parquet_make_dictionary(q, p);
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
