/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/sql/folder.h"
#include "cli/sql/macros.h"

static bool keep_error(engine *e, const char *text)
{
    snprintf(e->error, sizeof e->error, "%s", text != NULL ? text : "unknown error");
    return false;
}

/* ---- Opening of the database ---- */

static bool set(engine *e, duck_config config, const char *name, const char *value)
{
    char text[128];
    if (e->d.set_config(config, name, value) == DUCK_OK)
        return true;
    snprintf(text, sizeof text, "DuckDB does not take %s = %s", name, value);
    return keep_error(e, text);
}

static bool open_database(engine *e, const engine_options *options)
{
    duck_config config = NULL;
    char *error = NULL;
    bool is_open;
    snprintf(e->temp_dir, sizeof e->temp_dir, "%s/stele-query-%ld", options->temp_dir,
             (long)getpid());
    if (e->d.create_config(&config) != DUCK_OK)
        return keep_error(e, "out of memory");
    is_open = set(e, config, "threads", options->threads) &&
              set(e, config, "memory_limit", options->memory) &&
              set(e, config, "temp_directory", e->temp_dir) &&
              set(e, config, "autoinstall_known_extensions", "false") &&
              set(e, config, "autoload_known_extensions", "false") &&
              set(e, config, "allow_community_extensions", "false");
    if (is_open && e->d.open_ext(NULL, &e->database, config, &error) != DUCK_OK) {
        is_open = keep_error(e, error);
        e->d.free(error);
    }
    e->d.destroy_config(&config);
    return is_open &&
           (e->d.connect(e->database, &e->connection) == DUCK_OK || keep_error(e, "no connection"));
}

static bool do_quietly(engine *e, const char *sql)
{
    duck_result result;
    const bool is_done = e->d.query(e->connection, sql, &result) == DUCK_OK ||
                         keep_error(e, e->d.result_error(&result));
    e->d.destroy_result(&result);
    return is_done;
}

/* Runs a statement for folder_attach(). */
static bool run_of_folder(void *user, const char *sql)
{
    return do_quietly(user, sql);
}

static char *joined(const char *before, const char *text, size_t size, const char *after)
{
    char *sql = malloc(strlen(before) + size + strlen(after) + 1);
    if (sql != NULL)
        sprintf(sql, "%s%.*s%s", before, (int)size, text, after);
    return sql;
}

/* ---- Views and macros ---- */

/* Whether a text contains a word in letters of any case, be it a part of another word. */
static bool contains(const char *text, size_t size, const char *word, size_t word_size)
{
    for (size_t at = 0; at + word_size <= size; at++)
        if (strncasecmp(text + at, word, word_size) == 0)
            return true;
    return false;
}

/* Whether a statement may list what there is, so that all of it must be there. */
static bool may_list(const char *text, size_t size)
{
    static const char *const words[] = {"show", "describe", "duckdb_", "information_schema",
                                        "pg_",  "sqlite_",  "pragma"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(text, size, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Makes a view of a table function, for the traces of the command line. */
static bool make_view(engine *e, const char *table)
{
    char sql[256];
    snprintf(sql, sizeof sql, "CREATE VIEW IF NOT EXISTS \"%s\" AS FROM read_%s('')", table, table);
    return do_quietly(e, sql);
}

static bool make_macro(engine *e, const char *macro)
{
    const char *const what = macro + strlen("CREATE MACRO ");
    char *sql = joined("CREATE MACRO IF NOT EXISTS ", what, strlen(what), "");
    const bool is_made = sql != NULL ? do_quietly(e, sql) : keep_error(e, "out of memory");
    free(sql);
    return is_made;
}

/* The macros whose names a statement contains, as bits of their indexes. */
static uint64_t macros_in(const char *text, size_t size)
{
    uint64_t found = 0;
    for (size_t i = 0; i < sizeof sql_macros / sizeof *sql_macros; i++) {
        const char *const name = sql_macros[i] + strlen("CREATE MACRO ");
        found |= (uint64_t)contains(text, size, name, strcspn(name, "(")) << i;
    }
    return found;
}

/* Whether macros read a table, which a statement with a macro need not name. */
static bool is_of_macros(const char *table)
{
    return strcmp(table, "event") == 0 || strcmp(table, "slice") == 0;
}

/*
 * Makes the views and macros whose names a statement contains, or all with `text` NULL. To make all
 * of them for each statement would take a third of the time of a short one. What was made is not
 * made again, unless all is asked for: a transaction may have been undone.
 */
static bool make_used(engine *e, const char *text, size_t size)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    const uint64_t macros = text != NULL ? macros_in(text, size) & ~e->macros_made : UINT64_MAX;
    for (size_t i = 0; e->has_views && i < 64 && stele_table_get(i, &table); i++) {
        const bool is_used = text == NULL || (macros != 0 && is_of_macros(table.name)) ||
                             contains(text, size, table.name, strlen(table.name));
        if (!is_used || (text != NULL && (e->views_made >> i & 1) != 0))
            continue;
        if (!make_view(e, table.name))
            return false;
        e->views_made |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < sizeof sql_macros / sizeof *sql_macros; i++) {
        if ((macros >> i & 1) != 0 && !make_macro(e, sql_macros[i]))
            return false;
    }
    e->macros_made |= macros;
    return true;
}

static bool attach_folder(engine *e, const char *path)
{
    if (folder_attach(path, run_of_folder, e))
        return true;
    return e->error[0] != 0 ? false : keep_error(e, "the folder of tables cannot be read");
}

bool engine_open(engine *e, const engine_options *options)
{
    e->error[0] = 0;
    if (!duckdb_open_library(&e->d, e->error, sizeof e->error))
        return false;
    pthread_mutex_init(&e->functions.lock, NULL);
    e->functions.keeps_texts = true;
    if (!open_database(e, options))
        return false;
    if (!functions_register(&e->functions, &e->d, e->database, e->connection))
        return keep_error(e, "DuckDB refuses the functions that read tables");
    e->has_views = options->folder == NULL;
    e->views_made = e->macros_made = 0;
    return (options->folder == NULL || attach_folder(e, options->folder)) &&
           (options->allows_files || do_quietly(e, "SET enable_external_access = false"));
}

void engine_close(engine *e)
{
    if (e->connection != NULL)
        e->d.disconnect(&e->connection);
    if (e->database != NULL)
        e->d.close(&e->database);
    functions_release(&e->functions);
    functions_free(&e->functions);
    if (e->temp_dir[0] != 0)
        rmdir(e->temp_dir);
}

/* ---- Interruption of statements ---- */

/* A thread that interrupts the running statement once it should not go on. */
typedef struct watch {
    engine *e;
    engine_go_on_fn *goes_on;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_over;
    pthread_t thread;
    bool is_running;
} watch;

#define WATCH_NS 50000000

static void *watch_run(void *data)
{
    watch *w = data;
    pthread_mutex_lock(&w->lock);
    while (!w->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WATCH_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
        if (!w->is_over && !w->goes_on())
            w->e->d.interrupt(w->e->connection);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void watch_begin(watch *w)
{
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->is_running = pthread_create(&w->thread, NULL, watch_run, w) == 0;
}

static void watch_end(watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->is_over = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (w->is_running)
        pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
}

/* ---- Rows of results ---- */

/* A cell of a chunk whose columns are all texts. */
static stele_text cell_at(const engine *e, duck_chunk chunk, size_t column, size_t row)
{
    duck_vector vector = e->d.data_chunk_get_vector(chunk, column);
    const uint64_t *valid = e->d.vector_get_validity(vector);
    const stele_cell_text *texts = e->d.vector_get_data(vector);
    if (valid != NULL && (valid[row / 64] >> (row % 64) & 1) == 0)
        return (stele_text){NULL, 0};
    return (stele_text){stele_cell_bytes(&texts[row]), texts[row].size};
}

static bool write_chunk(engine *e, duck_chunk chunk, size_t column_count, row_writer *w)
{
    const size_t row_count = (size_t)e->d.data_chunk_get_size(chunk);
    stele_text *cells = calloc(column_count + 1, sizeof *cells);
    bool is_done = cells != NULL;
    for (size_t row = 0; is_done && row < row_count; row++) {
        for (size_t i = 0; i < column_count; i++)
            cells[i] = cell_at(e, chunk, i, row);
        is_done = rows_add(w, cells);
    }
    free(cells);
    return is_done || keep_error(e, "out of memory");
}

/* Names and types of the columns of a result. */
typedef struct shape {
    char **names, **types; /* owned by DuckDB */
    size_t count;
} shape;

static void free_shape(engine *e, shape *s)
{
    for (size_t i = 0; i < s->count; i++) {
        e->d.free(s->names[i]);
        e->d.free(s->types[i]);
    }
    free(s->names);
    free(s->types);
    *s = (shape){.count = 0};
}

static bool find_shape(engine *e, const char *statement, size_t size, shape *s)
{
    char *sql = joined("DESCRIBE ", statement, size, "\n");
    duck_result result;
    bool is_known = false;
    *s = (shape){.count = 0};
    if (sql == NULL)
        return false;
    if (e->d.query(e->connection, sql, &result) == DUCK_OK) {
        const size_t count = (size_t)e->d.row_count(&result);
        s->names = calloc(count + 1, sizeof *s->names);
        s->types = calloc(count + 1, sizeof *s->types);
        is_known = s->names != NULL && s->types != NULL;
        for (; is_known && s->count < count; s->count++) {
            s->names[s->count] = e->d.value_varchar(&result, 0, s->count);
            s->types[s->count] = e->d.value_varchar(&result, 1, s->count);
        }
    }
    e->d.destroy_result(&result);
    free(sql);
    return is_known && s->count != 0;
}

/* Runs a prepared statement, and writes its rows as they come. */
static bool stream(engine *e, duck_prepared prepared, const shape *s, const engine_output *to)
{
    const struct timespec moment = {0, 1000000};
    duck_pending pending = NULL;
    duck_result result;
    duck_chunk chunk;
    row_writer *w;
    bool is_done;
    int state = DUCK_PENDING_ERROR;
    if (e->d.pending_prepared_streaming(prepared, &pending) == DUCK_OK) {
        do {
            state = e->d.pending_execute_task(pending);
            if (state == DUCK_PENDING_NO_TASKS)
                nanosleep(&moment, NULL);
        } while (state == DUCK_PENDING_NOT_READY || state == DUCK_PENDING_NO_TASKS);
    }
    if (state == DUCK_PENDING_ERROR) {
        keep_error(e, e->d.pending_error(pending));
        e->d.destroy_pending(&pending);
        return false;
    }
    is_done = e->d.execute_pending(pending, &result) == DUCK_OK;
    w = is_done ? rows_begin(to->out, to->form, to->has_color, (const char *const *)s->names,
                             (const char *const *)s->types, s->count)
                : NULL;
    while (w != NULL && is_done && (chunk = e->d.fetch_chunk(result)) != NULL) {
        is_done = write_chunk(e, chunk, s->count, w);
        if (is_done && stele_output_status(to->out) != STELE_OK)
            is_done = false; /* the output has an error */
        if (e->d.data_chunk_get_size(chunk) == 0) {
            e->d.destroy_data_chunk(&chunk);
            break;
        }
        e->d.destroy_data_chunk(&chunk);
    }
    if (is_done && e->d.result_error(&result) != NULL && e->d.result_error(&result)[0] != 0)
        is_done = keep_error(e, e->d.result_error(&result));
    if (w != NULL)
        rows_end(w);
    e->d.destroy_result(&result);
    e->d.destroy_pending(&pending);
    return is_done;
}

/* Finds out from a statement's plan which rows its scans can leave out. Errors are ignored here,
   because the statement itself reports them. */
static plan_scan *find_plan(engine *e, const char *sql)
{
    char *explain = joined("EXPLAIN (FORMAT JSON) ", sql, strlen(sql), "");
    plan_scan *plan = NULL;
    duck_result result;
    if (explain == NULL)
        return NULL;
    if (e->d.query(e->connection, explain, &result) == DUCK_OK && e->d.row_count(&result) != 0) {
        char *json = e->d.value_varchar(&result, e->d.column_count(&result) - 1, 0);
        if (json != NULL)
            plan = plan_read(json);
        e->d.free(json);
    }
    e->d.destroy_result(&result);
    free(explain);
    return plan;
}

/* Runs a statement that gives rows. DuckDB converts them to texts. */
static bool run_rows(engine *e, const char *statement, size_t size, const engine_output *to,
                     bool *is_possible)
{
    const char *before = to->form == FORM_JSON
                             ? "SELECT CAST(to_json(COLUMNS(*)) AS VARCHAR) FROM (\n"
                             : "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n";
    char *sql = joined(before, statement, size, "\n)");
    duck_prepared prepared = NULL;
    shape s = {.count = 0};
    bool is_done = false;
    *is_possible = sql != NULL && find_shape(e, statement, size, &s) &&
                   e->d.prepare(e->connection, sql, &prepared) == DUCK_OK;
    if (*is_possible) {
        plan_scan *plan = find_plan(e, sql);
        e->functions.plan = plan;
        is_done = stream(e, prepared, &s, to);
        e->functions.plan = NULL;
        plan_free(plan);
    }
    if (prepared != NULL)
        e->d.destroy_prepare(&prepared);
    free_shape(e, &s);
    free(sql);
    return is_done;
}

/* DuckDB's numbers for types of statements. */
enum {
    STATEMENT_SELECT = 1,
    STATEMENT_EXPLAIN = 4,
    STATEMENT_EXECUTE = 8,
    STATEMENT_PRAGMA = 17,
    STATEMENT_CALL = 19
};

static bool write_result(engine *e, duck_result *result, const engine_output *to)
{
    const size_t column_count = (size_t)e->d.column_count(result);
    const size_t row_count = (size_t)e->d.row_count(result);
    const char **names = calloc(column_count + 1, sizeof *names);
    const char **types = calloc(column_count + 1, sizeof *types);
    stele_text *cells = calloc(column_count + 1, sizeof *cells);
    row_writer *w = NULL;
    bool is_done = names != NULL && types != NULL && cells != NULL;
    for (size_t i = 0; is_done && i < column_count; i++) {
        names[i] = e->d.column_name(result, i);
        types[i] = "";
    }
    if (is_done)
        w = rows_begin(to->out, to->form, to->has_color, names, types, column_count);
    if (w != NULL)
        rows_quote(w);
    for (size_t row = 0; w != NULL && is_done && row < row_count; row++) {
        for (size_t i = 0; i < column_count; i++) {
            char *text = e->d.value_varchar(result, i, row);
            cells[i] = (stele_text){text, text != NULL ? strlen(text) : 0};
        }
        is_done = rows_add(w, cells);
        for (size_t i = 0; i < column_count; i++)
            e->d.free((void *)(uintptr_t)cells[i].bytes);
    }
    if (w != NULL)
        rows_end(w);
    free(names);
    free(types);
    free(cells);
    return (is_done && w != NULL) || keep_error(e, "out of memory");
}

static void put_plan(engine *e, duck_result *result, const engine_output *to)
{
    char *text = e->d.row_count(result) != 0
                     ? e->d.value_varchar(result, e->d.column_count(result) - 1, 0)
                     : NULL;
    if (text != NULL)
        stele_output_printf(to->out, "%s\n", text);
    e->d.free(text);
}

static bool run_other(engine *e, const char *sql, int type, const engine_output *to)
{
    duck_result result;
    bool is_done = e->d.query(e->connection, sql, &result) == DUCK_OK ||
                   keep_error(e, e->d.result_error(&result));
    if (is_done && type == STATEMENT_EXPLAIN)
        put_plan(e, &result, to);
    else if (is_done && (type == STATEMENT_SELECT || type == STATEMENT_EXECUTE ||
                         type == STATEMENT_PRAGMA || type == STATEMENT_CALL))
        is_done = write_result(e, &result, to);
    e->d.destroy_result(&result);
    return is_done;
}

static bool run(engine *e, const char *statement, size_t size, const engine_output *to)
{
    char *sql = joined("", statement, size, "");
    duck_prepared prepared = NULL;
    bool is_done, is_rows = false;
    int type;
    if (sql == NULL)
        return keep_error(e, "out of memory");
    is_done = make_used(e, may_list(statement, size) ? NULL : statement, size) &&
              e->d.prepare(e->connection, sql, &prepared) == DUCK_OK;
    if (!is_done) {
        /* The statement may need tables that its text does not name. */
        e->d.destroy_prepare(&prepared);
        make_used(e, NULL, 0);
        e->error[0] = 0;
        is_done = e->d.prepare(e->connection, sql, &prepared) == DUCK_OK ||
                  keep_error(e, e->d.prepare_error(prepared));
    }
    type = is_done ? e->d.prepared_statement_type(prepared) : 0;
    /* PIVOT consists of several statements, which can only be run together. */
    if (!is_done && strstr(e->error, "multiple statements") != NULL)
        type = STATEMENT_SELECT;
    e->d.destroy_prepare(&prepared);
    if (is_done && type == STATEMENT_SELECT)
        is_done = run_rows(e, statement, size, to, &is_rows);
    if (type != 0 && !is_rows)
        is_done = run_other(e, sql, type, to);
    free(sql);
    return is_done;
}

bool engine_execute(engine *e, const char *statement, size_t size, const engine_output *to)
{
    watch w = {.e = e, .goes_on = to->goes_on};
    bool is_done;
    e->error[0] = 0;
    watch_begin(&w);
    is_done = run(e, statement, size, to);
    watch_end(&w);
    functions_release(&e->functions);
    if (!to->goes_on())
        e->error[0] = 0;
    return is_done;
}
