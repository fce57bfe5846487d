/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer of files of Parquet, one after the other, with the columns of a scan:
 *
 *     parquet_begin(q, out);
 *     parquet_put(q, cells, picked, count, has_lasting);   as often as there are rows
 *     status = parquet_end(q);                           the file is whole
 */
#ifndef TABLES_PARQUET_H
#define TABLES_PARQUET_H

#include "tables/tables.h"

typedef struct parquet parquet;

/* Makes a writer for the columns of a scan. Returns NULL if out of memory. */
parquet *parquet_new(stele_scan *scan, const stele_table_write_options *options);
void parquet_free(parquet *q);

/* Declares that the rows of each group are sorted by this column of the scan, after the columns
   declared before. */
void parquet_sorted_by(parquet *q, size_t index);

void parquet_begin(parquet *q, output *out);

/* Adds the cells of the picked rows; their texts must be valid until parquet_end().
   `has_lasting` is stele_chunk's member of the chunks they come from. */
stele_status parquet_put(parquet *q, const stele_cells *cells, const uint32_t *picked, size_t count,
                         bool has_lasting);

stele_status parquet_end(parquet *q);

#endif
