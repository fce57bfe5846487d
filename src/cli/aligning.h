/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing the clocks of several traces together by events that they have in common. */
#ifndef CLI_ALIGNING_H
#define CLI_ALIGNING_H

#include "cli/cli.h"

/* With --align, aligns all traces to the first one, and says how well they fit. False, and
   reported, when that fails. */
bool inputs_align(cli *c, const inputs *in);

#endif
