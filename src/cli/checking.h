/* SPDX-License-Identifier: Apache-2.0 */
/* Judging a trace, as 'stele check' does. */
#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "cli/cli.h"

/* Reads a trace and has its events judged, as the options and the request say; what is found goes
   to the report. True when it was read to its end. */
bool check_trace(cli *c, stele_trace *trace, const stele_request *request,
                 stele_reader_stats *stats);

#endif
