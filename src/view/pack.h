/* SPDX-License-Identifier: Apache-2.0 */
/* Folders as one file, so that a browser can save them: tar, which 'stele' reads as it is. */
#ifndef VIEW_PACK_H
#define VIEW_PACK_H

#include <stele/output.h>

/* Writes the files of a folder, and of folders in it, as POSIX ustar. STELE_ERR_READ,
   STELE_ERR_WRITE; names that tar cannot hold are STELE_ERR_UNSUPPORTED. */
stele_status pack_folder(const char *path, stele_output *out);

#endif
