/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of every format, and the rows of their tables as text. */
#ifndef TESTS_TABLE_ROWS_H
#define TESTS_TABLE_ROWS_H

#include <stele/stele.h>

#include <stdlib.h>

#include "test.h"

#define COLUMNS_MAX  64u
#define CAPACITY_MAX 2048u

static const char *const samples[] = {
    "fxt/good/events.fxt",          "fxt/good/hostile_names.fxt",
    "fxt/good/scheduling.fxt",      "fxt/good/objects.fxt",
    "heph/good/rt_scalars.bin.log", "heph/good/rt_arrays.bin.log",
    "ctf/good/lttng_216_2",         "ctf/good/bit_events",
    "xray/good/events.fdr4.xray",   "xtrace/good/every_token.xinsndata.bin",
    "fxt/bad/cut_in_record.fxt",    "fxt/bad/not_utf8.fxt"};

typedef struct opened {
    stele_context *context;
    stele_trace *trace;
} opened;

static inline bool open_sample(const char *sample, opened *o)
{
    char path[512];
    snprintf(path, sizeof path, "%s/src/formats/%s", STELE_SOURCE_DIR, sample);
    *o = (opened){.context = NULL};
    if (stele_context_new(NULL, &o->context) != STELE_OK)
        return false;
    return stele_trace_open(o->context, path, NULL, &o->trace) == STELE_OK;
}

static inline void close_sample(opened *o)
{
    stele_trace_close(o->trace);
    stele_context_free(o->context);
}

/* ---- Rows as text ---- */

typedef struct buffers {
    stele_scan_column columns[COLUMNS_MAX];
    stele_table_column_info infos[COLUMNS_MAX];
    stele_cells cells[COLUMNS_MAX];
    size_t count;
} buffers;

static inline void buffers_make(buffers *b, const char *table)
{
    *b = (buffers){.count = 0};
    for (;; b->count++) {
        stele_table_column_info *info = &b->infos[b->count];
        info->struct_size = sizeof *info;
        if (!stele_table_column(table, b->count, info))
            break;
        b->columns[b->count].name = info->name;
        b->cells[b->count].values = calloc(CAPACITY_MAX, stele_cell_size(info->type));
        b->cells[b->count].valid = calloc(stele_valid_words(CAPACITY_MAX), sizeof *b->cells->valid);
    }
}

static inline void buffers_free(buffers *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->cells[i].values);
        free(b->cells[i].valid);
    }
}

static inline void put_cell(stele_output *out, const stele_table_column_info *info,
                            const stele_cells *cells, size_t row)
{
    const stele_cell_text *texts = cells->values;
    const uint8_t *bytes = cells->values;
    if (!stele_cell_is_there(cells, row)) {
        CHECK(info->can_be_null);
        stele_output_text(out, "NULL");
        return;
    }
    switch (info->type) {
    case STELE_CELL_TEXT:
    case STELE_CELL_JSON:
        stele_output_write(out, stele_cell_bytes(&texts[row]), texts[row].size);
        break;
    case STELE_CELL_ENUM:
        REQUIRE(bytes[row] < info->label_count);
        stele_output_text(out, info->labels[bytes[row]]);
        break;
    default:
        for (size_t i = 0; i < stele_cell_size(info->type); i++)
            stele_output_printf(out, "%02x", bytes[row * stele_cell_size(info->type) + i]);
        break;
    }
}

/* Writes all rows of a table, read in chunks of `capacity` rows, as one text. Returns the number
   of rows. */
static inline uint64_t rows_of(const char *sample, const char *table, size_t capacity,
                               stele_output *out)
{
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_scan *scan = NULL;
    stele_chunk chunk;
    buffers b;
    opened o;
    stele_status status;
    buffers_make(&b, table);
    CHECK(open_sample(sample, &o));
    options.table = table;
    options.columns = b.columns;
    options.column_count = b.count;
    status = stele_scan_open(o.context, &o.trace, 1, &options, &scan);
    while (status == STELE_OK) {
        status = stele_scan_next(scan, b.cells, capacity, &chunk);
        CHECK(status != STELE_OK || (chunk.count != 0 && chunk.count <= capacity));
        for (size_t row = 0; status == STELE_OK && row < chunk.count; row++) {
            for (size_t i = 0; i < b.count; i++) {
                put_cell(out, &b.infos[i], &b.cells[i], row);
                stele_output_byte(out, i + 1 < b.count ? '\t' : '\n');
            }
        }
    }
    CHECK_EQ_U64(status, STELE_END);
    stele_scan_get_stats(scan, &stats, NULL);
    stele_scan_close(scan);
    close_sample(&o);
    buffers_free(&b);
    return stats.row_count;
}

#endif
