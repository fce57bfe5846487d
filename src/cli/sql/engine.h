/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB with the tables of the traces in it, and statements run by it. */
#ifndef CLI_SQL_ENGINE_H
#define CLI_SQL_ENGINE_H

#include <stele/output.h>

#include "cli/sql/functions.h"
#include "cli/sql/rows.h"

typedef struct engine_options {
    const char *memory;  /* "1GB" */
    const char *threads; /* "1" */
    const char *temp_dir;
    bool allows_files;  /* statements may read and write files */
    const char *folder; /* of Parquet files, whose tables are taken; NULL: there is none */
} engine_options;

typedef struct engine {
    duckdb d;
    duck_database database;
    duck_connection connection;
    table_functions functions;
    char temp_dir[512];
    char error[4096]; /* what went wrong, as DuckDB says it */
} engine;

/* Whether what is being done is to go on; asked now and then, from another thread. */
typedef bool engine_go_on_fn(void);

/* Opens the library, whose failure is described in `error`, and a database in memory. The
   functions' opener is set by the caller before. False: `error` says why. */
bool engine_open(engine *e, const engine_options *options);
void engine_close(engine *e);

/* Where the rows of statements go. */
typedef struct engine_output {
    stele_output *out;
    row_form form;
    bool has_color;
    engine_go_on_fn *goes_on;
} engine_output;

/* Runs one statement. False: `error` says why, or is empty where it was not to go on. */
bool engine_execute(engine *e, const char *statement, size_t size, const engine_output *to);

#endif
