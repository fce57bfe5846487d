/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: duckdb_loaded EXTENSION SQL...
 * Loads an extension into DuckDB, as other programs do, and prints the first value of each
 * statement's result.
 */
#include <stdio.h>
#include <string.h>

#include "cli/sql/duckdb.h"

static int fail(const char *text)
{
    fprintf(stderr, "%s\n", text != NULL ? text : "failed");
    return 1;
}

int main(int argc, char **argv)
{
    static duckdb d;
    char text[1024], *error = NULL;
    duck_database database;
    duck_connection connection;
    duck_config config;
    duck_result result;
    if (!duckdb_open_library(&d, text, sizeof text)) {
        printf("SKIP: DuckDB's library is missing: %s\n", text);
        return 77;
    }
    if (d.create_config(&config) != 0 ||
        d.set_config(config, "allow_unsigned_extensions", "true") != 0 ||
        d.open_ext(NULL, &database, config, &error) != 0 || d.connect(database, &connection) != 0)
        return fail(error);
    snprintf(text, sizeof text, "LOAD '%s'", argv[1]);
    if (d.query(connection, text, &result) != 0)
        return fail(d.result_error(&result));
    d.destroy_result(&result);
    for (int i = 2; i < argc; i++) {
        char *value;
        if (d.query(connection, argv[i], &result) != 0)
            return fail(d.result_error(&result));
        value = d.value_varchar(&result, 0, 0);
        printf("%s\n", value != NULL ? value : "NULL");
        d.free(value);
        d.destroy_result(&result);
    }
    d.disconnect(&connection);
    d.close(&database);
    d.destroy_config(&config);
    return 0;
}
