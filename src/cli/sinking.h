/* SPDX-License-Identifier: Apache-2.0 */
/* Opens sinks as the options say, for cat and convert. */
#ifndef CLI_SINKING_H
#define CLI_SINKING_H

#include <stele/sink.h>

#include "cli/cli.h"

/* Whether a sink has the columns and forms of time that the options ask for; NULL stands for a
   trace format. If not, reports it and returns false. */
bool sinking_fits(cli *c, const char *name);

/*
 * Opens a sink. Relative times are relative to the first event of the traces if `stats` knows it,
 * otherwise to the first one shown. The caller still owns `out`, and must finish it after the
 * writer.
 */
stele_status sinking_open(cli *c, const char *name, stele_output *out,
                          const stele_reader_stats *stats, stele_writer **writer);

#endif
