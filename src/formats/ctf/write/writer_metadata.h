/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of a trace whose events are all written. */
#ifndef CTF_WRITER_METADATA_H
#define CTF_WRITER_METADATA_H

#include "formats/ctf/write/writer_state.h"

/* Writes the metadata file. */
void writer_metadata_finish(ctf_writer *w);

#endif
