/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns the clocks of several traces by events that they have in common. */
#ifndef CLI_ALIGNING_H
#define CLI_ALIGNING_H

#include "cli/cli.h"

/* Aligns all traces to the first one if --align is given, and prints how well they fit. If that
   fails, reports it and returns false. */
bool inputs_align(cli *c, const inputs *in);

#endif
