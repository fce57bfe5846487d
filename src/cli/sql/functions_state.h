/* SPDX-License-Identifier: Apache-2.0 */
/* State of a table function, and of its uses in a statement. */
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
    bool is_class; /* gives only the events of a name, with their fields as columns */
} table_function;

/* What one use of a function in a statement reads. */
typedef struct binding {
    const table_function *function;
    char *path, *class_name, *begin, *end, *where, *names, *kinds;
    stele_request request;
    const char *name_pattern[1];
    stele_scan_column *columns; /* columns of the table, then those of fields */
    char **shown;               /* names of the columns in SQL */
    bool *can_be_null;
    size_t column_count;
    char *fields; /* memory of the names of fields */
    char *field_names[FIELDS_MAX];
} binding;

/* Closes traces that a trace_opener has opened. */
void functions_close_traces(scanned *s);

/* Returns the functions of DuckDB, which its callbacks cannot get otherwise. If `set` is not
   NULL, these are returned from now on. */
const duckdb *functions_duckdb(duck_info info, const duckdb *set);

#endif
