/* SPDX-License-Identifier: Apache-2.0 */
/* State of the text sink (text.c), which text_line.c also uses for single lines. */
#ifndef SINKS_TEXT_SINK_H
#define SINKS_TEXT_SINK_H

#include "sinks/column.h"
#include "sinks/names.h"
#include "sinks/sink.h"
#include "sinks/text_value.h"

/* A cell of a line that is held. */
typedef struct text_cell {
    uint32_t size;  /* bytes */
    uint32_t width; /* characters, without colours; 0: the cell is empty */
} text_cell;

typedef struct text_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    text_values values;
    name_forms names;
    track_labels labels;
    stele_name message; /* the name "message": the field that replaces a log event's name */
    bool has_event;     /* some column shows the message */
    bool has_color;
    bool has_widths;  /* the usual widths are known: lines are not held any more */
    output *line;     /* takes the next cell: `held`, or the output itself */
    output *held;     /* bytes of all cells of lines that are held, or of a single cell */
    text_cell *cells; /* an array of HELD_LINES times the number of columns */
    uint32_t held_count;
    uint32_t width; /* width so far of the cell that is being written */
    const stele_batch *batch;
} text_sink;

stele_status text_open(stele_context *context, output *out, const stele_sink_options *options,
                       stele_writer **writer);

/* Returns STELE_ERR_MEMORY if out of memory, or else the status of the output. */
stele_status text_status(const text_sink *text);

/* Appends the cell of a column to the line; nothing if the event does not have it. */
void text_put_cell(text_sink *text, const column *item, const stele_event *event);

/* How many columns a cell of text_make_cell() takes: its only character of two bytes is in "µs". */
static inline size_t cell_width(const char *cell, size_t size)
{
    return size - (size > 3 && (uint8_t)cell[size - 3] == 0xc2);
}

/* Makes a cell of a column that is aligned to the right, of at most CELL_SIZE bytes, and
   gives its colour. Returns its size; 0 if the event does not have it. */
size_t text_make_cell(text_sink *text, column_id id, const stele_event *event, char *cell,
                      const char **color);

/* Has the names of fields written in colour. */
void text_color_keys(text_values *values);

/* Appends text of one column for each byte to the cell; nothing if `size` is 0. */
void text_put_colored(text_sink *text, const char *color, const char *bytes, size_t size);

#endif
