/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a saved index, for those who write and who read it. */
#ifndef MODEL_SAVED_FILE_H
#define MODEL_SAVED_FILE_H

#include "model/saved_index.h"

/*
 *  0  8  "STELEIDX"               32  8  time of the trace's last change, ns since 1970
 *  8  4  version                  40  4  CRC-32 of samples of the trace
 * 12  4  0                        44  4  CRC-32 of what follows the header
 * 16  8  name of the format       48  8  size of what follows
 * 24  8  size of the trace
 */
#define HEADER_SIZE 56u
#define VERSION     4u

/* What follows the header: sections, each with its number, its size, and its bytes. Of those with
   other numbers than these, nothing is needed. */
#define SECTION_FORMAT 1u /* the format's own */
#define SECTION_BLOCKS 2u /* seek_index_put() */
#define SECTION_OPENED 3u /* seek_opened_put(); not always there */
#define SECTION_COUNT  3u

/* Samples of the trace, which tell whether it is still the same. */
#define SAMPLE_COUNT 16u
#define SAMPLE_SIZE  ((size_t)4 << 10)

/* An index is about a thousandth of its trace. */
#define PAYLOAD_MAX(trace_size) ((trace_size) / 64 + ((uint64_t)1 << 20))

/* Of which trace it is. */
typedef struct saved_identity {
    uint64_t size;      /* of all files */
    int64_t changed_ns; /* the last one's */
    uint32_t sample;
} saved_identity;

/* A regular file as it stands; false for all else. */
bool saved_is_plain_file(const stele_trace *trace);

/* All files of the trace; false where some are none that can be looked at again. */
bool saved_identity_of(const stele_trace *trace, saved_identity *id);

/* The header of a file that has `size` bytes after it. */
void saved_header_put(uint8_t *to, const stele_trace *trace, const saved_identity *id,
                      const uint8_t *payload, size_t size);

#endif
