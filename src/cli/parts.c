/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/show/json.h"
#include "cli/show/print.h"

#define MANIFEST  "_stele"
#define SUCCESS   "_SUCCESS"
#define LOG_NAME  "_delta_log/00000000000000000000.json"
#define NAME_SIZE 1280 /* bytes for the name of a part with its table */

/* ---- Description of the conversion ----------------------------------------------------------- */

/* Whether an option has no influence on the contents of files. */
static bool is_aside(option_id id)
{
    static const option_id ids[] = {OPTION_RESUME, OPTION_OUTPUT, OPTION_FORCE, OPTION_QUIET,
                                    OPTION_COLOR};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (ids[i] == id)
            return true;
    }
    return false;
}

/* Describes the conversion: the traces with their sizes, and all options with an influence. The
   caller frees the text. Returns NULL if out of memory. */
static char *make_manifest(const cli *c, const char *tables)
{
    const options *o = &c->options;
    stele_output *out;
    const uint8_t *bytes;
    char *made;
    size_t size;
    if (stele_output_open_memory(NULL, &out) != STELE_OK)
        return NULL;
    stele_output_printf(out, "stele %s\ntables=%s\n", stele_version(), tables);
    for (size_t i = 0; i < o->use_count; i++) {
        if (!is_aside(o->uses[i].id))
            stele_output_printf(out, "--%s=%s\n", option_table[o->uses[i].id].name,
                                o->uses[i].value != NULL ? o->uses[i].value : "");
    }
    for (size_t i = 0; i < o->argument_count; i++) {
        struct stat st;
        const bool is_file = stat(o->arguments[i], &st) == 0 && S_ISREG(st.st_mode);
        stele_output_printf(out, "trace=%s %lld\n", o->arguments[i],
                            is_file ? (long long)st.st_size : -1);
    }
    bytes = stele_output_memory(out, &size);
    made = strndup((const char *)bytes, size);
    stele_output_close(out);
    return made;
}

/* The path of a file in the folder, which the caller frees. Returns NULL if out of memory. */
static char *path_of(const export_parts *p, const char *name)
{
    const size_t size = strlen(p->path) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", p->path, name);
    return path;
}

static bool has_path(const export_parts *p, const char *name, struct stat *st)
{
    char *path = path_of(p, name);
    const bool is_there = path != NULL && stat(path, st) == 0;
    free(path);
    return is_there;
}

/* Whether the folder has the files of the same conversion. */
static bool is_same_manifest(const export_parts *p)
{
    char *path = path_of(p, MANIFEST), *text = NULL;
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t capacity = 0;
    bool is_same;
    is_same =
        file != NULL && getdelim(&text, &capacity, 0, file) >= 0 && strcmp(text, p->manifest) == 0;
    if (file != NULL)
        fclose(file);
    free(text);
    free(path);
    return is_same;
}

/* ---- Writing of single files ----------------------------------------------------------------- */

/* Makes the folders around a file. Returns false if that fails. */
static bool make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            *at = '/';
            return false;
        }
        *at = '/';
    }
    return true;
}

static stele_status open_alone(export_parts *p, const char *name, stele_output **out)
{
    const stele_output_options given = cli_output_options(p->c);
    char *path = path_of(p, name);
    stele_status status = STELE_ERR_WRITE;
    if (path == NULL)
        return STELE_ERR_MEMORY;
    if (make_folders(path))
        status = stele_output_open(path, &given, out);
    else
        cli_remark(p->c, "%s: %s", path, strerror(errno));
    free(path);
    return status;
}

/* Writes a small file, which with --resume is in place at once. */
static stele_status put_file(export_parts *p, const char *name, const void *bytes, size_t size)
{
    stele_output *out = NULL;
    stele_status status =
        p->folder != NULL ? stele_output_add(p->folder, name, &out) : open_alone(p, name, &out);
    if (status != STELE_OK)
        return status;
    stele_output_write(out, bytes, size);
    if (p->folder != NULL)
        return stele_output_flush(out);
    status = stele_output_finish(out);
    stele_output_close(out);
    return status;
}

static stele_status open_part(void *user, const stele_table_part *part, stele_output **out)
{
    export_parts *p = user;
    char name[NAME_SIZE];
    struct stat st;
    snprintf(name, sizeof name, "%s/%s", p->table, part->name);
    if (p->folder != NULL)
        return stele_output_add(p->folder, name, out);
    if (has_path(p, name, &st))
        return STELE_OK;
    const stele_status status = open_alone(p, name, &p->part);
    *out = p->part;
    return status;
}

/* ---- Log of a Delta table -------------------------------------------------------------------- */

/* Writes a path as a URI; names of parts are ASCII. */
static void put_uri(json *j, const char *key, const char *path)
{
    json_value(j, key);
    stele_output_byte(j->out, '"');
    for (; *path != 0; path++) {
        if (*path == '%')
            stele_output_text(j->out, "%25");
        else
            stele_output_byte(j->out, (uint8_t)*path);
    }
    stele_output_byte(j->out, '"');
}

/* Begins a document that is a string in another one, as Delta has some. Returns NULL if out of
   memory. */
static stele_output *begin_inner(json *inner)
{
    stele_output *out;
    if (stele_output_open_memory(NULL, &out) != STELE_OK)
        return NULL;
    *inner = (json){.out = out, .is_line = true};
    json_open(inner, NULL, '{');
    return out;
}

/* Ends such a document. Returns its bytes without the line end, valid until it is closed. */
static const char *end_inner(json *inner, size_t *size)
{
    const uint8_t *bytes;
    json_close(inner, '}');
    bytes = stele_output_memory(inner->out, size);
    *size -= *size != 0; /* empty if out of memory */
    return (const char *)bytes;
}

static void put_ts(json *j, const char *key, int64_t ts)
{
    json_open(j, key, '{');
    json_int(j, "ts", ts);
    json_close(j, '}');
}

static stele_status put_stats(json *j, const stele_table_part *part)
{
    json stats;
    size_t size;
    const char *bytes;
    stele_output *out = begin_inner(&stats);
    stele_status status;
    if (out == NULL)
        return STELE_ERR_MEMORY;
    json_uint(&stats, "numRecords", part->row_count);
    if (part->has_ts) {
        put_ts(&stats, "minValues", part->ts_min);
        put_ts(&stats, "maxValues", part->ts_max);
    }
    bytes = end_inner(&stats, &size);
    json_bytes(j, "stats", bytes, size);
    status = stele_output_status(out);
    stele_output_close(out);
    return status;
}

static stele_status put_add(stele_output *out, const stele_table_part *part, uint64_t size)
{
    json j = {.out = out, .is_line = true};
    stele_status status;
    json_open(&j, NULL, '{');
    json_open(&j, "add", '{');
    put_uri(&j, "path", part->name);
    json_open(&j, "partitionValues", '{');
    if (part->key != NULL)
        json_text(&j, part->key, part->value);
    json_close(&j, '}');
    json_uint(&j, "size", size);
    json_uint(&j, "modificationTime", 0);
    json_bool(&j, "dataChange", true);
    status = put_stats(&j, part);
    json_close(&j, '}');
    json_close(&j, '}');
    return status;
}

static const char *delta_type(stele_cell_type type)
{
    static const char *const types[STELE_CELL_TYPE_COUNT] = {
        [STELE_CELL_BOOL] = "boolean",      [STELE_CELL_U8] = "integer",
        [STELE_CELL_U16] = "integer",       [STELE_CELL_U32] = "long",
        [STELE_CELL_U64] = "decimal(20,0)", [STELE_CELL_I64] = "long",
        [STELE_CELL_DOUBLE] = "double",     [STELE_CELL_WALL] = "timestamp",
        [STELE_CELL_ENUM] = "string",       [STELE_CELL_TEXT] = "string",
        [STELE_CELL_JSON] = "string"};
    return types[type];
}

static void put_field(json *j, const char *name, const char *type)
{
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "type", type);
    json_bool(j, "nullable", true);
    json_open(j, "metadata", '{');
    json_close(j, '}');
    json_close(j, '}');
}

/* The type of a table's column, or of a field. */
static stele_cell_type type_of(const char *table, const stele_scan_column *column)
{
    stele_table_column_info info = STELE_INIT(stele_table_column_info);
    for (size_t i = 0; stele_table_column(table, i, &info); i++) {
        if (strcmp(info.name, column->name) == 0)
            return info.type;
    }
    return column->type;
}

static const char *key_of(stele_partition partition)
{
    static const char *const keys[STELE_PARTITION_COUNT] = {NULL, "class", "track", "minute"};
    return keys[partition];
}

static void put_schema(json *j, const char *table, const stele_scan_options *given,
                       stele_partition partition)
{
    json_text(j, "type", "struct");
    json_open(j, "fields", '[');
    for (size_t i = 0; i < given->column_count; i++)
        put_field(j, given->columns[i].name, delta_type(type_of(table, &given->columns[i])));
    if (partition == STELE_PARTITION_CLASS)
        put_field(j, key_of(partition), "string");
    if (partition == STELE_PARTITION_MINUTE)
        put_field(j, key_of(partition), "long");
    json_close(j, ']');
}

/* Continues an FNV-1a hash with some bytes. */
static uint64_t sum_up(uint64_t sum, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Writes an id that depends only on the table, so that files are the same from run to run. */
static void put_id(json *j, const char *table, const char *schema, size_t size)
{
    const uint64_t name = sum_up(UINT64_C(0xcbf29ce484222325), table, strlen(table));
    const uint64_t high = sum_up(name, schema, size), low = sum_up(high, table, strlen(table));
    char id[40];
    snprintf(id, sizeof id, "%08llx-%04llx-4%03llx-8%03llx-%012llx",
             (unsigned long long)(high >> 32), (unsigned long long)(high >> 16 & 0xffff),
             (unsigned long long)(high & 0xfff), (unsigned long long)(low >> 48 & 0xfff),
             (unsigned long long)(low & UINT64_C(0xffffffffffff)));
    json_text(j, "id", id);
}

static void put_protocol(stele_output *out)
{
    json j = {.out = out, .is_line = true};
    json_open(&j, NULL, '{');
    json_open(&j, "protocol", '{');
    json_uint(&j, "minReaderVersion", 1);
    json_uint(&j, "minWriterVersion", 2);
    json_close(&j, '}');
    json_close(&j, '}');
}

static void put_metadata(stele_output *out, const char *table, const char *schema, size_t size,
                         stele_partition partition)
{
    json j = {.out = out, .is_line = true};
    json_open(&j, NULL, '{');
    json_open(&j, "metaData", '{');
    put_id(&j, table, schema, size);
    json_text(&j, "name", table);
    json_open(&j, "format", '{');
    json_text(&j, "provider", "parquet");
    json_open(&j, "options", '{');
    json_close(&j, '}');
    json_close(&j, '}');
    json_bytes(&j, "schemaString", schema, size);
    json_open(&j, "partitionColumns", '[');
    if (partition != STELE_PARTITION_NONE)
        json_text(&j, NULL, key_of(partition));
    json_close(&j, ']');
    json_open(&j, "configuration", '{');
    json_close(&j, '}');
    json_uint(&j, "createdTime", 0);
    json_close(&j, '}');
    json_close(&j, '}');
}

static stele_status begin_log(export_parts *p, const stele_scan_options *given,
                              stele_partition partition)
{
    json inner;
    stele_output *schema = begin_inner(&inner);
    stele_status status = STELE_ERR_MEMORY;
    const char *bytes;
    size_t size;
    if (schema != NULL)
        status = stele_output_open_memory(NULL, &p->log);
    if (status == STELE_OK) {
        put_schema(&inner, p->table, given, partition);
        bytes = end_inner(&inner, &size);
        put_protocol(p->log);
        put_metadata(p->log, p->table, bytes, size, partition);
        status = stele_output_status(schema);
    }
    stele_output_close(schema);
    return status;
}

static stele_status end_log(export_parts *p)
{
    char name[256];
    size_t size;
    const uint8_t *bytes = stele_output_memory(p->log, &size);
    stele_status status = stele_output_status(p->log);
    struct stat st;
    snprintf(name, sizeof name, "%s/" LOG_NAME, p->table);
    if (status == STELE_OK && (p->folder != NULL || !has_path(p, name, &st)))
        status = put_file(p, name, bytes, size);
    stele_output_close(p->log);
    p->log = NULL;
    return status;
}

/* ---- Writing of a table ---------------------------------------------------------------------- */

static stele_status end_part(void *user, const stele_table_part *part, stele_output *out)
{
    export_parts *p = user;
    char name[NAME_SIZE];
    stele_status status = STELE_OK;
    uint64_t size = part->size;
    struct stat st;
    if (out != NULL && p->folder == NULL) {
        status = stele_output_finish(out);
        stele_output_close(out);
        p->part = NULL;
    }
    p->kept_count += out == NULL;
    p->written_count += out != NULL;
    snprintf(name, sizeof name, "%s/%s", p->table, part->name);
    if (out == NULL && has_path(p, name, &st))
        size = (uint64_t)st.st_size;
    if (status == STELE_OK && p->log != NULL)
        status = put_add(p->log, part, size);
    return status;
}

static bool has_column(const char *table, const char *name)
{
    stele_table_column_info info = STELE_INIT(stele_table_column_info);
    for (size_t i = 0; stele_table_column(table, i, &info); i++) {
        if (strcmp(info.name, name) == 0)
            return true;
    }
    return false;
}

/* Whether a table has many rows: moments, spans or instructions. Lists of threads, streams and
   so on are short, and are not partitioned. */
static bool is_long(const char *table)
{
    return has_column(table, "ts") || has_column(table, "pc");
}

/* Whether rows of the table can be partitioned by this column. Sets is_refused, after reporting
   it, if --columns lacks it. */
static bool has_key(export_parts *p, const stele_scan_options *given, const char *name)
{
    if (!is_long(given->table) || !has_column(given->table, name))
        return false;
    for (size_t i = 0; i < given->column_count; i++) {
        if (strcmp(given->columns[i].name, name) == 0)
            return true;
    }
    p->is_refused = true;
    cli_usage(p->c, "table '%s' is to be put together by '%s', which --columns lacks", given->table,
              name);
    return false;
}

stele_status parts_write(export_parts *p, stele_scan *scan, const stele_scan_options *given)
{
    static const char *const columns[STELE_PARTITION_COUNT] = {NULL, "name", "track", "ts"};
    stele_table_parts_options how = {.struct_size = sizeof how,
                                     .has_plain_types = p->has_log,
                                     .open = open_part,
                                     .done = end_part,
                                     .user = p};
    stele_status status = STELE_OK;
    p->table = given->table;
    if (p->partition != STELE_PARTITION_NONE && has_key(p, given, columns[p->partition]))
        how.partition = p->partition;
    how.sorts_by_track = p->sorts && !p->is_refused && has_key(p, given, "track");
    if (p->is_refused)
        return STELE_ERR_ARGUMENT;
    if (p->has_log)
        status = begin_log(p, given, how.partition);
    if (status == STELE_OK)
        status = stele_scan_write_parts(scan, &how);
    if (status == STELE_OK && p->log != NULL)
        status = end_log(p);
    stele_output_close(p->log);
    p->log = NULL;
    return status;
}

/* ---- Whole conversion ------------------------------------------------------------------------ */

static bool sorts_by_track(const cli *c)
{
    const char *how = option_value(&c->options, OPTION_CONVERT_SORT);
    return how != NULL && strcmp(how, "track") == 0;
}

bool parts_wanted(const cli *c)
{
    const options *o = &c->options;
    return option_given(o, OPTION_PARTITION) || sorts_by_track(c) ||
           option_given(o, OPTION_RESUME) || option_given(o, OPTION_TABLE_FORMAT);
}

static void take_options(export_parts *p, cli *c)
{
    static const char *const names[STELE_PARTITION_COUNT] = {"none", "class", "track", "minute"};
    const char *given = option_value(&c->options, OPTION_PARTITION);
    const char *format = option_value(&c->options, OPTION_TABLE_FORMAT);
    p->c = c;
    for (int i = 0; given != NULL && i < STELE_PARTITION_COUNT; i++) {
        if (strcmp(given, names[i]) == 0)
            p->partition = (stele_partition)i;
    }
    p->sorts = sorts_by_track(c);
    p->is_resumed = option_given(&c->options, OPTION_RESUME);
    p->has_log = format != NULL && strcmp(format, "delta") == 0;
}

/* Opens a folder into which files are put one by one: a new one, or one of the same conversion. */
static bool open_resumed(export_parts *p, const char *tables)
{
    struct stat st;
    p->manifest = make_manifest(p->c, tables);
    if (p->manifest == NULL)
        return cli_check(p->c, STELE_ERR_MEMORY, p->path);
    if (is_same_manifest(p))
        return true;
    if (has_path(p, MANIFEST, &st))
        return cli_usage(p->c, "%s: it holds another conversion: other traces, options or version",
                         p->path);
    if (stat(p->path, &st) == 0 && rmdir(p->path) != 0)
        return cli_usage(p->c, "%s: it is there, and nothing that --resume could go on with",
                         p->path);
    return cli_check(p->c, put_file(p, MANIFEST, p->manifest, strlen(p->manifest)), p->path);
}

bool parts_owns(void *user, const char *name, const void *head, size_t size)
{
    static const char magic[] = {'P', 'A', 'R', '1'}, log[] = "_delta_log/";
    const char *slash = strchr(name, '/'), *end = strrchr(name, '.');
    stele_table_info info = STELE_INIT(stele_table_info);
    (void)user;
    if (slash == NULL)
        return strcmp(name, MANIFEST) == 0 || (strcmp(name, SUCCESS) == 0 && size == 0);
    for (size_t i = 0; stele_table_get(i, &info); i++) {
        if (strlen(info.name) != (size_t)(slash - name) ||
            strncmp(info.name, name, (size_t)(slash - name)) != 0 || end == NULL)
            continue;
        if (strcmp(end, ".parquet") == 0)
            return size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
        return strncmp(slash + 1, log, sizeof log - 1) == 0 && strcmp(end, ".json") == 0;
    }
    return false;
}

bool parts_open(export_parts *p, cli *c, const char *path, const char *tables)
{
    stele_output_options given = cli_output_options(c);
    given.owns = parts_owns;
    *p = (export_parts){.path = path};
    take_options(p, c);
    if (p->is_resumed)
        return open_resumed(p, tables);
    return cli_check(c, stele_output_open_folder(path, &given, &p->folder), path);
}

bool parts_finish(export_parts *p)
{
    char kept[PRINT_SIZE], written[PRINT_SIZE];
    struct stat st;
    if (p->folder != NULL)
        return cli_check(p->c, stele_output_finish(p->folder), p->path);
    if (!has_path(p, SUCCESS, &st) && !cli_check(p->c, put_file(p, SUCCESS, "", 0), p->path))
        return false;
    if (p->kept_count != 0)
        cli_remark(p->c, "%s there from before, %s written",
                   print_what(kept, p->kept_count, "file", "was", "were"),
                   print_what(written, p->written_count, "file", "was", "were"));
    return true;
}

void parts_close(export_parts *p)
{
    stele_output_close(p->log);
    stele_output_close(p->part);
    stele_output_close(p->folder);
    free(p->manifest);
}
