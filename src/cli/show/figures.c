/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/figures.h"

#include <stele/text.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/show/grid.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "view/list.h"

#define SHOWN_SIZE 1024u

struct kept_text {
    struct kept_text *next;
    char bytes[];
};

figure figure_text(const char *text)
{
    return (figure){.text = {text, text != NULL ? strlen(text) : 0}};
}

figure *figures_add(figures *f)
{
    if (f->row_count == f->row_capacity) {
        figure *grown = list_grow(f->cells, f->column_count * sizeof *grown, &f->row_capacity);
        if (grown == NULL)
            return NULL;
        f->cells = grown;
    }
    return f->cells + f->row_count++ * f->column_count;
}

stele_text figures_keep(figures *f, const char *text)
{
    const size_t size = strlen(text);
    struct kept_text *kept = malloc(sizeof *kept + size + 1);
    if (kept == NULL)
        return (stele_text){NULL, 0};
    memcpy(kept->bytes, text, size + 1);
    kept->next = f->texts;
    f->texts = kept;
    return (stele_text){kept->bytes, size};
}

void figures_free(figures *f)
{
    for (struct kept_text *next, *at = f->texts; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(f->cells);
}

static const figure *row_at(const figures *f, size_t row)
{
    return f->cells + row * f->column_count;
}

static bool is_missing(figure_kind kind, const figure *cell)
{
    switch (kind) {
    case FIGURE_COUNT:
    case FIGURE_HEX:
    case FIGURE_NS: return cell->number == FIGURE_NONE;
    case FIGURE_INT: return cell->integer == FIGURE_NO_INT;
    case FIGURE_REAL: return !isfinite(cell->real);
    case FIGURE_TEXT: return cell->text.bytes == NULL;
    case FIGURE_VALUE:
    case FIGURE_LABEL:
        return cell->value->type == STELE_VALUE_NULL || cell->value->type == STELE_VALUE_MISSING ||
               cell->value->type == STELE_VALUE_RUN;
    default: return false;
    }
}

const char *figures_print_value(const stele_value *v, char *to)
{
    to[0] = 0;
    switch (v->type) {
    case STELE_VALUE_INT: snprintf(to, PRINT_SIZE, "%" PRId64, v->u.i); break;
    case STELE_VALUE_UINT: snprintf(to, PRINT_SIZE, "%" PRIu64, v->u.u); break;
    case STELE_VALUE_FLOAT: snprintf(to, PRINT_SIZE, "%.17g", v->u.f); break;
    case STELE_VALUE_WIDE:
        snprintf(to, PRINT_SIZE, "0x%" PRIx64 "%016" PRIx64, (uint64_t)v->u.wide.high,
                 v->u.wide.low);
        break;
    default: break;
    }
    return to;
}

/* ---- Tables for people ----------------------------------------------------------------------- */

static uint64_t share_whole(const figures *f, const figure *row, const figure *cell)
{
    return cell->share.whole == UINT32_MAX ? f->whole : row[cell->share.whole].number;
}

/* Makes the text of a cell of any kind but FIGURE_TEXT, whose text needs no room. `times` is what
   times count; `to` has room for PRINT_SIZE bytes. */
static const char *print_figure(const figures *f, stele_clock_domain times, const figure *row,
                                size_t column, char *to)
{
    const figure *cell = &row[column];
    uint64_t whole;
    to[0] = 0;
    switch (f->columns[column].kind) {
    case FIGURE_COUNT: return print_count(to, cell->number);
    case FIGURE_INT: snprintf(to, PRINT_SIZE, "%" PRId64, cell->integer); return to;
    case FIGURE_CHANGE: snprintf(to, PRINT_SIZE, "%+" PRId64, cell->integer); return to;
    case FIGURE_BYTES: return print_bytes(to, cell->number);
    case FIGURE_HEX: snprintf(to, PRINT_SIZE, "0x%" PRIx64, cell->number); return to;
    case FIGURE_NS: return print_length(to, times, cell->number);
    case FIGURE_TIME:
        return print_time(to, times, (int64_t)((uint64_t)cell->integer - (uint64_t)f->origin_ns));
    case FIGURE_REAL: snprintf(to, PRINT_SIZE, "%.4g", cell->real); return to;
    case FIGURE_BOOL: return cell->is_true ? "yes" : "no";
    case FIGURE_SHARE:
        return print_share(to, row[cell->share.part].number, share_whole(f, row, cell));
    case FIGURE_RATE:
        whole = share_whole(f, row, cell);
        snprintf(to, PRINT_SIZE, "%.2f",
                 (double)row[cell->share.part].number * 1000 / (double)(whole + (whole == 0)));
        return to;
    case FIGURE_RATIO: return print_share(to, cell->ratio.part, cell->ratio.whole);
    case FIGURE_VALUE:
    case FIGURE_LABEL: return figures_print_value(cell->value, to);
    case FIGURE_TEXT: break;
    }
    return to;
}

/* Adds a cell to a table that is collected; a missing value becomes a dash. */
static void gather_cell(cli *c, grid *g, const figures *f, const figure *row, size_t column)
{
    const figure_kind kind = f->columns[column].kind;
    char text[PRINT_SIZE];
    if (is_missing(kind, &row[column]))
        stele_output_byte(g->text, '-');
    else if (kind == FIGURE_TEXT)
        stele_output_visible(g->text, row[column].text.bytes, row[column].text.size);
    else
        stele_output_text(g->text, print_figure(f, c->times, row, column, text));
    grid_end_cell(g);
}

/* Says above a table what its times count, if it shows any. */
static void write_time_unit(cli *c, const figures *f)
{
    for (size_t i = 0; i < f->column_count; i++) {
        const figure_kind kind = f->columns[i].kind;
        if (f->columns[i].title == NULL || (kind != FIGURE_NS && kind != FIGURE_TIME))
            continue;
        print_time_unit(c->out, c->times);
        return;
    }
}

void figures_write_text(cli *c, const figures *f, size_t shown)
{
    grid g;
    size_t count = 0;
    write_time_unit(c, f);
    if (!grid_open(c, &g, 0, 0))
        return;
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].title != NULL)
            g.is_right[count++] = f->columns[i].kind != FIGURE_TEXT;
    }
    g.column_count = count;
    if (shown < f->row_count)
        snprintf(g.note, sizeof g.note, " (%zu of %zu)", shown, f->row_count);
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].title != NULL)
            grid_cell(&g, f->columns[i].title);
    }
    for (size_t row = 0; row < shown; row++) {
        for (size_t i = 0; i < f->column_count; i++) {
            if (f->columns[i].title != NULL)
                gather_cell(c, &g, f, row_at(f, row), i);
        }
    }
    grid_close(c, &g);
}

/* Writes the gap before a column: two spaces, unless its width includes them because it is
   aligned to the right. */
static void write_gap(const figures *f, const figure_column *column, bool *is_first)
{
    if (!*is_first && column->width >= 0)
        stele_output_text(f->c->out, "  ");
    *is_first = false;
}

#define TEXT_LEAST 24u /* columns that a text should have */
#define TEXT_SHORT 8u  /* columns that it always has */

void figures_fit(figures *f, figure_column *columns, const uint8_t *spare, size_t spare_count)
{
    const options *o = &f->c->options;
    const size_t whole = f->c->is_screen ? terminal_width(STDOUT_FILENO) : 0;
    if (whole == 0 || option_given(o, OPTION_JSON) || option_given(o, OPTION_CSV))
        return;
    for (size_t i = 0;; i++) {
        size_t used = 0, texts = 0;
        for (size_t k = 0; k < f->column_count; k++) {
            const int width = columns[k].width;
            texts += columns[k].title != NULL && width == 0;
            if (columns[k].title != NULL)
                used += width < 0 ? (size_t)-width : (size_t)width + 2;
        }
        if (texts == 0)
            return;
        if (used + texts * TEXT_LEAST <= whole || i == spare_count) {
            f->text_room = used < whole ? (whole - used) / texts : 0;
            f->text_room = f->text_room > TEXT_SHORT ? f->text_room : TEXT_SHORT;
            return;
        }
        columns[spare[i]].title = NULL;
    }
}

static void write_titles(const figures *f)
{
    char shown[PRINT_SIZE], count[PRINT_SIZE];
    bool is_first = true;
    write_time_unit(f->c, f);
    print_color(f->c->out, f->c->has_color, COLOR_BOLD);
    for (size_t i = 0; i < f->column_count; i++) {
        if (f->columns[i].title == NULL ||
            (f->columns[i].title[0] == 0 && f->columns[i].width == 0))
            continue;
        write_gap(f, &f->columns[i], &is_first);
        print_padded(f->c->out, f->columns[i].title,
                     i + 1 == f->column_count && f->columns[i].width > 0 ? 0 : f->columns[i].width);
    }
    if (f->shown_count < f->row_count)
        stele_output_printf(f->c->out, " (%s of %s)", print_count(shown, f->shown_count),
                            print_count(count, f->row_count));
    print_color(f->c->out, f->c->has_color, COLOR_NONE);
    stele_output_byte(f->c->out, '\n');
}

/* How many columns of a row are written: those up to the last that has a value, so that lines do
   not end with spaces. */
static size_t shown_count(const figures *f, const figure *cells)
{
    size_t count = f->column_count;
    while (count > 0 && (f->columns[count - 1].title == NULL ||
                         is_missing(f->columns[count - 1].kind, &cells[count - 1])))
        count--;
    return count;
}

/* Makes a text of any length visible, without the middle of one that does not fit. */
static void make_visible(const stele_text *text, char shown[SHOWN_SIZE])
{
    char raw[SHOWN_SIZE];
    const size_t half = sizeof raw / 2 - 1;
    size_t head = text->size, tail = 0;
    if (head >= sizeof raw) {
        for (head = half; head != 0 && ((unsigned char)text->bytes[head] & 0xc0u) == 0x80u;)
            head--;
        for (tail = half;
             tail != 0 && ((unsigned char)text->bytes[text->size - tail] & 0xc0u) == 0x80u;)
            tail--;
    }
    memcpy(raw, text->bytes, head);
    memcpy(raw + head, text->bytes + text->size - tail, tail);
    raw[head + tail] = 0;
    stele_visible(raw, shown, SHOWN_SIZE);
}

static void write_cell(const figures *f, const figure *cells, size_t column, int width)
{
    const figure_kind kind = f->columns[column].kind;
    const stele_text *text = &cells[column].text;
    char shown[SHOWN_SIZE];
    if (is_missing(kind, &cells[column])) {
        print_padded(f->c->out, "", width);
    } else if (kind == FIGURE_TEXT && width == 0 && f->text_room != 0) {
        make_visible(text, shown);
        print_shortened(f->c->out, shown, strlen(shown), f->text_room);
    } else if (kind == FIGURE_TEXT && width == 0) {
        stele_output_visible(f->c->out, text->bytes, text->size);
    } else if (kind == FIGURE_TEXT) {
        make_visible(text, shown);
        print_padded(f->c->out, shown, width);
    } else {
        print_padded(f->c->out, print_figure(f, f->c->times, cells, column, shown), width);
    }
}

static void write_for_people(const figures *f, const figure *cells)
{
    const size_t count = shown_count(f, cells);
    const bool is_dim = f->dim_column != 0 && cells[f->dim_column].is_true;
    bool is_first = true;
    if (is_dim)
        print_color(f->c->out, f->c->has_color, COLOR_DIM);
    for (size_t i = 0; i < count; i++) {
        const figure_column *column = &f->columns[i];
        if (column->title == NULL)
            continue;
        write_gap(f, column, &is_first);
        write_cell(f, cells, i, i + 1 == count && column->width > 0 ? 0 : column->width);
    }
    if (is_dim)
        print_color(f->c->out, f->c->has_color, COLOR_NONE);
    stele_output_byte(f->c->out, '\n');
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static bool is_in_csv(const figure_column *column)
{
    return column->key != NULL && (column->except & FIGURE_NOT_CSV) == 0;
}

static void write_csv_keys(cli *c, const figures *f)
{
    const char *comma = "";
    for (size_t i = 0; i < f->column_count; i++) {
        char key[256];
        char *at;
        if (!is_in_csv(&f->columns[i]))
            continue;
        snprintf(key, sizeof key, "%s", f->columns[i].key);
        for (at = key; (at = strchr(at, '/')) != NULL;)
            *at = '_';
        print_time_key(key, sizeof key, c->times);
        stele_output_text(c->out, comma);
        stele_output_csv(c->out, key, strlen(key));
        comma = ",";
    }
    stele_output_text(c->out, "\r\n");
}

static void write_csv_value(cli *c, const stele_value *v, bool has_label)
{
    const stele_text *text = v->type == STELE_VALUE_TEXT       ? &v->u.text
                             : has_label && v->label.size != 0 ? &v->label
                                                               : NULL;
    char number[PRINT_SIZE];
    if (text != NULL)
        stele_output_csv(c->out, text->bytes, text->size);
    else
        stele_output_text(c->out, figures_print_value(v, number));
}

static void write_csv_cell(cli *c, figure_kind kind, const figure *cell)
{
    if (is_missing(kind, cell))
        return;
    switch (kind) {
    case FIGURE_INT:
    case FIGURE_CHANGE:
    case FIGURE_TIME: stele_output_printf(c->out, "%" PRId64, cell->integer); break;
    case FIGURE_HEX: stele_output_printf(c->out, "0x%" PRIx64, cell->number); break;
    case FIGURE_REAL: stele_output_printf(c->out, "%.12g", cell->real); break;
    case FIGURE_BOOL: stele_output_byte(c->out, cell->is_true ? '1' : '0'); break;
    case FIGURE_TEXT: stele_output_csv(c->out, cell->text.bytes, cell->text.size); break;
    case FIGURE_VALUE:
    case FIGURE_LABEL: write_csv_value(c, cell->value, kind == FIGURE_LABEL); break;
    default: stele_output_printf(c->out, "%" PRIu64, cell->number); break;
    }
}

static void write_csv_row(cli *c, const figures *f, const figure *cells)
{
    const char *comma = "";
    for (size_t i = 0; i < f->column_count; i++) {
        if (!is_in_csv(&f->columns[i]))
            continue;
        stele_output_text(c->out, comma);
        write_csv_cell(c, f->columns[i].kind, &cells[i]);
        comma = ",";
    }
    stele_output_text(c->out, "\r\n");
}

static void write_csv(cli *c, const figures *f, size_t shown)
{
    write_csv_keys(c, f);
    for (size_t row = 0; row < shown; row++)
        write_csv_row(c, f, row_at(f, row));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void figures_json_value(json *j, const char *key, const stele_value *v)
{
    char text[PRINT_SIZE];
    switch (v->type) {
    case STELE_VALUE_INT: json_int(j, key, v->u.i); break;
    case STELE_VALUE_UINT: json_uint(j, key, v->u.u); break;
    case STELE_VALUE_FLOAT: json_number(j, key, v->u.f); break;
    case STELE_VALUE_TEXT: json_bytes(j, key, v->u.text.bytes, v->u.text.size); break;
    case STELE_VALUE_WIDE: json_text(j, key, figures_print_value(v, text)); break;
    default: json_null(j, key); break;
    }
}

static void write_json_cell(json *j, const char *key, figure_kind kind, const figure *cell)
{
    char text[PRINT_SIZE];
    if (is_missing(kind, cell)) {
        json_null(j, key);
        return;
    }
    switch (kind) {
    case FIGURE_INT:
    case FIGURE_CHANGE:
    case FIGURE_TIME: json_int(j, key, cell->integer); break;
    case FIGURE_HEX:
        snprintf(text, sizeof text, "0x%" PRIx64, cell->number);
        json_text(j, key, text);
        break;
    case FIGURE_REAL: json_number(j, key, cell->real); break;
    case FIGURE_BOOL: json_bool(j, key, cell->is_true); break;
    case FIGURE_TEXT: json_bytes(j, key, cell->text.bytes, cell->text.size); break;
    case FIGURE_VALUE:
    case FIGURE_LABEL: figures_json_value(j, key, cell->value); break;
    default: json_uint(j, key, cell->number); break;
    }
}

/* Opens the object of a key "of/key" and closes another one; `*open` is the key of the column
   that opened one. Returns the rest of the key. */
static const char *enter_object(json *j, const char *key, const char **open)
{
    const char *slash = strchr(key, '/');
    const size_t size = slash != NULL ? (size_t)(slash - key) + 1 : 0;
    char name[64];
    if (*open != NULL && (size == 0 || strncmp(*open, key, size) != 0)) {
        json_close(j, '}');
        *open = NULL;
    }
    if (size == 0)
        return key;
    if (*open == NULL) {
        snprintf(name, sizeof name, "%.*s", (int)size - 1, key);
        json_open(j, name, '{');
        *open = key;
    }
    return slash + 1;
}

void figures_members(json *j, const figures *f, const figure *cells)
{
    const char *open = NULL;
    for (size_t i = 0; i < f->column_count; i++) {
        const figure_column *column = &f->columns[i];
        if (column->key == NULL || (column->except & FIGURE_NOT_JSON) != 0 ||
            ((column->except & FIGURE_OPTIONAL) != 0 && is_missing(column->kind, &cells[i])))
            continue;
        write_json_cell(j, enter_object(j, column->key, &open), column->kind, &cells[i]);
    }
    if (open != NULL)
        json_close(j, '}');
}

void figures_write_list(json *j, const figures *f, size_t shown)
{
    json_open(j, f->rows_key, '[');
    for (size_t row = 0; row < shown; row++) {
        json_open(j, NULL, '{');
        figures_members(j, f, row_at(f, row));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_json(cli *c, const figures *f, size_t shown, const figure_total *totals,
                       size_t total_count)
{
    json j = {.out = c->out, .time_suffix = print_time_suffix(c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    for (size_t i = 0; i < total_count; i++)
        json_uint(&j, totals[i].key, totals[i].value);
    json_uint(&j, "row_count", f->row_count);
    figures_write_list(&j, f, shown);
    json_close(&j, '}');
}

static void write_json_row(const figures *f, const figure *cells)
{
    json line = {.out = f->c->out, .is_line = true, .time_suffix = print_time_suffix(f->c->times)},
         *j = f->into != NULL ? f->into : &line;
    json_open(j, NULL, '{');
    if (f->into == NULL)
        json_uint(j, "v", 1);
    figures_members(j, f, cells);
    json_close(j, '}');
}

/* ---- Output by the options ------------------------------------------------------------------- */

void figures_write(cli *c, const figures *f, size_t shown, const figure_total *totals,
                   size_t total_count)
{
    if (option_given(&c->options, OPTION_JSON))
        write_json(c, f, shown, totals, total_count);
    else if (option_given(&c->options, OPTION_CSV))
        write_csv(c, f, shown);
    else
        figures_write_text(c, f, shown);
}

void figures_begin(figures *f)
{
    const options *o = &f->c->options;
    if (f->has_heading)
        return;
    f->has_heading = true;
    if (option_given(o, OPTION_CSV))
        write_csv_keys(f->c, f);
    else if (!option_given(o, OPTION_JSON))
        write_titles(f);
}

void figures_row(figures *f, const figure *cells)
{
    const options *o = &f->c->options;
    figures_begin(f);
    if (option_given(o, OPTION_JSON))
        write_json_row(f, cells);
    else if (option_given(o, OPTION_CSV))
        write_csv_row(f->c, f, cells);
    else
        write_for_people(f, cells);
}
