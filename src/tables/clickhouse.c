/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes rows as blocks of ClickHouse's native format, for "INSERT INTO t FORMAT Native". A block
 * has the numbers of its columns and rows, then for each column its name, its type and its values:
 *
 *     columns rows  name type [nulls] values  name type [nulls] values ...
 *
 * Sizes are varints, values little-endian. A column that can be null has a byte for each row before
 * its values, which is 1 if the row is null.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/load.h"
#include "tables/thrift.h"
#include "tables/write.h"

static const char *const types[STELE_CELL_TYPE_COUNT] = {
    [STELE_CELL_BOOL] = "UInt8",     [STELE_CELL_U8] = "UInt8",   [STELE_CELL_U16] = "UInt16",
    [STELE_CELL_U32] = "UInt32",     [STELE_CELL_U64] = "UInt64", [STELE_CELL_I64] = "Int64",
    [STELE_CELL_DOUBLE] = "Float64", [STELE_CELL_WALL] = "Int64", [STELE_CELL_ENUM] = "String",
    [STELE_CELL_TEXT] = "String",    [STELE_CELL_JSON] = "String"};

typedef struct native {
    stele_scan *scan;
    output *out;
    stele_cells *cells;
    size_t *rows; /* rows of the chunk that belong to this shard */
    size_t row_count;
    size_t key; /* index of the column whose value selects the shard */
    const stele_table_write_options *options;
} native;

static bool can_be_null(const scan_column *item)
{
    return item->entry == NULL || item->entry->can_be_null;
}

static void put_text(output *out, const char *bytes, size_t size)
{
    thrift_varint(out, size);
    output_write(out, bytes, size);
}

static void put_number(output *out, const uint8_t *at, size_t size)
{
    uint8_t bytes[8] = {0};
    switch (size) {
    case 1: bytes[0] = *at; break;
    case 2: store_le16(bytes, load_native16(at)); break;
    case 4: store_le32(bytes, load_native32(at)); break;
    default: store_le64(bytes, load_native64(at)); break;
    }
    output_write(out, bytes, size);
}

static void put_value(native *n, const scan_column *item, const stele_cells *cells, size_t row)
{
    const stele_cell_text *texts = cells->values;
    const uint8_t *bytes = cells->values;
    const size_t size = stele_cell_size(item->type);
    switch (item->type) {
    case STELE_CELL_TEXT:
    case STELE_CELL_JSON: put_text(n->out, stele_cell_bytes(&texts[row]), texts[row].size); break;
    case STELE_CELL_ENUM:
        put_text(n->out, item->entry->labels[bytes[row]], strlen(item->entry->labels[bytes[row]]));
        break;
    default: put_number(n->out, bytes + row * size, size); break;
    }
}

static void put_column(native *n, size_t index)
{
    const scan_column *item = &n->scan->columns[index];
    const stele_cells *cells = &n->cells[index];
    char type[32];
    put_text(n->out, item->name, strlen(item->name));
    snprintf(type, sizeof type, can_be_null(item) ? "Nullable(%s)" : "%s", types[item->type]);
    put_text(n->out, type, strlen(type));
    for (size_t i = 0; can_be_null(item) && i < n->row_count; i++)
        output_byte(n->out, !stele_cell_is_there(cells, n->rows[i]));
    for (size_t i = 0; i < n->row_count; i++)
        put_value(n, item, cells, n->rows[i]);
}

/* Whether a row belongs to this shard. Rows of one track are in the same shard. */
static bool is_mine(const native *n, size_t row)
{
    const scan_column *item = &n->scan->columns[n->key];
    const uint8_t *at =
        (const uint8_t *)n->cells[n->key].values + row * stele_cell_size(item->type);
    uint64_t value = 0;
    if (n->options->shard_count <= 1)
        return true;
    for (size_t i = 0; i < stele_cell_size(item->type) && i < sizeof value; i++)
        value = value * 31 + at[i];
    return value % n->options->shard_count == n->options->shard;
}

static void put_block(native *n, size_t count)
{
    n->row_count = 0;
    for (size_t row = 0; row < count; row++) {
        if (is_mine(n, row))
            n->rows[n->row_count++] = row;
    }
    if (n->row_count == 0)
        return;
    thrift_varint(n->out, n->scan->column_count);
    thrift_varint(n->out, n->row_count);
    for (size_t i = 0; i < n->scan->column_count; i++)
        put_column(n, i);
}

#define BLOCK_ROWS ((size_t)1 << 16)

/* The index of the column that selects the shard: `track`, or the first column if there is none. */
static size_t find_key(const stele_scan *s)
{
    for (size_t i = 0; i < s->column_count; i++) {
        if (strcmp(s->columns[i].name, "track") == 0)
            return i;
    }
    return 0;
}

static bool make_cells(native *n)
{
    n->cells = calloc(n->scan->column_count, sizeof *n->cells);
    n->rows = malloc(BLOCK_ROWS * sizeof *n->rows);
    for (size_t i = 0; n->cells != NULL && i < n->scan->column_count; i++) {
        n->cells[i].values = malloc(BLOCK_ROWS * stele_cell_size(n->scan->columns[i].type));
        n->cells[i].valid = malloc(BLOCK_ROWS / 8);
        if (n->cells[i].values == NULL || n->cells[i].valid == NULL)
            return false;
    }
    return n->cells != NULL && n->rows != NULL;
}

stele_status clickhouse_write(stele_scan *scan, output *out,
                              const stele_table_write_options *options)
{
    native n = {.scan = scan, .out = out, .key = find_key(scan), .options = options};
    stele_status status = make_cells(&n) ? STELE_OK : STELE_ERR_MEMORY;
    stele_chunk chunk;
    while (status == STELE_OK) {
        status = stele_scan_next(scan, n.cells, BLOCK_ROWS, &chunk);
        if (status != STELE_OK)
            break;
        put_block(&n, chunk.count);
        status = out->status;
    }
    for (size_t i = 0; n.cells != NULL && i < scan->column_count; i++) {
        free(n.cells[i].values);
        free(n.cells[i].valid);
    }
    free(n.cells);
    free(n.rows);
    return status == STELE_END ? STELE_OK : status;
}
