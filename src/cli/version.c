/* SPDX-License-Identifier: Apache-2.0 */
/* stele version: prints the versions of the command, the library, and the components of both. */
#include "stele_config.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/sql/duckdb.h"
#include "view/view.h"

#define NAME_WIDTH    12
#define VERSION_WIDTH 12

/* Gives the components of the library, then those of the command only, by index. Returns false
   after the last one. */
static bool component_get(size_t index, stele_component *out)
{
    stele_component made = STELE_INIT(stele_component);
    size_t count = 0;
    duckdb d;
    char missing[256];
    while (stele_component_get(count, &made)) {
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
        snprintf(out->version, sizeof out->version, "%s", view_server_version());
        out->is_there = view_can_serve();
        return true;
    case 1: out->name = "libedit"; out->purpose = "history at the prompt of 'stele query'";
#ifdef STELE_HAVE_EDIT
        out->is_there = true; /* it has no version that could be asked for */
#endif
        return true;
    case 2:
        out->name = "duckdb";
        out->purpose = "'stele query'";
        out->is_there = duckdb_open_library(&d, missing, sizeof missing);
        if (out->is_there) {
            const duckdb *const loaded = &d;
            const char *version = loaded->library_version();
            snprintf(out->version, sizeof out->version, "%s", version + (*version == 'v'));
        }
        return true;
    default: return false;
    }
}

static void write_json(cli *c)
{
    json j = {.out = c->out};
    stele_component at;
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_text(&j, "stele", stele_version());
    json_open(&j, "components", '[');
    for (size_t i = 0; component_get(i, &at); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", at.name);
        json_text(&j, "purpose", at.purpose);
        json_bool(&j, "is_there", at.is_there);
        if (at.version[0] != 0)
            json_text(&j, "component_version", at.version);
        else
            json_null(&j, "component_version");
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

static void write_text(cli *c)
{
    stele_component at;
    stele_output_printf(c->out, "stele %s\n\n", stele_version());
    for (size_t i = 0; component_get(i, &at); i++) {
        const char *version = at.version[0] != 0 ? at.version : at.is_there ? "yes" : "no";
        stele_output_text(c->out, "  ");
        print_padded(c->out, at.name, NAME_WIDTH);
        print_padded(c->out, version, VERSION_WIDTH);
        stele_output_printf(c->out, "%s\n", at.purpose);
    }
}

void command_VERSION(cli *c)
{
    if (option_given(&c->options, OPTION_JSON))
        write_json(c);
    else
        write_text(c);
}
