/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a copy. */
#ifndef CTF_COPY_FILES_H
#define CTF_COPY_FILES_H

#include "formats/ctf/write/copy_state.h"

/* Completes files of the stream that get no more packets. */
void copy_seal_files(ctf_copier *c, bool all);

/* Opens the file of the copy that packets of the current file go to. */
stele_status copy_open_file(ctf_copier *c, file_copy **opened);

/* Copies bytes from a window to an output. */
stele_status copy_range(window *w, uint64_t offset, uint64_t size, output *out);

/* Copies a member as it is. */
stele_status copy_member(ctf_copier *c, size_t member, const char *name);

/* Copies a file that holds nothing, which is a file of the trace, too. */
stele_status copy_empty(ctf_copier *c, const ctf_file *file);

#endif
