/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this format share. */
#ifndef HEPH_TRACE_H
#define HEPH_TRACE_H

#include "formats/format.h"
#include "formats/heph/codes.h"
#include "formats/heph/records/scan.h"

/* Names of fields that this format's writer looks at. */
#define HEPH_FIELD_COUNTER "counter" /* of events, the first field, STELE_HINT_CONTEXT */
#define HEPH_FIELD_VALUE   "value"   /* of options: UINT for an epoch, else BYTES */

/* What a trace tells of its version; both layouts have the same number. */
#define HEPH_VERSION     "0.1.0"
#define HEPH_VERSION_OLD "0.1.0 without substreams"

typedef struct heph_trace {
    stele_trace base;
    stele_heph_layout layout;
    bool has_epoch; /* the first one of the trace is known */
    uint64_t epoch_ns;
} heph_trace;

/* read/index.c */
extern const trace_ops heph_ops;

/* A clock whose zero is the epoch, as far as there is one. */
stele_clock heph_clock(const heph_trace *trace);

/* check.c: what is wrong in a packet that can be read. */
void heph_check_packet(diag_sink *diag, const char *name, const heph_packet *packet);

stele_status heph_dump(stele_trace *trace, const dump_request *request);
stele_status heph_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);
stele_status heph_copier_open(stele_trace *trace, output *out, copier **out_copier);

#endif
