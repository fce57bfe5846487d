/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the register snapshots of a trace. */
#ifndef CLI_INSN_SNAPSHOTS_H
#define CLI_INSN_SNAPSHOTS_H

#include <stele/insn_analysis.h>

#include "cli/cli.h"

/* Gives the snapshots of all threads of a trace to `take`. */
stele_status snapshots_read(cli *c, stele_trace *trace, stele_insn_snapshot_fn *take, void *user);

#endif
