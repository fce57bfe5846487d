/* SPDX-License-Identifier: Apache-2.0 */
/* Converts traces to files of rows: Parquet, or ClickHouse's native format. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/cli.h"

/* The format of rows that --to or the name of the output says. Returns NULL if it is none. */
const char *export_format(const cli *c);

/* Converts all arguments to a format of rows. */
void export_execute(cli *c, const char *format);

#endif
