/* SPDX-License-Identifier: Apache-2.0 */
/* stele query: answers SQL statements about traces. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/show/print.h"
#include "cli/sql/engine.h"
#include "cli/sql/folder.h"
#include "cli/sql/line.h"
#include "cli/sql/seen.h"
#include "cli/sql/statement.h"
#include "cli/temp.h"
#include "view/list.h"

typedef struct query {
    cli *c;
    engine e;
    engine_output to;
    /* findings that were shown, because each table of a statement reads the trace again */
    seen seen;
    pthread_mutex_t lock; /* lock for findings of readers on several threads */
    uint64_t *sizes;      /* sizes of the arguments in bytes */
    const char *folder; /* folder of Parquet files that is queried instead of traces; NULL: none */
} query;

/* ---- Opening of traces ---- */

static void report_once(void *user, const stele_diag *diag)
{
    query *q = user;
    /* the rows show that no event has a name of the statement */
    if (q->e.functions.plan != NULL && strcmp(diag->code->code, "STE014") == 0)
        return;
    pthread_mutex_lock(&q->lock);
    if (seen_add(&q->seen, diag))
        report_add(&q->c->report, diag);
    pthread_mutex_unlock(&q->lock);
}

static void close_traces(scanned *s)
{
    for (size_t i = s->count; i-- > 0;)
        stele_trace_close(s->traces[i]);
    free(s->traces);
    stele_context_free(s->context);
    *s = (scanned){.count = 0};
}

/* Whether a path means the argument with this index; "" means all of them. */
static bool is_meant(const cli *c, size_t index, const char *path)
{
    return path[0] == 0 || strcmp(c->options.arguments[index], path) == 0;
}

static bool is_argument(const cli *c, const char *path)
{
    for (size_t i = 0; i < c->options.argument_count; i++) {
        if (is_meant(c, i, path))
            return true;
    }
    return false;
}

/* Opens traces in a context of their own, because scans can run on different threads. */
static bool open_traces(void *user, const char *path, scanned *s)
{
    query *q = user;
    cli aside = *q->c;
    const bool is_silent = s->is_silent;
    const size_t count = is_argument(q->c, path) ? q->c->options.argument_count : 0;
    *s = (scanned){.traces = calloc(count + 1, sizeof(stele_trace *))};
    if (s->traces == NULL ||
        !cli_make_context(q->c, is_silent ? NULL : report_once, q, &s->context)) {
        close_traces(s);
        return false;
    }
    aside.context = s->context;
    for (size_t i = 0; i < count; i++) {
        if (!is_meant(q->c, i, path))
            continue;
        s->traces[s->count] = cli_open(&aside, i);
        if (s->traces[s->count] != NULL)
            s->count++;
    }
    if (count == 0 && option_given(&q->c->options, OPTION_ALLOW_FILES) &&
        stele_trace_open(s->context, path, NULL, &s->traces[0]) == STELE_OK)
        s->count = 1;
    else if (count == 0)
        cli_remark(q->c, "%s: cannot be read; traces that are not arguments need --allow-files",
                   path);
    q->c->worst = aside.worst;
    q->c->binaries = aside.binaries;
    if (s->count != 0)
        return true;
    close_traces(s);
    return false;
}

#define SIZE_UNKNOWN ((uint64_t)1 << 20)

static uint64_t size_of_traces(void *user, const char *path)
{
    const query *q = user;
    uint64_t size = 0;
    for (size_t i = 0; i < q->c->options.argument_count; i++)
        size += is_meant(q->c, i, path) ? q->sizes[i] : 0;
    return size != 0 ? size : SIZE_UNKNOWN;
}

/* Takes a folder of Parquet files, which must be the only argument: the numbers of its traces
   are its own. */
static bool take_folder(query *q)
{
    const options *o = &q->c->options;
    for (size_t i = 0; i < o->argument_count; i++) {
        if (!folder_has_tables(o->arguments[i]))
            continue;
        if (o->argument_count > 1)
            return cli_usage(q->c, "%s: a folder of Parquet files is queried alone",
                             o->arguments[i]);
        q->folder = o->arguments[i];
    }
    return true;
}

/* Opens all arguments once, so that those that cannot be read are reported before any statement. */
static bool look_at_traces(query *q)
{
    cli *c = q->c;
    inputs in = {.count = 0};
    bool is_open;
    q->sizes = calloc(c->options.argument_count + 1, sizeof *q->sizes);
    if (q->sizes == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "inputs");
    if (!take_folder(q) || q->folder != NULL)
        return q->folder != NULL;
    is_open = inputs_open(c, &in) && in.count == c->options.argument_count;
    for (size_t i = 0; is_open && i < in.count; i++) {
        const stele_trace_info *info = stele_trace_get_info(in.traces[i]);
        q->sizes[i] = info->has_size ? info->size : SIZE_UNKNOWN;
        if (strcmp(info->path, "-") == 0)
            is_open = cli_usage(c, "-: a query can read a trace more than once: give a file");
    }
    inputs_close(&in);
    return is_open;
}

/* ---- Execution of statements ---- */

static bool goes_on(void)
{
    return cli_interrupted() == 0;
}

/* Runs one statement. If it fails, reports it and returns false. */
static bool run(query *q, const char *text, size_t size)
{
    reading_now now = {.lock = &q->lock};
    bool is_done;
    progress_begin(&q->c->progress, !q->c->is_quiet && !q->c->is_screen);
    q->c->reading = &now;
    is_done = engine_execute(&q->e, text, size, &q->to);
    q->c->reading = NULL;
    progress_clear(&q->c->progress);
    if (!is_done && q->e.error[0] != 0) {
        stele_output_flush(q->c->out);
        cli_usage(q->c, "%s", q->e.error);
        if (q->folder != NULL && strstr(q->e.error, "Table with name") != NULL)
            cli_remark(q->c, "%s has the tables that 'convert --tables' wrote", q->folder);
    }
    return is_done;
}

static bool run_all(query *q, const char *text)
{
    const char *at = text, *statement;
    size_t size;
    bool is_done = true;
    while (is_done && goes_on() && statement_next(&at, &statement, &size, NULL))
        is_done = run(q, statement, size);
    return is_done;
}

/* Reads a whole file; "-" is standard input. The caller frees the text. If that fails, reports
   it and returns NULL. */
static char *read_text(cli *c, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL || getdelim(&text, &size, 0, file) < 0) {
        const bool is_empty = file != NULL && feof(file) && !ferror(file);
        free(text);
        text = is_empty ? strdup("") : NULL;
        if (!is_empty)
            cli_remark(c, "%s: %s", path, strerror(errno));
    }
    if (file != NULL && file != stdin)
        fclose(file);
    if (text == NULL)
        cli_exit(c, EXIT_UNREADABLE);
    return text;
}

static const char help_text[] =
    "Statements end with ';'. .tables lists the tables, .schema TABLE the columns of one, .quit "
    "or\n"
    "the end of input ends. 'stele help sql' and docs/sql.md say more.\n";

/* Runs a line that begins with a dot. Returns false if the prompt should end. */
static bool do_command(query *q, const char *line)
{
    char sql[256], name[64];
    if (strncmp(line, ".quit", 5) == 0 || strncmp(line, ".exit", 5) == 0)
        return false;
    if (strncmp(line, ".tables", 7) == 0) {
        run_all(q,
                "SELECT view_name AS \"table\" FROM duckdb_views() WHERE NOT internal ORDER BY 1");
    } else if (sscanf(line, ".schema %63[A-Za-z0-9_]", name) == 1) {
        snprintf(sql, sizeof sql, "SELECT column_name, column_type FROM (DESCRIBE \"%s\")", name);
        run_all(q, sql);
    } else {
        stele_output_text(q->c->out, help_text);
    }
    return true;
}

/* Appends a line to the text that was typed. Returns false if out of memory, when the text is
   unchanged. */
static bool append_line(char **text, const char *line)
{
    const size_t used = strlen(*text), size = strlen(line) + 1;
    char *grown = list_fit(*text, 1, used + size);
    if (grown == NULL)
        return false;
    memcpy(grown + used, line, size);
    *text = grown;
    return true;
}

/* Runs the statements that are complete, and keeps the rest of the text. */
static void run_closed(query *q, char *text)
{
    const char *at = text, *rest = text, *statement;
    size_t size = 1;
    bool is_closed = true;
    while (is_closed) {
        rest = at;
        if (!statement_next(&at, &statement, &size, &is_closed))
            break;
        if (is_closed)
            run(q, statement, size);
    }
    memmove(text, rest, strlen(rest) + 1);
    if (size == 0)
        text[0] = 0;
}

/* Reads statements from a terminal. */
static void prompt(query *q)
{
    char *line, *text = strdup(""), *statement = strdup("");
    bool goes_further = text != NULL && statement != NULL;
    stele_output_text(q->c->out, help_text);
    line_begin();
    while (goes_further && goes_on()) {
        stele_output_flush(q->c->out);
        line = line_read(text[0] == 0 ? "stele> " : "  ...> ");
        if (line == NULL)
            break;
        if (text[0] == 0 && line[0] == '.') {
            line_remember(line);
            goes_further = do_command(q, line);
        } else {
            goes_further = append_line(&text, line) && append_line(&text, "\n") &&
                           append_line(&statement, line) && append_line(&statement, " ");
            if (goes_further)
                run_closed(q, text);
            if (goes_further && text[0] == 0) {
                statement[strlen(statement) - 1] = 0;
                line_remember(statement);
                statement[0] = 0;
            }
        }
        free(line);
    }
    line_end();
    free(statement);
    free(text);
}

/* ---- The command ---- */

static void take_form(query *q)
{
    const options *o = &q->c->options;
    const bool csv = option_given(o, OPTION_CSV), json = option_given(o, OPTION_JSON),
               markdown = option_given(o, OPTION_MARKDOWN), box = option_given(o, OPTION_BOX);
    q->to = (engine_output){.out = q->c->out,
                            .form = csv        ? FORM_CSV
                                    : json     ? FORM_JSON
                                    : markdown ? FORM_MARKDOWN
                                    : box      ? FORM_BOX
                                               : FORM_TABLE,
                            .has_color = q->c->has_color && !csv && !json && !markdown,
                            .goes_on = goes_on};
}

static bool open_engine(query *q)
{
    cli *c = q->c;
    const engine_options given = {.memory = option_value(&c->options, OPTION_MEMORY),
                                  .threads = option_value(&c->options, OPTION_QUERY_THREADS),
                                  .temp_dir = temp_dir(),
                                  .folder = q->folder,
                                  .allows_files = option_given(&c->options, OPTION_ALLOW_FILES)};
    q->e.functions.opener = (trace_opener){open_traces, size_of_traces, q};
    /* names from binaries are cached for a single thread */
    q->e.functions.threads =
        option_given(&c->options, OPTION_BINARY) ? 1 : (uint32_t)strtoul(given.threads, NULL, 10);
    if (engine_open(&q->e, &given))
        return true;
    if (q->e.d.handle == NULL) {
        cli_remark(c, "query: DuckDB's library is not there (%s)", q->e.error);
        fprintf(stderr, "stele: query: './setup sql' in the sources of Stele installs it; "
                        "STELE_DUCKDB=FILE names another\n");
        cli_exit(c, EXIT_UNREADABLE);
        return false;
    }
    return cli_usage(c, "%s", q->e.error);
}

/* Reports what the tables do not show, such as losses. */
static void conclude(query *q)
{
    const scan_totals *totals = &q->e.functions.totals;
    const stele_reader_stats stats = {.lost_count = totals->lost_count,
                                      .missing_count = totals->missing_count};
    char count[PRINT_SIZE];
    if (totals->lost_count != 0)
        cli_remark(q->c, "%s known to be lost: see the table 'lost'",
                   print_what(count, totals->lost_count, "event", "is", "are"));
    if (totals->misfit_count != 0)
        cli_remark(q->c, "%s not fit the type of the column 'arg_...', and became NULL",
                   print_what(count, totals->misfit_count, "value", "does", "do"));
    if (totals->replaced_count != 0)
        cli_remark(q->c, "%s not UTF-8: each wrong byte became U+FFFD",
                   print_what(count, totals->replaced_count, "text", "is", "are"));
    if (totals->unknown_count != 0)
        cli_remark(q->c, "%s not fit into 64 bits of nanoseconds, and became NULL",
                   print_what(count, totals->unknown_count, "time", "does", "do"));
    if (totals->misfit_count != 0 || totals->unknown_count != 0)
        cli_exit(q->c, EXIT_FINDINGS);
    cli_conclude(q->c, NULL, &stats);
}

/* Takes the statement from the arguments: the last one, unless it is a file or the only one.
   Returns NULL if there is none. */
static const char *take_statement(options *o)
{
    if (option_given(o, OPTION_SQL_FILE) || o->argument_count < 2 ||
        access(o->arguments[o->argument_count - 1], F_OK) == 0)
        return NULL;
    return o->arguments[--o->argument_count];
}

void command_QUERY(cli *c)
{
    query q = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};
    const char *statement = take_statement(&c->options);
    const char *file = option_value(&c->options, OPTION_SQL_FILE);
    const bool has_prompt = statement == NULL && file == NULL && isatty(STDIN_FILENO) == 1;
    char *text = NULL;
    take_form(&q);
    if (look_at_traces(&q) && open_engine(&q)) {
        if (statement == NULL && !has_prompt)
            text = read_text(c, file != NULL ? file : "-");
        if (has_prompt)
            prompt(&q);
        else if (statement != NULL || text != NULL)
            run_all(&q, statement != NULL ? statement : text);
        engine_close(&q.e);
        conclude(&q);
    } else if (q.e.d.handle != NULL) {
        engine_close(&q.e);
    }
    free(text);
    free(q.sizes);
    seen_free(&q.seen);
}
