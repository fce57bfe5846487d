/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of several statements, one after the other. */
#ifndef CLI_SQL_STATEMENT_H
#define CLI_SQL_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the statement at `*at`, which then moves after its semicolon: its text from `*text` on,
 * without blanks at both ends and the semicolon. False: there is none any more. `is_closed`, which
 * may be NULL, says whether a semicolon ended it.
 */
bool statement_next(const char **at, const char **text, size_t *size, bool *is_closed);

#endif
