/* SPDX-License-Identifier: Apache-2.0 */
/* Extracts the bytes of a blob for 'stele dump --blob'. */
#ifndef CLI_BLOB_H
#define CLI_BLOB_H

#include "cli/cli.h"

void blob_extract(cli *c, stele_trace *trace, const char *name);

#endif
