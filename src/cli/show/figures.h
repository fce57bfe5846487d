/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes tables for people, as CSV and as JSON, by the options of the command. A table that is
 * collected (figures_add(), then figures_write()) has columns as wide as needed. In one that is
 * written row by row (figures_row()), so that it can have any length, columns have a fixed width.
 */
#ifndef CLI_SHOW_FIGURES_H
#define CLI_SHOW_FIGURES_H

#include <stele/expression.h>

#include "cli/cli.h"
#include "cli/show/json.h"

typedef enum figure_kind {
    FIGURE_COUNT,  /* "1,234" for people; FIGURE_NONE: no value */
    FIGURE_INT,    /* signed integer; FIGURE_NO_INT: no value */
    FIGURE_CHANGE, /* signed integer that is shown to people with its sign */
    FIGURE_BYTES,  /* size, "4.0 KiB" for people */
    FIGURE_HEX,    /* address, "0x..." in all forms; FIGURE_NONE: no value */
    FIGURE_NS,     /* duration in ns, "12.3 ms" for people; FIGURE_NONE: no value */
    FIGURE_TIME,   /* time in ns; for people seconds since the table's origin */
    FIGURE_REAL,   /* a double; no value if it is not finite */
    FIGURE_BOOL,   /* "yes" for people, 1 in CSV, true in JSON */
    FIGURE_SHARE, /* percentage of one column in another or in the table's whole; for people only */
    FIGURE_RATE,  /* one column per thousand of another; for people only */
    FIGURE_RATIO, /* percentage of two numbers; for people only */
    FIGURE_TEXT,  /* text; NULL bytes: no value */
    FIGURE_VALUE, /* value of an expression, of any type */
    FIGURE_LABEL  /* value of an expression, shown by its label if it has one */
} figure_kind;

#define FIGURE_NONE   UINT64_MAX
#define FIGURE_NO_INT INT64_MIN

/* Further properties of a column, as bits. */
enum {
    FIGURE_OPTIONAL = 1, /* left out in JSON for rows without a value */
    FIGURE_NOT_CSV = 2,
    FIGURE_NOT_JSON = 4
};

typedef struct figure_column {
    /* name in CSV and JSON; NULL: for people only; "of/key" is in an object of JSON, and
       "of_key" in CSV */
    const char *key;
    const char *title; /* heading for people; NULL: not shown to them */
    figure_kind kind;
    /* width in rows written one by one, negative to align to the right; 0: as wide as the cell */
    int width;
    unsigned except; /* FIGURE_OPTIONAL and other bits */
} figure_column;

typedef union figure {
    uint64_t number;
    int64_t integer;
    double real;
    bool is_true;
    stele_text text;          /* must be valid until the table is written */
    const stele_value *value; /* must be valid until the table is written */
    struct {
        /* indexes of columns in the row; `whole` UINT32_MAX: the table's whole */
        uint32_t part, whole;
    } share;
    struct {
        uint64_t part, whole;
    } ratio;
} figure;

#define FIGURES_COLUMNS_MAX 64u

typedef struct figures {
    cli *c;
    const char *rows_key; /* name of the list in JSON; NULL: each row is an object on a line */
    const figure_column *columns;
    size_t column_count;
    uint64_t whole;     /* what FIGURE_SHARE refers to */
    int64_t origin_ns;  /* what FIGURE_TIME is relative to */
    size_t dim_column;  /* rows are dim if this column is true; 0: none */
    size_t shown_count; /* number of rows in all, for the heading of rows written one by one */
    /* rows of a table that is collected, or set by the caller for the heading; 0: not known */
    size_t row_count;
    figure *cells;
    size_t row_capacity;
    struct kept_text *texts; /* texts of figures_keep() */
    bool has_heading;
    /* columns of the terminal for each text of width 0, which is shortened in its middle if it is
       longer; 0: any number */
    size_t text_room;
    json *into; /* document that contains the rows as a list; NULL: each row is a line */
} figures;

/* A number about the whole table, for JSON only. */
typedef struct figure_total {
    const char *key;
    uint64_t value;
} figure_total;

/* Makes a cell of a text that ends with 0; NULL means no value. */
figure figure_text(const char *text);

/* ---- Tables that are collected ---- */

/* Adds a row, whose cells the caller fills in. Returns NULL if out of memory. */
figure *figures_add(figures *f);

/* Copies a text, which is valid until the table is freed. `bytes` is NULL if out of memory. */
stele_text figures_keep(figures *f, const char *text);
void figures_free(figures *f);

/* Write the first `shown` rows as a table for people, or as a list of JSON named `rows_key`, for
   commands that show several tables. */
void figures_write_text(cli *c, const figures *f, size_t shown);
void figures_write_list(json *j, const figures *f, size_t shown);

/* Writes the first `shown` rows in the form that the options say. */
void figures_write(cli *c, const figures *f, size_t shown, const figure_total *totals,
                   size_t total_count);

/* ---- Rows that are written one by one ---- */

/*
 * Fits a table for people into the terminal that it is written to, if it is: leaves out columns, in
 * the order in which `spare` has their indexes, as long as there is not enough room for texts, and
 * sets `text_room` for what is left. To be called before the heading is written.
 */
void figures_fit(figures *f, figure_column *columns, const uint8_t *spare, size_t spare_count);

/* Writes the heading, unless it was written or rows are JSON. */
void figures_begin(figures *f);

/* Writes a row, which has a cell for each column, after the heading. */
void figures_row(figures *f, const figure *cells);

/* Writes the members of a row to the open object of JSON. */
void figures_members(json *j, const figures *f, const figure *cells);

/* Makes the text of a number for CSV in `to`, which has room for PRINT_SIZE bytes. Returns ""
   for other values. */
const char *figures_print_value(const stele_value *v, char *to);

/* Writes a value of any type as JSON. */
void figures_json_value(json *j, const char *key, const stele_value *v);

#endif
