/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of Parquet: the values of one column in a row group. */
#ifndef TABLES_PARQUET_CHUNK_H
#define TABLES_PARQUET_CHUNK_H

#include "tables/parquet_state.h"

/* Widens the range of values that a page or a chunk says it holds by one more value. */
void parquet_widen(const parquet_column *p, parquet_page *g, uint64_t value, bool is_first);

/* Writes the values of a column of the group at hand, and keeps where its pages are. */
void parquet_put_chunk(parquet *q, parquet_column *p);

#endif
