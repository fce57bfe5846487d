/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: arrow_loaded TRACE FOLDER TABLE...
 * Has DuckDB read tables of a trace through Arrow's C stream, and compares them with the Parquet
 * files FOLDER/TABLE/data.parquet. Prints the rows of each table that only one of the two has.
 */
#include <stele/stele.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sql/duckdb.h"

#define COLUMNS_MAX 64u

typedef int arrow_scan_fn(duck_connection connection, const char *name,
                          struct ArrowArrayStream *stream);

typedef struct reading {
    duckdb d;
    arrow_scan_fn *scan;
    duck_database database;
    duck_connection connection;
    const char *path;
    stele_context *context;
    stele_trace *trace;
} reading;

static bool open_stream(reading *r, const char *table, struct ArrowArrayStream *stream)
{
    stele_scan_column columns[COLUMNS_MAX];
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_table_column_info info = STELE_INIT(stele_table_column_info);
    stele_scan *scan;
    options.table = table;
    options.columns = columns;
    for (; stele_table_column(table, options.column_count, &info); options.column_count++)
        columns[options.column_count] = (stele_scan_column){.name = info.name};
    return stele_scan_open(r->context, &r->trace, 1, &options, &scan) == STELE_OK &&
           stele_table_arrow(scan, stream) == STELE_OK;
}

/* Runs a statement, and prints the first value of its result if `prints`. */
static bool run(reading *r, const char *sql, bool prints)
{
    duck_result result;
    const bool is_done = r->d.query(r->connection, sql, &result) == DUCK_OK;
    if (!is_done) {
        fprintf(stderr, "%s: %s\n", sql, r->d.result_error(&result));
    } else if (prints) {
        char *value = r->d.value_varchar(&result, 0, 0);
        printf("%s\n", value != NULL ? value : "NULL");
        r->d.free(value);
    }
    r->d.destroy_result(&result);
    return is_done;
}

/* Compares a table, read in a context of its own as 'stele convert' does. */
static bool compare(reading *r, const char *folder, const char *table)
{
    struct ArrowArrayStream stream = {.release = NULL};
    char sql[1024];
    bool is_done = stele_context_new(NULL, &r->context) == STELE_OK &&
                   stele_trace_open(r->context, r->path, NULL, &r->trace) == STELE_OK &&
                   open_stream(r, table, &stream) &&
                   r->scan(r->connection, "given", &stream) == DUCK_OK &&
                   run(r, "CREATE TABLE kept AS FROM given", false);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM ((FROM kept EXCEPT ALL FROM '%s/%s/data.parquet') UNION ALL"
             " (FROM '%s/%s/data.parquet' EXCEPT ALL FROM kept))",
             folder, table, folder, table);
    is_done = is_done && run(r, sql, true) && run(r, "DROP TABLE kept; DROP VIEW given", false);
    if (stream.release != NULL)
        stream.release(&stream);
    stele_trace_close(r->trace);
    stele_context_free(r->context);
    return is_done;
}

int main(int argc, char **argv)
{
    static reading r;
    const duckdb *d = &r.d;
    char text[1024];
    void *found;
    if (!duckdb_open_library(&r.d, text, sizeof text)) {
        printf("SKIP: DuckDB's library is missing: %s\n", text);
        return 77;
    }
    found = dlsym(d->handle, "duckdb_arrow_scan");
    memcpy(&r.scan, &found, sizeof r.scan);
    if (found == NULL) {
        printf("SKIP: this DuckDB has no duckdb_arrow_scan\n");
        return 77;
    }
    if (argc < 4 || r.d.open_ext(NULL, &r.database, NULL, NULL) != DUCK_OK ||
        r.d.connect(r.database, &r.connection) != DUCK_OK)
        return 1;
    r.path = argv[1];
    for (int i = 3; i < argc; i++) {
        if (!compare(&r, argv[2], argv[i]))
            return 1;
    }
    r.d.disconnect(&r.connection);
    r.d.close(&r.database);
    return 0;
}
