/* SPDX-License-Identifier: Apache-2.0 */
/* SQL for 'stele view': what 'stele query' says. */
#ifndef CLI_VIEW_SQL_H
#define CLI_VIEW_SQL_H

#include "cli/cli.h"

/*
 * Runs a statement over the command's traces and writes its rows as JSON, or what is wrong with it.
 * A process of its own does it, so that DuckDB's memory is not the server's. It is a view_sql_fn;
 * `user` is the command.
 */
stele_status view_sql(void *user, const char *statement, stele_output *out);

#endif
