/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a trace as 'stele check' does. */
#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "cli/cli.h"

/* Reads a trace and checks its events, as the options and the request say; findings go to the
   report. `*mark_count` becomes how many of the events that were read say that others are lost.
   Returns true if it was read to its end. */
bool check_trace(cli *c, stele_trace *trace, const stele_request *request,
                 stele_reader_stats *stats, uint64_t *mark_count);

#endif
