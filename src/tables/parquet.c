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
#include "tables/parquet.h"
#include "tables/parquet_chunk.h"
#include "tables/parquet_metadata.h"
#include "tables/tables.h"
#include "tables/thrift.h"
#include "tables/valid.h"
#include "tables/write.h"

/* How cells of each type are stored. */
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

/* How cells are stored for engines that have neither unsigned numbers nor nanoseconds: an
   unsigned number of 64 bits becomes a decimal of DECIMAL_DIGITS digits. */
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

/* ---- Row groups with their indexes ----------------------------------------------------------- */

static stele_status flush_group(parquet *q)
{
    thrift t = {.out = q->groups};
    uint64_t size = 0;
    if (q->row_count == 0)
        return STELE_OK;
    for (size_t i = 0; i < q->column_count; i++) {
        parquet_put_chunk(q, &q->columns[i]);
        size += q->columns[i].unpacked_size;
    }
    for (size_t i = 0; i < q->column_count; i++) {
        if (parquet_has_bounds(&q->columns[i]))
            parquet_put_column_index(q, &q->columns[i]);
        parquet_put_offset_index(q, &q->columns[i]);
    }
    thrift_begin(&t, 0);
    thrift_list(&t, 1, THRIFT_STRUCT, q->column_count);
    for (size_t i = 0; i < q->column_count; i++)
        parquet_put_column_metadata(q, &t, &q->columns[i]);
    thrift_i64(&t, 2, (int64_t)size);
    thrift_i64(&t, 3, (int64_t)q->row_count);
    parquet_put_sorting(q, &t);
    thrift_end(&t);
    q->total_rows += q->row_count;
    q->group_count++;
    q->row_count = 0;
    arena_free(&q->texts);
    if (q->body->status != STELE_OK || q->head->status != STELE_OK || q->groups->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return q->out->status;
}

/* ---- Making and writing ---------------------------------------------------------------------- */

/* Copies texts that are valid only until the next chunk, so that they last until the group is
   written. Returns false if out of memory. */
static bool keep_texts(parquet *q, parquet_column *p, size_t from, size_t count)
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
    for (size_t i = 0; i < q->column_count; i++) {
        parquet_column *p = &q->columns[i];
        q->cells[i] = (stele_cells){p->values + q->row_count * p->size, q->valid + i * words};
    }
    status = stele_scan_next(q->scan, q->cells, room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE, &chunk);
    for (size_t i = 0; status == STELE_OK && i < q->column_count; i++) {
        parquet_column *p = &q->columns[i];
        const bool is_cell_text = p->type == STELE_CELL_TEXT || p->type == STELE_CELL_JSON;
        valid_append(p->valid, q->row_count, q->cells[i].valid, chunk.count);
        if (is_cell_text && !(p->is_lasting && chunk.has_lasting) &&
            !keep_texts(q, p, q->row_count, chunk.count))
            status = STELE_ERR_MEMORY;
        /* from here on the bytes of a name may be at several addresses */
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

static bool make_columns(parquet *q)
{
    stele_scan *s = q->scan;
    size_t row_size = 0;
    q->column_count = s->column_count;
    q->columns = calloc(q->column_count, sizeof *q->columns);
    q->cells = calloc(q->column_count, sizeof *q->cells);
    q->valid = calloc(q->column_count * (ROWS_AT_ONCE / 64), sizeof *q->valid);
    if (q->columns == NULL || q->cells == NULL || q->valid == NULL)
        return false;
    for (size_t i = 0; i < q->column_count; i++) {
        const scan_column *from = &s->columns[i];
        q->columns[i] =
            (parquet_column){.name = from->name,
                             .type = from->type,
                             .how = &(q->is_plain ? plain_physicals : physicals)[from->type],
                             .is_plain = q->is_plain,
                             .labels = from->entry != NULL ? from->entry->labels : NULL,
                             .is_lasting = stele_scan_is_lasting(s, i),
                             .size = stele_cell_size(from->type)};
        row_size += q->columns[i].size;
    }
    q->rows_max = GROUP_BYTES / row_size / PAGE_ROWS * PAGE_ROWS;
    if (q->rows_max < PAGE_ROWS)
        q->rows_max = PAGE_ROWS;
    if (q->rows_max > GROUP_ROWS_MAX)
        q->rows_max = GROUP_ROWS_MAX;
    for (size_t i = 0; i < q->column_count; i++) {
        parquet_column *p = &q->columns[i];
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
    for (size_t i = 0; q->columns != NULL && i < q->column_count; i++) {
        free(q->columns[i].values);
        free(q->columns[i].valid);
    }
    free(q->columns);
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
    if (make_columns(q) && make_scratch(q))
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

/* Copies cells of the picked rows to the end of the group. */
static void gather(parquet_column *p, size_t at, const stele_cells *cells, const uint32_t *picked,
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
        for (size_t i = 0; i < q->column_count; i++) {
            parquet_column *p = &q->columns[i];
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
    parquet_put_footer(q);
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
