/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows of spans as text, CSV or JSON; their columns are names or expressions. */
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
    char *title;     /* heading for people; owned */
    const char *key; /* name for programs */
    span_column_kind kind;
    stele_expression *of; /* NULL: not an expression */
    stele_unit unit;
    unsigned width; /* width for people; numbers are aligned to the right */
    bool is_number;
} span_column;

/* A copy of a value: a number, or a text. */
typedef struct span_cell {
    stele_value value; /* if it is a text, it refers to `text` */
    char *text;        /* owned; NULL: the value is not a text */
    char *name;        /* name of an argument; owned */
} span_cell;

typedef struct span_row {
    stele_value key;  /* value to sort by; if it is a text, see key_text */
    char *key_text;   /* owned; NULL: the key is not a text */
    uint64_t number;  /* in the order in which spans came */
    int64_t begin_ns; /* begin of the span */
    uint32_t stream;  /* stream of the span's begin event */
    uint64_t id;      /* id of the span */
    span_cell *cells; /* cells of the columns, then those of the arguments */
    size_t argument_count;
} span_row;

typedef struct span_rows {
    cli *c;
    spanning *s;
    span_column *columns;
    size_t column_count;
    bool has_arguments; /* some column shows arguments */
    bool is_json, is_csv, has_heading;
    json j;
} span_rows;

/* Parses a list of columns; NULL stands for the usual ones. If it is not valid, reports it and
   returns false. */
bool span_rows_make(span_rows *r, cli *c, spanning *s, const char *list, bool has_stack);
void span_rows_free(span_rows *r);

/* Whether a column needs fields of events. */
bool span_rows_need_fields(const span_rows *r);

/* Sets the time that times are relative to. */
void span_rows_set_origin(span_rows *r, int64_t origin_ns);

/* Reports what columns ask for and no span had. */
void span_rows_report(const span_rows *r);

/* Fills in the row of a span. Returns false if out of memory. */
bool span_rows_fill(span_rows *r, span_row *row, const stele_segment *segment, uint32_t index,
                    const stele_span *span);
void span_row_free(const span_rows *r, span_row *row);

/* The children of a span that is a row. */
typedef struct span_row_list {
    span_row *rows;
    size_t count, capacity;
    uint64_t more_count; /* how many more children there are */
} span_row_list;

/* Write the heading, a row, a row with its children below it, and the end. */
void span_rows_begin(span_rows *r);
void span_rows_write(span_rows *r, const span_row *row);
void span_rows_write_with(span_rows *r, const span_row *row, const span_row_list *below);
void span_rows_end(span_rows *r);

#endif
