/* SPDX-License-Identifier: Apache-2.0 */
/* File names: their last part, and their extensions. */
#ifndef CORE_PATH_H
#define CORE_PATH_H

#include <stdbool.h>

/* The part of a path after the last '/'; it points into `path`. */
const char *path_base(const char *path);

/* ".gz" or ".zst" if the path ends with it and has something before it; else NULL. */
const char *path_packing(const char *path);

/* Whether a path ends with one of the extensions, which are separated by spaces, with dots (".fxt
   .ftf"). An ending of path_packing() may follow. An extension alone is not a file name. */
bool path_has_extension(const char *path, const char *extensions);

#endif
