/* SPDX-License-Identifier: Apache-2.0 */
/* Scans for a use of a table function. */
#ifndef CLI_SQL_FUNCTIONS_SCAN_H
#define CLI_SQL_FUNCTIONS_SCAN_H

#include "cli/sql/functions_state.h"

/* Callback of DuckDB: begins the scan of a use, and plans its parts. */
void functions_init(duck_info info);

/* Callback of DuckDB: a thread joins a scan. */
void functions_init_thread(duck_info info);

/* Callback of DuckDB: fills a chunk with the next rows of a thread. */
void functions_fill(duck_info info, duck_chunk out);

#endif
