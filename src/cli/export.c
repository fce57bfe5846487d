/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/export.h"

#include <stele/tables.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parts.h"
#include "cli/show/print.h"
#include "cli/sql/classes.h"
#include "cli/sql/seen.h"

#define TABLES_USUAL "trace,stream,track,thread,process,event,slice,async_slice,arrow,counter"
#define COLUMNS_MAX  128u

typedef struct export
{
    cli *c;
    const char *format;
    stele_output *out;
    bool is_folder, has_parts;
    bool is_refused; /* the options cannot be used, which was reported */
    export_parts parts;
    selection selected;
    seen seen; /* findings that were shown, since each table reads the trace again */
    stele_reader_stats stats;
    uint64_t replaced_count, unknown_count, misfit_count;
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

/* Cuts off the next word of a list that is separated by commas. Returns NULL at its end. */
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

/* The columns of a table that are selected. */
typedef struct chosen {
    stele_scan_column columns[COLUMNS_MAX];
    size_t count;
    char *list;         /* copy of --columns, cut into words */
    event_class fields; /* fields of all events, for "arg.*" */
    char *names[CLASS_FIELDS_MAX];
    size_t name_count;
} chosen;

static void free_chosen(chosen *k)
{
    for (size_t i = 0; i < k->name_count; i++)
        free(k->names[i]);
    class_free(&k->fields);
    free(k->list);
}

static bool add_column(export *x, chosen *k, const char *name, stele_cell_type type)
{
    if (k->count == COLUMNS_MAX)
        return cli_usage(x->c, "there are more than %u columns: name some with --columns",
                         COLUMNS_MAX);
    k->columns[k->count++] = (stele_scan_column){.name = name, .type = type};
    return true;
}

static bool add_table(export *x, chosen *k, const char *table)
{
    stele_table_column_info info = STELE_INIT(stele_table_column_info);
    for (size_t i = 0; stele_table_column(table, i, &info); i++) {
        if (!add_column(x, k, info.name, STELE_CELL_NONE))
            return false;
    }
    return true;
}

/* Adds columns for all fields of the events, with types that can hold their values. */
static bool add_all_fields(export *x, const cli *aside, const inputs *in, chosen *k)
{
    class_free(&k->fields);
    if (!cli_check(x->c, class_find(aside->context, in->traces, in->count, NULL, &k->fields),
                   "fields"))
        return false;
    for (size_t i = 0; i < k->fields.count; i++) {
        const class_field *field = &k->fields.fields[i];
        const bool is_way = strpbrk(field->name, ".[") != NULL;
        const size_t size = strlen(field->name) + 8;
        char *name;
        if (strpbrk(field->name, "\",") != NULL)
            continue; /* such a name cannot be a column; the column `args` has it */
        if (k->name_count == CLASS_FIELDS_MAX || (name = malloc(size)) == NULL)
            return cli_check(x->c, STELE_ERR_MEMORY, "fields");
        snprintf(name, size, is_way ? "arg.\"%s\"" : "arg.%s", field->name);
        k->names[k->name_count++] = name;
        if (!add_column(x, k, name, field->type))
            return false;
    }
    return true;
}

/* Cuts off the type of "arg.len:int". Returns STELE_CELL_TEXT if there is none. */
static stele_cell_type cut_type(char *word)
{
    static const struct {
        const char *name;
        stele_cell_type type;
    } types[] = {{":int", STELE_CELL_I64},      {":uint", STELE_CELL_U64},
                 {":text", STELE_CELL_TEXT},    {":double", STELE_CELL_DOUBLE},
                 {":float", STELE_CELL_DOUBLE}, {":bool", STELE_CELL_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!ends_with(word, types[i].name))
            continue;
        word[strlen(word) - strlen(types[i].name)] = 0;
        return types[i].type;
    }
    return STELE_CELL_TEXT;
}

/* Selects the columns of --columns, or else all of the table. If that fails, reports it and
   returns false. */
static bool choose_columns(export *x, const cli *aside, const inputs *in, const char *table,
                           chosen *k)
{
    const char *given = option_value(&x->c->options, OPTION_COLUMNS);
    char *at, *word;
    bool is_done = true;
    if (given == NULL)
        return add_table(x, k, table);
    at = k->list = strdup(given);
    if (k->list == NULL)
        return cli_check(x->c, STELE_ERR_MEMORY, "columns");
    while (is_done && (word = next_word(&at)) != NULL) {
        if (strcmp(word, "*") == 0)
            is_done = add_table(x, k, table);
        else if (strcmp(word, "arg.*") == 0)
            is_done = add_all_fields(x, aside, in, k);
        else
            is_done = add_column(x, k, word,
                                 strncmp(word, "arg.", 4) == 0 ? cut_type(word) : STELE_CELL_NONE);
    }
    return is_done;
}

/* ---- Writing of one table -------------------------------------------------------------------- */

static void report_once(void *user, const stele_diag *diag)
{
    export *x = user;
    if (seen_add(&x->seen, diag))
        report_add(&x->c->report, diag);
}

/* The request for a table. Filters of single events apply to tables of events; others have only
   bounds of time. */
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

static stele_status write_file(const export *x, stele_scan *scan, stele_output *out)
{
    const stele_table_write_options how = {
        .struct_size = sizeof how,
        .shard = (uint32_t)option_number(&x->c->options, OPTION_SHARD),
        .shard_count = (uint32_t)option_number(&x->c->options, OPTION_SHARD_COUNT)};
    return stele_scan_write(scan, out, x->format, &how);
}

/* Writes the rows of a table to `out`, or as parts if that is NULL. */
static stele_status write_rows(export *x, cli *aside, const inputs *in, const char *table,
                               stele_output *out)
{
    const stele_request request = request_for(x, table);
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    chosen k = {.count = 0};
    stele_scan_options scan_options = {.struct_size = sizeof scan_options,
                                       .table = table,
                                       .columns = k.columns,
                                       .request = &request};
    stele_scan *scan = NULL;
    stele_status status = STELE_ERR_ARGUMENT;
    x->is_refused = !choose_columns(x, aside, in, table, &k);
    if (!x->is_refused) {
        scan_options.column_count = k.count;
        status = stele_scan_open(aside->context, in->traces, in->count, &scan_options, &scan);
    }
    if (status == STELE_OK) {
        status =
            out != NULL ? write_file(x, scan, out) : parts_write(&x->parts, scan, &scan_options);
        stele_scan_get_stats(scan, &stats, &x->stats);
        x->replaced_count += stats.replaced_count;
        x->unknown_count += stats.unknown_count;
        x->misfit_count += stats.misfit_count;
        x->is_refused = x->parts.is_refused;
    }
    stele_scan_close(scan);
    free_chosen(&k);
    return status;
}

/* Writes one table. Each has its own context, so that numbers of tracks and streams are the same
   in all. */
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
    if (x->has_parts)
        out = NULL;
    else if (is_open && x->is_folder) {
        snprintf(name, sizeof name, "%s/data.%s", table, x->format);
        status = stele_output_add(x->out, name, &out);
    }
    if (is_open && status == STELE_OK)
        status = write_rows(x, &aside, &in, table, out);
    inputs_close(&in);
    stele_context_free(aside.context);
    return is_open && !x->is_refused && cli_check(c, status, table);
}

/* ---- Whole conversion ------------------------------------------------------------------------ */

static void conclude(export *x)
{
    char count[PRINT_SIZE];
    if (x->replaced_count != 0)
        cli_remark(x->c, "%s not UTF-8: each wrong byte became U+FFFD",
                   print_what(count, x->replaced_count, "text", "is", "are"));
    if (x->misfit_count != 0) {
        cli_remark(x->c, "%s not fit the type of the column 'arg...', and became null",
                   print_what(count, x->misfit_count, "value", "does", "do"));
        cli_exit(x->c, EXIT_FINDINGS);
    }
    if (x->unknown_count != 0) {
        cli_remark(x->c, "%s not fit into 64 bits of nanoseconds, and became null",
                   print_what(count, x->unknown_count, "time", "does", "do"));
        cli_exit(x->c, EXIT_FINDINGS);
    }
    cli_conclude(x->c, NULL, &x->stats);
}

static bool open_output(export *x, const char *path, const char *tables)
{
    const bool has_one = strchr(tables, ',') == NULL;
    stele_output_options given = cli_output_options(x->c);
    stele_table_format_info info = STELE_INIT(stele_table_format_info);
    for (size_t i = 0; stele_table_format_get(i, &info); i++) {
        if (strcmp(info.name, x->format) == 0)
            break;
    }
    x->is_folder = strcmp(path, "-") != 0 && !ends_with(path, info.extensions) &&
                   strcmp(x->format, "parquet") == 0;
    x->has_parts = parts_wanted(x->c);
    if (x->has_parts && !x->is_folder)
        return cli_usage(x->c, "--partition, --sort, --resume and --table-format make a folder of "
                               "files of Parquet: give --to parquet and a folder");
    if (x->has_parts)
        return parts_open(&x->parts, x->c, path, tables);
    if (!x->is_folder && !has_one)
        return cli_usage(x->c, "one file holds one table: name it with --tables");
    given.owns = parts_owns;
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

/* Refuses options that only formats of traces know. */
static bool knows_options(cli *c, const char *format)
{
    static const option_id ids[] = {OPTION_TO_VERSION,   OPTION_COMPRESS,
                                    OPTION_CHECKSUM,     OPTION_TO_KEY_FILE,
                                    OPTION_EVENT_HEADER, OPTION_HEADER_ALIGNMENT};
    if (option_given(&c->options, OPTION_VERIFY))
        return cli_usage(c, "--verify: %s is not read back", format);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (option_given(&c->options, ids[i]))
            return cli_usage(c, "--%s is for trace formats", option_table[ids[i]].name);
    return true;
}

/* Refuses standard input where it would be read more than once. */
static bool can_read(cli *c, const char *tables)
{
    const char *columns = option_value(&c->options, OPTION_COLUMNS);
    const bool is_read_once = strchr(tables, ',') == NULL && !parts_wanted(c) &&
                              (columns == NULL || strchr(columns, '*') == NULL);
    for (size_t i = 0; i < c->options.argument_count && !is_read_once; i++)
        if (strcmp(c->options.arguments[i], "-") == 0)
            return cli_usage(c, "-: tables are read one after the other, and 'arg.*' twice: give a "
                                "file, or one table and its columns");
    return true;
}

void export_execute(cli *c, const char *format)
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
    } else if (knows_options(c, format) && can_read(c, list) && selection_make(c, &x.selected) &&
               open_output(&x, path, list)) {
        if (write_tables(&x, list)) {
            if (x.has_parts)
                parts_finish(&x.parts);
            else
                cli_check(c, stele_output_finish(x.out), path);
        }
        conclude(&x);
    }
    stele_output_close(x.out);
    parts_close(&x.parts);
    selection_free(&x.selected);
    seen_free(&x.seen);
    free(list);
}
