/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/span_rows.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/figures.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define STACK_TEXT_MAX 4096u
#define BELOW_INDENT   2

/* ---- Columns of rows ------------------------------------------------------------------------- */

/* Names of columns that are not expressions, or that have a fixed width for people. */
static const struct {
    const char *word;
    span_column_kind kind;
    unsigned width;
    bool is_number;
} known[] = {{"time", SPAN_COLUMN_EXPRESSION, 14, true},
             {"dur", SPAN_COLUMN_EXPRESSION, 8, true},
             {"self", SPAN_COLUMN_EXPRESSION, 8, true},
             {"delta", SPAN_COLUMN_EXPRESSION, 8, true},
             {"depth", SPAN_COLUMN_EXPRESSION, 5, true},
             {"id", SPAN_COLUMN_EXPRESSION, 6, true},
             {"parent", SPAN_COLUMN_EXPRESSION, 6, true},
             {"name", SPAN_COLUMN_EXPRESSION, 20, false},
             {"caller", SPAN_COLUMN_EXPRESSION, 16, false},
             {"root", SPAN_COLUMN_EXPRESSION, 16, false},
             {"ended", SPAN_COLUMN_EXPRESSION, 10, false},
             {"cut", SPAN_COLUMN_EXPRESSION, 5, false},
             {"source", SPAN_COLUMN_EXPRESSION, 8, false},
             {"track", SPAN_COLUMN_TRACK, 14, false},
             {"args", SPAN_COLUMN_ARGUMENTS, 0, false},
             {"stack", SPAN_COLUMN_STACK, 0, false},
             {"offset", SPAN_COLUMN_OFFSET, 10, true},
             {"end_offset", SPAN_COLUMN_END_OFFSET, 10, true}};

/* Names of times, and their names for programs, which have the unit at the end. */
static const char *const known_ns[][2] = {
    {"time", "time_ns"}, {"dur", "dur_ns"}, {"self", "self_ns"}, {"delta", "delta_ns"}};

static bool add_column(span_rows *r, const char *text, size_t size)
{
    span_column *column = &r->columns[r->column_count];
    *column = (span_column){.title = malloc(size + 1), .width = 10};
    if (column->title == NULL)
        return cli_check(r->c, STELE_ERR_MEMORY, "--columns");
    r->column_count++;
    memcpy(column->title, text, size);
    column->title[size] = 0;
    column->key = column->title;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].word, column->title) != 0)
            continue;
        column->kind = known[i].kind;
        column->width = known[i].width;
        column->is_number = known[i].is_number;
    }
    r->has_arguments = r->has_arguments || column->kind == SPAN_COLUMN_ARGUMENTS;
    if (column->kind != SPAN_COLUMN_EXPRESSION)
        return true;
    if (!cli_check(r->c, stele_expression_new(r->c->context, column->title, &column->of),
                   "--columns"))
        return false;
    column->unit = stele_expression_unit(column->of);
    for (size_t i = 0; i < sizeof known_ns / sizeof known_ns[0]; i++) {
        if (strcmp(known_ns[i][0], column->title) == 0)
            column->key = known_ns[i][1];
    }
    return true;
}

/* The end of a column in a list: the next comma outside of parentheses and quotes. */
static const char *column_end(const char *at)
{
    unsigned depth = 0;
    char quote = 0;
    for (; *at != 0 && (quote != 0 || depth != 0 || *at != ','); at++) {
        if (quote != 0)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else
            depth += *at == '(' ? 1u : *at == ')' && depth != 0 ? -1u : 0u;
    }
    return at;
}

bool span_rows_make(span_rows *r, cli *c, spanning *s, const char *list, bool has_stack)
{
    const options *o = &c->options;
    size_t count = 1;
    *r = (span_rows){.c = c, .s = s};
    r->is_json = option_given(o, OPTION_JSON);
    r->is_csv = option_given(o, OPTION_CSV);
    if (list == NULL && (r->is_json || r->is_csv))
        list = "id,parent,time,dur,self,delta,depth,name,category,caller,root,track,ended,source,"
               "offset,end_offset,cut,args";
    else if (list == NULL && (option_given(o, OPTION_BEGIN) || option_given(o, OPTION_END)))
        list = "time,dur,self,cut,name,track,args";
    else if (list == NULL)
        list = "time,dur,self,name,track,args";
    for (const char *at = list; *at != 0; at++)
        count += *at == ',';
    r->columns = calloc(count + 1, sizeof *r->columns);
    if (r->columns == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "--columns");
    for (const char *at = list;; at++) {
        const char *end = column_end(at);
        if (end == at)
            return cli_usage(c, "--columns takes a list of words and expressions, not '%s'", list);
        if (!add_column(r, at, (size_t)(end - at)))
            return false;
        at = end;
        if (*at == 0)
            break;
    }
    return !has_stack || add_column(r, "stack", 5);
}

void span_rows_free(span_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        free(r->columns[i].title);
        stele_expression_free(r->columns[i].of);
    }
    free(r->columns);
}

bool span_rows_need_fields(const span_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].of != NULL &&
            (stele_expression_columns(r->columns[i].of) & STELE_COLUMN_FIELDS) != 0)
            return true;
    }
    return r->has_arguments;
}

void span_rows_set_origin(span_rows *r, int64_t origin_ns)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].of != NULL)
            stele_expression_set_origin(r->columns[i].of, origin_ns);
    }
}

void span_rows_report(const span_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].of != NULL)
            stele_expression_report(r->columns[i].of);
    }
}

/* ---- Filling of rows ------------------------------------------------------------------------- */

static char *copy_text(const char *bytes, size_t size)
{
    char *made = malloc(size + 1);
    if (made != NULL) {
        memcpy(made, bytes, size);
        made[size] = 0;
    }
    return made;
}

static bool cell_set_text(span_cell *cell, const char *bytes, size_t size)
{
    cell->value = (stele_value){.type = STELE_VALUE_TEXT};
    cell->text = copy_text(bytes, size);
    cell->value.u.text = (stele_text){cell->text, size};
    return cell->text != NULL;
}

static void cell_set_offset(span_cell *cell, uint64_t offset)
{
    cell->value = (stele_value){.type = STELE_VALUE_MISSING};
    if (offset == STELE_SPAN_NO_OFFSET)
        return;
    cell->value.type = STELE_VALUE_UINT;
    cell->value.u.u = offset;
}

static bool cell_set_track(span_rows *r, span_cell *cell, uint32_t number)
{
    const stele_text text = stele_track_line(r->c->context, number);
    return cell_set_text(cell, text.bytes, number != 0 ? text.size : 0);
}

/* Sets a cell to the stack of a span, such as "main;read;wait", the outermost name first. */
static bool cell_set_stack(span_rows *r, span_cell *cell, const stele_span *span)
{
    char text[STACK_TEXT_MAX];
    size_t at = sizeof text;
    for (uint32_t node = span->node; node != 0;) {
        const stele_call_node *of = stele_spans_node(r->s->spans, node);
        const stele_text name = stele_name_text(r->c->context, NULL, of->name);
        if (name.size + 1 > at)
            break;
        at -= name.size;
        memcpy(text + at, name.bytes, name.size);
        node = of->parent;
        if (node != 0)
            text[--at] = ';';
    }
    return cell_set_text(cell, text + at, sizeof text - at);
}

/* Sets a cell to a field. A number stays a number, for JSON. */
static bool cell_set_field(span_rows *r, span_cell *cell, const stele_batch *batch,
                           const stele_field *field)
{
    const stele_text name = stele_name_text(r->c->context, batch, field->name);
    stele_text line;
    cell->name = copy_text(name.bytes, name.size);
    if (cell->name == NULL)
        return false;
    if (field->type == STELE_TYPE_UINT && field->label_count == 0 &&
        (field->hint & STELE_HINT_BASE_MASK) == 0) {
        cell->value = (stele_value){.type = STELE_VALUE_UINT};
        cell->value.u.u = field->u.u;
        return true;
    }
    if (field->type == STELE_TYPE_INT && field->label_count == 0) {
        cell->value = (stele_value){.type = STELE_VALUE_INT};
        cell->value.u.i = field->u.i;
        return true;
    }
    line = stele_field_line(r->c->context, batch, field);
    return cell_set_text(cell, line.bytes, line.size);
}

static bool is_argument(const stele_field *field)
{
    return (field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) == 0;
}

static size_t count_arguments(const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    size_t found = 0;
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at]))
        found += is_argument(&batch->fields[first + at]);
    return found;
}

static bool fill_arguments(span_rows *r, span_cell *cell, const stele_batch *batch,
                           const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at])) {
        if (is_argument(&batch->fields[first + at]) &&
            !cell_set_field(r, cell++, batch, &batch->fields[first + at]))
            return false;
    }
    return true;
}

static bool fill_cell(span_rows *r, const span_column *column, span_cell *cell,
                      const stele_segment *segment, uint32_t index, const stele_span *span)
{
    switch (column->kind) {
    case SPAN_COLUMN_TRACK: return cell_set_track(r, cell, span->track);
    case SPAN_COLUMN_STACK: return cell_set_stack(r, cell, span);
    case SPAN_COLUMN_OFFSET: cell_set_offset(cell, span->begin_offset); return true;
    case SPAN_COLUMN_END_OFFSET: cell_set_offset(cell, span->end_offset); return true;
    case SPAN_COLUMN_ARGUMENTS: return true;
    default: break;
    }
    stele_expression_evaluate(column->of, segment, index, span, &cell->value);
    return cell->value.type != STELE_VALUE_TEXT ||
           cell_set_text(cell, cell->value.u.text.bytes, cell->value.u.text.size);
}

bool span_rows_fill(span_rows *r, span_row *row, const stele_segment *segment, uint32_t index,
                    const stele_span *span)
{
    const stele_event *event = &segment->batch->events[segment->first + index];
    row->id = span->id;
    row->argument_count = r->has_arguments ? count_arguments(segment->batch, event) : 0;
    row->cells = calloc(r->column_count + row->argument_count, sizeof *row->cells);
    if (row->cells == NULL)
        return false;
    for (size_t i = 0; i < r->column_count; i++) {
        if (!fill_cell(r, &r->columns[i], &row->cells[i], segment, index, span))
            return false;
    }
    return row->argument_count == 0 ||
           fill_arguments(r, row->cells + r->column_count, segment->batch, event);
}

void span_row_free(const span_rows *r, span_row *row)
{
    for (size_t i = 0; row->cells != NULL && i < r->column_count + row->argument_count; i++) {
        free(row->cells[i].text);
        free(row->cells[i].name);
    }
    free(row->cells);
    free(row->key_text);
    *row = (span_row){.number = 0};
}

/* ---- Output of rows -------------------------------------------------------------------------- */

/* The text of a value without formatting; times are in ns. */
static const char *plain_text(const span_cell *cell, char *text)
{
    return cell->value.type == STELE_VALUE_TEXT ? cell->text
                                                : figures_print_value(&cell->value, text);
}

/* The text of a value for people. */
static const char *shown_text(const span_rows *r, const span_column *column, const span_cell *cell,
                              char *text)
{
    const bool is_number =
        cell->value.type == STELE_VALUE_INT || cell->value.type == STELE_VALUE_UINT;
    if (!is_number || column->unit != STELE_UNIT_NS)
        return plain_text(cell, text);
    if (strcmp(column->title, "time") == 0) {
        return print_time(text, r->c->times, cell->value.u.i);
    }
    if (cell->value.type == STELE_VALUE_INT && cell->value.u.i < 0)
        return plain_text(cell, text);
    return print_length(text, r->c->times, cell->value.u.u);
}

static void write_visible(stele_output *out, const char *text, int width)
{
    char shown[1024];
    stele_visible(text, shown, sizeof shown);
    print_padded(out, shown, width);
}

/* Writes the arguments of a row, such as "len=4096 path=a". */
static void write_arguments(const span_rows *r, stele_output *out, const span_row *row)
{
    char text[PRINT_SIZE];
    for (size_t i = 0; i < row->argument_count; i++) {
        const span_cell *cell = &row->cells[r->column_count + i];
        if (i != 0)
            stele_output_byte(out, ' ');
        write_visible(out, cell->name, 0);
        stele_output_byte(out, '=');
        write_visible(out, plain_text(cell, text), 0);
    }
}

/* Writes a row for people. Names of spans below others are indented. */
static void write_text_row(span_rows *r, const span_row *row, int indent)
{
    stele_output *out = r->c->out;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < r->column_count; i++) {
        const span_column *column = &r->columns[i];
        const bool is_last = i + 1 == r->column_count;
        int width = is_last && !column->is_number ? 0 : (int)column->width;
        if (i != 0)
            stele_output_text(out, "  ");
        if (indent != 0 && strcmp(column->title, "name") == 0) {
            print_spaces(out, (size_t)indent);
            width = width > indent ? width - indent : 0;
        }
        if (column->kind == SPAN_COLUMN_ARGUMENTS)
            write_arguments(r, out, row);
        else
            write_visible(out, shown_text(r, column, &row->cells[i], text),
                          column->is_number ? -width : width);
    }
    stele_output_byte(out, '\n');
}

/* Writes the arguments of a row, such as "len=4096 path=a", as one cell. */
static void write_csv_arguments(const span_rows *r, stele_output *out, const span_row *row)
{
    const span_cell *cells = &row->cells[r->column_count];
    size_t size = 1, used = 0;
    char *line;
    for (size_t k = 0; k < row->argument_count; k++)
        size += strlen(cells[k].name) + PRINT_SIZE +
                (cells[k].value.type == STELE_VALUE_TEXT ? strlen(cells[k].text) : 0);
    line = malloc(size);
    if (line == NULL) {
        stele_output_fail(out, STELE_ERR_MEMORY);
        return;
    }
    line[0] = 0;
    for (size_t k = 0; k < row->argument_count; k++) {
        char text[PRINT_SIZE];
        used += (size_t)snprintf(line + used, size - used, "%s%s=%s", k != 0 ? " " : "",
                                 cells[k].name, plain_text(&cells[k], text));
    }
    stele_output_csv(out, line, used);
    free(line);
}

static void write_csv_row(span_rows *r, const span_row *row)
{
    stele_output *out = r->c->out;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < r->column_count; i++) {
        const span_column *column = &r->columns[i];
        if (i != 0)
            stele_output_byte(out, ',');
        if (column->kind == SPAN_COLUMN_ARGUMENTS) {
            write_csv_arguments(r, out, row);
        } else {
            const char *value = plain_text(&row->cells[i], text);
            stele_output_csv(out, value, strlen(value));
        }
    }
    stele_output_text(out, "\r\n");
}

static void write_json_row(span_rows *r, const span_row *row, const span_row_list *below)
{
    json_open(&r->j, NULL, '{');
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].kind != SPAN_COLUMN_ARGUMENTS) {
            figures_json_value(&r->j, r->columns[i].key, &row->cells[i].value);
            continue;
        }
        json_open(&r->j, r->columns[i].key, '{');
        for (size_t k = 0; k < row->argument_count; k++)
            figures_json_value(&r->j, row->cells[r->column_count + k].name,
                               &row->cells[r->column_count + k].value);
        json_close(&r->j, '}');
    }
    if (below != NULL) {
        json_open(&r->j, "spans", '[');
        for (size_t i = 0; i < below->count; i++)
            write_json_row(r, &below->rows[i], NULL);
        json_close(&r->j, ']');
        json_uint(&r->j, "more_count", below->more_count);
    }
    json_close(&r->j, '}');
}

static void write_csv_key(const span_rows *r, const char *key)
{
    char with_unit[PRINT_SIZE];
    const size_t size = strlen(key);
    if (size + 8 > sizeof with_unit) {
        stele_output_csv(r->c->out, key, size);
        return;
    }
    snprintf(with_unit, sizeof with_unit, "%s", key);
    print_time_key(with_unit, sizeof with_unit, r->c->times);
    stele_output_csv(r->c->out, with_unit, strlen(with_unit));
}

static void write_heading(span_rows *r)
{
    stele_output *out = r->c->out;
    bool has_times = false;
    for (size_t i = 0; i < r->column_count; i++)
        has_times = has_times || r->columns[i].unit == STELE_UNIT_NS;
    if (has_times)
        print_time_unit(out, r->c->times);
    print_color(out, r->c->has_color, COLOR_BOLD);
    for (size_t i = 0; i < r->column_count; i++) {
        const span_column *column = &r->columns[i];
        const int width = i + 1 == r->column_count && !column->is_number ? 0 : (int)column->width;
        if (i != 0)
            stele_output_text(out, "  ");
        print_padded(out, column->title, column->is_number ? -width : width);
    }
    print_color(out, r->c->has_color, COLOR_NONE);
    stele_output_byte(out, '\n');
}

void span_rows_begin(span_rows *r)
{
    if (r->has_heading)
        return;
    r->has_heading = true;
    if (r->is_json) {
        r->j = (json){.out = r->c->out, .time_suffix = print_time_suffix(r->c->times)};
        json_open(&r->j, NULL, '{');
        json_uint(&r->j, "version", 1);
        json_open(&r->j, "spans", '[');
    } else if (r->is_csv) {
        for (size_t i = 0; i < r->column_count; i++) {
            if (i != 0)
                stele_output_byte(r->c->out, ',');
            write_csv_key(r, r->columns[i].key);
        }
        stele_output_text(r->c->out, "\r\n");
    } else {
        write_heading(r);
    }
}

static void write_text_below(span_rows *r, const span_row_list *below)
{
    char text[PRINT_SIZE];
    for (size_t i = 0; i < below->count; i++)
        write_text_row(r, &below->rows[i], BELOW_INDENT);
    if (below->more_count != 0)
        stele_output_printf(r->c->out, "... and %s below\n",
                            print_things(text, below->more_count, "more span"));
}

void span_rows_write_with(span_rows *r, const span_row *row, const span_row_list *below)
{
    span_rows_begin(r);
    if (r->is_json)
        write_json_row(r, row, below);
    else if (r->is_csv)
        write_csv_row(r, row);
    else
        write_text_row(r, row, 0);
    if (below != NULL && !r->is_json && !r->is_csv)
        write_text_below(r, below);
}

void span_rows_write(span_rows *r, const span_row *row)
{
    span_rows_write_with(r, row, NULL);
}

void span_rows_end(span_rows *r)
{
    if (r->is_json || r->is_csv)
        span_rows_begin(r);
    if (r->is_json) {
        json_close(&r->j, ']');
        json_close(&r->j, '}');
    } else if (!r->has_heading) {
        stele_output_text(r->c->out, "No spans\n");
    }
}
