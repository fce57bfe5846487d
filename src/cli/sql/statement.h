/* SPDX-License-Identifier: Apache-2.0 */
/* Splits text into statements. */
#ifndef CLI_SQL_STATEMENT_H
#define CLI_SQL_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the statement at `*at`, which moves after its semicolon. `*text` is its begin; blanks
 * around it and the semicolon are not included. Returns false if there is none. `is_closed`, which
 * may be NULL, is set to whether a semicolon ended it.
 */
bool statement_next(const char **at, const char **text, size_t *size, bool *is_closed);

#endif
