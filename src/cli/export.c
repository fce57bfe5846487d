/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/export.h"

#include <stele/tables.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/print.h"
#include "cli/sql/seen.h"

#define TABLES_USUAL "trace,stream,track,thread,process,event,slice,async_slice,arrow,counter"
#define COLUMNS_MAX  128u

typedef struct export
{
    cli *c;
    const char *format;
    stele_output *out;
    bool is_folder;
    selection selected;
    seen seen; /* findings that were shown: each table is read from the trace */
    stele_reader_stats stats;
    uint64_t replaced_count, unknown_count;
}
export;

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

const char *export_format(const cli *c)
{
    const char *name = option_value(&c->options, OPTION_TO);
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    stele_table_format_info info = STELE_INIT(stele_table_format_info);
    for (size_t i = 0; stele_table_format_get(i, &info); i++) {
        if (name != NULL ? strcmp(name, info.name) == 0
                         : path != NULL && ends_with(path, info.extensions))
            return info.name;
    }
    return NULL;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Cuts the next word of a list that is parted by commas off; NULL at its end. */
static char *next_word(char **list)
{
    char *word = *list, *end;
    if (word == NULL || *word == 0)
        return NULL;
    end = strchr(word, ',');
    *list = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = 0;
    return word;
}

/* Those of --columns, else all of the table. False: too many. */
static bool choose_columns(export *x, const char *table, char *list, stele_scan_column *columns,
                           size_t *count)
{
    stele_table_column_info info = STELE_INIT(stele_table_column_info);
    char *word;
    *count = 0;
    if (list == NULL) {
        for (size_t i = 0; *count < COLUMNS_MAX && stele_table_column(table, i, &info); i++)
            columns[(*count)++] = (stele_scan_column){.name = info.name};
        return true;
    }
    while ((word = next_word(&list)) != NULL) {
        if (*count == COLUMNS_MAX)
            return cli_usage(x->c, "--columns takes at most %u", COLUMNS_MAX);
        columns[(*count)++] = (stele_scan_column){.name = word, .type = STELE_CELL_TEXT};
    }
    return true;
}

/* ---- One table ------------------------------------------------------------------------------- */

static void report_once(void *user, const stele_diag *diag)
{
    export *x = user;
    if (seen_add(&x->seen, diag))
        report_add(&x->c->report, diag);
}

/* What selects single events is of tables of events; spans, tracks and the rest have bounds. */
static stele_request request_for(const export *x, const char *table)
{
    stele_table_info info = STELE_INIT(stele_table_info);
    stele_request request = x->selected.request;
    if (stele_table_find(table, &info) && info.selects_events)
        return request;
    request.where = NULL;
    request.kinds = 0;
    request.names = request.categories = (stele_globs){NULL, 0};
    return request;
}

static stele_status write_rows(export *x, cli *aside, const inputs *in, const char *table,
                               stele_output *out)
{
    const char *given = option_value(&x->c->options, OPTION_COLUMNS);
    char *list = given != NULL ? strdup(given) : NULL;
    const stele_request request = request_for(x, table);
    const stele_table_write_options how = {
        .struct_size = sizeof how,
        .shard = (uint32_t)option_number(&x->c->options, OPTION_SHARD),
        .shard_count = (uint32_t)option_number(&x->c->options, OPTION_SHARD_COUNT)};
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_scan_column columns[COLUMNS_MAX];
    stele_scan_options scan_options = {.struct_size = sizeof scan_options,
                                       .table = table,
                                       .columns = columns,
                                       .request = &request};
    stele_scan *scan = NULL;
    stele_status status = STELE_ERR_ARGUMENT;
    if (choose_columns(x, table, list, columns, &scan_options.column_count))
        status = stele_scan_open(aside->context, in->traces, in->count, &scan_options, &scan);
    if (status == STELE_OK) {
        status = stele_scan_write(scan, out, x->format, &how);
        stele_scan_get_stats(scan, &stats, &x->stats);
        x->replaced_count += stats.replaced_count;
        x->unknown_count += stats.unknown_count;
    }
    stele_scan_close(scan);
    free(list);
    return status;
}

/* Each table has a context of its own, so that numbers of tracks and streams begin anew. */
static bool write_table(export *x, const char *table)
{
    cli *c = x->c;
    cli aside = *c;
    inputs in = {.count = 0};
    stele_output *out = x->out;
    char name[128];
    stele_status status = STELE_OK;
    bool is_open = cli_make_context(c, report_once, x, &aside.context);
    if (is_open)
        is_open = inputs_open(&aside, &in) && in.count == c->options.argument_count;
    c->worst = aside.worst;
    c->binaries = aside.binaries;
    c->joined = aside.joined;
    if (is_open && x->is_folder) {
        snprintf(name, sizeof name, "%s/data.%s", table, x->format);
        status = stele_output_add(x->out, name, &out);
    }
    if (is_open && status == STELE_OK)
        status = write_rows(x, &aside, &in, table, out);
    inputs_close(&in);
    stele_context_free(aside.context);
    return is_open && cli_check(c, status, table);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void conclude(export *x)
{
    if (x->replaced_count != 0)
        cli_remark(x->c, "%llu texts are not UTF-8: each wrong byte became U+FFFD",
                   (unsigned long long)x->replaced_count);
    if (x->unknown_count != 0) {
        cli_remark(x->c, "%llu times do not fit into 64 bits of nanoseconds, and are null",
                   (unsigned long long)x->unknown_count);
        cli_exit(x->c, EXIT_FINDINGS);
    }
    cli_conclude(x->c, NULL, &x->stats);
}

static bool open_output(export *x, const char *path, bool has_one)
{
    const stele_output_options given = cli_output_options(x->c);
    stele_table_format_info info = STELE_INIT(stele_table_format_info);
    for (size_t i = 0; stele_table_format_get(i, &info); i++) {
        if (strcmp(info.name, x->format) == 0)
            break;
    }
    x->is_folder = strcmp(path, "-") != 0 && !ends_with(path, info.extensions) &&
                   strcmp(x->format, "parquet") == 0;
    if (!x->is_folder && !has_one)
        return cli_usage(x->c, "one file holds one table: name it with --tables");
    return cli_check(x->c,
                     x->is_folder ? stele_output_open_folder(path, &given, &x->out)
                                  : stele_output_open(path, &given, &x->out),
                     path);
}

static bool write_tables(export *x, char *list)
{
    reading_now now = {.reader = NULL};
    const char *table;
    bool is_done = true;
    progress_begin(&x->c->progress, !x->c->is_quiet);
    x->c->reading = &now;
    while (is_done && (table = next_word(&list)) != NULL)
        is_done = write_table(x, table) && cli_interrupted() == 0;
    x->c->reading = NULL;
    progress_clear(&x->c->progress);
    return is_done;
}

void export_run(cli *c, const char *format)
{
    export x = {.c = c, .format = format, .stats = {.struct_size = sizeof x.stats}};
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const char *given = option_value(&c->options, OPTION_TABLES);
    const bool is_file = path != NULL && (strcmp(format, "parquet") != 0 ||
                                          strcmp(path, "-") == 0 || ends_with(path, ".parquet"));
    char *list = strdup(given != NULL ? given : is_file ? "event" : TABLES_USUAL);
    if (list == NULL) {
        cli_check(c, STELE_ERR_MEMORY, "tables");
    } else if (path == NULL) {
        cli_usage(c, "--output is missing: where to? ('-' is standard output)");
    } else if (selection_make(c, &x.selected) && open_output(&x, path, strchr(list, ',') == NULL)) {
        if (write_tables(&x, list))
            cli_check(c, stele_output_finish(x.out), path);
        conclude(&x);
    }
    stele_output_close(x.out);
    selection_free(&x.selected);
    seen_free(&x.seen);
    free(list);
}
