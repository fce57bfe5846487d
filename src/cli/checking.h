/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a trace as 'stele check' does. */
#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "cli/cli.h"

/* Reads a trace and checks its events, as the options and the request say; findings go to the
   report. Returns true if it was read to its end. */
bool check_trace(cli *c, stele_trace *trace, const stele_request *request,
                 stele_reader_stats *stats);

#endif
