/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines from a terminal: with editing, history and completion where the build has libedit, else as
 * the terminal gives them.
 */
#ifndef CLI_SQL_LINE_H
#define CLI_SQL_LINE_H

#include <stdbool.h>

/* Reads the history that earlier prompts left. */
void line_begin(void);

/* The next line without its end, which the caller frees; NULL at the end of input. */
char *line_read(const char *prompt);

/* Puts a whole statement into the history. */
void line_remember(const char *statement);

/* Keeps the history. */
void line_end(void);

/* The words that complete what was begun, `index` from 0; NULL after the last. They are static. */
const char *line_word(const char *begun, unsigned index);

#endif
