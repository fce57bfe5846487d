/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/rows.h"

#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

/* How many rows are held to find out widths of columns; later ones may be wider. */
#define ROWS_HELD 1000u
#define WIDTH_MAX 100u

/* The shortest rule below a heading of Markdown. */
#define RULE_WIDTH 3u

struct row_writer {
    stele_output *out;
    row_form form;
    bool has_color;
    size_t count;
    char **names;
    bool *is_right;
    size_t *widths;
    char **held; /* cells of the rows that are held, one row after another */
    size_t held_count;
    bool is_open;   /* the heading was written */
    bool is_quoted; /* see rows_quote() */
};

/* Whether values of a type are numbers. */
static bool is_number(const char *type)
{
    static const char *const names[] = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT",
                                        "HUGEINT", "FLOAT",    "DOUBLE",  "DECIMAL"};
    if (strchr(type, '[') != NULL)
        return false;
    type += type[0] == 'U' && type[1] != 'U';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(type, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static void free_writer(row_writer *w)
{
    for (size_t i = 0; w->names != NULL && i < w->count; i++)
        free(w->names[i]);
    for (size_t i = 0; w->held != NULL && i < w->held_count * w->count; i++)
        free(w->held[i]);
    free(w->held);
    free(w->names);
    free(w->is_right);
    free(w->widths);
    free(w);
}

row_writer *rows_begin(stele_output *out, row_form form, bool has_color, const char *const *names,
                       const char *const *types, size_t count)
{
    row_writer *w = calloc(1, sizeof *w);
    bool is_made = w != NULL;
    if (w == NULL)
        return NULL;
    *w = (row_writer){.out = out, .form = form, .has_color = has_color, .count = count};
    w->names = calloc(count + 1, sizeof *w->names);
    w->is_right = calloc(count + 1, sizeof *w->is_right);
    w->widths = calloc(count + 1, sizeof *w->widths);
    w->held = calloc(ROWS_HELD * count + 1, sizeof *w->held);
    is_made = w->names != NULL && w->is_right != NULL && w->widths != NULL && w->held != NULL;
    for (size_t i = 0; is_made && i < count; i++) {
        w->names[i] = strdup(names[i]);
        is_made = w->names[i] != NULL;
        w->is_right[i] = is_number(types[i]);
        w->widths[i] = print_width(names[i]);
        if (form == FORM_MARKDOWN && w->widths[i] < RULE_WIDTH)
            w->widths[i] = RULE_WIDTH;
    }
    if (is_made)
        return w;
    free_writer(w);
    return NULL;
}

/* ---- Tables, boxes and Markdown ---- */

/* Makes a cell visible; the caller frees it. Returns NULL if out of memory. */
static char *visible(stele_text cell)
{
    char *text, *shown;
    size_t size;
    if (cell.bytes == NULL)
        return strdup("NULL");
    text = strndup(cell.bytes, cell.size);
    size = cell.size * 4 + 1;
    shown = malloc(size);
    if (text != NULL && shown != NULL)
        stele_visible(text, shown, size);
    free(text);
    return shown;
}

static void put_markdown(stele_output *out, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '|')
            stele_output_byte(out, '\\');
        stele_output_byte(out, (uint8_t)*text);
    }
}

/* What is written before the cells of a row, between two of them, and after them. */
typedef struct frame {
    const char *begin, *between, *end;
} frame;

static frame frame_of(row_form form)
{
    static const frame plain = {"", "  ", "\n"}, markdown = {"| ", " | ", " |\n"},
                       box = {"│ ", " │ ", " │\n"};
    return form == FORM_MARKDOWN ? markdown : form == FORM_BOX ? box : plain;
}

static void put_row(const row_writer *w, char *const *cells)
{
    const frame f = frame_of(w->form);
    for (size_t i = 0; i < w->count; i++) {
        const size_t width = print_width(cells[i]);
        const size_t pad = width < w->widths[i] ? w->widths[i] - width : 0;
        stele_output_text(w->out, i == 0 ? f.begin : f.between);
        if (w->is_right[i])
            print_spaces(w->out, pad);
        if (w->form == FORM_MARKDOWN)
            put_markdown(w->out, cells[i]);
        else
            stele_output_text(w->out, cells[i]);
        if (!w->is_right[i] && (i + 1 < w->count || w->form != FORM_TABLE))
            print_spaces(w->out, pad);
    }
    stele_output_text(w->out, f.end);
}

/* Writes a horizontal line of a box, with these corners and crossings. */
static void put_line(const row_writer *w, const char *left, const char *cross, const char *right)
{
    for (size_t i = 0; i < w->count; i++) {
        stele_output_text(w->out, i == 0 ? left : cross);
        for (size_t j = 0; j < w->widths[i] + 2; j++)
            stele_output_text(w->out, "─");
    }
    stele_output_printf(w->out, "%s\n", right);
}

static void put_rule(const row_writer *w)
{
    for (size_t i = 0; i < w->count; i++) {
        stele_output_text(w->out, i == 0 ? "| " : " | ");
        for (size_t j = w->is_right[i] ? 1 : 0; j < w->widths[i]; j++)
            stele_output_byte(w->out, '-');
        if (w->is_right[i])
            stele_output_byte(w->out, ':');
    }
    stele_output_text(w->out, " |\n");
}

static void open_table(row_writer *w)
{
    w->is_open = true;
    if (w->form == FORM_BOX)
        put_line(w, "┌", "┬", "┐");
    print_color(w->out, w->has_color, COLOR_BOLD);
    put_row(w, w->names);
    print_color(w->out, w->has_color, COLOR_NONE);
    if (w->form == FORM_MARKDOWN)
        put_rule(w);
    if (w->form == FORM_BOX)
        put_line(w, "├", "┼", "┤");
    for (size_t i = 0; i < w->held_count; i++)
        put_row(w, w->held + i * w->count);
}

static bool add_to_table(row_writer *w, const stele_text *cells)
{
    char **made = w->held + (w->is_open ? 0 : w->held_count * w->count);
    bool is_made = true;
    if (!w->is_open && w->held_count == ROWS_HELD) {
        open_table(w);
        made = w->held;
    }
    for (size_t i = 0; i < w->count; i++) {
        char *text = visible(cells[i]);
        size_t width;
        is_made = is_made && text != NULL;
        if (w->is_open)
            free(made[i]);
        made[i] = text;
        if (text == NULL || w->is_open)
            continue;
        width = print_width(text);
        if (width > w->widths[i] && width <= WIDTH_MAX)
            w->widths[i] = width;
    }
    if (!w->is_open)
        w->held_count++;
    else if (is_made)
        put_row(w, made);
    return is_made;
}

/* ---- CSV and JSON ---- */

static void open_csv(row_writer *w)
{
    w->is_open = true;
    for (size_t i = 0; i < w->count; i++) {
        if (i != 0)
            stele_output_byte(w->out, ',');
        stele_output_csv(w->out, w->names[i], strlen(w->names[i]));
    }
    stele_output_byte(w->out, '\n');
}

static void add_to_csv(row_writer *w, const stele_text *cells)
{
    if (!w->is_open)
        open_csv(w);
    for (size_t i = 0; i < w->count; i++) {
        if (i != 0)
            stele_output_byte(w->out, ',');
        if (cells[i].bytes != NULL)
            stele_output_csv(w->out, cells[i].bytes, cells[i].size);
    }
    stele_output_byte(w->out, '\n');
}

static void add_to_json(row_writer *w, const stele_text *cells)
{
    json j = {.out = w->out, .is_line = true};
    json_open(&j, NULL, '{');
    for (size_t i = 0; i < w->count; i++) {
        if (cells[i].bytes == NULL)
            json_null(&j, w->names[i]);
        else if (w->is_quoted)
            json_bytes(&j, w->names[i], cells[i].bytes, cells[i].size);
        else
            json_raw(&j, w->names[i], cells[i].bytes, cells[i].size);
    }
    json_close(&j, '}');
}

void rows_quote(row_writer *w)
{
    w->is_quoted = true;
}

bool rows_add(row_writer *w, const stele_text *cells)
{
    switch (w->form) {
    case FORM_CSV: add_to_csv(w, cells); return true;
    case FORM_JSON: add_to_json(w, cells); return true;
    default: return add_to_table(w, cells);
    }
}

bool rows_end(row_writer *w)
{
    if (!w->is_open && w->form == FORM_CSV)
        open_csv(w);
    if (!w->is_open && w->form != FORM_CSV && w->form != FORM_JSON)
        open_table(w);
    if (w->form == FORM_BOX)
        put_line(w, "└", "┴", "┘");
    free_writer(w);
    return true;
}
