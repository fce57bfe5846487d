/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, fills and completes the files of a copy. */
#ifndef CTF_COPY_FILES_H
#define CTF_COPY_FILES_H

#include "formats/ctf/write/copy_state.h"

/* Completes files of the stream that get no more packets, or all of its files. */
void copy_seal_files(ctf_copier *c, bool all);

/* Opens the file of the copy that packets of the current file go to. */
stele_status copy_open_file(ctf_copier *c, file_copy **opened);

/* Copies bytes of a file, through its window, to an output. */
stele_status copy_range(window *w, uint64_t offset, uint64_t size, output *out);

/* Copies a member as it is. */
stele_status copy_member(ctf_copier *c, size_t member, const char *name);

/* Copies a data stream file of 0 bytes, and its index, as it is a file of the trace, too. Does
   nothing for other files. */
stele_status copy_empty(ctf_copier *c, const ctf_file *file);

#endif
