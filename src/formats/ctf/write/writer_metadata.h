/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the metadata of a trace after all of its events. */
#ifndef CTF_WRITER_METADATA_H
#define CTF_WRITER_METADATA_H

#include "formats/ctf/write/writer_state.h"

/* Writes the metadata file. */
void writer_metadata_finish(ctf_writer *w);

#endif
