/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of the Fuchsia Trace Format, usable on its own: bytes to records and back. It knows
 * nothing of events, keeps no state, allocates nothing, and is safe to call from any thread.
 * Section numbers in quotes are headings of the format's specification.
 */
#ifndef STELE_FXT_H
#define STELE_FXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "Record Types": bits 0 to 3 of every header. */
typedef enum stele_fxt_type {
    STELE_FXT_METADATA = 0,
    STELE_FXT_INITIALIZATION = 1,
    STELE_FXT_STRING = 2,
    STELE_FXT_THREAD = 3,
    STELE_FXT_EVENT = 4,
    STELE_FXT_BLOB = 5,
    STELE_FXT_USERSPACE_OBJECT = 6,
    STELE_FXT_KERNEL_OBJECT = 7,
    STELE_FXT_SCHEDULING = 8,
    STELE_FXT_LOG = 9,
    STELE_FXT_PROFILER = 10,
    STELE_FXT_LARGE = 15
} stele_fxt_type;

/* Subtypes of metadata, event, scheduling, profiler and large records. */
typedef enum stele_fxt_metadata {
    STELE_FXT_PROVIDER_INFO = 1,
    STELE_FXT_PROVIDER_SECTION = 2,
    STELE_FXT_PROVIDER_EVENT = 3,
    STELE_FXT_TRACE_INFO = 4
} stele_fxt_metadata;

typedef enum stele_fxt_event {
    STELE_FXT_INSTANT = 0,
    STELE_FXT_COUNTER = 1,
    STELE_FXT_DURATION_BEGIN = 2,
    STELE_FXT_DURATION_END = 3,
    STELE_FXT_DURATION_COMPLETE = 4,
    STELE_FXT_ASYNC_BEGIN = 5,
    STELE_FXT_ASYNC_INSTANT = 6,
    STELE_FXT_ASYNC_END = 7,
    STELE_FXT_FLOW_BEGIN = 8,
    STELE_FXT_FLOW_STEP = 9,
    STELE_FXT_FLOW_END = 10
} stele_fxt_event;

typedef enum stele_fxt_scheduling {
    STELE_FXT_CONTEXT_SWITCH_OLD = 0, /* "Context Switch Record": thread references, priorities */
    STELE_FXT_CONTEXT_SWITCH = 1,     /* thread koids and arguments */
    STELE_FXT_THREAD_WAKEUP = 2
} stele_fxt_scheduling;

typedef enum stele_fxt_profiler {
    STELE_FXT_MODULE = 0,
    STELE_FXT_MMAP = 1,
    STELE_FXT_BACKTRACE = 2
} stele_fxt_profiler;

typedef enum stele_fxt_argument_type {
    STELE_FXT_ARGUMENT_NULL = 0,
    STELE_FXT_ARGUMENT_INT32 = 1,
    STELE_FXT_ARGUMENT_UINT32 = 2,
    STELE_FXT_ARGUMENT_INT64 = 3,
    STELE_FXT_ARGUMENT_UINT64 = 4,
    STELE_FXT_ARGUMENT_DOUBLE = 5,
    STELE_FXT_ARGUMENT_STRING = 6,
    STELE_FXT_ARGUMENT_POINTER = 7,
    STELE_FXT_ARGUMENT_KOID = 8,
    STELE_FXT_ARGUMENT_BOOL = 9,
    STELE_FXT_ARGUMENT_BLOB = 10
} stele_fxt_argument_type;

#define STELE_FXT_MAGIC           UINT64_C(0x0016547846040010) /* the first word of a trace */
#define STELE_FXT_LARGE_BLOB      0u                           /* the one large type known */
#define STELE_FXT_RECORD_SIZE_MAX (4095u * 8u)                 /* of all but large records */
#define STELE_FXT_STRING_SIZE_MAX 32000u
#define STELE_FXT_ARGUMENTS_MAX   15u
#define STELE_FXT_INLINE          0x8000u /* of a string reference: its bytes are in the record */

/* Why decoding stopped before the end of the contents. */
typedef enum stele_fxt_fault {
    STELE_FXT_OK = 0,
    STELE_FXT_FAULT_CUT,            /* the bytes given end before the contents do */
    STELE_FXT_FAULT_SIZE,           /* the record is too small for its contents, or its size is 0 */
    STELE_FXT_FAULT_ARGUMENT_SIZE,  /* an argument's size is 0, or more than the record has left */
    STELE_FXT_FAULT_ARGUMENT_SHORT, /* an argument is too small for its contents */
    STELE_FXT_FAULT_SUBTYPE         /* an event, scheduling, ... record of a kind not known */
} stele_fxt_fault;

/* "String References". */
typedef struct stele_fxt_string {
    uint16_t ref;         /* 0: empty; to 0x7fff: index; else STELE_FXT_INLINE | size in bytes */
    const uint8_t *bytes; /* of an inline string, not terminated; else NULL */
} stele_fxt_string;

/* "Thread References", also of processes and where only koids are written. */
typedef struct stele_fxt_thread {
    uint8_t ref;      /* index, 0: inline */
    bool has_process; /* the koids that are written in the record */
    bool has_thread;
    uint64_t process, thread;
} stele_fxt_thread;

/* "Argument Types". */
typedef struct stele_fxt_argument {
    uint8_t type;         /* stele_fxt_argument_type, or one not known */
    uint8_t fault;        /* stele_fxt_fault: name and value as far as they could be read */
    uint64_t header;      /* as written; not looked at when encoding */
    const uint8_t *bytes; /* the whole argument; not looked at when encoding */
    uint32_t size;        /* in bytes, as its header says */
    uint32_t used;        /* bytes that its known contents take; the rest is an extension */
    stele_fxt_string name;
    uint64_t value;          /* integers (signed ones extended), bits of a double, pointer, koid,
                                bool, size of a blob in bytes */
    stele_fxt_string string; /* of a string argument */
    const uint8_t *blob;     /* of a blob argument: `value` bytes */
} stele_fxt_argument;

/*
 * One record, flat: what the type does not have is 0. Pointers lead into the decoded bytes.
 *
 * type              subtype     members
 * METADATA          metadata    number: provider id, event: provider event or trace info type,
 *                               name (provider info; ref is STELE_FXT_INLINE | size)
 * INITIALIZATION                words[0]: ticks/s; with word_count 3 also base ticks, base ns since
 *                               1970-01-01 UTC
 * STRING                        number: index, name (inline)
 * THREAD                        number: index, thread
 * EVENT             event       ticks, thread, category, name, arguments, words[0]: counter id,
 *                               end ticks or correlation id; of an instant with word_count 1: scope
 * BLOB                          name, number: blob type, payload
 * USERSPACE_OBJECT              words[0]: pointer, thread (process only), name, arguments
 * KERNEL_OBJECT                 words[0]: koid, number: object type, name, arguments
 * SCHEDULING        scheduling  ticks, number: cpu, thread, incoming, outgoing_state, priorities,
 *                               arguments
 * LOG                           ticks, thread, payload: the message
 * PROFILER          profiler    ticks, thread, number: module id; name and payload (build id); or
 *                               event: access bits, words: start, range, vaddr; or payload: the
 *                               program counters as words
 * LARGE             large type  event: format; category, name; of format 0 also ticks, thread,
 *                               arguments; payload
 */
typedef struct stele_fxt_record {
    const uint8_t *bytes; /* the record's first byte */
    uint64_t size;        /* in bytes, as its header says */
    uint64_t header;
    bool is_big_endian;
    uint8_t type, subtype;
    uint8_t fault; /* stele_fxt_fault; what lies before `fault_offset` is decoded */
    bool has_ticks;
    uint8_t argument_count;
    uint8_t word_count;
    uint8_t outgoing_state;
    uint8_t outgoing_priority, incoming_priority;
    uint8_t event;
    uint32_t number;
    uint32_t fault_offset; /* from the record's first byte */
    uint64_t used;         /* bytes that the known contents take; the rest is an extension */
    uint64_t ticks;
    stele_fxt_thread thread, incoming;
    stele_fxt_string category, name;
    uint64_t words[3];
    const uint8_t *arguments; /* for stele_fxt_argument_next() */
    uint32_t arguments_size;  /* bytes, up to the fault if there is one in them */
    const uint8_t *payload;
    uint64_t payload_size; /* in bytes; of a large record it need not all be in memory */
} stele_fxt_record;

/* Size in bytes of the record with this header word (in native order); 0 for damaged headers. */
STELE_API uint64_t stele_fxt_record_size(uint64_t header);

/*
 * Decodes the record at `bytes`, of which `size` bytes are there (more is fine). Of a large record
 * only what lies before the payload needs to be. Returns record->fault; whatever it is, the record
 * holds what could be read, and record->size says where the next one begins (0: nowhere).
 */
STELE_API stele_fxt_fault stele_fxt_decode(const void *bytes, size_t size, bool is_big_endian,
                                           stele_fxt_record *record);

/* Walks the arguments of a record: start with zeros. */
typedef struct stele_fxt_arguments {
    uint32_t offset; /* of the next one, in the arguments */
    uint32_t count;  /* of arguments that were taken */
} stele_fxt_arguments;

/* The next argument; false after the last, or after one with STELE_FXT_FAULT_ARGUMENT_SIZE. */
STELE_API bool stele_fxt_argument_next(const stele_fxt_record *record, stele_fxt_arguments *walk,
                                       stele_fxt_argument *argument);

/*
 * Encodes a record, little-endian, from the same members (not: bytes, size, header, fault, used,
 * arguments). `arguments` are argument_count ones. Returns its size in bytes; 0 when that is more
 * than `capacity`, more than the format can hold, or when the type is not known. Of a large blob
 * everything before the payload is written, `payload` and padding are left to the caller.
 */
STELE_API size_t stele_fxt_encode(const stele_fxt_record *record,
                                  const stele_fxt_argument *arguments, void *to, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
