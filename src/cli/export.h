/* SPDX-License-Identifier: Apache-2.0 */
/* Converting traces to files of rows: Parquet, ClickHouse's blocks. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/cli.h"

/* The format of rows that --to or the output's name asks for; NULL: it is none. */
const char *export_format(const cli *c);

/* Converts all arguments to it. */
void export_execute(cli *c, const char *format);

#endif
