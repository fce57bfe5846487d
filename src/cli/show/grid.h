/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tables for people whose cells are written one after the other: columns are as wide
   as they must be. Tables that have other forms, too, are of cli/show/figures.h. */
#ifndef CLI_SHOW_GRID_H
#define CLI_SHOW_GRID_H

#include "cli/cli.h"

#define GRID_COLUMNS_MAX 64

typedef struct grid {
    size_t column_count;
    bool is_right[GRID_COLUMNS_MAX]; /* numbers stand to the right */
    char note[64];                   /* after the heading; "": nothing */
    stele_output *text;              /* cells are written here */
    size_t *ends;                    /* where each ends */
    size_t cell_count, capacity;
} grid;

/* The first `right_count` columns stand to the right. Returns false if out of memory, which is
   reported. */
bool grid_open(cli *c, grid *g, size_t column_count, size_t right_count);
void grid_end_cell(grid *g);

/* Shorthand for a cell of one text. */
void grid_cell(grid *g, const char *text);

/* Writes the table, its first row as a heading, and frees it. */
void grid_close(cli *c, grid *g);

#endif
