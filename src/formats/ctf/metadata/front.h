/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the front ends of the three generations of metadata, and what they share. */
#ifndef CTF_FRONT_H
#define CTF_FRONT_H

#include "formats/ctf/schema/schema.h"
#include "formats/ctf/schema/text.h"

#define METADATA_DEPTH_MAX 2000u /* most levels of nested types in the recursive front ends */

/* Returns how deep types of CTF 2 and the RFC may nest. Their front ends are recursive, so the
   stack must suffice even if the user raises the limit. */
static inline uint32_t metadata_depth_max(const metadata *m)
{
    return m->limits->depth_max < METADATA_DEPTH_MAX ? m->limits->depth_max : METADATA_DEPTH_MAX;
}

/* Reports event classes with an id that another class of the stream has. To be called after
   schema_finish(). Returns false if there are any. */
bool metadata_check_events(metadata *m, const ctf_schema *schema, const stele_code *code);

/*
 * The front ends. Each reads the whole text into an empty schema and reports errors. Returns false
 * if there was an error, and the schema must not be used, or if out of memory, and error_count is
 * then 0.
 */
bool tsdl_parse(metadata *m, ctf_schema *schema); /* CTF 1.8.3 */
bool json_parse(metadata *m, ctf_schema *schema); /* CTF 2 */

/*
 * Reads metadata of the RFC v1.1. The native byte order is that of the metadata's packets; for
 * plain text the caller sets is_big_endian first. Sections become stream classes, whose ids count
 * from 0.
 */
bool rfc_parse(metadata *m, ctf_schema *schema);

#endif
