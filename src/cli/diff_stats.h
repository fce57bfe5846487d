/* SPDX-License-Identifier: Apache-2.0 */
/* stele diff --of stats: one figure of groups of events or spans, of some runs and of others. */
#ifndef CLI_DIFF_STATS_H
#define CLI_DIFF_STATS_H

#include "cli/cli.h"

/* Reads all runs and shows what changed. `limit`: growth of a group's figure, as a part of it, that
   ends with an exit code; below 0: there is none. */
void diff_stats(cli *c, double limit);

#endif
