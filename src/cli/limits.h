/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of options.def: what --max sets. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "cli/cli.h"

/* Sets a limit by "NAME=N". False: there is no such limit, or it cannot be that; it was reported.
 */
bool limit_parse(cli *c, const char *text, stele_limits *limits);

/* A line for each limit, indented, without the last end of line; as long as there is room. */
void limit_list(char *text, size_t size);

#endif
