/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines from a terminal: with editing, history and completion if the build and the
   machine have libedit, otherwise plainly. */
#ifndef CLI_SQL_LINE_H
#define CLI_SQL_LINE_H

#include <stdbool.h>

/* Returns whether this build and this machine have libedit, which is loaded when it is needed. */
bool line_can_edit(void);

/* Reads the history of earlier runs. */
void line_begin(void);

/* Reads a line without its line end, which the caller frees. Returns NULL at the end of input. */
char *line_read(const char *prompt);

/* Adds a whole statement to the history. */
void line_remember(const char *statement);

/* Saves the history. */
void line_end(void);

/* The word with this index that begins with `begun`. Returns NULL after the last one. Words are
   static. */
const char *line_word(const char *begun, unsigned index);

#endif
