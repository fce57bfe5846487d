/* SPDX-License-Identifier: Apache-2.0 */
/* State of a Parquet writer, and functions to read the cells that it keeps. */
#ifndef TABLES_PARQUET_STATE_H
#define TABLES_PARQUET_STATE_H

#include <string.h>
#include <zstd.h>

#include "core/arena.h"
#include "core/load.h"
#include "core/output.h"
#include "core/table.h"
#include "tables/parquet.h"
#include "tables/tables.h"
#include "tables/thrift.h"

#define GROUP_ROWS_MAX ((size_t)1 << 20)
#define GROUP_BYTES    ((size_t)24 << 20) /* largest size of the cells of one group in bytes */
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

/* How cells of a type are stored. `converted` is CONVERTED_NONE if the physical type says all. */
typedef struct physical {
    int type, converted, bits;
    bool is_signed;
} physical;

/* Size and digits of the decimal that replaces an unsigned number of 64 bits, for engines
   without unsigned types. */
#define DECIMAL_SIZE   9
#define DECIMAL_DIGITS 20

/* A page in the indexes, or a chunk in the metadata: where it is, and the range of its values. */
typedef struct parquet_page {
    uint64_t offset, first_row, null_count;
    uint32_t size;
    bool is_null; /* all values are null */
    uint64_t min, max;
} parquet_page;

/* A column of the current group. */
typedef struct parquet_column {
    const char *name;
    stele_cell_type type;
    const physical *how;
    const char *const *labels;
    bool is_plain;   /* the file is for engines that have few types */
    bool is_lasting; /* texts stay valid after the chunk that gave them */
    size_t size;     /* size of a cell in bytes */
    uint8_t *values;
    uint64_t *valid;
    parquet_page pages[PAGES_MAX];
    size_t page_count;
    bool has_dictionary;
    int encoding; /* encoding of the values: PLAIN, DELTA_BINARY_PACKED or RLE_DICTIONARY */
    uint64_t dictionary_offset, unpacked_size, packed_size;
    uint64_t index_offset, offsets_offset;
    uint32_t index_size, offsets_size;
} parquet_column;

/* A cell whose number in the dictionary was looked up lately (parquet_dictionary.c). */
typedef struct parquet_recent {
    uint64_t a, b; /* the bytes of the cell */
    uint32_t code;
    bool is_set;
} parquet_recent;

#define RECENT_BITS 9u

struct parquet {
    stele_scan *scan;
    output *out;
    parquet_column *columns;
    size_t column_count;
    size_t row_count, rows_max; /* rows in the current group, and how many it may have */
    arena texts;                /* copies of texts that the group needs */
    int64_t *numbers;           /* scratch: values of a page that are not null */
    uint32_t *codes;            /* scratch: number in the dictionary for each row of the group */
    uint32_t *dictionary;       /* scratch: a row for each different value */
    hash_table table;
    parquet_recent recent[1u << RECENT_BITS]; /* by a hash of the cell */
    /* scratch for a page and its head; metadata of the groups so far */
    output *body, *head, *groups;
    ZSTD_CCtx *zstd;
    uint8_t *packed;
    size_t packed_capacity;
    int level;
    bool is_plain;
    uint64_t total_rows;
    uint32_t group_count;
    stele_cells *cells; /* cells of the current chunk, by column */
    uint64_t *valid;    /* validity bits of the current chunk, one column after another */
    size_t sorted_by[2], sorted_count; /* columns by which the rows of each group are sorted */
};

/* Whether the cell of a row is not null. */
static inline bool parquet_is_there(const parquet_column *p, size_t row)
{
    return (p->valid[row / 64] >> (row % 64) & 1) != 0;
}

/* Nanoseconds as microseconds, rounded down. */
static inline uint64_t microseconds(uint64_t ns)
{
    const int64_t given = (int64_t)ns;
    return (uint64_t)(given / 1000 - (given % 1000 < 0));
}

/* A number of `size` bytes, at most 8, zero-extended. */
static inline uint64_t parquet_load(const uint8_t *at, size_t size)
{
    switch (size) {
    case 1: return *at;
    case 2: return load_native16(at);
    case 4: return load_native32(at);
    default: return load_native64(at);
    }
}

/* The cell of a row in a column of numbers, zero-extended. */
static inline uint64_t parquet_number_at(const parquet_column *p, size_t row)
{
    const uint64_t number = parquet_load(p->values + row * p->size, p->size);
    return p->is_plain && p->type == STELE_CELL_WALL ? microseconds(number) : number;
}

/* The cell of a row in a column of texts; valid as long as the group. */
static inline stele_text parquet_text_at(const parquet_column *p, size_t row)
{
    const stele_cell_text *cells = (const stele_cell_text *)(const void *)p->values;
    if (p->type == STELE_CELL_ENUM) {
        const char *label = p->labels[p->values[row]];
        return (stele_text){label, strlen(label)};
    }
    return (stele_text){stele_cell_bytes(&cells[row]), cells[row].size};
}

/* Whether a column has texts. */
static inline bool parquet_is_text(const parquet_column *p)
{
    return p->how->type == PHYSICAL_BYTES;
}

#endif
