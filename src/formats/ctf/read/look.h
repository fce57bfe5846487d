/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the metadata of a folder that grows, which may be half written. */
#ifndef CTF_LOOK_H
#define CTF_LOOK_H

#include "formats/ctf/trace.h"

/* Milliseconds after which metadata that did not change are taken as complete, with their
   errors. */
#define LOOK_METADATA_MS 1000

/* Copies the settings that the user gave for `first` to `look`, a trace without a source that
   serves for one look at the folder. */
void look_take_settings(ctf_trace *look, const ctf_trace *first);

/* Whether the metadata can now be read without an error; they may be half written. Sets `*size` to
   their size in bytes. */
bool look_is_sound(const ctf_trace *first, source *from, uint64_t *size);

/* Waits until the metadata can be read without an error, or did not change for LOOK_METADATA_MS. */
void look_await_metadata(const ctf_trace *first);

#endif
