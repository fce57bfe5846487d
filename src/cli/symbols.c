/* SPDX-License-Identifier: Apache-2.0 */
/* stele symbols: lists the sleds of instrumented binaries. */
#include <stele/symbols.h>
#include <stele/text.h>

#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

static void write_visible(stele_output *out, const char *text)
{
    stele_output_visible(out, text, strlen(text));
}

static void write_text(cli *c, const stele_sled_map *map)
{
    stele_output_printf(c->out, "%8s  %-14s  %-18s  %s\n", "id", "kind", "address", "function");
    for (size_t i = 0; i < stele_sled_map_count(map); i++) {
        const stele_sled *at = stele_sled_map_at(map, i);
        const stele_sled_function *function = stele_sled_map_function(map, at->id);
        stele_output_printf(c->out, "%8u  %-14s  0x%016" PRIx64 "  ", (unsigned)at->id,
                            stele_sled_kind_text((stele_sled_kind)at->kind), at->address);
        print_color(c->out, c->has_color, COLOR_BOLD);
        write_visible(c->out, function->name[0] != 0 ? function->name : "?");
        print_color(c->out, c->has_color, COLOR_NONE);
        if (function->line != 0) {
            stele_output_text(c->out, "  ");
            write_visible(c->out, function->source);
            stele_output_printf(c->out, ":%u", function->line);
        }
        stele_output_byte(c->out, '\n');
    }
}

static void write_json(cli *c, const stele_sled_map *map)
{
    json j = {.out = c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "path", c->options.arguments[0]);
    json_open(&j, "sleds", '[');
    for (size_t i = 0; i < stele_sled_map_count(map); i++) {
        const stele_sled *at = stele_sled_map_at(map, i);
        const stele_sled_function *function = stele_sled_map_function(map, at->id);
        json_open(&j, NULL, '{');
        json_uint(&j, "id", at->id);
        json_text(&j, "kind", stele_sled_kind_text((stele_sled_kind)at->kind));
        json_uint(&j, "address", at->address);
        json_uint(&j, "function", at->function);
        json_text(&j, "name", function->name);
        json_text(&j, "source", function->line != 0 ? function->source : NULL);
        json_uint(&j, "line", function->line);
        json_bool(&j, "always_instrument", at->is_always);
        json_uint(&j, "entry_version", at->version);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void command_SYMBOLS(cli *c)
{
    const options *o = &c->options;
    const bool is_yaml = option_given(o, OPTION_YAML);
    const stele_sled_options given = {.has_lines = !is_yaml,
                                      .keeps_mangled = option_given(o, OPTION_MANGLED)};
    stele_sled_map *map;
    if (!cli_check(c, stele_sled_map_open(c->context, o->arguments[0], &given, &map),
                   o->arguments[0]))
        return;
    if (is_yaml)
        stele_sled_map_write_yaml(map, c->out);
    else if (option_given(o, OPTION_JSON))
        write_json(c, map);
    else
        write_text(c, map);
    stele_sled_map_close(map);
}
