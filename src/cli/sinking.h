/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a sink as the options say; shared by cat and convert. */
#ifndef CLI_SINKING_H
#define CLI_SINKING_H

#include <stele/sink.h>

#include "cli/cli.h"

/* Whether the sink of this name, NULL for a trace format, has the columns and forms of time that
   were asked for; else says so and gives false. */
bool sinking_fits(cli *c, const char *name);

/* Relative times count from the first event of the traces where `stats` knows it, else from the
   first that is shown. `out` stays the caller's, to be finished after the writer. */
stele_status sinking_open(cli *c, const char *name, stele_output *out,
                          const stele_reader_stats *stats, stele_writer **writer);

#endif
