/* SPDX-License-Identifier: Apache-2.0 */
/* The sink of text for people (text.c), of which single lines (text_line.c) are made, too. */
#ifndef SINKS_TEXT_SINK_H
#define SINKS_TEXT_SINK_H

#include "sinks/column.h"
#include "sinks/names.h"
#include "sinks/sink.h"
#include "sinks/text_value.h"

/* A cell of a line that is not yet put together. */
typedef struct text_cell {
    uint32_t size;  /* in bytes */
    uint32_t width; /* in characters, without colours; 0: empty */
} text_cell;

typedef struct text_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    text_values values;
    name_forms names;
    track_labels labels;
    stele_name message; /* "message": shown in the place of a log event's name */
    bool has_event;     /* the column that shows it */
    bool has_color;
    output *line;     /* bytes of all cells that are held */
    text_cell *cells; /* HELD_LINES times the columns */
    uint32_t held_count, held_max;
    uint32_t width; /* of the cell that is being written */
    const stele_batch *batch;
} text_sink;

stele_status text_open(stele_context *context, output *out, const stele_sink_options *options,
                       stele_writer **writer);

/* STELE_ERR_MEMORY where something could not be kept; else that of the output. */
stele_status text_status(const text_sink *text);

/* Appends the cell of a column to the line; nothing where the event has none. */
void text_put_cell(text_sink *text, const column *item, const stele_event *event);

#endif
