/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: for people, as CSV, and as JSON, by the options of the command. A table that is gathered
 * (figures_add(), then figures_write()) has columns as wide as they must be for people. Of one that
 * is written while it is read (figures_row()), so that it can have any length, the columns have a
 * fixed width.
 */
#ifndef CLI_SHOW_FIGURES_H
#define CLI_SHOW_FIGURES_H

#include <stele/expression.h>

#include "cli/cli.h"
#include "cli/show/json.h"

typedef enum figure_kind {
    FIGURE_COUNT,  /* "1,234" for people; FIGURE_NONE: there is none */
    FIGURE_INT,    /* FIGURE_NO_INT: there is none */
    FIGURE_CHANGE, /* an integer that people see with its sign */
    FIGURE_BYTES,  /* "4.0 KiB" for people */
    FIGURE_HEX,    /* an address, "0x..." everywhere; FIGURE_NONE: there is none */
    FIGURE_NS,     /* a duration: "12.3 ms" for people, ns else; FIGURE_NONE: there is none */
    FIGURE_TIME,   /* ns; for people seconds from the table's origin */
    FIGURE_REAL,   /* a double; there is none where it is not finite */
    FIGURE_BOOL,   /* "yes" for people, 1 in CSV, true in JSON */
    FIGURE_SHARE,  /* one column of another, or of the table's whole; for people only */
    FIGURE_RATE,   /* the same for each thousand of the whole */
    FIGURE_RATIO,  /* of two numbers in per cent; for people only */
    FIGURE_TEXT,   /* without bytes: there is none */
    FIGURE_VALUE,  /* of an expression, of any type */
    FIGURE_LABEL   /* the same by its label, where it has one */
} figure_kind;

#define FIGURE_NONE   UINT64_MAX
#define FIGURE_NO_INT INT64_MIN

/* What a column is besides its kind. */
enum {
    FIGURE_OPTIONAL = 1, /* JSON leaves it out of rows that do not have it */
    FIGURE_NOT_CSV = 2,
    FIGURE_NOT_JSON = 4
};

typedef struct figure_column {
    const char *key;   /* in CSV and JSON; NULL: for people only; "of/key": in an object of JSON,
                          "of_key" in CSV */
    const char *title; /* for people; NULL: not shown to them */
    figure_kind kind;
    int width;       /* of rows written one by one, negative to the right; 0: as wide as the cell */
    unsigned except; /* FIGURE_OPTIONAL and others */
} figure_column;

typedef union figure {
    uint64_t number;
    int64_t integer;
    double real;
    bool is_true;
    stele_text text;          /* must hold until the table is written */
    const stele_value *value; /* must hold as well */
    struct {
        uint32_t part, whole; /* columns of the row; `whole` UINT32_MAX: the table's */
    } share;
    struct {
        uint64_t part, whole;
    } ratio;
} figure;

#define FIGURES_COLUMNS_MAX 64u

typedef struct figures {
    cli *c;
    const char *rows_key; /* of the list in JSON; NULL: an object a line */
    const figure_column *columns;
    size_t column_count;
    uint64_t whole;     /* of shares */
    int64_t origin_ns;  /* of FIGURE_TIME */
    size_t dim_column;  /* rows in which this one is true are dim; 0: none */
    size_t shown_count; /* of those that there are, for the heading of rows written one by one */
    size_t row_count;   /* of a table that is gathered, or set for the heading; 0: not known */
    figure *cells;
    size_t row_capacity;
    struct kept_text *texts; /* see figures_keep() */
    bool has_heading;
    json *into; /* the document of which rows are a list; NULL: each is a line */
} figures;

/* A number that belongs to the whole table; in JSON only. */
typedef struct figure_total {
    const char *key;
    uint64_t value;
} figure_total;

/* A cell of a text that ends with 0; NULL: none. */
figure figure_text(const char *text);

/* ---- Tables that are gathered ---- */

/* Cells of a new row, to be filled. Returns NULL if out of memory. */
figure *figures_add(figures *f);

/* A copy of a text, which holds until the table is freed. Without bytes if out of memory. */
stele_text figures_keep(figures *f, const char *text);
void figures_free(figures *f);

/* Writes the first `shown` rows as a table for people, or as a list of JSON under `rows_key`: for
   commands that show several tables. */
void figures_write_text(cli *c, const figures *f, size_t shown);
void figures_write_list(json *j, const figures *f, size_t shown);

/* Writes the first `shown` rows by the options of the command. */
void figures_write(cli *c, const figures *f, size_t shown, const figure_total *totals,
                   size_t total_count);

/* ---- Rows that are written as they come ---- */

/* Writes the heading, unless that is there or the rows are JSON. */
void figures_begin(figures *f);

/* Writes a row, which has as many cells as there are columns, after the heading. */
void figures_row(figures *f, const figure *cells);

/* Writes what JSON has of a row into the object that is open. */
void figures_members(json *j, const figures *f, const figure *cells);

/* A value that is a number, as CSV has it, in room for PRINT_SIZE. Returns "" for others. */
const char *figures_print_value(const stele_value *v, char *to);

/* Writes a value as its type has it. */
void figures_json_value(json *j, const char *key, const stele_value *v);

#endif
