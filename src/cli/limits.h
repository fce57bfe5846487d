/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of options.def, which --max sets. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "cli/cli.h"

/* Sets a limit from "NAME=N". If there is no such limit, or it cannot have that value, reports
   it and returns false. */
bool limit_parse(cli *c, const char *text, stele_limits *limits);

/* Writes an indented line for each limit, as long as there is room; the last one without a line
   end. */
void limit_list(char *text, size_t size);

#endif
