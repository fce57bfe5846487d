/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a result as a table, CSV, JSON lines or Markdown. */
#ifndef CLI_SQL_ROWS_H
#define CLI_SQL_ROWS_H

#include <stele/output.h>
#include <stele/tables.h>

typedef enum row_form { FORM_TABLE, FORM_CSV, FORM_JSON, FORM_MARKDOWN, FORM_BOX } row_form;

typedef struct row_writer row_writer;

/* Names and types of the columns, as DuckDB writes them, are copied. Returns NULL if out of memory.
 */
row_writer *rows_begin(stele_output *out, row_form form, bool has_color, const char *const *names,
                       const char *const *types, size_t count);

/* Texts are no JSON: they are to be quoted there. */
void rows_quote(row_writer *w);

/* A row of texts; NULL stands for null. JSON takes values as they stand in it. Returns false if out
 * of memory. */
bool rows_add(row_writer *w, const stele_text *cells);

/* Writes what is held back, and frees the writer. */
bool rows_end(row_writer *w);

#endif
