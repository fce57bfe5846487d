/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people whose cells are written one after the other: columns are as wide as they must.
 */
#ifndef CLI_SHOW_GRID_H
#define CLI_SHOW_GRID_H

#include "cli/cli.h"

#define GRID_COLUMNS_MAX 64

typedef struct grid {
    size_t column_count, right_count; /* the first columns stand to the right */
    stele_output *text;               /* cells are written here */
    size_t *ends;                     /* where each ends */
    size_t cell_count, capacity;
} grid;

/* False, and reported: memory. */
bool grid_open(cli *c, grid *g, size_t column_count, size_t right_count);
void grid_end_cell(grid *g);

/* Shorthand for a cell of one text. */
void grid_cell(grid *g, const char *text);

/* Writes the table, its first row as a heading, and frees it. */
void grid_close(cli *c, grid *g);

#endif
