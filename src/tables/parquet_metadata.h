/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the metadata of a file of Parquet. */
#ifndef TABLES_PARQUET_METADATA_H
#define TABLES_PARQUET_METADATA_H

#include "tables/parquet_state.h"
#include "tables/thrift.h"

/* Whether the least and the largest value of a column are written. */
bool parquet_has_bounds(const parquet_column *p);

/* Writes the least and largest values of the pages of a chunk. */
void parquet_put_column_index(parquet *q, parquet_column *p);

/* Writes the offsets of the pages of a chunk. */
void parquet_put_offset_index(parquet *q, parquet_column *p);

/* Appends the description of a chunk to the metadata of its group. */
void parquet_put_column_metadata(parquet *q, thrift *t, const parquet_column *p);

/* Appends by which columns the rows of a group are sorted. */
void parquet_put_sorting(const parquet *q, thrift *t);

/* Writes the metadata at the end of the file. */
void parquet_put_footer(parquet *q);

#endif
