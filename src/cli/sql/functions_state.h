/* SPDX-License-Identifier: Apache-2.0 */
/* A table function, and one use of it in a statement. */
#ifndef CLI_SQL_FUNCTIONS_STATE_H
#define CLI_SQL_FUNCTIONS_STATE_H

#include <stdlib.h>

#include "cli/sql/classes.h"
#include "cli/sql/functions.h"

#define FIELDS_MAX CLASS_FIELDS_MAX

/* One table function. */
typedef struct table_function {
    table_functions *all;
    const char *table;
    bool is_class; /* only the events of a name, with their fields as columns */
} table_function;

/* What one use of a function in a statement reads. */
typedef struct binding {
    const table_function *function;
    char *path, *class_name, *begin, *end, *where, *names, *kinds;
    stele_request request;
    const char *name_pattern[1];
    stele_scan_column *columns; /* of the table, then of its fields */
    char **shown;               /* the names of columns in SQL */
    bool *can_be_null;
    size_t column_count;
    char *fields; /* the texts of the names of its fields */
    char *field_names[FIELDS_MAX];
} binding;

/* Closes what an opener opened. */
void functions_close_traces(scanned *s);

/* Returns the functions of DuckDB, which its callbacks have no other way to. `set`: those to be
   returned from now on, or NULL. */
const duckdb *functions_duckdb(duck_info info, const duckdb *set);

#endif
