/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of which a row is written as soon as it is known, so that they can have any length: for
 * people in columns of fixed width, as CSV with a heading, or as JSON with an object a line. For
 * tables that are whole before they are written see cli/show/figures.h.
 */
#ifndef CLI_SHOW_ROW_STREAM_H
#define CLI_SHOW_ROW_STREAM_H

#include "cli/cli.h"

typedef enum row_kind {
    ROW_UINT,  /* ROW_NONE: there is none */
    ROW_INT,   /* ROW_NO_INT: there is none */
    ROW_TIME,  /* ns; for people seconds, from the origin of the stream of rows */
    ROW_NS,    /* a duration: "12.3 ms" for people */
    ROW_SHARE, /* `part` of `whole`, for people only */
    ROW_HEX,   /* "0x..."; ROW_NONE: there is none */
    ROW_BOOL,
    ROW_TEXT /* without bytes: there is none */
} row_kind;

#define ROW_NONE   UINT64_MAX
#define ROW_NO_INT INT64_MIN

typedef struct row_column {
    const char *key;   /* in CSV and JSON; NULL: for people only */
    const char *title; /* for people; "": without a heading; NULL: not shown to them */
    row_kind kind;
    int width;        /* for people, negative to the right; 0: as wide as the cell */
    bool is_optional; /* JSON leaves it out of rows that do not have it */
} row_column;

typedef union row_cell {
    uint64_t number;
    int64_t integer;
    bool is_true;
    stele_text text;
    struct {
        uint64_t part, whole;
    } share;
} row_cell;

typedef struct row_stream {
    cli *c;
    const row_column *columns;
    size_t column_count;
    int64_t origin_ns;
    bool has_heading;
} row_stream;

/* A cell of a text that ends with 0; NULL: none. */
row_cell row_text(const char *text);

/* Writes the heading, unless that is there or the rows are JSON. */
void row_stream_begin(row_stream *r);

/* Writes a row, which has as many cells as there are columns, after the heading. */
void row_stream_write(row_stream *r, const row_cell *cells);

#endif
