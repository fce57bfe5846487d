/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of an output share: output_open.c makes outputs, output.c writes to
   them, output_finish.c ends them. */
#ifndef CORE_OUTPUT_INSIDE_H
#define CORE_OUTPUT_INSIDE_H

#include "core/output.h"

/* Bytes that are collected before they are written to the file. */
#define OUTPUT_BUFFER_SIZE ((size_t)64 << 10)

/* Keeps the first error of an output and reports it with the reason `why`. Returns the first
   error. */
stele_status output_fail(output *out, stele_status status, const char *why);

/* Keeps and reports an error as output_fail() does, for a call that has set errno. */
stele_status output_fail_errno(output *out);

/* Removes the last `count` folders of a path to a file from the disk. */
void output_forget_folders(char *path, unsigned count);

/* Passes all bytes of the buffer and the packer to the file. Nothing can be appended afterwards. */
stele_status output_end(output *out);

#endif
