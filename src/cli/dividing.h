/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace in parts for --threads, where that gives the same result. */
#ifndef CLI_DIVIDING_H
#define CLI_DIVIDING_H

#include <stele/parts.h>

#include "cli/cli.h"

/*
 * Reads the trace of an argument in as many parts as --threads says. Returns false if the trace has
 * to be read as one; the caller then clears what `to` has joined. `*status` is how reading ended if
 * it returns true: as that of cli_read().
 */
bool dividing_read(cli *c, size_t index, stele_trace *trace, const stele_request *request,
                   const stele_parts_consumer *to, stele_reader_stats *stats, stele_status *status);

#endif
