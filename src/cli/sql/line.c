/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/line.h"

#include <stele/tables.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stele_config.h"

/* ---- Completion of words --------------------------------------------------------------------- */

static const char *const words[] = {"SELECT",
                                    "FROM",
                                    "WHERE",
                                    "GROUP BY",
                                    "ORDER BY",
                                    "HAVING",
                                    "LIMIT",
                                    "DISTINCT",
                                    "JOIN",
                                    "ASOF JOIN",
                                    "LEFT JOIN",
                                    "USING",
                                    "UNION ALL",
                                    "WITH",
                                    "AS",
                                    "CASE",
                                    "WHEN",
                                    "THEN",
                                    "ELSE",
                                    "END",
                                    "BETWEEN",
                                    "DESCRIBE",
                                    "EXPLAIN",
                                    "PIVOT",
                                    "OVER",
                                    "PARTITION",
                                    "count(*)",
                                    "sum(",
                                    "avg(",
                                    "min(",
                                    "max(",
                                    "median(",
                                    "quantile_cont(",
                                    "arg_max(",
                                    "human(",
                                    "bucket(",
                                    "log2_bin(",
                                    "arg(",
                                    "ancestors(",
                                    "descendants(",
                                    "pair(",
                                    "span_join(",
                                    "read_event('', ",
                                    "read_class('', ",
                                    ".tables",
                                    ".schema ",
                                    ".quit",
                                    ".help"};

static bool begins(const char *word, const char *begun)
{
    return strncasecmp(word, begun, strlen(begun)) == 0;
}

/* Whether an earlier table has a column of this name, so that it is not listed again. */
static bool is_repeated(size_t table, const char *name)
{
    stele_table_info info = STELE_INIT(stele_table_info);
    stele_table_column_info column = STELE_INIT(stele_table_column_info);
    for (size_t t = 0; t < table && stele_table_get(t, &info); t++) {
        for (size_t i = 0; stele_table_column(info.name, i, &column); i++) {
            if (strcmp(column.name, name) == 0)
                return true;
        }
    }
    return false;
}

const char *line_word(const char *begun, unsigned index)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    stele_table_column_info column = STELE_INIT(stele_table_column_info);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (begins(words[i], begun) && index-- == 0)
            return words[i];
    }
    for (size_t t = 0; stele_table_get(t, &table); t++) {
        if (begins(table.name, begun) && index-- == 0)
            return table.name;
    }
    for (size_t t = 0; stele_table_get(t, &table); t++) {
        for (size_t i = 0; stele_table_column(table.name, i, &column); i++) {
            if (begins(column.name, begun) && !is_repeated(t, column.name) && index-- == 0)
                return column.name;
        }
    }
    return NULL;
}

/* ---- Editing with libedit -------------------------------------------------------------------- */

/* ---- Without libedit ------------------------------------------------------------------------- */

static char *read_plainly(const char *prompt)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    fputs(prompt, stdout);
    fflush(stdout);
    size = getline(&line, &capacity, stdin);
    if (size < 0) {
        free(line);
        return NULL;
    }
    if (size > 0 && line[size - 1] == '\n')
        line[size - 1] = 0;
    return line;
}

#if defined(STELE_HAVE_EDIT)

#include <dlfcn.h>
#include <editline/readline.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_MAX 1000

/* What is used of libedit: functions, and variables. */
#define EDIT_NAMES(X)                     \
    X(add_history)                        \
    X(read_history)                       \
    X(readline)                           \
    X(rl_attempted_completion_function)   \
    X(rl_attempted_completion_over)       \
    X(rl_completer_word_break_characters) \
    X(rl_completion_matches)              \
    X(rl_initialize)                      \
    X(rl_readline_name)                   \
    X(stifle_history)                     \
    X(using_history)                      \
    X(write_history)

typedef struct libedit {
#define X(name) __typeof__(name) *name;
    EDIT_NAMES(X)
#undef X
} libedit;

/* Loads libedit, which keeps its state itself: loading it again only looks its names up. Returns
   false if it is not there. */
static bool edit_open(libedit *e)
{
    void *library = dlopen(STELE_EDIT_LIBRARY, RTLD_LAZY | RTLD_LOCAL), *symbol;
    if (library == NULL)
        return false;
#define X(name)                                   \
    if ((symbol = dlsym(library, #name)) == NULL) \
        return false;                             \
    memcpy(&e->name, &symbol, sizeof symbol);
    EDIT_NAMES(X)
#undef X
    return true;
}

/* Gives libedit one word after another; it begins with a state of 0. */
static char *next_word(const char *begun, int state)
{
    const char *word = line_word(begun, (unsigned)state);
    return word != NULL ? strdup(word) : NULL;
}

static char **complete(const char *begun, int from, int to)
{
    libedit e;
    (void)from;
    (void)to;
    if (!edit_open(&e))
        return NULL;
    *e.rl_attempted_completion_over = 1; /* no file names */
    return e.rl_completion_matches(begun, next_word);
}

/* The path of the history, in the folder for state of programs. Returns false if there is none. */
static bool history_path(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int made = -1;
    if (state != NULL && state[0] == '/')
        made = snprintf(path, size, "%s/stele", state);
    else if (home != NULL && home[0] == '/')
        made = snprintf(path, size, "%s/.local/state/stele", home);
    if (made < 0 || (size_t)made + sizeof "/query_history" > size)
        return false;
    return true;
}

/* Makes a folder and those around it. */
static void make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/');; at = strchr(at + 1, '/')) {
        if (at != NULL)
            *at = 0;
        mkdir(path, 0700);
        if (at == NULL)
            return;
        *at = '/';
    }
}

bool line_can_edit(void)
{
    libedit e;
    return edit_open(&e);
}

void line_begin(void)
{
    char path[4096];
    libedit e;
    if (!edit_open(&e))
        return;
    *e.rl_readline_name = (char *)(uintptr_t) "stele";
    e.rl_initialize();
    *e.rl_attempted_completion_function = complete;
    *e.rl_completer_word_break_characters = (char *)(uintptr_t) " \t\n,()=<>+-*/;\"";
    e.using_history();
    e.stifle_history(HISTORY_MAX);
    if (history_path(path, sizeof path)) {
        strcat(path, "/query_history");
        e.read_history(path);
    }
}

char *line_read(const char *prompt)
{
    libedit e;
    return edit_open(&e) ? e.readline(prompt) : read_plainly(prompt);
}

/* Adds a statement to the history as a single line. */
void line_remember(const char *statement)
{
    libedit e;
    char *line = edit_open(&e) ? strdup(statement) : NULL;
    for (char *at = line; at != NULL && *at != 0; at++) {
        if (*at == '\n')
            *at = ' ';
    }
    if (line != NULL && line[0] != 0)
        e.add_history(line);
    free(line);
}

void line_end(void)
{
    char path[4096];
    libedit e;
    if (!history_path(path, sizeof path) || !edit_open(&e))
        return;
    make_folders(path);
    strcat(path, "/query_history");
    e.write_history(path);
}

#else

bool line_can_edit(void)
{
    return false;
}

void line_begin(void)
{
}

char *line_read(const char *prompt)
{
    return read_plainly(prompt);
}

void line_remember(const char *statement)
{
    (void)statement;
}

void line_end(void)
{
}

#endif
