/* SPDX-License-Identifier: Apache-2.0 */
/* Plots of one line, a character for each column, and the axis of time above them. */
#ifndef CLI_SHOW_CELLS_H
#define CLI_SHOW_CELLS_H

#include <stele/output.h>

#include <stdbool.h>
#include <stdint.h>

/* How plots are drawn. */
typedef struct cells {
    stele_output *out;
    bool has_blocks; /* the terminal shows block characters; otherwise ASCII is used */
    bool has_color;
    bool is_ns; /* times are nanoseconds */
} cells;

/* Whether the locale uses UTF-8, by its environment variables. */
bool cells_are_utf8(void);

/* Draws a column as high as `part`, from 0 to 1; values above 0 are always visible. */
void cells_level(const cells *c, double part);

/* Draws a column in which something is missing. */
void cells_loss(const cells *c);

/* Draws two lines, each after `indent` spaces: times since the first column, and a ruler. */
void cells_axis(const cells *c, unsigned indent, unsigned width, uint64_t length_ns);

#endif
