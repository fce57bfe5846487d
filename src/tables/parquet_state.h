/* SPDX-License-Identifier: Apache-2.0 */
/* What a writer of Parquet knows while it writes, and how it reads the cells that it keeps. */
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
#define GROUP_BYTES    ((size_t)24 << 20) /* of cells, in one group */
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

/* How cells of a type are stored; `converted` is -1 where readers take them as they are. */
typedef struct physical {
    int type, converted, bits;
    bool is_signed;
} physical;

/* Unsigned numbers of 64 bits as decimal numbers, for engines that know no unsigned ones. */
#define DECIMAL_SIZE   9
#define DECIMAL_DIGITS 20

/* What the indexes say of a page, and the metadata of a chunk. */
typedef struct parquet_page {
    uint64_t offset, first_row, null_count;
    uint32_t size;
    bool is_null; /* all of its values are null */
    uint64_t min, max;
} parquet_page;

/* A column of the group at hand. */
typedef struct parquet_column {
    const char *name;
    stele_cell_type type;
    const physical *how;
    const char *const *labels;
    bool is_plain;   /* for engines that know few types */
    bool is_lasting; /* its texts stay when the chunk that gave them is gone */
    size_t size;     /* of a cell */
    uint8_t *values;
    uint64_t *valid;
    parquet_page pages[PAGES_MAX];
    size_t page_count;
    bool has_dictionary;
    int encoding; /* of the values */
    uint64_t dictionary_offset, unpacked_size, packed_size;
    uint64_t index_offset, offsets_offset;
    uint32_t index_size, offsets_size;
} parquet_column;

struct parquet {
    stele_scan *scan;
    output *out;
    parquet_column *columns;
    size_t column_count;
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

/* The cell of a row of a column that holds numbers, zero-extended. */
static inline uint64_t parquet_number_at(const parquet_column *p, size_t row)
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

/* The cell of a row of a column that holds texts; it lasts as long as the group. */
static inline stele_text parquet_text_at(const parquet_column *p, size_t row)
{
    const stele_cell_text *cells = (const stele_cell_text *)(const void *)p->values;
    if (p->type == STELE_CELL_ENUM) {
        const char *label = p->labels[p->values[row]];
        return (stele_text){label, strlen(label)};
    }
    return (stele_text){stele_cell_bytes(&cells[row]), cells[row].size};
}

/* Whether a column holds texts. */
static inline bool parquet_is_text(const parquet_column *p)
{
    return p->how->type == PHYSICAL_BYTES;
}

#endif
