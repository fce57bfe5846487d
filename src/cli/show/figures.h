/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of figures: for people, as CSV, and as JSON, by the options of the command. */
#ifndef CLI_SHOW_FIGURES_H
#define CLI_SHOW_FIGURES_H

#include "cli/cli.h"
#include "cli/show/json.h"

typedef enum figure_kind {
    FIGURE_COUNT,
    FIGURE_INT,   /* signed */
    FIGURE_BYTES, /* "4.0 KiB" for people */
    FIGURE_HEX,   /* an address; "0x..." everywhere */
    FIGURE_NS,    /* a duration: "12.3 ms" for people, ns else */
    FIGURE_SHARE, /* of the table's whole, or of another column; for people only */
    FIGURE_RATE,  /* the same for each thousand of the whole */
    FIGURE_TEXT   /* NULL: none */
} figure_kind;

typedef struct figure_column {
    const char *key;   /* in CSV and JSON; NULL for shares */
    const char *title; /* for people; NULL: not shown to them */
    figure_kind kind;
} figure_column;

typedef union figure {
    uint64_t number;
    int64_t integer;
    const char *text; /* must hold until the table is written */
    struct {
        uint32_t part, whole; /* columns of the row; `whole` UINT32_MAX: the table's */
    } share;
} figure;

#define FIGURES_COLUMNS_MAX 40u

typedef struct figures {
    const char *rows_key; /* of the list in JSON */
    const figure_column *columns;
    size_t column_count;
    uint64_t whole; /* of shares */
    figure *cells;
    size_t row_count, row_capacity;
} figures;

/* A number that belongs to the whole table; in JSON only. */
typedef struct figure_total {
    const char *key;
    uint64_t value;
} figure_total;

/* Cells of a new row, to be filled. Returns NULL if out of memory. */
figure *figures_add(figures *f);
void figures_free(figures *f);

/* Writes the first `shown` rows as a table for people, or as a list of JSON under `rows_key`: for
   commands that show several tables. */
void figures_write_text(cli *c, const figures *f, size_t shown);
void figures_write_list(json *j, const figures *f, size_t shown);

/* Writes the first `shown` rows by the options of the command. */
void figures_write(cli *c, const figures *f, size_t shown, const figure_total *totals,
                   size_t total_count);

#endif
