/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates the use of a table function in a statement: its parameters, and which columns it has. A
 * class of events has its fields as columns; they are looked up once for each trace and name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/sql/classes.h"
#include "cli/sql/functions.h"
#include "cli/sql/functions_bind.h"

/* A class whose fields were looked up. */
typedef struct known_class {
    struct known_class *next;
    char *path, *name;
    event_class fields;
} known_class;

static char *take_text(const duckdb *d, duck_value value)
{
    char *text, *copy;
    if (value == NULL)
        return NULL;
    text = d->get_varchar(value);
    copy = text != NULL ? strdup(text) : NULL;
    d->free(text);
    d->destroy_value(&value);
    return copy;
}

static void free_binding(void *data)
{
    binding *b = data;
    free(b->path);
    free(b->class_name);
    free(b->begin);
    free(b->end);
    free(b->where);
    free(b->names);
    free(b->kinds);
    for (size_t i = 0; i < b->column_count; i++)
        free(b->shown[i]);
    free(b->shown);
    free(b->columns);
    free(b->can_be_null);
    free(b->fields);
    for (size_t i = 0; i < FIELDS_MAX; i++)
        free(b->field_names[i]);
    free(b);
}

static bool refuse(const duckdb *d, duck_info info, const char *what, const char *found)
{
    char text[256];
    snprintf(text, sizeof text, "%s '%s'", what, found);
    d->bind_set_error(info, text);
    return false;
}

static bool take_bound(const duckdb *d, duck_info info, const char *text, stele_bound *bound)
{
    const char *why = NULL;
    if (text == NULL || stele_bound_parse(text, bound, &why))
        return true;
    return refuse(d, info, why, text);
}

/* Parses a list of kinds such as "complete,instant". */
static bool take_kinds(const duckdb *d, duck_info info, const char *list, uint64_t *kinds)
{
    while (list != NULL && *list != 0) {
        const size_t size = strcspn(list, ", ");
        uint64_t found = 0;
        for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
            const char *text = stele_kind_text(kind);
            if (strlen(text) == size && memcmp(text, list, size) == 0)
                found = STELE_KIND_BIT(kind);
        }
        if (found == 0)
            return refuse(d, info, "there is no such kind of events:", list);
        *kinds |= found;
        list += size;
        list += strspn(list, ", ");
    }
    return true;
}

static bool take_request(const duckdb *d, duck_info info, binding *b)
{
    b->begin = take_text(d, d->bind_get_named_parameter(info, "begin"));
    b->end = take_text(d, d->bind_get_named_parameter(info, "until"));
    b->where = take_text(d, d->bind_get_named_parameter(info, "filter"));
    b->names = take_text(d, d->bind_get_named_parameter(info, "names"));
    b->kinds = take_text(d, d->bind_get_named_parameter(info, "kinds"));
    b->request.where = b->where;
    b->name_pattern[0] = b->names;
    b->request.names = (stele_globs){b->name_pattern, b->names != NULL};
    return take_bound(d, info, b->begin, &b->request.begin) &&
           take_bound(d, info, b->end, &b->request.end) &&
           take_kinds(d, info, b->kinds, &b->request.kinds);
}

static duck_type make_type(const duckdb *d, stele_cell_type type, const char *const *labels,
                           size_t label_count)
{
    static const int ids[STELE_CELL_TYPE_COUNT] = {
        [STELE_CELL_BOOL] = DUCK_TYPE_BOOL,     [STELE_CELL_U8] = DUCK_TYPE_U8,
        [STELE_CELL_U16] = DUCK_TYPE_U16,       [STELE_CELL_U32] = DUCK_TYPE_U32,
        [STELE_CELL_U64] = DUCK_TYPE_U64,       [STELE_CELL_I64] = DUCK_TYPE_I64,
        [STELE_CELL_DOUBLE] = DUCK_TYPE_DOUBLE, [STELE_CELL_WALL] = DUCK_TYPE_TIMESTAMP_NS,
        [STELE_CELL_TEXT] = DUCK_TYPE_TEXT,     [STELE_CELL_JSON] = DUCK_TYPE_TEXT};
    const char *texts[256];
    if (type != STELE_CELL_ENUM)
        return d->create_logical_type(ids[type]);
    for (size_t i = 0; i < label_count; i++)
        texts[i] = labels[i];
    return d->create_enum_type(texts, label_count);
}

static void add_column(const duckdb *d, duck_info info, binding *b, const char *shown,
                       const stele_table_column_info *column)
{
    duck_type type = make_type(d, column->type, column->labels, column->label_count);
    d->bind_add_result_column(info, shown, type);
    d->destroy_logical_type(&type);
    b->columns[b->column_count] = (stele_scan_column){column->name, column->type};
    b->shown[b->column_count] = strdup(shown);
    b->can_be_null[b->column_count++] = column->can_be_null;
}

static stele_cell_type field_type(const char *text)
{
    static const struct {
        const char *name;
        stele_cell_type type;
    } types[] = {{"int", STELE_CELL_I64},       {"uint", STELE_CELL_U64},
                 {"double", STELE_CELL_DOUBLE}, {"float", STELE_CELL_DOUBLE},
                 {"text", STELE_CELL_TEXT},     {"bool", STELE_CELL_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(text, types[i].name) == 0)
            return types[i].type;
    }
    return STELE_CELL_NONE;
}

/* Adds the columns of a list of fields: "len int, state text" gives arg_len and arg_state. */
static bool add_fields(const duckdb *d, duck_info info, binding *b)
{
    char *at = b->fields, *item, *save = NULL;
    size_t count = 0;
    for (; (item = strtok_r(at, ",", &save)) != NULL; at = NULL) {
        stele_table_column_info column = {.can_be_null = true};
        char *type, shown[256];
        item += strspn(item, " ");
        for (size_t size = strlen(item); size != 0 && item[size - 1] == ' '; size--)
            item[size - 1] = 0;
        type = strrchr(item, ' ');
        if (type == NULL || (column.type = field_type(type + 1)) == STELE_CELL_NONE)
            return refuse(d, info, "a field is NAME TYPE, of int, uint, double, text or bool; not",
                          item);
        *type = 0;
        if (count == FIELDS_MAX)
            return refuse(d, info, "too many fields are to be columns, from", item);
        b->field_names[count] = malloc(strlen(item) + 5);
        if (b->field_names[count] == NULL)
            return refuse(d, info, "out of memory at", item);
        sprintf(b->field_names[count], "arg.%s", item);
        snprintf(shown, sizeof shown, "arg_%s", item);
        column.name = b->field_names[count++];
        add_column(d, info, b, shown, &column);
    }
    return true;
}

static bool add_columns(const duckdb *d, duck_info info, binding *b, const char *table)
{
    stele_table_info whole = STELE_INIT(stele_table_info);
    stele_table_column_info column = STELE_INIT(stele_table_column_info);
    if (!stele_table_find(table, &whole))
        return refuse(d, info, "there is no table", table);
    b->columns = calloc(whole.column_count + FIELDS_MAX, sizeof *b->columns);
    b->can_be_null = calloc(whole.column_count + FIELDS_MAX, sizeof *b->can_be_null);
    b->shown = calloc(whole.column_count + FIELDS_MAX, sizeof *b->shown);
    if (b->columns == NULL || b->can_be_null == NULL || b->shown == NULL)
        return refuse(d, info, "out of memory at", table);
    for (size_t i = 0; stele_table_column(table, i, &column); i++)
        add_column(d, info, b, column.name, &column);
    if (whole.has_fields)
        b->fields = take_text(d, d->bind_get_named_parameter(info, "args"));
    return b->fields == NULL || add_fields(d, info, b);
}

/* Makes the pattern that only this name matches; the caller frees it. Returns NULL if out of
   memory. */
static char *quote_glob(const char *name)
{
    char *pattern = malloc(strlen(name) * 2 + 1), *to = pattern;
    for (; pattern != NULL && *name != 0; name++) {
        if (strchr("*?[]\\", *name) != NULL)
            *to++ = '\\';
        *to++ = *name;
    }
    if (pattern != NULL)
        *to = 0;
    return pattern;
}

static void free_class(known_class *k)
{
    free(k->path);
    free(k->name);
    class_free(&k->fields);
    free(k);
}

void functions_free(table_functions *f)
{
    while (f->classes != NULL) {
        known_class *k = f->classes;
        f->classes = k->next;
        free_class(k);
    }
}

/* Finds the fields of a class, for which the traces are read the first time. Returns NULL if
   that fails. */
static const known_class *know_class(table_functions *f, const char *path, const char *name)
{
    scanned traces = {.is_silent = false};
    known_class *k;
    stele_status status;
    for (k = f->classes; k != NULL; k = k->next) {
        if (strcmp(k->path, path) == 0 && strcmp(k->name, name) == 0)
            return k;
    }
    if (!f->opener.open(f->opener.user, path, &traces))
        return NULL;
    k = calloc(1, sizeof *k);
    status = STELE_ERR_MEMORY;
    if (k != NULL) {
        k->path = strdup(path);
        k->name = strdup(name);
        status = class_find(traces.context, traces.traces, traces.count, name, &k->fields);
    }
    functions_close_traces(&traces);
    if (k != NULL && (status != STELE_OK || k->path == NULL || k->name == NULL)) {
        free_class(k);
        return NULL;
    }
    if (k != NULL) {
        k->next = f->classes;
        f->classes = k;
    }
    return k;
}

static bool has_column(const char *table, const char *name)
{
    stele_table_column_info column = STELE_INIT(stele_table_column_info);
    for (size_t i = 0; stele_table_column(table, i, &column); i++) {
        if (strcasecmp(column.name, name) == 0)
            return true;
    }
    return false;
}

/* Adds a column for a field, with the field's name, or arg_NAME if the table has a column of
   that name. */
static void add_class_field(const duckdb *d, duck_info info, binding *b, const class_field *field,
                            size_t number)
{
    const bool is_way = strpbrk(field->name, ".[") != NULL;
    const stele_table_column_info column = {.type = field->type, .can_be_null = true};
    stele_table_column_info named = column;
    const size_t size = strlen(field->name) + 16;
    char *shown;
    if (strchr(field->name, '"') != NULL)
        return; /* such a name cannot be a column; the column `args` has it */
    b->field_names[number] = malloc(size);
    shown = malloc(size);
    if (b->field_names[number] != NULL && shown != NULL) {
        snprintf(b->field_names[number], size, is_way ? "arg.\"%s\"" : "arg.%s", field->name);
        snprintf(shown, size, has_column("event", field->name) ? "arg_%s" : "%s", field->name);
        named.name = b->field_names[number];
        add_column(d, info, b, shown, &named);
    }
    free(shown);
}

static bool add_class(const duckdb *d, duck_info info, binding *b)
{
    table_functions *all = b->function->all;
    const known_class *k;
    b->class_name = take_text(d, d->bind_get_parameter(info, 1));
    if (b->class_name == NULL)
        return refuse(d, info, "a name of events is missing", "");
    pthread_mutex_lock(&all->lock);
    k = know_class(all, b->path, b->class_name);
    pthread_mutex_unlock(&all->lock);
    if (k == NULL)
        return refuse(d, info, "the traces cannot be read for", b->class_name);
    if (k->fields.event_count == 0)
        return refuse(d, info, "there are no events of the name", b->class_name);
    b->names = quote_glob(b->class_name);
    b->name_pattern[0] = b->names;
    b->request.names = (stele_globs){b->name_pattern, 1};
    for (size_t i = 0; i < k->fields.count; i++)
        add_class_field(d, info, b, &k->fields.fields[i], i);
    d->bind_set_cardinality(info, k->fields.event_count, true);
    return b->names != NULL;
}

void functions_bind(duck_info info)
{
    const duckdb *d = functions_duckdb(info, NULL);
    const table_function *function = d->bind_get_extra_info(info);
    const trace_opener *opener = &function->all->opener;
    binding *b = calloc(1, sizeof *b);
    if (b == NULL) {
        d->bind_set_error(info, "out of memory");
        return;
    }
    b->function = function;
    b->path = take_text(d, d->bind_get_parameter(info, 0));
    d->bind_set_bind_data(info, b, free_binding);
    if (b->path == NULL) {
        d->bind_set_error(info, "the path of a trace is missing");
        return;
    }
    if (!add_columns(d, info, b, function->table) || !take_request(d, info, b))
        return;
    if (function->is_class) {
        add_class(d, info, b);
        return;
    }
    /* Without an estimate, joins would be planned as if there were no rows. */
    d->bind_set_cardinality(
        info, stele_table_estimate(function->table, opener->size(opener->user, b->path)), false);
}
