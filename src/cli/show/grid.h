/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out tables for people whose cells are written one after another; columns become as wide
   as needed. Tables with other forms as well use cli/show/figures.h. */
#ifndef CLI_SHOW_GRID_H
#define CLI_SHOW_GRID_H

#include "cli/cli.h"

#define GRID_COLUMNS_MAX 64

typedef struct grid {
    size_t column_count;
    bool is_right[GRID_COLUMNS_MAX]; /* columns of numbers are aligned to the right */
    char note[64];                   /* text after the heading; "": none */
    stele_output *text;              /* the caller writes cells here */
    size_t *ends;                    /* offset in `text` of the end of each cell */
    size_t cell_count, capacity;
} grid;

/* Begins a table whose first `right_count` columns are aligned to the right. If out of memory,
   reports it and returns false. */
bool grid_open(cli *c, grid *g, size_t column_count, size_t right_count);
void grid_end_cell(grid *g);

/* Writes a cell with one text and ends it. */
void grid_cell(grid *g, const char *text);

/* Writes the table, whose first row is the heading, and frees it. */
void grid_close(cli *c, grid *g);

#endif
