/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a folder before it is replaced by an output: which of them go with it. */
#ifndef CORE_REPLACED_H
#define CORE_REPLACED_H

#include "core/output.h"

/*
 * Looks for a file in the folder that neither the output has nor its owner takes, which must not be
 * deleted: then reports it and returns STELE_ERR_EXISTS. With `is_early` the names of the new files
 * are not known: then only files count that the output will hardly have. Other errors:
 * STELE_ERR_MEMORY.
 */
stele_status replaced_check(output *out, bool is_early);

/* Removes what is left of the old folder: files that the output has at `out->path`, too, and those
   that its owner takes. `path` is where the old folder is now: at a temporary name, or still at
   `out->path`; then only what the owner takes is removed. */
void replaced_remove(const output *out, const char *path);

#endif
