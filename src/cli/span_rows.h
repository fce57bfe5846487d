/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of spans: columns that are words or expressions, as text, CSV or JSON. */
#ifndef CLI_SPAN_ROWS_H
#define CLI_SPAN_ROWS_H

#include "cli/show/json.h"
#include "cli/spanning.h"

typedef enum span_column_kind {
    SPAN_COLUMN_EXPRESSION,
    SPAN_COLUMN_TRACK,
    SPAN_COLUMN_ARGUMENTS,
    SPAN_COLUMN_STACK,
    SPAN_COLUMN_OFFSET,
    SPAN_COLUMN_END_OFFSET
} span_column_kind;

typedef struct span_column {
    char *title;     /* for people; owned */
    const char *key; /* for programs */
    span_column_kind kind;
    stele_expression *of; /* NULL unless it is an expression */
    stele_unit unit;
    unsigned width; /* for people; negative numbers stand to the right */
    bool is_number;
} span_column;

/* A value that is kept: a number, or a text of its own. */
typedef struct span_cell {
    stele_value value; /* texts lie in `text` */
    char *text;        /* owned; NULL: the value is no text */
    char *name;        /* of an argument; owned */
} span_cell;

typedef struct span_row {
    stele_value key;  /* what it is sorted by; a text is not kept */
    char *key_text;   /* owned; NULL: the key is no text */
    uint64_t number;  /* in the order of coming */
    uint64_t id;      /* of the span */
    span_cell *cells; /* of the columns, then of the arguments */
    size_t argument_count;
} span_row;

typedef struct span_rows {
    cli *c;
    spanning *s;
    span_column *columns;
    size_t column_count;
    bool has_arguments; /* some column shows them */
    bool is_json, is_csv, has_heading;
    json j;
} span_rows;

/* Takes a list of columns, NULL: those that are usual. False, and told: it cannot be used. */
bool span_rows_make(span_rows *r, cli *c, spanning *s, const char *list, bool has_stack);
void span_rows_free(span_rows *r);

/* Whether a column shows fields of events. */
bool span_rows_need_fields(const span_rows *r);

/* Where times count from. */
void span_rows_set_origin(span_rows *r, int64_t origin_ns);

/* The row of a span. Returns false if out of memory. */
bool span_rows_fill(span_rows *r, span_row *row, const stele_segment *segment, uint32_t index,
                    const stele_span *span);
void span_row_free(const span_rows *r, span_row *row);

/* Spans that others made. */
typedef struct span_row_list {
    span_row *rows;
    size_t count, capacity;
    uint64_t more_count; /* beyond those that are kept */
} span_row_list;

/* Writes the heading, a row, the end; a row may have spans below it. */
void span_rows_begin(span_rows *r);
void span_rows_write(span_rows *r, const span_row *row);
void span_rows_write_with(span_rows *r, const span_row *row, const span_row_list *below);
void span_rows_end(span_rows *r);

#endif
