/* SPDX-License-Identifier: Apache-2.0 */
/* stele diff --of stats: compares one figure of groups of events or spans between runs. */
#ifndef CLI_DIFF_STATS_H
#define CLI_DIFF_STATS_H

#include "cli/cli.h"

/* Reads all runs and shows what changed. `limit` is the growth of a group's figure, as a
   fraction, that sets the exit code; below 0: none. */
void diff_stats(cli *c, double limit);

#endif
