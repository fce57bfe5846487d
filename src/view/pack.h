/* SPDX-License-Identifier: Apache-2.0 */
/* Folders packed as one tar file, which a browser can save and 'stele' can read as it is. */
#ifndef VIEW_PACK_H
#define VIEW_PACK_H

#include <stele/output.h>

/*
 * Writes the files of a folder and of the folders in it as POSIX ustar. Returns STELE_ERR_READ or
 * STELE_ERR_WRITE if a file cannot be read or written, STELE_ERR_UNSUPPORTED if tar cannot hold a
 * name.
 */
stele_status pack_folder(const char *path, stele_output *out);

#endif
