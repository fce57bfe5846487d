/* SPDX-License-Identifier: Apache-2.0 */
/* Registers the table functions with a database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sql/functions.h"
#include "cli/sql/functions_bind.h"
#include "cli/sql/functions_scan.h"

/* ---- Registration ---- */

static bool add_function(table_functions *f, duck_connection connection, const char *table,
                         bool is_class)
{
    static const char *const named[] = {"begin", "until", "filter", "names", "kinds", "args"};
    const duckdb *d = f->d;
    duck_function function = d->create_table_function();
    duck_type text = d->create_logical_type(DUCK_TYPE_TEXT);
    table_function *extra = malloc(sizeof *extra);
    char name[64];
    bool is_done;
    snprintf(name, sizeof name, "read_%s", is_class ? "class" : table);
    d->table_function_set_name(function, name);
    d->table_function_add_parameter(function, text);
    if (is_class)
        d->table_function_add_parameter(function, text);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        d->table_function_add_named_parameter(function, named[i], text);
    if (extra != NULL) {
        *extra = (table_function){f, table, is_class};
        d->table_function_set_extra_info(function, extra, free);
    }
    d->table_function_set_bind(function, functions_bind);
    d->table_function_set_init(function, functions_init);
    d->table_function_set_local_init(function, functions_init_thread);
    d->table_function_set_function(function, functions_fill);
    d->table_function_supports_projection_pushdown(function, true);
    is_done = extra != NULL && d->register_table_function(connection, function) == DUCK_OK;
    d->destroy_logical_type(&text);
    d->destroy_table_function(&function);
    return is_done;
}

#define CLASS_PREFIX "class_"

/* Handles a table that does not exist: class_NAME stands for the events of that name. */
static void replace(duck_info info, const char *table, void *data)
{
    const table_functions *f = data;
    const char *name = table + sizeof CLASS_PREFIX - 1;
    duck_value value;
    if (strncmp(table, CLASS_PREFIX, sizeof CLASS_PREFIX - 1) != 0)
        return;
    f->d->replacement_scan_set_function_name(info, "read_class");
    value = f->d->create_varchar("");
    f->d->replacement_scan_add_parameter(info, value);
    f->d->destroy_value(&value);
    value = f->d->create_varchar(name);
    f->d->replacement_scan_add_parameter(info, value);
    f->d->destroy_value(&value);
}

bool functions_register(table_functions *f, const duckdb *d, duck_database database,
                        duck_connection connection)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    f->d = d;
    functions_duckdb(NULL, d);
    for (size_t i = 0; stele_table_get(i, &table); i++) {
        if (!add_function(f, connection, table.name, false))
            return false;
    }
    if (f->keeps_texts) /* only the command has traces that need no path */
        d->add_replacement_scan(database, replace, f, NULL);
    return add_function(f, connection, "event", true);
}
