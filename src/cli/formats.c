/* SPDX-License-Identifier: Apache-2.0 */
/* stele formats: what can be read and written. */
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/print.h"
#include "cli/terminal.h"
#include "sinks/sink.h"

static void write_line(cli *c, const char *name, const char *can, const char *extensions,
                       const char *title)
{
    output_text(c->out, "  ");
    print_color(c->out, c->has_color, COLOR_BOLD);
    print_padded(c->out, name, 10);
    print_color(c->out, c->has_color, COLOR_NONE);
    print_padded(c->out, can, 18);
    print_padded(c->out, extensions, 31);
    output_printf(c->out, "%s\n", title);
}

static void write_text(cli *c)
{
    static const char *const can[2][2][2] = {
        {{"", "copy"}, {"write", "write, copy"}},
        {{"read", "read, copy"}, {"read, write", "read, write, copy"}}};
    stele_format_info info;
    output_text(c->out, "Traces\n");
    for (size_t i = 0; stele_format_get(i, &info); i++)
        write_line(c, info.name, can[info.can_read][info.can_write][info.can_copy], info.extensions,
                   info.title);
    output_text(c->out, "\nOutputs\n");
    for (size_t i = 0; i < sink_count(); i++)
        write_line(c, sink_at(i)->name, "write", sink_at(i)->extensions, sink_at(i)->title);
    output_text(c->out,
                "\nWhat is packed with gzip, zstd or tar is unpacked on the fly. 'copy' "
                "means that converting\nto the same format keeps the records' own bytes.\n");
}

static void write_json(cli *c)
{
    json j = {.out = c->out};
    stele_format_info info;
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
    for (size_t i = 0; i < sink_count(); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", sink_at(i)->name);
        json_text(&j, "title", sink_at(i)->title);
        json_text(&j, "extensions", sink_at(i)->extensions);
        json_close(&j, '}');
    }
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
