/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTF_COPY_H
#define CTF_COPY_H

#include "formats/format.h"

/* Opens a copier of the trace that writes to a folder: see copy.c. */
stele_status ctf_copier_open(stele_trace *trace, output *out, copier **result);

#endif
