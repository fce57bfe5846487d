/* SPDX-License-Identifier: Apache-2.0 */
/* stele version: prints the versions of the command, the library, and the components of both. */
#include "stele_config.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/sql/duckdb.h"
#include "cli/sql/line.h"
#include "view/view.h"

#define NAME_WIDTH    12
#define VERSION_WIDTH 12

/* Sets what needs loading of DuckDB. */
static void load_duckdb(stele_component *out)
{
    duckdb d;
    char missing[256];
    out->is_there = duckdb_open_library(&d, missing, sizeof missing);
    if (out->is_there) {
        const duckdb *const loaded = &d;
        const char *version = loaded->library_version();
        snprintf(out->version, sizeof out->version, "%s", version + (*version == 'v'));
    }
}

/* Gives the components of the library, then those of the command only, by index. Returns false
   after the last one. Only with `loads` are libraries loaded that are not needed yet. */
static bool component_get(size_t index, bool loads, stele_component *out)
{
    stele_component made = STELE_INIT(stele_component);
    size_t count = 0;
    while (loads ? stele_component_get(count, &made) : stele_component_peek(count, &made)) {
        if (count++ == index) {
            *out = made;
            return true;
        }
    }
    *out = (stele_component)STELE_INIT(stele_component);
    switch (index - count) {
    case 0:
        out->name = "microhttpd";
        out->purpose = "the server of 'stele view'";
        out->is_late = view_can_serve();
        if (loads)
            view_server_version(out->version, sizeof out->version);
        out->is_there = out->version[0] != 0;
        return true;
    case 1: out->name = "libedit"; out->purpose = "history at the prompt of 'stele query'";
#ifdef STELE_HAVE_EDIT
        out->is_late = true;
#endif
        out->is_there = loads && line_can_edit(); /* it has no version that could be asked for */
        return true;
    case 2:
        out->name = "duckdb";
        out->purpose = "'stele query'";
        out->is_late = true;
        if (loads)
            load_duckdb(out);
        return true;
    default: return false;
    }
}

static void write_json(cli *c, bool loads)
{
    json j = {.out = c->out};
    stele_component at;
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "stele", stele_version());
    json_open(&j, "components", '[');
    for (size_t i = 0; component_get(i, loads, &at); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", at.name);
        json_text(&j, "purpose", at.purpose);
        json_bool(&j, "is_there", at.is_there);
        json_bool(&j, "is_late", at.is_late);
        if (at.version[0] != 0)
            json_text(&j, "component_version", at.version);
        else
            json_null(&j, "component_version");
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

static void write_text(cli *c, bool loads)
{
    stele_component at;
    stele_output_printf(c->out, "stele %s\n\n", stele_version());
    for (size_t i = 0; component_get(i, loads, &at); i++) {
        const char *version = at.version[0] != 0     ? at.version
                              : at.is_there          ? "yes"
                              : at.is_late && !loads ? "at need"
                                                     : "no";
        stele_output_text(c->out, "  ");
        print_padded(c->out, at.name, NAME_WIDTH);
        print_padded(c->out, version, VERSION_WIDTH);
        stele_output_printf(c->out, "%s\n", at.purpose);
    }
}

/* 'stele --version' begins as fast as it can: it loads nothing. 'stele version' looks for all. */
void command_VERSION(cli *c)
{
    const bool loads = c->options.command == COMMAND_VERSION;
    if (option_given(&c->options, OPTION_JSON))
        write_json(c, loads);
    else
        write_text(c, loads);
}
