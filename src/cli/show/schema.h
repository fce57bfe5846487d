/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema as text and as JSON, for 'stele info --fields'. */
#ifndef CLI_SHOW_SCHEMA_H
#define CLI_SHOW_SCHEMA_H

#include <stele/schema.h>

#include "cli/cli.h"
#include "cli/show/json.h"

void schema_write_text(cli *c, const stele_trace *trace, stele_schema *s);
void schema_write_json(cli *c, const stele_trace *trace, stele_schema *s, json *j);

#endif
