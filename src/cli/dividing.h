/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace in parts for --threads, where that gives the same result. */
#ifndef CLI_DIVIDING_H
#define CLI_DIVIDING_H

#include "cli/cli.h"

/*
 * Reads a trace in as many parts as --threads says, if the consumer can take parts. Returns false
 * if the trace has to be read as one; nothing is left of what was joined. `*status` is how reading
 * ended if it returns true, as that of cli_read().
 */
bool dividing_read(cli *c, stele_trace *trace, const stele_request *request, const consumer *to,
                   stele_reader_stats *stats, stele_status *status);

#endif
