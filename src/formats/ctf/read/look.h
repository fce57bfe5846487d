/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a folder that grows. */
#ifndef CTF_LOOK_H
#define CTF_LOOK_H

#include "formats/ctf/trace.h"

/* What is wrong with metadata that stay as they are for so long is no longer on its way. */
#define LOOK_METADATA_MS 1000

/* What the user says of a trace holds for each look at it: `look` is made, without a source. */
void look_take_settings(ctf_trace *look, const ctf_trace *first);

/* Whether the metadata can be read without an error now: they may be half written. `*size` is how
   many bytes they have. */
bool look_is_sound(const ctf_trace *first, source *from, uint64_t *size);

/* Waits until they can be, or stay as they are. */
void look_await_metadata(const ctf_trace *first);

#endif
