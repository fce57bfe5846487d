/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/figures.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define GAP 2

figure *figures_add(figures *f)
{
    if (f->row_count == f->row_capacity) {
        figure *grown = list_grow(f->cells, f->column_count * sizeof *grown, &f->row_capacity);
        if (grown == NULL)
            return NULL;
        f->cells = grown;
    }
    return f->cells + f->row_count++ * f->column_count;
}

void figures_free(figures *f)
{
    free(f->cells);
}

static const figure *row_at(const figures *f, size_t row)
{
    return f->cells + row * f->column_count;
}

static uint64_t share_whole(const figures *f, const figure *row, const figure *cell)
{
    return cell->share.whole == UINT32_MAX ? f->whole : row[cell->share.whole].number;
}

/* A cell for people. */
static const char *cell_print(const figures *f, const figure *row, size_t column, char *to)
{
    const figure *cell = &row[column];
    switch (f->columns[column].kind) {
    case FIGURE_COUNT: return print_count(to, cell->number);
    case FIGURE_INT: snprintf(to, PRINT_SIZE, "%+" PRId64, cell->integer); return to;
    case FIGURE_BYTES: return print_bytes(to, cell->number);
    case FIGURE_HEX: snprintf(to, PRINT_SIZE, "0x%" PRIx64, cell->number); return to;
    case FIGURE_NS: return print_brief(to, cell->number);
    case FIGURE_SHARE:
        return print_share(to, row[cell->share.part].number, share_whole(f, row, cell));
    case FIGURE_RATE:
        snprintf(to, PRINT_SIZE, "%.2f",
                 (double)row[cell->share.part].number * 1000 /
                     (double)(share_whole(f, row, cell) + (share_whole(f, row, cell) == 0)));
        return to;
    case FIGURE_TEXT: break;
    }
    return cell->text != NULL ? cell->text : "-";
}

static int column_width(const figures *f, size_t column, size_t shown)
{
    size_t width = strlen(f->columns[column].title);
    char text[PRINT_SIZE];
    for (size_t i = 0; i < shown; i++) {
        const size_t wanted = print_width(cell_print(f, row_at(f, i), column, text));
        width = wanted > width ? wanted : width;
    }
    return (int)width;
}

/* Texts stand to the left, and the last column has no width. */
static void write_cell(cli *c, const figures *f, size_t column, int width, const char *text)
{
    const bool is_text = f->columns[column].kind == FIGURE_TEXT;
    if (column != 0)
        print_spaces(c->out, GAP);
    if (is_text && column + 1 == f->column_count)
        stele_output_visible(c->out, text, strlen(text));
    else
        print_padded(c->out, text, is_text ? width : -width);
}

void figures_write_text(cli *c, const figures *f, size_t shown)
{
    int widths[FIGURES_COLUMNS_MAX] = {0};
    char text[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].title == NULL)
            continue;
        widths[i] = column_width(f, i, shown);
        write_cell(c, f, i, widths[i], f->columns[i].title);
    }
    if (shown < f->row_count)
        stele_output_printf(c->out, " (%zu of %zu)", shown, f->row_count);
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
    for (size_t row = 0; row < shown; row++) {
        for (size_t i = 0; i < f->column_count; i++) {
            if (f->columns[i].title != NULL)
                write_cell(c, f, i, widths[i], cell_print(f, row_at(f, row), i, text));
        }
        stele_output_byte(c->out, '\n');
    }
}

static void write_csv_cell(cli *c, const figure_column *column, const figure *cell)
{
    switch (column->kind) {
    case FIGURE_INT: stele_output_printf(c->out, "%" PRId64, cell->integer); break;
    case FIGURE_HEX: stele_output_printf(c->out, "0x%" PRIx64, cell->number); break;
    case FIGURE_TEXT:
        if (cell->text != NULL)
            stele_output_csv(c->out, cell->text, strlen(cell->text));
        break;
    default: stele_output_printf(c->out, "%" PRIu64, cell->number); break;
    }
}

static void write_csv(cli *c, const figures *f, size_t shown)
{
    const char *comma = "";
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].key == NULL)
            continue;
        stele_output_printf(c->out, "%s%s", comma, f->columns[i].key);
        comma = ",";
    }
    stele_output_text(c->out, "\r\n");
    for (size_t row = 0; row < shown; row++) {
        comma = "";
        for (size_t i = 0; i < f->column_count; i++) {
            if (f->columns[i].key == NULL)
                continue;
            stele_output_text(c->out, comma);
            write_csv_cell(c, &f->columns[i], &row_at(f, row)[i]);
            comma = ",";
        }
        stele_output_text(c->out, "\r\n");
    }
}

static void write_json_cell(json *j, const figure_column *column, const figure *cell)
{
    char text[PRINT_SIZE];
    switch (column->kind) {
    case FIGURE_INT: json_int(j, column->key, cell->integer); break;
    case FIGURE_HEX:
        snprintf(text, sizeof text, "0x%" PRIx64, cell->number);
        json_text(j, column->key, text);
        break;
    case FIGURE_TEXT: json_text(j, column->key, cell->text); break;
    default: json_uint(j, column->key, cell->number); break;
    }
}

void figures_write_list(json *j, const figures *f, size_t shown)
{
    json_open(j, f->rows_key, '[');
    for (size_t row = 0; row < shown; row++) {
        json_open(j, NULL, '{');
        for (size_t i = 0; i < f->column_count; i++) {
            if (f->columns[i].key != NULL)
                write_json_cell(j, &f->columns[i], &row_at(f, row)[i]);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_json(cli *c, const figures *f, size_t shown, const figure_total *totals,
                       size_t total_count)
{
    json j = {.out = c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    for (size_t i = 0; i < total_count; i++)
        json_uint(&j, totals[i].key, totals[i].value);
    json_uint(&j, "row_count", f->row_count);
    figures_write_list(&j, f, shown);
    json_close(&j, '}');
}

void figures_write(cli *c, const figures *f, size_t shown, const figure_total *totals,
                   size_t total_count)
{
    if (option_given(&c->options, OPTION_JSON))
        write_json(c, f, shown, totals, total_count);
    else if (option_given(&c->options, OPTION_CSV))
        write_csv(c, f, shown);
    else
        figures_write_text(c, f, shown);
}
