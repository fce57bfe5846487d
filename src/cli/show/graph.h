/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of calls as text. */
#ifndef CLI_SHOW_GRAPH_H
#define CLI_SHOW_GRAPH_H

#include <stele/analysis.h>

#include "cli/cli.h"

/* --min-share as a part of the whole. False, and reported, when it cannot be used. */
bool graph_share(cli *c, double *share);

/* Leaves out what is below the share or after --top. */
void graph_write_tree(cli *c, stele_output *out, const stele_path_tree *tree, double share);

#endif
