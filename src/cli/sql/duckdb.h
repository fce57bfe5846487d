/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of DuckDB's C interface that are used, declared here so that the build does not need
 * DuckDB. Functions are found when the library is opened (duckdb.c); they are the same from version
 * 1.2 on.
 */
#ifndef CLI_SQL_DUCKDB_H
#define CLI_SQL_DUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t duck_count;
typedef void *duck_database, *duck_connection, *duck_config, *duck_prepared, *duck_pending,
    *duck_vector, *duck_chunk, *duck_type, *duck_value, *duck_function;
typedef struct duck_info_ *duck_info; /* context of a call of a table function */
typedef void duck_destroy_fn(void *data);
typedef void duck_call_fn(duck_info info);
typedef void duck_fill_fn(duck_info info, duck_chunk chunk);
typedef void duck_replace_fn(duck_info info, const char *table, void *data);

typedef struct duck_result {
    duck_count unused_counts[3];
    void *unused_columns;
    char *unused_message;
    void *data;
} duck_result;

#define DUCK_OK 0

enum { /* states of a pending result */
       DUCK_PENDING_READY = 0,
       DUCK_PENDING_NOT_READY = 1,
       DUCK_PENDING_ERROR = 2,
       DUCK_PENDING_NO_TASKS = 3
};

enum { /* numbers of types */
       DUCK_TYPE_BOOL = 1,
       DUCK_TYPE_I64 = 5,
       DUCK_TYPE_U8 = 6,
       DUCK_TYPE_U16 = 7,
       DUCK_TYPE_U32 = 8,
       DUCK_TYPE_U64 = 9,
       DUCK_TYPE_DOUBLE = 11,
       DUCK_TYPE_TEXT = 17,
       DUCK_TYPE_TIMESTAMP_NS = 22
};

/* All functions as X(result, name without "duckdb_", arguments). They belong to the stable
   interface, except for those in DUCK_FUNCTIONS_OF_COMMAND. */
#define DUCK_FUNCTIONS(X)                                                                        \
    X(void, free, (void *memory))                                                                \
    X(duck_count, vector_size, (void))                                                           \
    X(duck_type, create_logical_type, (int id))                                                  \
    X(duck_type, create_enum_type, (const char **labels, duck_count count))                      \
    X(void, destroy_logical_type, (duck_type * type))                                            \
    X(char *, get_varchar, (duck_value value))                                                   \
    X(duck_value, create_varchar, (const char *text))                                            \
    X(void, destroy_value, (duck_value * value))                                                 \
    X(duck_vector, data_chunk_get_vector, (duck_chunk chunk, duck_count column))                 \
    X(duck_count, data_chunk_get_size, (duck_chunk chunk))                                       \
    X(void, data_chunk_set_size, (duck_chunk chunk, duck_count size))                            \
    X(void *, vector_get_data, (duck_vector vector))                                             \
    X(uint64_t *, vector_get_validity, (duck_vector vector))                                     \
    X(void, vector_ensure_validity_writable, (duck_vector vector))                               \
    X(void, vector_assign_string_element_len,                                                    \
      (duck_vector vector, duck_count row, const char *text, duck_count size))                   \
    X(duck_function, create_table_function, (void))                                              \
    X(void, destroy_table_function, (duck_function * function))                                  \
    X(void, table_function_set_name, (duck_function function, const char *name))                 \
    X(void, table_function_add_parameter, (duck_function function, duck_type type))              \
    X(void, table_function_add_named_parameter,                                                  \
      (duck_function function, const char *name, duck_type type))                                \
    X(void, table_function_set_extra_info,                                                       \
      (duck_function function, void *extra, duck_destroy_fn *destroy))                           \
    X(void, table_function_set_bind, (duck_function function, duck_call_fn * bind))              \
    X(void, table_function_set_init, (duck_function function, duck_call_fn * init))              \
    X(void, table_function_set_local_init, (duck_function function, duck_call_fn * init))        \
    X(void, table_function_set_function, (duck_function function, duck_fill_fn * fill))          \
    X(void, table_function_supports_projection_pushdown, (duck_function function, bool does))    \
    X(int, register_table_function, (duck_connection connection, duck_function function))        \
    X(void *, bind_get_extra_info, (duck_info info))                                             \
    X(void, bind_add_result_column, (duck_info info, const char *name, duck_type type))          \
    X(duck_value, bind_get_parameter, (duck_info info, duck_count index))                        \
    X(duck_value, bind_get_named_parameter, (duck_info info, const char *name))                  \
    X(void, bind_set_bind_data, (duck_info info, void *data, duck_destroy_fn *destroy))          \
    X(void, bind_set_cardinality, (duck_info info, duck_count rows, bool is_exact))              \
    X(void, bind_set_error, (duck_info info, const char *error))                                 \
    X(void *, init_get_bind_data, (duck_info info))                                              \
    X(duck_count, init_get_column_count, (duck_info info))                                       \
    X(duck_count, init_get_column_index, (duck_info info, duck_count index))                     \
    X(void, init_set_init_data, (duck_info info, void *data, duck_destroy_fn *destroy))          \
    X(void, init_set_max_threads, (duck_info info, duck_count count))                            \
    X(void, init_set_error, (duck_info info, const char *error))                                 \
    X(void *, function_get_init_data, (duck_info info))                                          \
    X(void *, function_get_local_init_data, (duck_info info))                                    \
    X(void, function_set_error, (duck_info info, const char *error))                             \
    X(void, add_replacement_scan,                                                                \
      (duck_database database, duck_replace_fn * replace, void *data, duck_destroy_fn *destroy)) \
    X(void, replacement_scan_set_function_name, (duck_info info, const char *name))              \
    X(void, replacement_scan_add_parameter, (duck_info info, duck_value value))

#define DUCK_FUNCTIONS_OF_COMMAND(X)                                                        \
    X(const char *, library_version, (void))                                                \
    X(int, create_config, (duck_config * config))                                           \
    X(int, set_config, (duck_config config, const char *name, const char *value))           \
    X(void, destroy_config, (duck_config * config))                                         \
    X(int, open_ext,                                                                        \
      (const char *path, duck_database *database, duck_config config, char **error))        \
    X(void, close, (duck_database * database))                                              \
    X(int, connect, (duck_database database, duck_connection * connection))                 \
    X(void, disconnect, (duck_connection * connection))                                     \
    X(void, interrupt, (duck_connection connection))                                        \
    X(int, query, (duck_connection connection, const char *sql, duck_result *result))       \
    X(void, destroy_result, (duck_result * result))                                         \
    X(const char *, result_error, (duck_result * result))                                   \
    X(const char *, column_name, (duck_result * result, duck_count column))                 \
    X(duck_count, column_count, (duck_result * result))                                     \
    X(duck_count, row_count, (duck_result * result))                                        \
    X(char *, value_varchar, (duck_result * result, duck_count column, duck_count row))     \
    X(int, prepare, (duck_connection connection, const char *sql, duck_prepared *prepared)) \
    X(const char *, prepare_error, (duck_prepared prepared))                                \
    X(int, prepared_statement_type, (duck_prepared prepared))                               \
    X(void, destroy_prepare, (duck_prepared * prepared))                                    \
    X(int, pending_prepared_streaming, (duck_prepared prepared, duck_pending * pending))    \
    X(int, pending_execute_task, (duck_pending pending))                                    \
    X(const char *, pending_error, (duck_pending pending))                                  \
    X(int, execute_pending, (duck_pending pending, duck_result * result))                   \
    X(void, destroy_pending, (duck_pending * pending))                                      \
    X(duck_chunk, fetch_chunk, (duck_result result))                                        \
    X(void, destroy_data_chunk, (duck_chunk * chunk))

typedef struct duckdb {
#define X(result, name, arguments) result(*name) arguments;
    DUCK_FUNCTIONS(X)
    DUCK_FUNCTIONS_OF_COMMAND(X)
#undef X
    void *handle; /* result of dlopen(); NULL: not loaded */
} duckdb;

/* Opens the library. If a function or file is missing, sets `missing`, of `size` bytes, to its
   name and returns false. */
bool duckdb_open_library(duckdb *d, char *missing, size_t size);

#endif
