/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text and tables as HTML. Text can never become markup: special characters are escaped,
   and characters that change how others are shown become \xHH. */
#ifndef CLI_PAGE_HTML_H
#define CLI_PAGE_HTML_H

#include <stele/event.h>
#include <stele/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many characters of a name are shown; longer ones end with "...". */
#define HTML_NAME_MAX  160u
#define HTML_NAME_SIZE (HTML_NAME_MAX * 16u + 8u)

/* Makes a text for people of at most `most` characters, with a zero at its end. Returns `to`,
   which must have room for 16 times as many bytes and 8 more. */
const char *html_shown(stele_text text, size_t most, char *to);

/* Makes the text of a name; "(no name)" if it is empty. Returns `to`. */
const char *html_name(const stele_context *context, stele_name name, char to[HTML_NAME_SIZE]);

/* Append a text with markup escaped; control characters become \xHH. */
void html_text(stele_output *out, const char *text);
void html_bytes(stele_output *out, const char *bytes, size_t size);

/* The number of a name's colour, one of ten, which is the same in the viewer. */
unsigned html_color(const char *shown);

/* ---- Tables ---- */

typedef struct html_column {
    const char *title;
    bool is_number;
} html_column;

/* Begins a table; `caption` may be NULL. With `sorts` the reader can sort its rows. */
void html_table(stele_output *out, const char *caption, const html_column *columns, size_t count,
                bool sorts);
void html_table_end(stele_output *out);
void html_row(stele_output *out);

/* Append a cell of text, and one of a number with the value by which it is sorted. */
void html_cell(stele_output *out, const char *text);
void html_cell_number(stele_output *out, const char *text, double value);

/* Appends a cell with a name, which may be wide. */
void html_cell_name(stele_output *out, const char *shown);

/* Appends a row with a fact: its name and its value. */
void html_fact(stele_output *out, const char *name, const char *value);

#endif
