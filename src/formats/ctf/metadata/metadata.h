/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a metadata stream to a schema: text is taken out of packets, its generation is
 * recognised, the front end of that generation reads it.
 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "formats/ctf/metadata/front.h"

/*
 * Reads the whole stream (with options for traces of the RFC, which may be NULL): plain text (with
 * or without the line "/" "* CTF 1.8 *" "/"; CR LF), packets of CTF 1.8 and 2 in both byte orders,
 * JSON text sequences, packets of the RFC. STELE_ERR_FORMAT: it is no metadata. STELE_ERR_MEMORY,
 * STELE_ERR_READ.
 */
stele_status metadata_read(metadata *m, diag_sink *diag, const stele_limits *limits, input *in);
stele_status metadata_read_rfc(metadata *m, diag_sink *diag, const stele_limits *limits, input *in,
                               const rfc_options *options);

/* The input stays open until the text is parsed: read text need not stay in memory. */
void metadata_keep_input(metadata *m, input *in);

/* The front end of the text's generation, and what schema_check() asks for: false if that fails, as
 * it reports. */
bool metadata_parse(metadata *m, ctf_schema *schema);

#endif
