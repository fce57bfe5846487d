/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the bytes of a metadata stream into a schema: takes the text out of packets, recognises its
   generation, and calls the front end of that generation. */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "formats/ctf/metadata/front.h"

/*
 * Reads a whole metadata stream: plain text (with or without the line "/" "* CTF 1.8 *" "/"; with
 * LF or CR LF), packets of CTF 1.8 and 2 in both byte orders, JSON text sequences, packets of the
 * RFC. `options` are for traces of the RFC and may be NULL. Returns STELE_ERR_FORMAT if the stream
 * is not metadata, STELE_ERR_MEMORY or STELE_ERR_READ.
 */
stele_status metadata_read(metadata *m, diag_sink *diag, const stele_limits *limits, input *in);
stele_status metadata_read_rfc(metadata *m, diag_sink *diag, const stele_limits *limits, input *in,
                               const rfc_options *options);

/* Promises that the input stays open until the text is parsed, so that text which was parsed can be
   freed and read again. */
void metadata_keep_input(metadata *m, input *in);

/* Parses the text with the front end of its generation and calls schema_check(). Returns false
   under the same conditions as both. */
bool metadata_parse(metadata *m, ctf_schema *schema);

#endif
