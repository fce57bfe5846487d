/* SPDX-License-Identifier: Apache-2.0 */
/* The front ends of the three generations of metadata, and what they share. */
#ifndef CTF_FRONT_H
#define CTF_FRONT_H

#include "formats/ctf/schema/schema.h"
#include "formats/ctf/schema/text.h"

#define METADATA_DEPTH_MAX 2000u

/* How deep types of CTF 2 and the RFC may nest: their front ends are recursive, so whatever the
   limits say, the stack must suffice. */
static inline uint32_t metadata_depth_max(const metadata *m)
{
    return m->limits->depth_max < METADATA_DEPTH_MAX ? m->limits->depth_max : METADATA_DEPTH_MAX;
}

/* Reports an event class whose id is taken already, after schema_finish(); false: there was one.
 */
bool metadata_check_events(metadata *m, const ctf_schema *schema, const stele_code *code);

/*
 * The front ends. Each reads the whole text into an empty schema, reporting what is wrong; false
 * when an error was reported (the schema is then not to be used) or memory is exhausted (then with
 * error_count 0).
 */
bool tsdl_parse(metadata *m, ctf_schema *schema); /* CTF 1.8.3 */
bool json_parse(metadata *m, ctf_schema *schema); /* CTF 2 */

/* RFC v1.1. Native byte order is that of the metadata's packets; of plain text, the caller sets
   is_big_endian before. Sections are stream classes, their ids numbers from 0. */
bool rfc_parse(metadata *m, ctf_schema *schema);

#endif
