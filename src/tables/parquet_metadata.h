/* SPDX-License-Identifier: Apache-2.0 */
/* What a file of Parquet says of itself. */
#ifndef TABLES_PARQUET_METADATA_H
#define TABLES_PARQUET_METADATA_H

#include "tables/parquet_state.h"
#include "tables/thrift.h"

/* Whether the least and the largest value of a column are given. */
bool parquet_has_bounds(const parquet_column *p);

/* Writes what the pages of a chunk hold at least and at most. */
void parquet_put_column_index(parquet *q, parquet_column *p);

/* Writes where the pages of a chunk are. */
void parquet_put_offset_index(parquet *q, parquet_column *p);

/* Appends what is said of a chunk to the metadata of its group. */
void parquet_put_column_metadata(parquet *q, thrift *t, const parquet_column *p);

/* Appends by which columns the rows of a group stand. */
void parquet_put_sorting(const parquet *q, thrift *t);

/* Writes the metadata at the end of the file. */
void parquet_put_footer(parquet *q);

#endif
