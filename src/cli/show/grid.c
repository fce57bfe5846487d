/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/grid.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "view/list.h"

#define GAP        2
#define TEXT_LEAST 16u /* columns that a text keeps */

bool grid_open(cli *c, grid *g, size_t column_count, size_t right_count)
{
    *g = (grid){.column_count = column_count};
    for (size_t i = 0; i < right_count; i++)
        g->is_right[i] = true;
    return cli_check(c, stele_output_open_memory(NULL, &g->text), "table");
}

void grid_end_cell(grid *g)
{
    if (g->cell_count == g->capacity) {
        size_t *grown = list_grow(g->ends, sizeof *grown, &g->capacity);
        if (grown == NULL) {
            stele_output_fail(g->text, STELE_ERR_MEMORY);
            return;
        }
        g->ends = grown;
    }
    g->ends[g->cell_count++] = (size_t)stele_output_offset(g->text);
}

void grid_cell(grid *g, const char *text)
{
    stele_output_text(g->text, text);
    grid_end_cell(g);
}

static size_t width_of(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    return width;
}

static void write_row(cli *c, const grid *g, const char *text, size_t row, const size_t *widths)
{
    size_t pending = 0;
    for (size_t i = 0; i < g->column_count; i++) {
        const size_t cell = row * g->column_count + i;
        const size_t from = cell == 0 ? 0 : g->ends[cell - 1], size = g->ends[cell] - from;
        const size_t width = width_of(text + from, size);
        const size_t room = width < widths[i] ? widths[i] - width : 0;
        if (size == 0) {
            pending += room + GAP;
            continue;
        }
        print_spaces(c->out, pending + (g->is_right[i] ? room : 0));
        print_shortened(c->out, text + from, size, widths[i]);
        pending = GAP + (g->is_right[i] ? 0 : room);
    }
    if (row == 0)
        stele_output_text(c->out, g->note);
    stele_output_byte(c->out, '\n');
}

/* Makes columns of texts narrower, the widest first, until a table fits `whole` columns or all
   texts are short. */
static void fit(const grid *g, size_t *widths, size_t whole)
{
    size_t used = (g->column_count - 1) * GAP;
    for (size_t i = 0; i < g->column_count; i++)
        used += widths[i];
    while (used > whole) {
        size_t widest = g->column_count, less;
        for (size_t i = 0; i < g->column_count; i++) {
            if (!g->is_right[i] && widths[i] > TEXT_LEAST &&
                (widest == g->column_count || widths[i] > widths[widest]))
                widest = i;
        }
        if (widest == g->column_count)
            return;
        less = widths[widest] - TEXT_LEAST;
        less = less < used - whole ? less : used - whole;
        widths[widest] -= less;
        used -= less;
    }
}

void grid_close(cli *c, grid *g)
{
    const size_t screen = c->is_screen ? terminal_width(STDOUT_FILENO) : 0;
    size_t widths[GRID_COLUMNS_MAX] = {0}, size;
    const char *text;
    if (cli_check(c, stele_output_flush(g->text), "table")) {
        text = (const char *)stele_output_memory(g->text, &size);
        for (size_t cell = 0; cell < g->cell_count; cell++) {
            const size_t from = cell == 0 ? 0 : g->ends[cell - 1];
            const size_t width = width_of(text + from, g->ends[cell] - from);
            size_t *column = &widths[cell % g->column_count];
            *column = width > *column ? width : *column;
        }
        if (screen != 0)
            fit(g, widths, screen);
        for (size_t row = 0; row < g->cell_count / g->column_count; row++) {
            if (row == 0)
                print_color(c->out, c->has_color, COLOR_BOLD);
            write_row(c, g, text, row, widths);
            if (row == 0)
                print_color(c->out, c->has_color, COLOR_NONE);
        }
    }
    stele_output_close(g->text);
    free(g->ends);
}
