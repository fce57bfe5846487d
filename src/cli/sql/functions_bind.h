/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the use of a table function in a statement. */
#ifndef CLI_SQL_FUNCTIONS_BIND_H
#define CLI_SQL_FUNCTIONS_BIND_H

#include "cli/sql/functions_state.h"

/* Callback of DuckDB: reads the parameters of a use, and defines its columns. */
void functions_bind(duck_info info);

#endif
