/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows of a result as a table, CSV, JSON lines or Markdown. */
#ifndef CLI_SQL_ROWS_H
#define CLI_SQL_ROWS_H

#include <stele/output.h>
#include <stele/tables.h>

typedef enum row_form { FORM_TABLE, FORM_CSV, FORM_JSON, FORM_MARKDOWN, FORM_BOX } row_form;

typedef struct row_writer row_writer;

/* Begins with the names and types of the columns as DuckDB writes them, which are copied.
   Returns NULL if out of memory. */
row_writer *rows_begin(stele_output *out, row_form form, bool has_color, const char *const *names,
                       const char *const *types, size_t count);

/* Declares that cells are plain texts, which must be quoted in JSON. */
void rows_quote(row_writer *w);

/* Adds a row; NULL bytes stand for null. In JSON cells are values already unless rows_quote()
   was called. Returns false if out of memory. */
bool rows_add(row_writer *w, const stele_text *cells);

/* Writes the rows that are held, and frees the writer. */
bool rows_end(row_writer *w);

#endif
