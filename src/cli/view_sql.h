/* SPDX-License-Identifier: Apache-2.0 */
/* SQL for 'stele view', answered by 'stele query'. */
#ifndef CLI_VIEW_SQL_H
#define CLI_VIEW_SQL_H

#include "cli/cli.h"

/*
 * Runs a statement over the command's traces, and writes its rows, or its error, as JSON. It runs
 * in another process, so that DuckDB does not use the server's memory. A view_sql_fn, whose `user`
 * is the command.
 */
stele_status view_sql(void *user, const char *statement, stele_output *out);

#endif
