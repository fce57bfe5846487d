/* SPDX-License-Identifier: Apache-2.0 */
/* Where indexes go. */
#ifndef CLI_INDEX_H
#define CLI_INDEX_H

#include <stele/overview.h>

/* Makes the folder of a path, and those that it is in, for nobody else. */
void index_make_folders(const char *path);

/* Writes the index of a trace with an overview of all of it to the folder for caches. */
stele_status index_keep(stele_trace *trace, stele_overview *overview);

#endif
