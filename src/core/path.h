/* SPDX-License-Identifier: Apache-2.0 */
/* File names: their last part, and their extensions. */
#ifndef CORE_PATH_H
#define CORE_PATH_H

#include <stdbool.h>

/* What stands after the last '/', within `path`. */
const char *path_base(const char *path);

/* ".gz" or ".zst" where the path ends with it, and has something before it; else NULL. */
const char *path_packing(const char *path);

/* True when the path ends with one of the extensions: space separated, with dots (".fxt .ftf"). One
   of path_packing() may stand after it. An extension alone is no file name. */
bool path_has_extension(const char *path, const char *extensions);

#endif
