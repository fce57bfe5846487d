/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/row_stream.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/show/print.h"
#include "cli/show/terminal.h"

row_cell row_text(const char *text)
{
    return (row_cell){.text = {text, text != NULL ? strlen(text) : 0}};
}

static bool is_missing(row_kind kind, const row_cell *cell)
{
    if (kind == ROW_TEXT)
        return cell->text.bytes == NULL;
    if (kind == ROW_INT)
        return cell->integer == ROW_NO_INT;
    return (kind == ROW_UINT || kind == ROW_HEX) && cell->number == ROW_NONE;
}

/* ---- For people ---- */

static const char *cell_print(const row_stream *r, row_kind kind, const row_cell *cell, char *to)
{
    to[0] = 0;
    if (is_missing(kind, cell))
        return to;
    switch (kind) {
    case ROW_UINT: return print_count(to, cell->number);
    case ROW_INT: snprintf(to, PRINT_SIZE, "%" PRId64, cell->integer); return to;
    case ROW_TIME:
        stele_seconds((int64_t)((uint64_t)cell->integer - (uint64_t)r->origin_ns), to, PRINT_SIZE);
        return to;
    case ROW_NS: return print_brief(to, cell->number);
    case ROW_SHARE: return print_share(to, cell->share.part, cell->share.whole);
    case ROW_HEX: snprintf(to, PRINT_SIZE, "0x%" PRIx64, cell->number); return to;
    case ROW_BOOL: return cell->is_true ? "yes" : "no";
    case ROW_TEXT: break;
    }
    return cell->text.bytes;
}

/* Two spaces part columns; those that stand to the right have them in their width. */
static void write_gap(const row_stream *r, const row_column *column, bool *is_first)
{
    if (!*is_first && column->width >= 0)
        stele_output_text(r->c->out, "  ");
    *is_first = false;
}

static void write_titles(const row_stream *r)
{
    bool is_first = true;
    print_color(r->c->out, r->c->has_color, COLOR_BOLD);
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].title == NULL || r->columns[i].title[0] == 0)
            continue;
        write_gap(r, &r->columns[i], &is_first);
        print_padded(r->c->out, r->columns[i].title, r->columns[i].width);
    }
    print_color(r->c->out, r->c->has_color, COLOR_NONE);
    stele_output_byte(r->c->out, '\n');
}

/* Lines do not end with spaces: those columns end a row that have something in it. */
static size_t shown_count(const row_stream *r, const row_cell *cells)
{
    size_t count = r->column_count;
    while (count > 0 && (r->columns[count - 1].title == NULL ||
                         is_missing(r->columns[count - 1].kind, &cells[count - 1])))
        count--;
    return count;
}

static void write_for_people(const row_stream *r, const row_cell *cells)
{
    const size_t count = shown_count(r, cells);
    char text[PRINT_SIZE];
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        const row_column *column = &r->columns[i];
        if (column->title == NULL)
            continue;
        write_gap(r, column, &is_first);
        print_padded(r->c->out, cell_print(r, column->kind, &cells[i], text),
                     i + 1 == count && column->width > 0 ? 0 : column->width);
    }
    stele_output_byte(r->c->out, '\n');
}

/* ---- For programs ---- */

static void write_keys(const row_stream *r)
{
    const char *comma = "";
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].key == NULL)
            continue;
        stele_output_printf(r->c->out, "%s%s", comma, r->columns[i].key);
        comma = ",";
    }
    stele_output_text(r->c->out, "\r\n");
}

/* A number, which CSV and JSON write alike. */
static void write_number(stele_output *out, row_kind kind, const row_cell *cell)
{
    if (kind == ROW_INT || kind == ROW_TIME)
        stele_output_printf(out, "%" PRId64, cell->integer);
    else if (kind == ROW_HEX)
        stele_output_printf(out, "0x%" PRIx64, cell->number);
    else
        stele_output_printf(out, "%" PRIu64, cell->number);
}

static void write_csv(const row_stream *r, const row_cell *cells)
{
    stele_output *out = r->c->out;
    const char *comma = "";
    for (size_t i = 0; i < r->column_count; i++) {
        const row_kind kind = r->columns[i].kind;
        if (r->columns[i].key == NULL)
            continue;
        stele_output_text(out, comma);
        comma = ",";
        if (is_missing(kind, &cells[i]))
            continue;
        if (kind == ROW_TEXT)
            stele_output_csv(out, cells[i].text.bytes, cells[i].text.size);
        else if (kind == ROW_BOOL)
            stele_output_text(out, cells[i].is_true ? "1" : "0");
        else
            write_number(out, kind, &cells[i]);
    }
    stele_output_text(out, "\r\n");
}

static void write_json_cell(stele_output *out, row_kind kind, const row_cell *cell)
{
    if (is_missing(kind, cell)) {
        stele_output_text(out, "null");
    } else if (kind == ROW_TEXT) {
        stele_output_byte(out, '"');
        stele_output_json(out, cell->text.bytes, cell->text.size);
        stele_output_byte(out, '"');
    } else if (kind == ROW_BOOL) {
        stele_output_text(out, cell->is_true ? "true" : "false");
    } else if (kind == ROW_HEX) {
        stele_output_printf(out, "\"0x%" PRIx64 "\"", cell->number);
    } else {
        write_number(out, kind, cell);
    }
}

static void write_json(const row_stream *r, const row_cell *cells)
{
    stele_output *out = r->c->out;
    stele_output_text(out, "{\"v\":1");
    for (size_t i = 0; i < r->column_count; i++) {
        const row_column *column = &r->columns[i];
        if (column->key == NULL || (column->is_optional && is_missing(column->kind, &cells[i])))
            continue;
        stele_output_printf(out, ",\"%s\":", column->key);
        write_json_cell(out, column->kind, &cells[i]);
    }
    stele_output_text(out, "}\n");
}

/* ---- Rows ---- */

void row_stream_begin(row_stream *r)
{
    const options *o = &r->c->options;
    if (r->has_heading)
        return;
    r->has_heading = true;
    if (option_given(o, OPTION_CSV))
        write_keys(r);
    else if (!option_given(o, OPTION_JSON))
        write_titles(r);
}

void row_stream_write(row_stream *r, const row_cell *cells)
{
    const options *o = &r->c->options;
    row_stream_begin(r);
    if (option_given(o, OPTION_JSON))
        write_json(r, cells);
    else if (option_given(o, OPTION_CSV))
        write_csv(r, cells);
    else
        write_for_people(r, cells);
}
