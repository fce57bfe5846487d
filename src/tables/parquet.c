/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as a file of Parquet (https://parquet.apache.org): row groups of some megabytes, in them a
 * chunk of each column in pages, packed with zstd. Few different values are numbers of a
 * dictionary, whole numbers else their differences.
 *
 *     PAR1  group  group  ...  metadata  its size  PAR1
 *     group: a chunk for each column, then the index of the pages of each chunk
 *     chunk: the dictionary's page, if there is one; pages of values
 *
 * Only one group is held at a time. Pages know their least and largest value.
 */
#include <stdlib.h>
#include <zstd.h>

#include "core/load.h"
#include "core/table.h"
#include "tables/encode.h"
#include "tables/parquet.h"
#include "tables/tables.h"
#include "tables/thrift.h"
#include "tables/valid.h"
#include "tables/write.h"

#define GROUP_ROWS_MAX ((size_t)1 << 20)
#define GROUP_BYTES    ((size_t)24 << 20)
#define PAGE_ROWS      ((size_t)1 << 16)
#define PAGES_MAX      (GROUP_ROWS_MAX / PAGE_ROWS)
#define DICTIONARY_MAX ((size_t)1 << 16)
#define LEVEL_USUAL    3

enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { CODEC_ZSTD = 6 };
enum {
    PHYSICAL_BOOLEAN = 0,
    PHYSICAL_INT32 = 1,
    PHYSICAL_INT64 = 2,
    PHYSICAL_DOUBLE = 5,
    PHYSICAL_BYTES = 6,
    PHYSICAL_FIXED = 7
};
enum { CONVERTED_NONE = -1, CONVERTED_UTF8 = 0, CONVERTED_DECIMAL = 5, CONVERTED_JSON = 19 };

/* How cells of a type are stored; `converted` -1: as they are. */
typedef struct physical {
    int type, converted, bits;
    bool is_signed;
} physical;

static const physical physicals[STELE_CELL_TYPE_COUNT] = {
    [STELE_CELL_BOOL] = {PHYSICAL_BOOLEAN, -1, 0, false},
    [STELE_CELL_U8] = {PHYSICAL_INT32, 11, 8, false},
    [STELE_CELL_U16] = {PHYSICAL_INT32, 12, 16, false},
    [STELE_CELL_U32] = {PHYSICAL_INT32, 13, 32, false},
    [STELE_CELL_U64] = {PHYSICAL_INT64, 14, 64, false},
    [STELE_CELL_I64] = {PHYSICAL_INT64, -1, 0, true},
    [STELE_CELL_DOUBLE] = {PHYSICAL_DOUBLE, -1, 0, true},
    [STELE_CELL_WALL] = {PHYSICAL_INT64, -1, 0, true},
    [STELE_CELL_ENUM] = {PHYSICAL_BYTES, CONVERTED_UTF8, 0, false},
    [STELE_CELL_TEXT] = {PHYSICAL_BYTES, CONVERTED_UTF8, 0, false},
    [STELE_CELL_JSON] = {PHYSICAL_BYTES, CONVERTED_JSON, 0, false},
};

/* The same for engines that know no unsigned numbers and no nanoseconds: what has 64 bits becomes a
   decimal number of 20 digits. */
#define DECIMAL_SIZE   9
#define DECIMAL_DIGITS 20

static const physical plain_physicals[STELE_CELL_TYPE_COUNT] = {
    [STELE_CELL_BOOL] = {PHYSICAL_BOOLEAN, -1, 0, false},
    [STELE_CELL_U8] = {PHYSICAL_INT32, -1, 0, false},
    [STELE_CELL_U16] = {PHYSICAL_INT32, -1, 0, false},
    [STELE_CELL_U32] = {PHYSICAL_INT64, -1, 0, false},
    [STELE_CELL_U64] = {PHYSICAL_FIXED, CONVERTED_DECIMAL, 0, false},
    [STELE_CELL_I64] = {PHYSICAL_INT64, -1, 0, true},
    [STELE_CELL_DOUBLE] = {PHYSICAL_DOUBLE, -1, 0, true},
    [STELE_CELL_WALL] = {PHYSICAL_INT64, -1, 0, true},
    [STELE_CELL_ENUM] = {PHYSICAL_BYTES, CONVERTED_UTF8, 0, false},
    [STELE_CELL_TEXT] = {PHYSICAL_BYTES, CONVERTED_UTF8, 0, false},
    [STELE_CELL_JSON] = {PHYSICAL_BYTES, CONVERTED_UTF8, 0, false},
};

typedef struct page {
    uint64_t offset, first_row, null_count;
    uint32_t size;
    bool is_null; /* has no value */
    uint64_t min, max;
} page;

/* A column of the group at hand. */
typedef struct part {
    const char *name;
    stele_cell_type type;
    const physical *how;
    const char *const *labels;
    bool is_plain; /* of plain_physicals */
    bool is_lasting;
    size_t size; /* of a cell */
    uint8_t *values;
    uint64_t *valid;
    page pages[PAGES_MAX];
    size_t page_count;
    bool has_dictionary;
    int encoding; /* of the values */
    uint64_t dictionary_offset, unpacked_size, packed_size;
    uint64_t index_offset, offsets_offset;
    uint32_t index_size, offsets_size;
} part;

struct parquet {
    stele_scan *scan;
    output *out;
    part *parts;
    size_t part_count;
    size_t row_count, rows_max; /* of the group */
    arena texts;                /* of the group, those that do not last */
    int64_t *numbers;           /* scratch: the values of a page that are there */
    uint32_t *codes;            /* scratch: numbers of the dictionary, of the group */
    uint32_t *dictionary;       /* scratch: rows with the different values */
    hash_table table;
    output *body, *head, *groups; /* scratch, and the metadata of the groups so far */
    ZSTD_CCtx *zstd;
    uint8_t *packed;
    size_t packed_capacity;
    int level;
    bool is_plain;
    uint64_t total_rows;
    uint32_t group_count;
    stele_cells *cells;                /* of the chunk at hand, by column */
    uint64_t *valid;                   /* of the chunk, for each column one after the other */
    size_t sorted_by[2], sorted_count; /* columns by which the rows of each group stand */
};

static bool is_there(const part *p, size_t row)
{
    return (p->valid[row / 64] >> (row % 64) & 1) != 0;
}

/* Rounded down. */
static uint64_t microseconds(uint64_t ns)
{
    const int64_t given = (int64_t)ns;
    return (uint64_t)(given / 1000 - (given % 1000 < 0));
}

static uint64_t number_at(const part *p, size_t row)
{
    const uint8_t *at = p->values + row * p->size;
    switch (p->size) {
    case 1: return *at;
    case 2: return load_native16(at);
    case 4: return load_native32(at);
    default:
        return p->is_plain && p->type == STELE_CELL_WALL ? microseconds(load_native64(at))
                                                         : load_native64(at);
    }
}

static stele_text text_at(const part *p, size_t row)
{
    const stele_cell_text *cells = (const stele_cell_text *)(const void *)p->values;
    if (p->type == STELE_CELL_ENUM) {
        const char *label = p->labels[p->values[row]];
        return (stele_text){label, strlen(label)};
    }
    return (stele_text){stele_cell_bytes(&cells[row]), cells[row].size};
}

static bool is_text(const part *p)
{
    return p->how->type == PHYSICAL_BYTES;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* Packs the body, and writes it as a page. */
static void put_page(parquet *q, part *p, int type, size_t value_count, int encoding)
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

/* A value as it is. */
static void put_plain(output *out, const part *p, size_t row)
{
    uint8_t bytes[8];
    if (is_text(p)) {
        put_text(out, text_at(p, row));
        return;
    }
    if (p->how->type == PHYSICAL_FIXED) {
        output_byte(out, 0);
        store_be64(bytes, number_at(p, row));
        output_write(out, bytes, DECIMAL_SIZE - 1);
        return;
    }
    store_le64(bytes, number_at(p, row));
    output_write(out, bytes, p->how->type == PHYSICAL_INT32 ? 4 : 8);
}

/* ---- Dictionaries ---------------------------------------------------------------------------- */

static bool can_have_dictionary(const part *p)
{
    return p->type != STELE_CELL_JSON && p->type != STELE_CELL_BOOL && p->type != STELE_CELL_I64 &&
           p->type != STELE_CELL_WALL && p->type != STELE_CELL_DOUBLE;
}

/* Names lie in one place each: where they are tells them apart. */
static bool is_same(const part *p, size_t a, size_t b)
{
    stele_text x, y;
    if (!is_text(p) || p->type == STELE_CELL_ENUM || p->is_lasting)
        return memcmp(p->values + a * p->size, p->values + b * p->size, p->size) == 0;
    x = text_at(p, a);
    y = text_at(p, b);
    return x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0;
}

static uint32_t hash_at(const parquet *q, const part *p, size_t row)
{
    stele_text text;
    if (!is_text(p) || p->type == STELE_CELL_ENUM)
        return hash_table_hash_u64(&q->table, number_at(p, row));
    if (p->is_lasting)
        return hash_table_hash_bytes(&q->table, p->values + row * p->size, p->size);
    text = text_at(p, row);
    return hash_table_hash_bytes(&q->table, text.bytes, text.size);
}

/* The number of a row's value; HASH_NONE: there are too many, or memory. */
static uint32_t code_of(parquet *q, const part *p, size_t row, size_t *count)
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

/* Numbers for the values of all rows; 0: there are too many different ones. */
static size_t make_dictionary(parquet *q, const part *p)
{
    size_t count = 0, last = SIZE_MAX;
    hash_table_clear(&q->table);
    for (size_t row = 0; row < q->row_count; row++) {
        if (!is_there(p, row))
            continue;
        q->codes[row] =
            last != SIZE_MAX && is_same(p, last, row) ? q->codes[last] : code_of(q, p, row, &count);
        if (q->codes[row] == HASH_NONE || (row == 4096 && count > 3000 && !is_text(p)))
            return 0;
        last = row;
    }
    return count;
}

static void put_dictionary(parquet *q, part *p, size_t count)
{
    q->body->at = q->body->buffer;
    for (size_t i = 0; i < count; i++)
        put_plain(q->body, p, q->dictionary[i]);
    p->dictionary_offset = output_offset(q->out);
    put_page(q, p, DICTIONARY_PAGE, count, PLAIN);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Whether each value is there, in front of those that are. */
static void put_levels(parquet *q, const part *p, size_t from, size_t count)
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

static void widen(const part *p, page *g, uint64_t value, bool is_first)
{
    const bool is_signed = p->how->is_signed;
    if (is_first || (is_signed ? signed_of(value) < signed_of(g->min) : value < g->min))
        g->min = value;
    if (is_first || (is_signed ? signed_of(value) > signed_of(g->max) : value > g->max))
        g->max = value;
}

/* The values of a page that are there, as numbers; their least and largest. */
static size_t take_numbers(parquet *q, const part *p, size_t from, size_t count, page *g)
{
    size_t made = 0;
    for (size_t row = from; row < from + count; row++) {
        uint64_t value;
        if (!is_there(p, row))
            continue;
        value = number_at(p, row);
        widen(p, g, value, made == 0);
        q->numbers[made++] = (int64_t)value;
    }
    return made;
}

static void put_codes(parquet *q, const part *p, size_t from, size_t count, size_t dictionary_count)
{
    unsigned width = encode_width(dictionary_count - 1);
    size_t made = 0;
    uint32_t *codes = (uint32_t *)q->numbers;
    if (width == 0)
        width = 1;
    for (size_t row = from; row < from + count; row++) {
        if (is_there(p, row))
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

static int put_values(parquet *q, part *p, size_t from, size_t count, page *g)
{
    size_t there;
    if (is_text(p)) {
        for (size_t row = from; row < from + count; row++) {
            if (is_there(p, row))
                put_text(q->body, text_at(p, row));
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
        if (is_there(p, row))
            put_plain(q->body, p, row);
    }
    return PLAIN;
}

static size_t count_nulls(const part *p, size_t from, size_t count)
{
    size_t nulls = 0;
    for (size_t row = from; row < from + count; row++)
        nulls += !is_there(p, row);
    return nulls;
}

static int put_data_page(parquet *q, part *p, size_t from, size_t count, size_t dictionary_count)
{
    page *g = &p->pages[p->page_count++];
    int encoding = RLE_DICTIONARY;
    *g = (page){.offset = output_offset(q->out),
                .first_row = from,
                .null_count = count_nulls(p, from, count)};
    g->is_null = g->null_count == count;
    q->body->at = q->body->buffer;
    put_levels(q, p, from, count);
    if (dictionary_count != 0) {
        if (!is_text(p))
            take_numbers(q, p, from, count, g);
        put_codes(q, p, from, count, dictionary_count);
    } else {
        encoding = put_values(q, p, from, count, g);
    }
    put_page(q, p, DATA_PAGE, count, encoding);
    g->size = (uint32_t)(output_offset(q->out) - g->offset);
    return encoding;
}

static void put_chunk(parquet *q, part *p)
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

/* ---- Indexes and metadata -------------------------------------------------------------------- */

/* A bound as statistics have it. */
static void put_bound(thrift *t, const part *p, int id, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    thrift_bytes(t, id, bytes, p->how->type == PHYSICAL_INT32 ? 4 : 8);
}

static bool has_bounds(const part *p)
{
    return p->how->type == PHYSICAL_INT32 || p->how->type == PHYSICAL_INT64;
}

static void put_column_index(parquet *q, part *p)
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
    thrift_i32(&t, 4, 0); /* bounds of pages are in no order */
    thrift_list(&t, 5, THRIFT_I64, p->page_count);
    for (size_t i = 0; i < p->page_count; i++)
        thrift_varint(q->out, thrift_zigzag((int64_t)p->pages[i].null_count));
    thrift_end(&t);
    p->index_size = (uint32_t)(output_offset(q->out) - p->index_offset);
}

static void put_offset_index(parquet *q, part *p)
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

/* Nulls, least and largest of the chunk. */
static void put_statistics(thrift *t, const part *p)
{
    page all = {.is_null = true};
    for (size_t i = 0; i < p->page_count; i++) {
        all.null_count += p->pages[i].null_count;
        if (p->pages[i].is_null)
            continue;
        widen(p, &all, p->pages[i].min, all.is_null);
        widen(p, &all, p->pages[i].max, false);
        all.is_null = false;
    }
    thrift_begin(t, 12);
    thrift_i64(t, 3, (int64_t)all.null_count);
    if (has_bounds(p) && !all.is_null) {
        put_bound(t, p, 5, all.max);
        put_bound(t, p, 6, all.min);
    }
    thrift_end(t);
}

static void put_column_metadata(parquet *q, thrift *t, const part *p)
{
    thrift_begin(t, 0);
    thrift_i64(t, 2, 0); /* metadata stand here only */
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
    if (has_bounds(p)) {
        thrift_i64(t, 6, (int64_t)p->index_offset);
        thrift_i32(t, 7, (int32_t)p->index_size);
    }
    thrift_end(t);
}

/* By which columns the rows of a group stand, ascending, nulls last. */
static void put_sorting(const parquet *q, thrift *t)
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

static stele_status flush_group(parquet *q)
{
    thrift t = {.out = q->groups};
    uint64_t size = 0;
    if (q->row_count == 0)
        return STELE_OK;
    for (size_t i = 0; i < q->part_count; i++) {
        put_chunk(q, &q->parts[i]);
        size += q->parts[i].unpacked_size;
    }
    for (size_t i = 0; i < q->part_count; i++) {
        if (has_bounds(&q->parts[i]))
            put_column_index(q, &q->parts[i]);
        put_offset_index(q, &q->parts[i]);
    }
    thrift_begin(&t, 0);
    thrift_list(&t, 1, THRIFT_STRUCT, q->part_count);
    for (size_t i = 0; i < q->part_count; i++)
        put_column_metadata(q, &t, &q->parts[i]);
    thrift_i64(&t, 2, (int64_t)size);
    thrift_i64(&t, 3, (int64_t)q->row_count);
    put_sorting(q, &t);
    thrift_end(&t);
    q->total_rows += q->row_count;
    q->group_count++;
    q->row_count = 0;
    arena_free(&q->texts);
    if (q->body->status != STELE_OK || q->head->status != STELE_OK || q->groups->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return q->out->status;
}

static void put_timestamp(thrift *t, bool is_plain)
{
    /* Readers give times that are said to be of UTC in microseconds only. */
    thrift_begin(t, 8);
    thrift_bool(t, 1, is_plain);
    thrift_begin(t, 2);
    thrift_begin(t, is_plain ? 2 : 3);
    thrift_end(t);
    thrift_end(t);
    thrift_end(t);
}

static void put_logical_type(thrift *t, const part *p)
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
        output_byte(t->out, 0x13); /* a byte, field 1 */
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
    thrift_list(t, 2, THRIFT_STRUCT, q->part_count + 1);
    thrift_begin(t, 0);
    thrift_text(t, 4, q->scan->table->name);
    thrift_i32(t, 5, (int32_t)q->part_count);
    thrift_end(t);
    for (size_t i = 0; i < q->part_count; i++) {
        const part *p = &q->parts[i];
        const physical *how = p->how;
        thrift_begin(t, 0);
        thrift_i32(t, 1, how->type);
        if (how->type == PHYSICAL_FIXED)
            thrift_i32(t, 2, DECIMAL_SIZE);
        thrift_i32(t, 3, 1); /* optional */
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

static void put_footer(parquet *q)
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
    thrift_list(&t, 7, THRIFT_STRUCT, q->part_count);
    for (size_t i = 0; i < q->part_count; i++) {
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

/* ---- The whole ------------------------------------------------------------------------------- */

/* Texts that end with the chunk are kept until the group is written. */
static bool keep_texts(parquet *q, part *p, size_t from, size_t count)
{
    stele_cell_text *cells = (stele_cell_text *)(void *)p->values;
    for (size_t i = from; i < from + count; i++) {
        const char *copy;
        if (cells[i].size <= STELE_CELL_INLINE)
            continue;
        copy = arena_copy(&q->texts, stele_cell_bytes(&cells[i]), cells[i].size);
        if (copy == NULL)
            return false;
        cells[i] = stele_cell_text_make(copy, cells[i].size);
    }
    return true;
}

static stele_status take_rows(parquet *q)
{
    static const size_t words = ROWS_AT_ONCE / 64;
    const size_t room = q->rows_max - q->row_count;
    stele_chunk chunk;
    stele_status status;
    for (size_t i = 0; i < q->part_count; i++) {
        part *p = &q->parts[i];
        q->cells[i] = (stele_cells){p->values + q->row_count * p->size, q->valid + i * words};
    }
    status = stele_scan_next(q->scan, q->cells, room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE, &chunk);
    for (size_t i = 0; status == STELE_OK && i < q->part_count; i++) {
        part *p = &q->parts[i];
        const bool is_cell_text = p->type == STELE_CELL_TEXT || p->type == STELE_CELL_JSON;
        valid_append(p->valid, q->row_count, q->cells[i].valid, chunk.count);
        if (is_cell_text && !(p->is_lasting && chunk.has_lasting) &&
            !keep_texts(q, p, q->row_count, chunk.count))
            status = STELE_ERR_MEMORY;
        /* From then on a name can lie in several places. */
        p->is_lasting = p->is_lasting && chunk.has_lasting;
    }
    if (status == STELE_OK)
        q->row_count += chunk.count;
    return status;
}

static stele_status put_groups(parquet *q)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK) {
        status = take_rows(q);
        if (status == STELE_OK && (q->row_count == q->rows_max || q->texts.size > GROUP_BYTES))
            status = flush_group(q);
    }
    return status == STELE_END ? flush_group(q) : status;
}

static bool make_parts(parquet *q)
{
    stele_scan *s = q->scan;
    size_t row_size = 0;
    q->part_count = s->column_count;
    q->parts = calloc(q->part_count, sizeof *q->parts);
    q->cells = calloc(q->part_count, sizeof *q->cells);
    q->valid = calloc(q->part_count * (ROWS_AT_ONCE / 64), sizeof *q->valid);
    if (q->parts == NULL || q->cells == NULL || q->valid == NULL)
        return false;
    for (size_t i = 0; i < q->part_count; i++) {
        const scan_column *from = &s->columns[i];
        q->parts[i] = (part){.name = from->name,
                             .type = from->type,
                             .how = &(q->is_plain ? plain_physicals : physicals)[from->type],
                             .is_plain = q->is_plain,
                             .labels = from->entry != NULL ? from->entry->labels : NULL,
                             .is_lasting = stele_scan_is_lasting(s, i),
                             .size = stele_cell_size(from->type)};
        row_size += q->parts[i].size;
    }
    q->rows_max = GROUP_BYTES / row_size / PAGE_ROWS * PAGE_ROWS;
    if (q->rows_max < PAGE_ROWS)
        q->rows_max = PAGE_ROWS;
    if (q->rows_max > GROUP_ROWS_MAX)
        q->rows_max = GROUP_ROWS_MAX;
    for (size_t i = 0; i < q->part_count; i++) {
        part *p = &q->parts[i];
        p->values = malloc(q->rows_max * p->size);
        p->valid = malloc(stele_valid_words(q->rows_max) * sizeof *p->valid);
        if (p->values == NULL || p->valid == NULL)
            return false;
    }
    return true;
}

static bool make_scratch(parquet *q)
{
    diag_sink *diag = &q->scan->context->diag;
    q->numbers = malloc(PAGE_ROWS * sizeof *q->numbers);
    q->codes = malloc(q->rows_max * sizeof *q->codes);
    q->dictionary = malloc(DICTIONARY_MAX * sizeof *q->dictionary);
    q->zstd = ZSTD_createCCtx();
    return q->numbers != NULL && q->codes != NULL && q->dictionary != NULL && q->zstd != NULL &&
           hash_table_make_room(&q->table, 16) && output_open_memory(diag, &q->body) == STELE_OK &&
           output_open_memory(diag, &q->head) == STELE_OK &&
           output_open_memory(diag, &q->groups) == STELE_OK;
}

void parquet_free(parquet *q)
{
    if (q == NULL)
        return;
    for (size_t i = 0; q->parts != NULL && i < q->part_count; i++) {
        free(q->parts[i].values);
        free(q->parts[i].valid);
    }
    free(q->parts);
    free(q->cells);
    free(q->valid);
    free(q->numbers);
    free(q->codes);
    free(q->dictionary);
    free(q->packed);
    ZSTD_freeCCtx(q->zstd);
    hash_table_free(&q->table);
    output_close(q->body);
    output_close(q->head);
    output_close(q->groups);
    arena_free(&q->texts);
    free(q);
}

parquet *parquet_new(stele_scan *scan, const stele_table_write_options *options)
{
    parquet *q = calloc(1, sizeof *q);
    if (q == NULL)
        return NULL;
    q->scan = scan;
    q->level = options->level != 0 ? options->level : LEVEL_USUAL;
    q->is_plain = options->has_plain_types;
    if (make_parts(q) && make_scratch(q))
        return q;
    parquet_free(q);
    return NULL;
}

void parquet_begin(parquet *q, output *out)
{
    q->out = out;
    q->row_count = 0;
    q->total_rows = 0;
    q->group_count = 0;
    q->groups->at = q->groups->buffer;
    output_write(out, "PAR1", 4);
}

void parquet_sorted_by(parquet *q, size_t index)
{
    if (q->sorted_count < sizeof q->sorted_by / sizeof *q->sorted_by)
        q->sorted_by[q->sorted_count++] = index;
}

/* Puts rows of cells after those of the group. */
static void gather(part *p, size_t at, const stele_cells *cells, const uint32_t *picked,
                   size_t count)
{
    const uint8_t *from = cells->values;
    uint8_t *to = p->values + at * p->size;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << ((at + i) % 64);
        memcpy(to + i * p->size, from + picked[i] * p->size, p->size);
        if (stele_cell_is_there(cells, picked[i]))
            p->valid[(at + i) / 64] |= bit;
        else
            p->valid[(at + i) / 64] &= ~bit;
    }
}

stele_status parquet_put(parquet *q, const stele_cells *cells, const uint32_t *picked, size_t count,
                         bool has_lasting)
{
    stele_status status = STELE_OK;
    while (count != 0 && status == STELE_OK) {
        const size_t room = q->rows_max - q->row_count, part_rows = count < room ? count : room;
        for (size_t i = 0; i < q->part_count; i++) {
            part *p = &q->parts[i];
            gather(p, q->row_count, &cells[i], picked, part_rows);
            p->is_lasting = p->is_lasting && has_lasting;
        }
        q->row_count += part_rows;
        picked += part_rows;
        count -= part_rows;
        if (q->row_count == q->rows_max)
            status = flush_group(q);
    }
    return status;
}

stele_status parquet_end(parquet *q)
{
    const stele_status status = flush_group(q);
    if (status != STELE_OK)
        return status;
    put_footer(q);
    return q->out->status;
}

stele_status parquet_write(stele_scan *scan, output *out, const stele_table_write_options *options)
{
    parquet *q = parquet_new(scan, options);
    stele_status status = STELE_ERR_MEMORY;
    if (q != NULL) {
        parquet_begin(q, out);
        status = put_groups(q);
        if (status == STELE_OK)
            status = parquet_end(q);
    }
    parquet_free(q);
    return status;
}
