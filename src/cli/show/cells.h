/* SPDX-License-Identifier: Apache-2.0 */
/* Plots of one line, a character a column, and the axis of time above them. */
#ifndef CLI_SHOW_CELLS_H
#define CLI_SHOW_CELLS_H

#include <stele/output.h>

#include <stdbool.h>
#include <stdint.h>

/* How they are drawn. */
typedef struct cells {
    stele_output *out;
    bool has_blocks; /* the terminal knows block characters: else ASCII */
    bool has_color;
    const char *unit; /* of times; NULL: they are nanoseconds */
} cells;

/* Whether the locale's characters are UTF-8, as its environment variables say. */
bool cells_are_utf8(void);

/* A column as high as `part` of 1; what is more than 0 can be seen. */
void cells_level(const cells *c, double part);

/* A column in which something is missing. */
void cells_loss(const cells *c);

/* Two lines, each after `indent` spaces: times since the first column, and a ruler. */
void cells_axis(const cells *c, unsigned indent, unsigned width, uint64_t length_ns);

#endif
