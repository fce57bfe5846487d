/* SPDX-License-Identifier: Apache-2.0 */
/* stele formats: lists what can be read and written. */
#include <string.h>

#include "cli/cli.h"
#include "cli/flame_forms.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define COLUMN_GAP 2

/* Widths of the columns: the longest name and the longest list of extensions, with a gap. */
typedef struct widths {
    int name, extensions;
} widths;

static void widen(widths *w, const char *name, const char *extensions)
{
    const int name_size = (int)strlen(name) + COLUMN_GAP;
    const int extensions_size = (int)strlen(extensions) + COLUMN_GAP;
    w->name = name_size > w->name ? name_size : w->name;
    w->extensions = extensions_size > w->extensions ? extensions_size : w->extensions;
}

static void write_line(cli *c, const widths *w, const char *name, const char *can,
                       const char *extensions, const char *title)
{
    stele_output_text(c->out, "  ");
    print_color(c->out, c->has_color, COLOR_BOLD);
    print_padded(c->out, name, w->name);
    print_color(c->out, c->has_color, COLOR_NONE);
    print_padded(c->out, can, 18);
    print_padded(c->out, extensions, w->extensions);
    stele_output_printf(c->out, "%s\n", title);
}

static void write_text(cli *c)
{
    static const char *const can[2][2][2] = {
        {{"", "copy"}, {"write", "write, copy"}},
        {{"read", "read, copy"}, {"read, write", "read, write, copy"}}};
    stele_format_info info = STELE_INIT(stele_format_info);
    stele_sink_info sink = STELE_INIT(stele_sink_info);
    stele_table_format_info rows = STELE_INIT(stele_table_format_info);
    widths w = {0};
    for (size_t i = 0; stele_format_get(i, &info); i++)
        widen(&w, info.name, info.extensions);
    for (size_t i = 0; stele_sink_get(i, &sink); i++)
        widen(&w, sink.name, sink.extensions);
    for (size_t i = 0; stele_table_format_get(i, &rows); i++)
        widen(&w, rows.name, rows.extensions);
    stele_output_text(c->out, "Traces\n");
    for (size_t i = 0; stele_format_get(i, &info); i++)
        write_line(c, &w, info.name, can[info.can_read][info.can_write][info.can_copy],
                   info.extensions, info.title);
    stele_output_text(c->out, "\nOutputs\n");
    for (size_t i = 0; stele_sink_get(i, &sink); i++)
        write_line(c, &w, sink.name, "write", sink.extensions, sink.title);
    for (size_t i = 0; stele_table_format_get(i, &rows); i++)
        write_line(c, &w, rows.name, "write", rows.extensions, rows.title);
    stele_output_text(c->out, "\nOf calls, by 'stele flame --format'\n");
    for (size_t i = 0; i < FLAME_FORM_COUNT; i++)
        write_line(c, &w, flame_forms[i].name, "write", flame_forms[i].ends, flame_forms[i].title);
    stele_output_text(c->out,
                      "\nWhat is packed with gzip, zstd or tar is unpacked on the fly. 'copy' "
                      "means that converting\nto the same format keeps the records' own bytes.\n");
}

static void put_named(json *j, const char *name, const char *title, const char *extensions)
{
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "title", title);
    json_text(j, "extensions", extensions);
    json_close(j, '}');
}

static void write_json(cli *c)
{
    json j = {.out = c->out};
    stele_format_info info = STELE_INIT(stele_format_info);
    stele_sink_info sink = STELE_INIT(stele_sink_info);
    stele_table_format_info rows = STELE_INIT(stele_table_format_info);
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_open(&j, "formats", '[');
    for (size_t i = 0; stele_format_get(i, &info); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", info.name);
        json_text(&j, "title", info.title);
        json_text(&j, "extensions", info.extensions);
        json_bool(&j, "can_read", info.can_read);
        json_bool(&j, "can_write", info.can_write);
        json_bool(&j, "can_copy", info.can_copy);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "outputs", '[');
    for (size_t i = 0; stele_sink_get(i, &sink); i++)
        put_named(&j, sink.name, sink.title, sink.extensions);
    for (size_t i = 0; stele_table_format_get(i, &rows); i++)
        put_named(&j, rows.name, rows.title, rows.extensions);
    json_close(&j, ']');
    json_open(&j, "flame", '[');
    for (size_t i = 0; i < FLAME_FORM_COUNT; i++)
        put_named(&j, flame_forms[i].name, flame_forms[i].title, flame_forms[i].ends);
    json_close(&j, ']');
    json_close(&j, '}');
}

void command_FORMATS(cli *c)
{
    if (option_given(&c->options, OPTION_JSON))
        write_json(c);
    else
        write_text(c);
}
