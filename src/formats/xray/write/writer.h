/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_WRITE_WRITER_H
#define XRAY_WRITE_WRITER_H

#include "formats/xray/trace.h"

/* Opens a writer of FDR logs, versions "1" to "5" (the default), or of basic-mode logs, "basic1" to
   "basic3"; little-endian. Samples make a profiling file. */
stele_status xray_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);

/* Opens a copier of kept records. A buffer whose records are all kept is copied byte for byte. */
stele_status xray_copier_open(stele_trace *trace, output *out, copier **copier);

/*
 * Opens a writer of buffers for a copy of the FDR log, in its version and with its ticks; the
 * header has been written. Returns STELE_ERR_UNSUPPORTED for version 1 with an impossible size of
 * buffers.
 */
stele_status xray_begins_open(const xray_trace *trace, output *out, stele_writer **writer);

#endif
