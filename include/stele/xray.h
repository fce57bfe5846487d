/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of LLVM XRay traces, usable on its own: file headers, and the records of flight data
 * recorder (FDR) buffers, versions 1 to 5 in both byte orders. It knows nothing of events,
 * allocates nothing and reports nothing; every function may be called from any thread.
 *
 * Sections named below are those of "XRay Flight Data Recorder Trace Format" (version 1, 2017-07);
 * what real writers do differently is described in src/formats/xray/FORMAT.md.
 */
#ifndef STELE_XRAY_H
#define STELE_XRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STELE_XRAY_HEADER_SIZE 32u

/* Function ids, with shared objects: the object's number stands above the function's own. */
#define STELE_XRAY_OBJECT_SHIFT  24u
#define STELE_XRAY_FUNCTION_MASK 0xffffffu

/* "Header Section". */
typedef struct stele_xray_header {
    uint16_t version;      /* 1 to 5 (FDR), 1 to 3 (basic) */
    uint16_t type;         /* 0 basic, 1 FDR */
    bool is_big_endian;    /* of the file */
    bool constant_tsc;     /* the counter's rate does not change with the CPU's */
    bool nonstop_tsc;      /* the counter goes on in deep sleep */
    uint64_t frequency_hz; /* of the counter; 0: unknown; 10^9: emulated by a clock of ns */
    uint8_t free_form[16]; /* FDR: first 8 bytes are the size of a thread buffer */
} stele_xray_header;

/* Reads a header of either byte order; false when these 32 bytes can be none. */
STELE_API bool stele_xray_decode_header(const uint8_t bytes[STELE_XRAY_HEADER_SIZE],
                                        stele_xray_header *header);
STELE_API void stele_xray_encode_header(const stele_xray_header *header,
                                        uint8_t bytes[STELE_XRAY_HEADER_SIZE]);

/* Kinds of records: the actions of function records, then 16 and the number of a metadata record
   ("Function Records", "Metadata Records"). */
typedef enum stele_xray_kind {
    STELE_XRAY_ENTER = 0,
    STELE_XRAY_EXIT = 1,
    STELE_XRAY_TAIL_EXIT = 2,
    STELE_XRAY_ENTER_ARGS = 3,
    STELE_XRAY_NEW_BUFFER = 16,
    STELE_XRAY_END_OF_BUFFER = 17,
    STELE_XRAY_NEW_CPU = 18,
    STELE_XRAY_TSC_WRAP = 19,
    STELE_XRAY_WALL_TIME = 20,
    STELE_XRAY_CUSTOM_EVENT = 21,
    STELE_XRAY_CALL_ARGUMENT = 22,
    STELE_XRAY_EXTENTS = 23,
    STELE_XRAY_TYPED_EVENT = 24,
    STELE_XRAY_PID = 25
} stele_xray_kind;

/*
 * One FDR record. `tsc` is the running counter of the buffer after the record; of custom and typed
 * events of versions 1 to 4, the absolute counter that they carry.
 *
 * kind            function        value
 * ENTER...        function id     ticks since the record before
 * NEW_BUFFER      0               thread id
 * NEW_CPU         CPU             0
 * WALL_TIME       microseconds    seconds
 * CUSTOM_EVENT    CPU (version 4) size of the payload
 * CALL_ARGUMENT   0               the argument
 * EXTENTS         0               bytes that follow in the buffer
 * TYPED_EVENT     event type      size of the payload
 * PID             0               process id
 */
typedef struct stele_xray_record {
    uint64_t tsc;
    uint64_t value;
    uint32_t offset; /* of the record in the bytes given */
    uint32_t size;   /* of the record in bytes, with its payload */
    uint32_t function;
    uint8_t kind;
} stele_xray_record;

typedef enum stele_xray_result {
    STELE_XRAY_OK,
    STELE_XRAY_SHORT,      /* the bytes end before the record does */
    STELE_XRAY_BAD_ACTION, /* a function record with an action above 3 */
    STELE_XRAY_BAD_KIND,   /* a metadata record of no known kind, or of none in this version */
    STELE_XRAY_BAD_SIZE    /* a payload of negative size */
} stele_xray_result;

/*
 * Decodes records of one FDR buffer from `bytes` until `capacity` records are filled in, the bytes
 * end, or a record cannot be read: `*used` bytes were decoded, `*result` says why it stopped.
 * `*tsc` is the running counter, to be carried from call to call (0 before the first). Gives the
 * number of records. `size` is at most UINT32_MAX.
 */
STELE_API size_t stele_xray_decode(const stele_xray_header *header, uint64_t *tsc,
                                   const uint8_t *bytes, size_t size, stele_xray_record *records,
                                   size_t capacity, size_t *used, stele_xray_result *result);

/*
 * Encodes one record; `payload` is copied after custom and typed events. Writes at most
 * 16 + payload size bytes and gives their number; 0 when this version has no such record.
 * `tsc_before` is the running counter before the record, from which deltas are taken.
 */
STELE_API size_t stele_xray_encode(const stele_xray_header *header, uint64_t tsc_before,
                                   const stele_xray_record *record, const void *payload,
                                   uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
