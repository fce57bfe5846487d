/* SPDX-License-Identifier: Apache-2.0 */
/* Writing of index files. */
#ifndef CLI_INDEX_H
#define CLI_INDEX_H

#include "view/view.h"

/* Creates the folders of a path that do not exist, accessible to the user only. */
void index_make_folders(const char *path);

/* Writes the index of a trace, with its overview and what the viewer found out, to the folder for
   caches. */
stele_status index_keep(const view_kept *kept);

#endif
