/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTF_WRITER_H
#define CTF_WRITER_H

#include "formats/ctf/schema/schema.h"
#include "model/writer.h"

/*
 * Opens a writer of a folder in CTF 1.8, or in version "2" or "rfc". Settings, for the RFC only:
 * compress (bzip2, gzip), checksum (md5, sha1, crc32), to-key-file (a file with a key of 16, 24 or
 * 32 bytes).
 */
stele_status ctf_writer_open(stele_context *context, output *out,
                             const stele_writer_options *options, stele_writer **writer);

/* Finds the generation of "1.8", "2" or "rfc"; NULL is CTF 1.8. Returns false if it is not a
   version. */
bool ctf_version_find(const char *version, ctf_generation *generation);

/* Counts what a trace has besides its events, which a writer of events does not get. */
void ctf_lose_trace(stele_writer *writer, const stele_trace *trace);

#endif
