/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB with the tables of traces, and execution of statements. */
#ifndef CLI_SQL_ENGINE_H
#define CLI_SQL_ENGINE_H

#include <stele/output.h>

#include "cli/sql/functions.h"
#include "cli/sql/rows.h"

typedef struct engine_options {
    const char *memory;  /* limit such as "1GB" */
    const char *threads; /* number of threads such as "1" */
    const char *temp_dir;
    bool allows_files;  /* statements may read and write files */
    const char *folder; /* folder of Parquet files whose tables are used; NULL: none */
} engine_options;

typedef struct engine {
    duckdb d;
    duck_database database;
    duck_connection connection;
    table_functions functions;
    char temp_dir[512];
    bool has_views; /* tables are views of table functions, made when a statement may use them */
    uint64_t views_made, macros_made; /* a bit for each one that was made, by its index */
    char error[4096];                 /* message of the last failure, mostly DuckDB's */
} engine;

/* Whether to go on; called repeatedly, from another thread. */
typedef bool engine_go_on_fn(void);

/* Opens the library and a database in memory. The caller has set functions.opener. If it fails,
   sets `error` and returns false. */
bool engine_open(engine *e, const engine_options *options);
void engine_close(engine *e);

/* Where rows of statements are written, and in which form. */
typedef struct engine_output {
    stele_output *out;
    row_form form;
    bool has_color;
    engine_go_on_fn *goes_on;
} engine_output;

/* Runs one statement. If it fails, sets `error` and returns false; `error` is empty if the
   statement was interrupted. */
bool engine_execute(engine *e, const char *statement, size_t size, const engine_output *to);

#endif
