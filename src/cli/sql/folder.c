/* SPDX-License-Identifier: Apache-2.0 */
/* Makes views of the tables in a folder of Parquet files. */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include "cli/sql/folder.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <stele/output.h>
#include <stele/tables.h>

#include "view/list.h"

#define PARQUET ".parquet"
/* Depth of folders in that of a table: one for each column that parts are made by. */
#define DEPTH_MAX 4u

/* ---- Files of a folder ----------------------------------------------------------------------- */

static bool is_parquet(const char *name)
{
    const size_t size = strlen(name), tail = sizeof PARQUET - 1;
    return name[0] != '.' && name[0] != '_' && size > tail &&
           strcmp(name + size - tail, PARQUET) == 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* The names in a folder, sorted. Returns NULL if it cannot be read, or if out of memory. */
static char **names_in(const char *path, size_t *count)
{
    DIR *folder = opendir(path);
    char **names = calloc(1, sizeof *names);
    const struct dirent *entry;
    *count = 0;
    while (folder != NULL && names != NULL && (entry = readdir(folder)) != NULL) {
        char **grown;
        if (entry->d_name[0] == '.' || entry->d_name[0] == '_')
            continue;
        grown = list_fit(names, sizeof *names, *count + 1);
        if (grown != NULL)
            names = grown;
        if (grown == NULL || (names[*count] = strdup(entry->d_name)) == NULL) {
            names_free(names, *count);
            names = NULL;
            break;
        }
        ++*count;
    }
    if (folder == NULL) {
        free(names);
        return NULL;
    }
    closedir(folder);
    if (names != NULL)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* Writes a text in quotes for SQL. */
static void put_quoted(stele_output *out, const char *text, char quote)
{
    stele_output_write(out, &quote, 1);
    for (; *text != 0; text++) {
        if (*text == quote)
            stele_output_write(out, &quote, 1);
        stele_output_write(out, text, 1);
    }
    stele_output_write(out, &quote, 1);
}

/* Adds the Parquet files of a folder and of folders in it to a list in SQL. Returns how many
   there are. */
static size_t put_files(stele_output *out, const char *path, unsigned depth)
{
    size_t name_count, count = 0;
    char **names = names_in(path, &name_count);
    for (size_t i = 0; names != NULL && i < name_count; i++) {
        char file[PATH_MAX];
        struct stat about;
        if ((size_t)snprintf(file, sizeof file, "%s/%s", path, names[i]) >= sizeof file ||
            stat(file, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode) && depth < DEPTH_MAX) {
            count += put_files(out, file, depth + 1);
        } else if (S_ISREG(about.st_mode) && is_parquet(names[i])) {
            put_quoted(out, file, '\'');
            stele_output_text(out, ",");
            count++;
        }
    }
    names_free(names, names != NULL ? name_count : 0);
    return count;
}

/* ---- Tables of a folder ---------------------------------------------------------------------- */

/* Makes the statement that makes a view of a table's files; the caller frees it. Returns NULL if
   there are no files, or if out of memory. */
static char *make_view(const char *path, const char *name)
{
    char folder[PATH_MAX], *made = NULL;
    stele_output *out;
    const uint8_t *bytes;
    size_t size, count;
    if ((size_t)snprintf(folder, sizeof folder, "%s/%s", path, name) >= sizeof folder ||
        stele_output_open_memory(NULL, &out) != STELE_OK)
        return NULL;
    stele_output_text(out, "CREATE VIEW ");
    put_quoted(out, name, '"');
    stele_output_text(out, " AS FROM read_parquet([");
    count = put_files(out, folder, 0);
    stele_output_text(out, "], hive_partitioning = true, union_by_name = true)");
    bytes = stele_output_memory(out, &size);
    if (count != 0 && bytes != NULL)
        made = strndup((const char *)bytes, size);
    stele_output_close(out);
    return made;
}

bool folder_has_tables(const char *path)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    bool has_some = false;
    for (size_t i = 0; !has_some && stele_table_get(i, &table); i++) {
        char *view = make_view(path, table.name);
        has_some = view != NULL;
        free(view);
    }
    return has_some;
}

/* Allows statements to read the files of this folder, even if they may not read others. */
static bool allow(const char *path, folder_do_fn *run, void *user)
{
    stele_output *out;
    const uint8_t *bytes;
    char *sql = NULL;
    size_t size;
    bool is_done;
    if (stele_output_open_memory(NULL, &out) != STELE_OK)
        return false;
    stele_output_text(out, "SET allowed_directories = [");
    put_quoted(out, path, '\'');
    stele_output_text(out, "]");
    bytes = stele_output_memory(out, &size);
    if (bytes != NULL)
        sql = strndup((const char *)bytes, size);
    stele_output_close(out);
    is_done = sql != NULL && run(user, sql);
    free(sql);
    return is_done;
}

bool folder_attach(const char *path, folder_do_fn *run, void *user)
{
    char *whole = realpath(path, NULL);
    size_t count = 0;
    char **names = whole != NULL ? names_in(whole, &count) : NULL;
    bool is_done = names != NULL && allow(whole, run, user);
    for (size_t i = 0; is_done && i < count; i++) {
        char *view = make_view(whole, names[i]);
        is_done = view == NULL || run(user, view);
        free(view);
    }
    names_free(names, names != NULL ? count : 0);
    free(whole);
    return is_done;
}
