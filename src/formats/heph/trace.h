/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the source files of this format share. */
#ifndef HEPH_TRACE_H
#define HEPH_TRACE_H

#include "formats/format.h"
#include "formats/heph/codes.h"
#include "formats/heph/records/scan.h"

/* The names of the fields that this format's writer looks for. */
/* The first field of an event; it has STELE_HINT_CONTEXT. */
#define HEPH_FIELD_COUNTER "counter"
/* The field of an option: UINT for an epoch, BYTES for any other. */
#define HEPH_FIELD_VALUE "value"

/* The versions that a trace can name. Both layouts have the same number in the format. */
#define HEPH_VERSION     "0.1.0"
#define HEPH_VERSION_OLD "0.1.0 without substreams"

/* What is known of the times where the last block of the index begins. */
typedef struct heph_resume {
    bool can; /* it is all that indexing needs to continue there */
    uint64_t count;
    int64_t begin_ns, end_ns, latest_ns, lateness_ns;
    uint64_t first_offset, first_size;
} heph_resume;

typedef struct heph_trace {
    stele_trace base;
    heph_resume resume;
    stele_heph_layout layout;
    /* The first epoch of the trace is known. */
    bool has_epoch;
    uint64_t epoch_ns;
} heph_trace;

/* The functions of a Heph trace, from read/index.c. */
extern const trace_ops heph_ops;

/* Makes a clock whose zero is the epoch, if the epoch is known. */
stele_clock heph_clock(const heph_trace *trace);

/* Reports what is wrong in a packet that can be read nevertheless (check.c). */
void heph_check_packet(diag_sink *diag, const char *name, const heph_packet *packet);

stele_status heph_dump(stele_trace *trace, const dump_request *request);
stele_status heph_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);
stele_status heph_copier_open(stele_trace *trace, output *out, copier **out_copier);

#endif
