/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/sql/classes.h"

#define FIELDS_MAX CLASS_FIELDS_MAX

/* One table function. */
typedef struct table_function {
    table_functions *all;
    const char *table;
    bool is_class; /* only the events of a name, with their fields as columns */
} table_function;

/* A class whose fields were looked up. */
typedef struct known_class {
    struct known_class *next;
    char *path, *name;
    event_class fields;
} known_class;

/* What one use of a function in a statement reads. */
typedef struct binding {
    const table_function *function;
    char *path, *class_name, *begin, *end, *where, *names, *kinds;
    stele_request request;
    const char *name_pattern[1];
    stele_scan_column *columns; /* all that there are: the table's, then fields */
    char **shown;               /* what SQL calls them */
    bool *can_be_null;
    size_t column_count;
    char *fields; /* the texts of their names */
    char *field_names[FIELDS_MAX];
} binding;

/* What one thread reads: the traces as a whole, or one part after the other. */
typedef struct part_scan {
    scanned traces;
    stele_scan *scan; /* NULL: of no part yet */
    stele_cells *cells;
    stele_cell_text **texts; /* of columns whose texts do not last; else NULL */
} part_scan;

/* A scan that is over, and whose texts are still used. */
typedef struct old_scan {
    struct old_scan *next;
    scanned traces;   /* closed with it, where there are any */
    stele_scan *scan; /* NULL: only traces */
} old_scan;

/* One use of a function in a statement, by any number of threads. */
typedef struct trace_scan {
    table_functions *all;
    const binding *from;
    stele_request request;
    stele_scan_column *columns;
    size_t column_count;
    stele_cell_type *types;
    bool *can_be_null;
    uint32_t user_count; /* threads, and the statement */
    uint32_t part_next, part_count;
    part_scan *first; /* opened beforehand, for the thread that comes first; NULL: it was taken */
    uint64_t lost_count, missing_count; /* of all parts so far */
} trace_scan;

/* ---- Parameters ---- */

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

/* "complete,instant" */
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

/* ---- Columns ---- */

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

/* "len int, state text": columns arg_len and arg_state. */
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

/* ---- Classes of events ---- */

/* What matches the name alone. Returns NULL if out of memory. */
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

static void free_traces(scanned *s)
{
    for (size_t i = s->count; i-- > 0;)
        stele_trace_close(s->traces[i]);
    free(s->traces);
    stele_context_free(s->context);
}

/* Reads the traces for the fields of a class, the first time. NULL: that failed. */
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
    free_traces(&traces);
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

/* A field as a column of its own name, or arg_NAME where the table has one of that. */
static void add_class_field(const duckdb *d, duck_info info, binding *b, const class_field *field,
                            size_t number)
{
    const bool is_way = strpbrk(field->name, ".[") != NULL;
    const stele_table_column_info column = {.type = field->type, .can_be_null = true};
    stele_table_column_info named = column;
    const size_t size = strlen(field->name) + 16;
    char *shown;
    if (strchr(field->name, '"') != NULL)
        return; /* no column can be called so; `args` has it */
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

static const duckdb *duckdb_of(duck_info info, const duckdb *set)
{
    static const duckdb *known;
    (void)info;
    if (set != NULL)
        known = set;
    return known;
}

static void bind(duck_info info)
{
    const duckdb *d = duckdb_of(info, NULL);
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
    /* Without a guess, joins are planned as if there were no rows at all. */
    d->bind_set_cardinality(
        info, stele_table_estimate(function->table, opener->size(opener->user, b->path)), false);
}

/* ---- Scans ---- */

static void count_totals(trace_scan *t, const stele_scan *scan)
{
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_reader_stats reader = STELE_INIT(stele_reader_stats);
    scan_totals *totals = &t->all->totals;
    stele_scan_get_stats(scan, &stats, &reader);
    totals->misfit_count += stats.misfit_count;
    totals->replaced_count += stats.replaced_count;
    totals->unknown_count += stats.unknown_count;
    t->lost_count += reader.lost_count;
    t->missing_count += reader.missing_count;
    if (t->lost_count > totals->lost_count)
        totals->lost_count = t->lost_count;
    if (t->missing_count > totals->missing_count)
        totals->missing_count = t->missing_count;
}

/* Closes a scan, and its traces where they are given; or later, as DuckDB is done with the scan,
   but not with texts that it was given. */
static void end_scan(trace_scan *t, stele_scan *scan, scanned *traces)
{
    old_scan *old = t->all->keeps_texts ? malloc(sizeof *old) : NULL;
    if (scan != NULL)
        count_totals(t, scan);
    if (old != NULL) {
        *old = (old_scan){.next = t->all->done, .scan = scan};
        if (traces != NULL)
            old->traces = *traces;
        t->all->done = old;
        return;
    }
    stele_scan_close(scan);
    if (traces != NULL)
        free_traces(traces);
}

void functions_release(table_functions *f)
{
    for (old_scan *old = f->done; old != NULL; old = old->next)
        stele_scan_close(old->scan); /* before all traces: several scans share them */
    while (f->done != NULL) {
        old_scan *old = f->done;
        f->done = old->next;
        free_traces(&old->traces);
        free(old);
    }
}

/* The lock is held. */
static void free_part(trace_scan *t, part_scan *p)
{
    end_scan(t, p->scan, &p->traces);
    for (size_t i = 0; p->texts != NULL && i < t->column_count; i++)
        free(p->texts[i]);
    free(p->texts);
    free(p->cells);
    free(p);
}

/* One user less of a scan; the last one frees it. The lock is held, and given back. */
static void leave(trace_scan *t)
{
    const bool is_last = --t->user_count == 0;
    pthread_mutex_unlock(&t->all->lock);
    if (!is_last)
        return;
    free(t->columns);
    free(t->types);
    free(t->can_be_null);
    free(t);
}

static void free_scan(void *data)
{
    trace_scan *t = data;
    pthread_mutex_lock(&t->all->lock);
    if (t->first != NULL)
        free_part(t, t->first);
    t->first = NULL;
    leave(t);
}

/* Adds what the plan says that need not be delivered, unless parameters say more. */
static void narrow(stele_request *request, const plan_filter *f)
{
    if (f->has_begin && request->begin.kind == STELE_BOUND_NONE)
        request->begin = (stele_bound){STELE_BOUND_CLOCK, f->begin_ns};
    if (f->has_end && request->end.kind == STELE_BOUND_NONE)
        request->end = (stele_bound){STELE_BOUND_CLOCK, f->end_ns};
    if (request->kinds == 0 || (request->kinds & f->kinds) != 0)
        request->kinds = f->kinds == 0         ? request->kinds
                         : request->kinds == 0 ? f->kinds
                                               : request->kinds & f->kinds;
    if (request->names.count == 0 && f->name_count != 0)
        request->names = (stele_globs){(const char *const *)f->names, f->name_count};
}

/* The request of a scan that is to deliver these columns. */
static stele_request request_of(const duckdb *d, duck_info info, const binding *b)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    stele_request request = b->request;
    const plan_scan *plan = b->function->all->plan;
    const size_t count = (size_t)d->init_get_column_count(info);
    const char **names = calloc(count + 1, sizeof *names);
    const plan_filter *filter = NULL;
    char function[64], *key = NULL;
    bool is_known = plan != NULL && names != NULL && stele_table_find(b->function->table, &table) &&
                    table.selects_events;
    for (size_t i = 0; is_known && i < count; i++) {
        const duck_count index = d->init_get_column_index(info, i);
        is_known = index < b->column_count && b->shown[index] != NULL;
        names[i] = is_known ? b->shown[index] : NULL;
    }
    snprintf(function, sizeof function, "read_%s",
             b->function->is_class ? "class" : b->function->table);
    if (is_known)
        key = plan_key(function, names, count);
    if (key != NULL)
        filter = plan_find(plan, key);
    if (filter != NULL)
        narrow(&request, filter);
    free(key);
    free(names);
    return request;
}

/* Buffers for the columns whose texts end with their chunk. */
static stele_status make_texts(const trace_scan *t, part_scan *p)
{
    for (size_t i = 0; i < t->column_count; i++) {
        const bool is_text = t->types[i] == STELE_CELL_TEXT || t->types[i] == STELE_CELL_JSON;
        if (!is_text || p->texts[i] != NULL ||
            (t->all->keeps_texts && stele_scan_is_lasting(p->scan, i)))
            continue;
        p->texts[i] = malloc((size_t)t->all->d->vector_size() * sizeof **p->texts);
        if (p->texts[i] == NULL)
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static stele_scan_options options_of(const trace_scan *t, const stele_request *request)
{
    return (stele_scan_options){.struct_size = sizeof(stele_scan_options),
                                .table = t->from->function->table,
                                .columns = t->columns,
                                .column_count = t->column_count,
                                .request = request};
}

/* The next part that nobody has taken, in the place of the one before. STELE_END: there is none.
   The lock is held. */
static stele_status open_part(trace_scan *t, part_scan *p)
{
    stele_request request = t->request;
    const stele_scan_options options = options_of(t, &request);
    stele_status status;
    if (p->scan != NULL)
        end_scan(t, p->scan, NULL);
    p->scan = NULL;
    if (t->part_next == t->part_count)
        return STELE_END;
    request.struct_size = sizeof request;
    request.part = t->part_next++;
    request.part_count = t->part_count;
    status =
        stele_scan_open(p->traces.context, p->traces.traces, p->traces.count, &options, &p->scan);
    return status == STELE_OK ? make_texts(t, p) : status;
}

/* What one thread needs, with the traces opened. The lock is held. */
static stele_status make_part(trace_scan *t, part_scan **out)
{
    const trace_opener *opener = &t->all->opener;
    part_scan *p = *out = calloc(1, sizeof *p);
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->cells = calloc(t->column_count + 1, sizeof *p->cells);
    p->texts = calloc(t->column_count + 1, sizeof *p->texts);
    if (p->cells == NULL || p->texts == NULL)
        return STELE_ERR_MEMORY;
    return opener->open(opener->user, t->from->path, &p->traces) ? STELE_OK : STELE_ERR_READ;
}

/* The columns that the statement uses. Returns false if out of memory. */
static bool choose(const duckdb *d, duck_info info, trace_scan *t)
{
    const binding *b = t->from;
    t->column_count = (size_t)d->init_get_column_count(info);
    t->columns = calloc(t->column_count + 1, sizeof *t->columns);
    t->types = calloc(t->column_count + 1, sizeof *t->types);
    t->can_be_null = calloc(t->column_count + 1, sizeof *t->can_be_null);
    if (t->columns == NULL || t->types == NULL || t->can_be_null == NULL)
        return false;
    for (size_t i = 0, count = t->column_count; i < count; i++) {
        const duck_count index = d->init_get_column_index(info, i);
        /* An index beyond all columns stands for rows alone. */
        const size_t known = index < b->column_count ? (size_t)index : 0;
        t->columns[i] = b->columns[known];
        t->types[i] = b->columns[known].type;
        t->can_be_null[i] = b->can_be_null[known];
    }
    return true;
}

/* Parts for each thread, so that those of large parts are not waited for by the others. */
#define PARTS_PER_THREAD 4u

/* In how many parts the traces are read. What a statement itself names should be reported where
   nothing has that name, which no part can tell. */
static stele_status plan_parts(trace_scan *t)
{
    const stele_request *request = &t->request;
    const uint32_t most = t->all->threads * PARTS_PER_THREAD;
    const stele_scan_options options = options_of(t, request);
    const trace_opener *opener = &t->all->opener;
    scanned traces = {.is_silent = true};
    stele_status status;
    t->part_count = 1;
    if (t->all->threads < 2 || request->where != NULL ||
        (t->from->names != NULL && !t->from->function->is_class))
        return STELE_OK;
    /* What is found on the way is said by those who read, once, and in the same words as without
       parts. */
    if (!opener->open(opener->user, t->from->path, &traces))
        return STELE_ERR_READ;
    status = stele_scan_parts(traces.context, traces.traces, traces.count, &options, most,
                              &t->part_count);
    free_traces(&traces);
    return status;
}

static void init(duck_info info)
{
    const duckdb *d = duckdb_of(info, NULL);
    const binding *b = d->init_get_bind_data(info);
    trace_scan *t = calloc(1, sizeof *t);
    stele_status status = STELE_ERR_MEMORY;
    if (t == NULL) {
        d->init_set_error(info, stele_status_text(status));
        return;
    }
    *t = (trace_scan){.all = b->function->all,
                      .from = b,
                      .request = request_of(d, info, b),
                      .user_count = 1,
                      .part_count = 1};
    pthread_mutex_lock(&t->all->lock);
    if (choose(d, info, t))
        status = make_part(t, &t->first);
    if (status == STELE_OK)
        status = plan_parts(t);
    if (status == STELE_OK)
        status = open_part(t, t->first);
    pthread_mutex_unlock(&t->all->lock);
    d->init_set_init_data(info, t, free_scan);
    d->init_set_max_threads(info, t->part_count);
    if (status != STELE_OK)
        d->init_set_error(info, stele_status_text(status));
}

/* ---- Threads ---- */

/* What a thread has of a scan, which it comes to know when it is to fill something. */
typedef struct thread_scan {
    trace_scan *of; /* NULL: it was not called yet */
    part_scan *part;
} thread_scan;

static void free_thread(void *data)
{
    thread_scan *own = data;
    if (own->of != NULL) {
        pthread_mutex_lock(&own->of->all->lock);
        if (own->part != NULL)
            free_part(own->of, own->part);
        leave(own->of);
    }
    free(own);
}

static void init_thread(duck_info info)
{
    const duckdb *d = duckdb_of(info, NULL);
    thread_scan *own = calloc(1, sizeof *own);
    if (own != NULL)
        d->init_set_init_data(info, own, free_thread);
    else
        d->init_set_error(info, stele_status_text(STELE_ERR_MEMORY));
}

/* Has the thread something to read from; STELE_END: nothing is left. */
static stele_status enter(trace_scan *t, thread_scan *own)
{
    stele_status status = STELE_OK;
    pthread_mutex_lock(&t->all->lock);
    t->user_count += own->of == NULL;
    own->of = t;
    if (own->part == NULL && t->first != NULL) {
        own->part = t->first;
        t->first = NULL;
    } else if (own->part == NULL) {
        status = t->part_next == t->part_count ? STELE_END : make_part(t, &own->part);
    }
    if (status == STELE_OK && own->part->scan == NULL)
        status = open_part(t, own->part);
    pthread_mutex_unlock(&t->all->lock);
    return status;
}

/* ---- Rows ---- */

static void give_texts(const duckdb *d, duck_vector vector, const stele_cell_text *texts,
                       const stele_cells *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (stele_cell_is_there(cells, i))
            d->vector_assign_string_element_len(vector, i, stele_cell_bytes(&texts[i]),
                                                texts[i].size);
    }
}

/* Where the columns of a chunk go. */
static void aim(const trace_scan *t, part_scan *p, duck_chunk out)
{
    const duckdb *d = t->all->d;
    for (size_t i = 0; i < t->column_count; i++) {
        duck_vector vector = d->data_chunk_get_vector(out, i);
        if (t->can_be_null[i])
            d->vector_ensure_validity_writable(vector);
        p->cells[i].valid = t->can_be_null[i] ? d->vector_get_validity(vector) : NULL;
        p->cells[i].values = p->texts[i] != NULL ? p->texts[i] : d->vector_get_data(vector);
    }
}

/* The next rows of the part at hand. Parts have nothing in common; what is read as a whole can have
   names of functions that are looked up in files that all share. */
static stele_status next_rows(trace_scan *t, part_scan *p, duck_chunk out, stele_chunk *chunk)
{
    const size_t capacity = (size_t)t->all->d->vector_size();
    stele_status status;
    aim(t, p, out);
    if (t->part_count > 1)
        return stele_scan_next(p->scan, p->cells, capacity, chunk);
    pthread_mutex_lock(&t->all->lock);
    status = stele_scan_next(p->scan, p->cells, capacity, chunk);
    pthread_mutex_unlock(&t->all->lock);
    return status;
}

static void end_part(trace_scan *t, part_scan *p)
{
    pthread_mutex_lock(&t->all->lock);
    end_scan(t, p->scan, NULL);
    p->scan = NULL;
    pthread_mutex_unlock(&t->all->lock);
}

static void fill(duck_info info, duck_chunk out)
{
    const duckdb *d = duckdb_of(info, NULL);
    trace_scan *t = d->function_get_init_data(info);
    thread_scan *own = d->function_get_local_init_data(info);
    stele_chunk chunk = {.count = 0};
    stele_status status;
    while ((status = enter(t, own)) == STELE_OK) {
        status = next_rows(t, own->part, out, &chunk);
        if (status != STELE_END)
            break;
        end_part(t, own->part);
    }
    for (size_t i = 0; status == STELE_OK && i < t->column_count; i++) {
        const bool is_text = t->types[i] == STELE_CELL_TEXT || t->types[i] == STELE_CELL_JSON;
        const stele_cells *cells = &own->part->cells[i];
        if (own->part->texts[i] != NULL || (is_text && !chunk.has_lasting))
            give_texts(d, d->data_chunk_get_vector(out, i), cells->values, cells, chunk.count);
    }
    d->data_chunk_set_size(out, status == STELE_OK ? chunk.count : 0);
    if (status != STELE_OK && status != STELE_END)
        d->function_set_error(info, stele_status_text(status));
}

/* ---- Registering ---- */

static bool add_function(table_functions *f, duck_connection connection, const char *table,
                         bool is_class)
{
    static const char *const named[] = {"begin", "until", "filter", "names", "kinds", "args"};
    const duckdb *d = f->d;
    duck_function function = d->create_table_function();
    duck_type text = d->create_logical_type(DUCK_TYPE_TEXT);
    table_function *extra = malloc(sizeof *extra);
    char name[64];
    bool is_done;
    snprintf(name, sizeof name, "read_%s", is_class ? "class" : table);
    d->table_function_set_name(function, name);
    d->table_function_add_parameter(function, text);
    if (is_class)
        d->table_function_add_parameter(function, text);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        d->table_function_add_named_parameter(function, named[i], text);
    if (extra != NULL) {
        *extra = (table_function){f, table, is_class};
        d->table_function_set_extra_info(function, extra, free);
    }
    d->table_function_set_bind(function, bind);
    d->table_function_set_init(function, init);
    d->table_function_set_local_init(function, init_thread);
    d->table_function_set_function(function, fill);
    d->table_function_supports_projection_pushdown(function, true);
    is_done = extra != NULL && d->register_table_function(connection, function) == DUCK_OK;
    d->destroy_logical_type(&text);
    d->destroy_table_function(&function);
    return is_done;
}

#define CLASS_PREFIX "class_"

/* A table that does not exist: class_NAME stands for the events of that name. */
static void replace(duck_info info, const char *table, void *data)
{
    const table_functions *f = data;
    const char *name = table + sizeof CLASS_PREFIX - 1;
    duck_value value;
    if (strncmp(table, CLASS_PREFIX, sizeof CLASS_PREFIX - 1) != 0)
        return;
    f->d->replacement_scan_set_function_name(info, "read_class");
    value = f->d->create_varchar("");
    f->d->replacement_scan_add_parameter(info, value);
    f->d->destroy_value(&value);
    value = f->d->create_varchar(name);
    f->d->replacement_scan_add_parameter(info, value);
    f->d->destroy_value(&value);
}

bool functions_register(table_functions *f, const duckdb *d, duck_database database,
                        duck_connection connection)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    f->d = d;
    duckdb_of(NULL, d);
    for (size_t i = 0; stele_table_get(i, &table); i++) {
        if (!add_function(f, connection, table.name, false))
            return false;
    }
    if (f->keeps_texts) /* the command has traces that no path stands for */
        d->add_replacement_scan(database, replace, f, NULL);
    return add_function(f, connection, "event", true);
}
