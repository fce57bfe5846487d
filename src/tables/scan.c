/* SPDX-License-Identifier: Apache-2.0 */
/* A scan: reads the rows of a table, from the request to chunks of rows. */
#include <stdlib.h>

#include "core/sized.h"
#include "tables/stage.h"

static rows_fn *const sources[SOURCE_COUNT] = {
    [SOURCE_EVENTS] = rows_of_events,     [SOURCE_FIELDS] = rows_of_fields,
    [SOURCE_NUMBERS] = rows_of_numbers,   [SOURCE_TRACES] = rows_of_traces,
    [SOURCE_STREAMS] = rows_of_streams,   [SOURCE_TRACKS] = rows_of_tracks,
    [SOURCE_THREADS] = rows_of_threads,   [SOURCE_PROCESSES] = rows_of_processes,
    [SOURCE_FINDINGS] = rows_of_findings, [SOURCE_INSNS] = rows_of_insns,
    [SOURCE_ACCESSES] = rows_of_accesses, [SOURCE_BRANCHES] = rows_of_branches,
};

static bool source_has_fields(row_source_id source)
{
    return source == SOURCE_FIELDS || source == SOURCE_NUMBERS;
}

/* Whether rows are the results of an analysis. */
static bool source_has_stage(row_source_id source)
{
    return source == SOURCE_SPANS || (source >= SOURCE_THREAD_STATES && source <= SOURCE_SNAPSHOTS);
}

static bool source_has_events(row_source_id source)
{
    return source <= SOURCE_SPANS;
}

/* ---- Opening of scans ---- */

static stele_status refuse(stele_context *context, const char *expected, const char *what,
                           const char *name)
{
    diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected, "%s '%s'",
                what, name);
    return STELE_ERR_ARGUMENT;
}

/* Takes a plain name, which is in quotes if its characters would make it a path. Returns false
   for a path. */
static bool plain_name(const char *text, const char **name, size_t *size)
{
    *name = text;
    *size = strlen(text);
    if (*size > 2 && text[0] == '"' && strchr(text + 1, '"') == text + *size - 1) {
        *name += 1;
        *size -= 2;
        return true;
    }
    return strpbrk(text, ".[\"") == NULL;
}

static stele_status open_field(stele_scan *s, scan_column *item, const stele_scan_column *from)
{
    const char *name;
    size_t size;
    item->type = from->type;
    item->fill = fill_of_arg(from->type);
    if (item->fill == NULL)
        return refuse(s->context, "bool, u64, i64, double or text", "type of column", from->name);
    item->is_plain = plain_name(from->name + 4, &name, &size);
    if (item->is_plain) {
        item->plain = stele_name_intern(s->context, name, size);
        item->shared = calloc(1, sizeof *item->shared);
        return item->shared != NULL ? STELE_OK : STELE_ERR_MEMORY;
    }
    if (strchr(from->name, ',') != NULL)
        return refuse(s->context, "a way without a comma", "column", from->name);
    return columns_parse(s->context, from->name, &item->field);
}

static stele_status open_columns(stele_scan *s, const stele_scan_options *options, uint32_t *needs)
{
    stele_status status = STELE_OK;
    const table_id table = (table_id)(s->table - table_entries);
    s->columns = calloc(options->column_count + 1, sizeof *s->columns);
    if (s->columns == NULL)
        return STELE_ERR_MEMORY;
    if (source_has_fields(s->table->source))
        *needs |= STELE_COLUMN_FIELDS;
    for (size_t i = 0; i < options->column_count && status == STELE_OK; i++) {
        const stele_scan_column *from = &options->columns[i];
        scan_column *item = &s->columns[s->column_count++];
        item->name = arena_copy(&s->lasting, from->name, strlen(from->name));
        if (item->name == NULL)
            return STELE_ERR_MEMORY;
        if (strncmp(from->name, "arg.", 4) == 0 && source_has_events(s->table->source)) {
            status = open_field(s, item, from);
            s->has_plain = s->has_plain || item->is_plain;
            *needs |= STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT;
            continue;
        }
        item->entry = table_column_find(table, from->name);
        if (item->entry == NULL)
            return refuse(s->context, "a column of the table", "column", from->name);
        item->type = item->entry->type;
        item->fill = item->entry->fill;
        *needs |= item->entry->needs;
    }
    return status;
}

/* Makes the request for events from that of the caller, restricted to those that the table can
   have. Returns false if no event can be in it. */
static bool make_request(const stele_scan *s, const stele_scan_options *options, uint32_t needs,
                         stele_request *request)
{
    sized_take(request, sizeof *request, SIZED_FIRST(stele_request, where), options->request);
    request->order = STELE_ORDER_NONE;
    request->columns = needs != 0 ? needs : STELE_COLUMNS_NONE;
    request->check = s->table->source == SOURCE_FINDINGS;
    if (s->fields != NULL) {
        request->fields = s->fields;
        request->field_count = s->field_count;
    }
    if (s->table->kinds == 0)
        return true;
    request->kinds = request->kinds == 0 ? s->table->kinds : request->kinds & s->table->kinds;
    return request->kinds != 0;
}

/* Lists the fields that the columns of a table of events need, unless they need all of them. */
static stele_status list_fields(stele_scan *s)
{
    for (size_t i = 0; i < s->column_count; i++) {
        const scan_column *item = &s->columns[i];
        if (item->entry != NULL ? (item->entry->needs & STELE_COLUMN_FIELDS) != 0 : !item->is_plain)
            return STELE_OK;
    }
    s->fields = calloc(s->column_count + 1, sizeof *s->fields);
    if (s->fields == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < s->column_count; i++) {
        const scan_column *item = &s->columns[i];
        const stele_text name =
            stele_name_text(s->context, NULL, item->entry == NULL ? item->plain : 0);
        if (item->entry != NULL)
            continue;
        s->fields[s->field_count] = arena_copy(&s->lasting, name.bytes, name.size);
        if (s->fields[s->field_count] == NULL)
            return STELE_ERR_MEMORY;
        /* a name that a request cannot contain: all fields are read */
        if (name.size == 0 || memchr(name.bytes, 0, name.size) != NULL) {
            s->field_count = 0;
            return STELE_OK;
        }
        s->field_count++;
    }
    return STELE_OK;
}

/* Makes the analysis whose results are the rows of the table. */
static stele_status open_engine(stele_scan *s, uint32_t needs, bool is_bounded,
                                stage_engine *engine)
{
    switch (s->table->source) {
    case SOURCE_SPANS:
        if (!is_bounded && stage_can_be_calls(s))
            return stage_open_calls(s, engine);
        return stage_open_spans(s, needs, engine);
    case SOURCE_INTERRUPTS:
    case SOURCE_TRANSFERS: return stage_open_kernel(s, engine);
    case SOURCE_SNAPSHOTS: return stage_open_snapshots(s, engine);
    default: return stage_open_sched(s, engine);
    }
}

/* Reads events of traces without instructions only: calls of the others are read apart. */
static stele_status leave_insns(stele_scan *s, const stele_request *request)
{
    stele_trace **others = calloc(s->trace_count, sizeof *others);
    stele_status status = others != NULL ? STELE_OK : STELE_ERR_MEMORY;
    size_t count = 0;
    for (size_t i = 0; others != NULL && i < s->trace_count; i++) {
        if (!stele_trace_has_insns(s->traces[i]))
            others[count++] = s->traces[i];
    }
    stele_reader_close(s->reader);
    s->reader = NULL;
    if (count == 0)
        s->end = STELE_END;
    else if (status == STELE_OK)
        status = stele_reader_open(s->context, others, count, request, &s->reader);
    free(others);
    return status;
}

/* Opens the analysis of the table. Filters of single events are applied to its results, because
   they could remove a begin and keep its end. */
static stele_status open_stage(stele_scan *s, const stele_scan_options *options, uint32_t needs)
{
    const bool is_async = (s->table->kinds & ~STELE_CALLS_KINDS) != 0;
    stele_request request;
    stele_status status;
    make_request(s, options, needs, &request);
    if (request.where != NULL || request.names.count != 0 || request.categories.count != 0 ||
        request.kinds != s->table->kinds)
        return refuse(s->context, "bounds of time and tracks only", "a selection for table",
                      s->table->name);
    status = stage_open(
        s, needs, request.begin.kind != STELE_BOUND_NONE || request.end.kind != STELE_BOUND_NONE,
        open_engine);
    if (status != STELE_OK)
        return status;
    request.columns = needs | stage_columns(s);
    request.order = is_async ? STELE_ORDER_TIME : STELE_ORDER_STREAMS;
    request.from_start = true;
    status = stele_reader_open(s->context, s->traces, s->trace_count, &request, &s->reader);
    if (status == STELE_OK)
        status = stage_bound(s);
    if (status == STELE_OK)
        status = insn_calls_open(s, &s->insn_calls);
    return status == STELE_OK && s->insn_calls != NULL ? leave_insns(s, &request) : status;
}

static stele_status open_parts(stele_scan *s, const stele_scan_options *options)
{
    uint32_t needs = 0;
    stele_request request;
    stele_status status = open_columns(s, options, &needs);
    if (status == STELE_OK)
        status = output_open_memory(&s->context->diag, &s->text);
    if (status == STELE_OK)
        status = value_writer_init(&s->values, s->context);
    if (status != STELE_OK)
        return status;
    s->row_items = malloc(ROWS_AT_ONCE * sizeof *s->row_items);
    s->message = context_own_name(s->context, "message");
    if (source_has_fields(s->table->source)) {
        s->row_events = malloc(ROWS_AT_ONCE * sizeof *s->row_events);
        s->row_fields = malloc(ROWS_AT_ONCE * sizeof *s->row_fields);
    }
    if (s->row_items == NULL ||
        (source_has_fields(s->table->source) && (s->row_events == NULL || s->row_fields == NULL)))
        return STELE_ERR_MEMORY;
    if (source_has_stage(s->table->source))
        return open_stage(s, options, needs);
    if (s->table->source >= SOURCE_INSNS)
        return insn_source_open(s, needs);
    if (s->table->source == SOURCE_TRACES)
        return STELE_OK;
    if (s->table->source == SOURCE_EVENTS)
        status = list_fields(s);
    if (status != STELE_OK)
        return status;
    if (!make_request(s, options, needs, &request)) {
        s->end = STELE_END;
        return STELE_OK;
    }
    return stele_reader_open(s->context, s->traces, s->trace_count, &request, &s->reader);
}

stele_status stele_scan_open(stele_context *context, stele_trace *const *traces, size_t count,
                             const stele_scan_options *given, stele_scan **scan)
{
    stele_scan_options options;
    stele_scan *s;
    stele_status status;
    *scan = NULL;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_scan_options, request), given) ||
        options.table == NULL || count == 0)
        return STELE_ERR_ARGUMENT;
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    s->context = context;
    s->table = table_find(options.table);
    s->traces = calloc(count, sizeof(stele_trace *));
    s->trace_count = count;
    s->reader_stats.struct_size = sizeof s->reader_stats;
    s->stats.struct_size = sizeof s->stats;
    if (s->table == NULL)
        status = refuse(context, "a table", "table", options.table);
    else if (s->traces == NULL)
        status = STELE_ERR_MEMORY;
    else {
        memcpy(s->traces, traces, count * sizeof(stele_trace *));
        status = open_parts(s, &options);
    }
    if (status != STELE_OK) {
        stele_scan_close(s);
        return status;
    }
    *scan = s;
    return STELE_OK;
}

void stele_scan_close(stele_scan *s)
{
    if (s == NULL)
        return;
    stele_reader_close(s->reader);
    stage_close(s);
    insn_source_close(s);
    for (size_t i = 0; i < s->column_count; i++) {
        columns_free(&s->columns[i].field);
        free(s->columns[i].shared);
    }
    if (s->text != NULL)
        value_writer_free(&s->values);
    output_close(s->text);
    scan_free_findings(s);
    arena_free(&s->lasting);
    arena_free(&s->fleeting);
    free(s->findings);
    free(s->ranges);
    free(s->row_items);
    free(s->row_fields);
    free(s->row_events);
    free(s->tracks);
    free(s->names);
    free(s->has_name);
    free(s->columns);
    free(s->fields);
    free(s->traces);
    free(s);
}

/* ---- Chunks of rows ---- */

static void begin_chunk(stele_scan *s, const stele_cells *cells, size_t capacity)
{
    s->chunk++;
    if (s->stage == NULL) { /* results of an analysis that are not given yet must stay valid */
        s->has_fleeting_names = false;
        arena_free(&s->fleeting);
    }
    for (size_t i = 0; i < s->column_count; i++) {
        if (cells[i].valid != NULL)
            memset(cells[i].valid, 0xff, stele_valid_words(capacity) * sizeof *cells[i].valid);
    }
}

static void fill(stele_scan *s, const rows *r, const stele_cells *cells, size_t at)
{
    for (size_t i = 0; i < s->column_count; i++) {
        const scan_column *item = &s->columns[i];
        const cell_place to = {(uint8_t *)cells[i].values + at * stele_cell_size(item->type),
                               cells[i].valid, at};
        item->fill(s, item, r, &to);
    }
}

stele_status stele_scan_next(stele_scan *s, const stele_cells *cells, size_t capacity,
                             stele_chunk *chunk)
{
    stele_status status = STELE_OK;
    rows r;
    *chunk = (stele_chunk){.count = 0};
    begin_chunk(s, cells, capacity);
    if (s->stage != NULL)
        status = stage_next(s, cells, capacity, &chunk->count);
    while (s->stage == NULL && chunk->count < capacity) {
        const size_t room = capacity - chunk->count;
        r = (rows){.count = 0};
        status = sources[s->table->source](s, room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE, &r);
        if (status != STELE_OK)
            break;
        r.flat_most = s->has_plain && r.fields == NULL ? rows_flat_most(&r) : 0;
        fill(s, &r, cells, chunk->count);
        chunk->count += r.count;
        if (s->is_out_of_memory)
            return STELE_ERR_MEMORY;
    }
    chunk->has_lasting = !s->has_fleeting_names;
    s->stats.row_count += chunk->count;
    /* the reason why reading ended is returned after the rows before it */
    return chunk->count != 0 ? STELE_OK : status;
}

bool stele_scan_is_lasting(const stele_scan *s, size_t index)
{
    const column_entry *entry = index < s->column_count ? s->columns[index].entry : NULL;
    return entry != NULL && entry->type == STELE_CELL_TEXT &&
           (entry->fill == fill_name || entry->fill == fill_category ||
            entry->fill == fill_span_caller || entry->fill == fill_span_root ||
            entry->fill == fill_run_text || entry->fill == fill_run_reason ||
            entry->fill == fill_cpu_text || entry->fill == fill_kernel_name ||
            entry->fill == fill_insn_class || entry->fill == fill_insn_group ||
            entry->fill == fill_thread || entry->fill == fill_process || entry->fill == fill_key ||
            (s->table->source >= SOURCE_TRACES && s->table->source <= SOURCE_FINDINGS));
}

void stele_scan_get_stats(const stele_scan *s, stele_scan_stats *stats,
                          stele_reader_stats *reader_stats)
{
    if (stats != NULL)
        sized_give(stats, &s->stats, sizeof s->stats, SIZED_FIRST(stele_scan_stats, unknown_count));
    if (reader_stats != NULL && s->reader != NULL)
        stele_reader_get_stats(s->reader, reader_stats);
}
