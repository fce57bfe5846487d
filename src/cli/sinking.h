/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a sink as the options say; shared by cat and convert. */
#ifndef CLI_SINKING_H
#define CLI_SINKING_H

#include "cli/cli.h"
#include "sinks/sink.h"

/* `out` stays the caller's, to be finished after the writer. */
bool sinking_open(cli *c, const sink *to, output *out, stele_writer **writer);

#endif
