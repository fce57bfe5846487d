/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the file of a saved index, shared by the parts that write and read it. */
#ifndef MODEL_SAVED_FILE_H
#define MODEL_SAVED_FILE_H

#include "model/saved_index.h"

/*
 * The header, as offset, size in bytes, and contents; numbers are little-endian:
 *
 *  0  8  "STELEIDX"               32  8  time of the trace's last change, ns since 1970
 *  8  4  version                  40  4  CRC-32 of samples of the trace
 * 12  4  0                        44  4  CRC-32 of what follows the header
 * 16  8  name of the format       48  8  size of what follows
 * 24  8  size of the trace        56  8  size of the bytes of a program
 *                                 64  4  CRC-32 of those
 * 68  4  0
 *
 * Sections follow, then the bytes that a program keeps, then an overview up to the end of the file.
 */
#define HEADER_SIZE 72u
#define VERSION     7u

/* Numbers of the sections that follow the header; each section has its number, its size, and its
   bytes. Sections with other numbers are ignored. */
#define SECTION_FORMAT 1u /* written by the format: trace_ops.save_index */
#define SECTION_BLOCKS 2u /* written by seek_index_put() */
#define SECTION_OPENED 3u /* written by seek_opened_put(); may be missing */
#define SECTION_COUNT  3u

/* How many samples of the trace are read to find out whether it has changed, and their size. */
#define SAMPLE_COUNT 16u
#define SAMPLE_SIZE  ((size_t)4 << 10)

/* The size of the sections is limited, though an index is about a thousandth of its trace. */
#define PAYLOAD_MAX(trace_size) ((trace_size) / 64 + ((uint64_t)1 << 20))

/* Identifies the trace that an index is of. */
typedef struct saved_identity {
    uint64_t size;      /* of all files together, in bytes */
    int64_t changed_ns; /* time of the last change of any file */
    /* CRC-32 of the samples */
    uint32_t sample;
} saved_identity;

/* Whether the trace is a regular file that is read directly, not compressed. */
bool saved_is_plain_file(const stele_trace *trace);

/* Finds the identity of a trace from all of its files. Returns false if some are not files that can
   be read again. */
bool saved_identity_of(const stele_trace *trace, saved_identity *id);

/* Writes the header of an index whose sections are the `size` bytes of `payload`, in which a
   program keeps `extra`, which may be NULL. */
void saved_header_put(uint8_t *to, const stele_trace *trace, const saved_identity *id,
                      const uint8_t *payload, size_t size, const saved_extra *extra);

#endif
