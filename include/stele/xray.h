/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of LLVM XRay traces, usable on its own: file headers, and the records of flight data
 * recorder (FDR) buffers, versions 1 to 5 in both byte orders. It makes no events, allocates
 * nothing and reports nothing; every function may be called from any thread.
 *
 * Section names in quotes are those of "XRay Flight Data Recorder Trace Format" (version 1,
 * 2017-07); src/formats/xray/FORMAT.md describes what real writers do differently.
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

/* Size of a file header in bytes. */
#define STELE_XRAY_HEADER_SIZE 32u

/* Parts of a function id in traces with shared objects: the object's number is in the bits from
   STELE_XRAY_OBJECT_SHIFT on, the function's number in the mask. */
#define STELE_XRAY_OBJECT_SHIFT  24u
#define STELE_XRAY_FUNCTION_MASK 0xffffffu

/* The header of a file: "Header Section". */
typedef struct stele_xray_header {
    uint16_t version;      /* 1 to 5 in FDR mode, 1 to 3 in basic mode */
    uint16_t type;         /* 0: basic mode, 1: FDR mode */
    bool is_big_endian;    /* byte order of the file */
    bool constant_tsc;     /* the rate of the counter does not change with the CPU's */
    bool nonstop_tsc;      /* the counter does not stop in deep sleep */
    uint64_t frequency_hz; /* rate of the counter; 0: unknown; 10^9: a clock in ns emulates it */
    uint8_t free_form[16]; /* FDR mode: the first 8 bytes are the size of a thread buffer */
} stele_xray_header;

/* Decodes a header of either byte order. Returns false if the 32 bytes cannot be a header. */
STELE_API bool stele_xray_decode_header(const uint8_t bytes[STELE_XRAY_HEADER_SIZE],
                                        stele_xray_header *header);
/* Encodes a header in its own byte order. */
STELE_API void stele_xray_encode_header(const stele_xray_header *header,
                                        uint8_t bytes[STELE_XRAY_HEADER_SIZE]);

/* Kinds of records: the actions of "Function Records" have their own numbers, "Metadata Records"
   the numbers of their kinds plus 16. */
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
 * One FDR record. `tsc` is the running counter of the buffer after the record; for custom and typed
 * events of versions 1 to 4, the absolute counter in the record.
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
    uint32_t offset; /* bytes from the start of the decoded bytes to the record */
    uint32_t size;   /* of the record in bytes, payload included */
    uint32_t function;
    uint8_t kind;
} stele_xray_record;

/* Why decoding stopped. */
typedef enum stele_xray_result {
    STELE_XRAY_OK,
    STELE_XRAY_SHORT,      /* the bytes end before the record does */
    STELE_XRAY_BAD_ACTION, /* a function record with an action above 3 */
    STELE_XRAY_BAD_KIND,   /* a metadata record whose kind is not known, or not in this version */
    STELE_XRAY_BAD_SIZE    /* a payload whose size is negative */
} stele_xray_result;

/*
 * Decodes records of one FDR buffer from `bytes` until `capacity` records are filled in, the bytes
 * end, or a record cannot be decoded: `*used` bytes were decoded, and `*result` says why it
 * stopped. `*tsc` is the running counter, which the caller keeps from call to call (0 before the
 * first). Returns the number of records. `size` is at most UINT32_MAX.
 */
STELE_API size_t stele_xray_decode(const stele_xray_header *header, uint64_t *tsc,
                                   const uint8_t *bytes, size_t size, stele_xray_record *records,
                                   size_t capacity, size_t *used, stele_xray_result *result);

/* Encodes one record; `payload` is copied after custom and typed events. Writes at most 16 +
   payload size bytes and returns their number; 0 if this version has no such record. `tsc_before`
   is the running counter before the record, from which the record's delta is computed. */
STELE_API size_t stele_xray_encode(const stele_xray_header *header, uint64_t tsc_before,
                                   const stele_xray_record *record, const void *payload,
                                   uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
