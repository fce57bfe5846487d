/* SPDX-License-Identifier: Apache-2.0 */
/* Writing of index files. */
#ifndef CLI_INDEX_H
#define CLI_INDEX_H

#include <stele/overview.h>

/* Creates the folders of a path that do not exist, accessible to the user only. */
void index_make_folders(const char *path);

/* Writes the index of a trace, with its overview, to the folder for caches. */
stele_status index_keep(stele_trace *trace, stele_overview *overview);

#endif
