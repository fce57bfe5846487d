/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that write rows to a file, one for each format. */
#ifndef TABLES_WRITE_H
#define TABLES_WRITE_H

#include "tables/tables.h"

typedef stele_status table_write_fn(stele_scan *scan, output *out,
                                    const stele_table_write_options *options);

table_write_fn parquet_write, clickhouse_write;

#endif
