/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the different values of a column in a row group of Parquet, and numbers them. */
#ifndef TABLES_PARQUET_DICTIONARY_H
#define TABLES_PARQUET_DICTIONARY_H

#include "tables/parquet_state.h"

/* Makes q->dictionary, a row for each different value, and in q->codes the number of each row's
   value. Returns how many values there are; 0 if the column is better written without. */
size_t parquet_make_dictionary(parquet *q, const parquet_column *p);

#endif
