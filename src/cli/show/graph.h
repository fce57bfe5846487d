/* SPDX-License-Identifier: Apache-2.0 */
/* Writes trees of calls as text. */
#ifndef CLI_SHOW_GRAPH_H
#define CLI_SHOW_GRAPH_H

#include <stele/analysis.h>

#include "cli/cli.h"

/*
 * Parses --min-share as a fraction of the whole. If it is not valid, reports it and returns false.
 */
bool graph_share(cli *c, double *share);

/* Writes the tree without the parts below `share` or beyond --top. */
void graph_write_tree(cli *c, stele_output *out, const stele_path_tree *tree, double share);

#endif
