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
    output *line;     /* bytes of all cells of lines that are held */
    text_cell *cells; /* an array of HELD_LINES times the number of columns */
    uint32_t held_count, held_max;
    uint32_t width; /* width so far of the cell that is being written */
    const stele_batch *batch;
} text_sink;

stele_status text_open(stele_context *context, output *out, const stele_sink_options *options,
                       stele_writer **writer);

/* Returns STELE_ERR_MEMORY if out of memory, or else the status of the output. */
stele_status text_status(const text_sink *text);

/* Appends the cell of a column to the line; nothing if the event does not have it. */
void text_put_cell(text_sink *text, const column *item, const stele_event *event);

#endif
