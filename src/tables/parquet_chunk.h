/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a chunk of Parquet: the values of one column in a row group. */
#ifndef TABLES_PARQUET_CHUNK_H
#define TABLES_PARQUET_CHUNK_H

#include "tables/parquet_state.h"

/* Extends the least and largest value of a page or chunk by one more value. */
void parquet_widen(const parquet_column *p, parquet_page *g, uint64_t value, bool is_first);

/* Writes the values of a column in the current group, and notes the offsets of its pages. */
void parquet_put_chunk(parquet *q, parquet_column *p);

#endif
