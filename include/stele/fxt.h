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

/* Subtypes of metadata records: "Metadata Record". */
typedef enum stele_fxt_metadata {
    STELE_FXT_PROVIDER_INFO = 1,
    STELE_FXT_PROVIDER_SECTION = 2,
    STELE_FXT_PROVIDER_EVENT = 3,
    STELE_FXT_TRACE_INFO = 4
} stele_fxt_metadata;

/* Subtypes of event records: "Event Record". */
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

/* Subtypes of scheduling records: "Scheduling Record". */
typedef enum stele_fxt_scheduling {
    STELE_FXT_CONTEXT_SWITCH_OLD = 0, /* "Context Switch Record": thread references, priorities */
    STELE_FXT_CONTEXT_SWITCH = 1,     /* thread koids and arguments */
    STELE_FXT_THREAD_WAKEUP = 2
} stele_fxt_scheduling;

/* Subtypes of profiler records. */
typedef enum stele_fxt_profiler {
    STELE_FXT_MODULE = 0,
    STELE_FXT_MMAP = 1,
    STELE_FXT_BACKTRACE = 2
} stele_fxt_profiler;

/* Types of arguments: "Arguments". */
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
#define STELE_FXT_LARGE_BLOB      0u /* subtype of large records; the only one that is known */
#define STELE_FXT_RECORD_SIZE_MAX (4095u * 8u) /* bytes of any record but a large one */
#define STELE_FXT_STRING_SIZE_MAX 32000u       /* bytes of one string */
#define STELE_FXT_ARGUMENTS_MAX   15u          /* arguments of one record */
/* In a string reference: the bytes of the string are in the record. */
#define STELE_FXT_INLINE 0x8000u

/* Why decoding stopped before the end of the contents. */
typedef enum stele_fxt_fault {
    STELE_FXT_OK = 0,
    STELE_FXT_FAULT_CUT,           /* the bytes that were given end before the contents do */
    STELE_FXT_FAULT_SIZE,          /* the record is too small for its contents, or its size is 0 */
    STELE_FXT_FAULT_ARGUMENT_SIZE, /* an argument's size is 0, or more than is left of the record */
    STELE_FXT_FAULT_ARGUMENT_SHORT, /* an argument is too small for its contents */
    STELE_FXT_FAULT_SUBTYPE /* the subtype of an event, scheduling, ... record is not known */
} stele_fxt_fault;

/* A reference to a string, by index or with its bytes: "String References". */
typedef struct stele_fxt_string {
    uint16_t ref;         /* 0: empty; 1 to 0x7fff: index; else STELE_FXT_INLINE | size in bytes */
    const uint8_t *bytes; /* of an inline string, not terminated; else NULL */
} stele_fxt_string;

/* A reference to a thread ("Thread References"), also used for processes and where the record holds
   koids only. */
typedef struct stele_fxt_thread {
    uint8_t ref;              /* index; 0: the koids are in the record */
    bool has_process;         /* `process` is in the record */
    bool has_thread;          /* `thread` is in the record */
    uint64_t process, thread; /* koids */
} stele_fxt_thread;

/* One argument of a record: "Argument Types". */
typedef struct stele_fxt_argument {
    uint8_t type;         /* stele_fxt_argument_type, or a type that is not known */
    uint8_t fault;        /* stele_fxt_fault; name and value hold what could be read before it */
    uint64_t header;      /* as written; ignored by the encoder */
    const uint8_t *bytes; /* the whole argument; ignored by the encoder */
    uint32_t size;        /* in bytes, as its header says */
    uint32_t used;        /* bytes that its known contents take; the rest is an extension */
    stele_fxt_string name;
    /* An integer (signed ones are sign-extended), the bits of a double, a pointer, koid or bool, or
       the size of a blob in bytes. */
    uint64_t value;
    stele_fxt_string string; /* the value of a string argument */
    const uint8_t *blob;     /* the value of a blob argument: `value` bytes */
} stele_fxt_argument;

/*
 * One record, with the members of all types in one struct: members that the type does not have are
 * 0. Pointers lead into the decoded bytes.
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

/* Size in bytes of the record with this header word (in native byte order); 0 if the header is
   damaged. */
STELE_API uint64_t stele_fxt_record_size(uint64_t header);

/* Decodes the record at `bytes`, of which `size` bytes are there (more is fine). Of a large record
   the payload need not be there. Returns record->fault. Also after a fault the record holds what
   could be read, and record->size says where the next record begins (0: not known). */
STELE_API stele_fxt_fault stele_fxt_decode(const void *bytes, size_t size, bool is_big_endian,
                                           stele_fxt_record *record);

/* Position in the arguments of a record; zeros stand before the first. */
typedef struct stele_fxt_arguments {
    uint32_t offset; /* bytes from record->arguments to the next argument */
    uint32_t count;  /* arguments that stele_fxt_argument_next() has given */
} stele_fxt_arguments;

/* Gives the next argument. Returns false after the last, or after one with
   STELE_FXT_FAULT_ARGUMENT_SIZE, whose end is not known. */
STELE_API bool stele_fxt_argument_next(const stele_fxt_record *record, stele_fxt_arguments *walk,
                                       stele_fxt_argument *argument);

/*
 * Encodes a record in little-endian order from the members that stele_fxt_decode() sets; it ignores
 * bytes, size, header, fault, used and arguments. `arguments` points to record->argument_count
 * arguments. Returns the size of the record in bytes; 0 if that is more than `capacity` or more
 * than the format can hold, or if the type is not known. Of a large blob everything before the
 * payload is written; the caller writes payload and padding.
 */
STELE_API size_t stele_fxt_encode(const stele_fxt_record *record,
                                  const stele_fxt_argument *arguments, void *to, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
