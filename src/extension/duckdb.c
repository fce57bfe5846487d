/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the tables of traces available to any program that has DuckDB: an extension on DuckDB's
 * stable C interface, used like this:
 *
 *     LOAD 'stele.duckdb_extension';
 *     SELECT name, count(*) FROM read_slice('app.fxt') GROUP BY name;
 *     FROM 'app.fxt';
 *
 * The database must allow unsigned extensions. The functions are those of 'stele query'
 * (cli/sql/functions.c); each takes the path of one trace.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/sql/functions.h"

/* What DuckDB passes to the entry point of an extension. */
struct extension_access {
    void (*set_error)(void *info, const char *error);
    duck_database *(*get_database)(void *info);
    const void *(*get_api)(void *info, const char *version);
};

#define API_VERSION "v1.2.0"

/*
 * Indexes of functions in DuckDB's table for API_VERSION; later versions only append to the table.
 */
#define PLACES(X)                                       \
    X(free, 25)                                         \
    X(vector_size, 26)                                  \
    X(destroy_value, 92)                                \
    X(create_varchar, 93)                               \
    X(get_varchar, 142)                                 \
    X(create_logical_type, 156)                         \
    X(create_enum_type, 164)                            \
    X(destroy_logical_type, 184)                        \
    X(data_chunk_get_vector, 190)                       \
    X(data_chunk_get_size, 191)                         \
    X(data_chunk_set_size, 192)                         \
    X(vector_get_data, 194)                             \
    X(vector_get_validity, 195)                         \
    X(vector_ensure_validity_writable, 196)             \
    X(vector_assign_string_element_len, 198)            \
    X(create_table_function, 242)                       \
    X(destroy_table_function, 243)                      \
    X(table_function_set_name, 244)                     \
    X(table_function_add_parameter, 245)                \
    X(table_function_add_named_parameter, 246)          \
    X(table_function_set_extra_info, 247)               \
    X(table_function_set_bind, 248)                     \
    X(table_function_set_init, 249)                     \
    X(table_function_set_local_init, 250)               \
    X(table_function_set_function, 251)                 \
    X(table_function_supports_projection_pushdown, 252) \
    X(register_table_function, 253)                     \
    X(bind_get_extra_info, 254)                         \
    X(bind_add_result_column, 255)                      \
    X(bind_get_parameter, 257)                          \
    X(bind_get_named_parameter, 258)                    \
    X(bind_set_bind_data, 259)                          \
    X(bind_set_cardinality, 260)                        \
    X(bind_set_error, 261)                              \
    X(init_get_bind_data, 263)                          \
    X(init_set_init_data, 264)                          \
    X(init_get_column_count, 265)                       \
    X(init_get_column_index, 266)                       \
    X(init_set_max_threads, 267)                        \
    X(init_set_error, 268)                              \
    X(function_get_init_data, 271)                      \
    X(function_get_local_init_data, 272)                \
    X(function_set_error, 273)                          \
    X(add_replacement_scan, 274)                        \
    X(replacement_scan_set_function_name, 275)          \
    X(replacement_scan_add_parameter, 276)              \
    X(connect, 3)                                       \
    X(disconnect, 6)

static void take_functions(duckdb *d, const void *api)
{
    const unsigned char *table = api;
    memset(d, 0, sizeof *d);
#define X(name, place) memcpy(&d->name, table + (place) * sizeof(void *), sizeof(void *));
    PLACES(X)
#undef X
}

/* ---- Opening of traces ---- */

static bool open_trace(void *user, const char *path, scanned *s)
{
    (void)user;
    *s = (scanned){.traces = calloc(1, sizeof(stele_trace *))};
    if (s->traces != NULL && stele_context_new(NULL, &s->context) == STELE_OK &&
        stele_trace_open(s->context, path, NULL, &s->traces[0]) == STELE_OK) {
        s->count = 1;
        return true;
    }
    stele_context_free(s->context);
    free(s->traces);
    *s = (scanned){.count = 0};
    return false;
}

static uint64_t size_of_trace(void *user, const char *path)
{
    struct stat status;
    (void)user;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 1 << 20;
}

/* Replaces a table that does not exist by a call of a function, if its name is that of a trace
   file. */
static void replace(duck_info info, const char *table, void *data)
{
    const table_functions *f = data;
    duck_value value;
    if (stele_format_for_path(table) == NULL)
        return;
    value = f->d->create_varchar(table);
    f->d->replacement_scan_set_function_name(info, "read_event");
    f->d->replacement_scan_add_parameter(info, value);
    f->d->destroy_value(&value);
}

/* ---- Entry point of the extension ---- */

/* Called when the database is closed, after which nothing uses the functions. */
static void free_functions(void *data)
{
    table_functions *f = data;
    functions_free(f);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

bool stele_init_c_api(void *info, struct extension_access *access);

__attribute__((visibility("default"))) bool stele_init_c_api(void *info,
                                                             struct extension_access *access)
{
    static duckdb d; /* static because the extension belongs to the process */
    const void *api = access->get_api(info, API_VERSION);
    table_functions *f = calloc(1, sizeof *f); /* freed when the database is closed */
    duck_connection connection = NULL;
    bool is_done;
    if (api == NULL || f == NULL) {
        access->set_error(info, "stele needs DuckDB 1.2 or later");
        free(f);
        return false;
    }
    take_functions(&d, api);
    pthread_mutex_init(&f->lock, NULL);
    f->opener = (trace_opener){open_trace, size_of_trace, NULL};
    if (d.connect(*access->get_database(info), &connection) != DUCK_OK) {
        access->set_error(info, "no connection");
        free_functions(f);
        return false;
    }
    is_done = functions_register(f, &d, *access->get_database(info), connection);
    d.add_replacement_scan(*access->get_database(info), replace, f, free_functions);
    d.disconnect(&connection);
    if (!is_done)
        access->set_error(info, "DuckDB refuses the functions that read tables");
    return is_done;
}
