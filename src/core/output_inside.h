/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs inside: output_open.c makes them, output.c writes to them, output_finish.c ends them.
 */
#ifndef CORE_OUTPUT_INSIDE_H
#define CORE_OUTPUT_INSIDE_H

#include "core/output.h"

/* Bytes that are gathered before they are given to the file. */
#define OUTPUT_BUFFER_SIZE ((size_t)64 << 10)

/* Notes the first error of an output and reports it, with why. Returns it. */
stele_status output_fail(output *out, stele_status status, const char *why);

/* The same, of a call that has set errno. */
stele_status output_fail_errno(output *out);

/* Removes the last `count` folders of a path to a file. */
void output_forget_folders(char *path, unsigned count);

/* Gives all that the buffer and the packer hold to the file; nothing more can be written. */
stele_status output_end(output *out);

#endif
