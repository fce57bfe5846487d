/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, tables and charts of a page. A text always stays text: markup is escaped, and
   what controls how others are shown is written as \xHH. */
#ifndef CLI_PAGE_HTML_H
#define CLI_PAGE_HTML_H

#include <stele/event.h>
#include <stele/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of a name that are shown; what is longer ends with "...". */
#define HTML_NAME_MAX  160u
#define HTML_NAME_SIZE (HTML_NAME_MAX * 16u + 8u)

/* A text for people, at most `most` characters of it, with a zero at its end; gives `to`, which has
   16 times as many bytes and 8 more. */
const char *html_shown(stele_text text, size_t most, char *to);

/* The same of a name; "(no name)" where it is empty. */
const char *html_name(const stele_context *context, stele_name name, char to[HTML_NAME_SIZE]);

/* Appends a text with markup escaped; control characters are \xHH. */
void html_text(stele_output *out, const char *text);
void html_bytes(stele_output *out, const char *bytes, size_t size);

/* One of ten colours, the same as the viewer's page gives a name. */
unsigned html_color(const char *shown);

/* ---- Tables ---- */

typedef struct html_column {
    const char *title;
    bool is_number;
} html_column;

/* `caption` may be NULL. Rows can be sorted by whoever reads them with `sorts`. */
void html_table(stele_output *out, const char *caption, const html_column *columns, size_t count,
                bool sorts);
void html_table_end(stele_output *out);
void html_row(stele_output *out);

/* Cells: of a number with what it is sorted by. */
void html_cell(stele_output *out, const char *text);
void html_cell_number(stele_output *out, const char *text, double value);

/* A name, which may be wide. */
void html_cell_name(stele_output *out, const char *shown);

/* A row of a table of what is known: its name, and its value. */
void html_fact(stele_output *out, const char *name, const char *value);

#endif
