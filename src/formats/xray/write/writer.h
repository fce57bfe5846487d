/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_WRITE_WRITER_H
#define XRAY_WRITE_WRITER_H

#include "formats/xray/trace.h"

/* Writes FDR logs, versions "1" to "5" (which is what no version means), and basic-mode logs,
   "basic1" to "basic3"; little-endian. Samples make a profiling file. */
stele_status xray_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);

/* Copies kept records; a buffer of which every record is kept stays byte for byte. */
stele_status xray_copier_open(stele_trace *trace, output *out, copier **copier);

/* A writer of buffers for the FDR log that a copy of the trace is, in its version and with its
   ticks; the header is there already. STELE_ERR_UNSUPPORTED: version 1, with buffers of no size
   that can be. */
stele_status xray_begins_open(const xray_trace *trace, output *out, stele_writer **writer);

#endif
