/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common model: events, their fields, tracks, streams, clocks, and the batches that flow. One
 * thread at a time uses a batch, and the context that its names and tracks are numbers of.
 */
#ifndef STELE_EVENT_H
#define STELE_EVENT_H

#include <stele/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Names and texts ------------------------------------------------------------------------- */

/*
 * A name is a number that stands for a string of bytes (UTF-8 as a rule, not by force). 0 is the
 * empty name. Numbers with the top bit set are known in their batch only: they appear once the
 * context's pool of names is full, and counting by name then puts them together as "other".
 */
typedef uint32_t stele_name;
#define STELE_NAME_LOCAL 0x80000000u

typedef struct stele_text {
    const char *bytes; /* not terminated; never NULL */
    size_t size;
} stele_text;

/* ---- Kinds of events ------------------------------------------------------------------------- */

/*
 * What an event is, and what its `value` and `id` hold. A correlation id ties async and flow
 * events of one operation together.
 *
 * kind         value                        id
 * COMPLETE     end, in ticks                end, in ns (as int64_t, on the scale of time_ns)
 * BEGIN        0                            0, or the function
 * END          0                            0, or the function
 * TAIL_EXIT    0                            function that is left
 * INSTANT      0                            0
 * COUNTER      0 (the values are fields)    counter id
 * ASYNC_*      0                            correlation id
 * FLOW_*       0                            correlation id
 * SWITCH       outgoing track               incoming track      (the event's track is the CPU)
 * WAKE         0                            woken track         (the event's track is the CPU)
 * LOG          severity, 0 if none          0                   (a field "message" holds the text)
 * BLOB         size of the whole payload    offset of this part in it (a field "data" holds it)
 * OBJECT       kind of object, by format    koid or pointer     (the name is its label)
 * SAMPLE       calls it sums up, 0 if none  their time, in units of the tracer
 * LOST         count, 0 if not known        end of the gap in ns, 0 if not known
 * SYSCALL      number                       0
 * SNAPSHOT     number                       0
 * METADATA     by format                    by format
 * INSN         opcode                       program counter
 * LOAD, STORE  its first 8 bytes            address             (a field "data" holds all)
 */
typedef enum stele_kind {
    STELE_KIND_NONE = 0,
    STELE_KIND_COMPLETE,
    STELE_KIND_BEGIN,
    STELE_KIND_END,
    STELE_KIND_TAIL_EXIT,
    STELE_KIND_INSTANT,
    STELE_KIND_COUNTER,
    STELE_KIND_ASYNC_BEGIN,
    STELE_KIND_ASYNC_STEP,
    STELE_KIND_ASYNC_END,
    STELE_KIND_FLOW_BEGIN,
    STELE_KIND_FLOW_STEP,
    STELE_KIND_FLOW_END,
    STELE_KIND_SWITCH,
    STELE_KIND_WAKE,
    STELE_KIND_LOG,
    STELE_KIND_BLOB,
    STELE_KIND_OBJECT,
    STELE_KIND_SAMPLE,
    STELE_KIND_LOST,
    STELE_KIND_SYSCALL,
    STELE_KIND_SNAPSHOT,
    STELE_KIND_METADATA,
    STELE_KIND_INSN,
    STELE_KIND_LOAD,
    STELE_KIND_STORE,
    STELE_KIND_COUNT
} stele_kind;

/* The bit of a kind in sets of kinds, such as stele_request.kinds, and the set of all kinds. */
#define STELE_KIND_BIT(kind) (UINT64_C(1) << (kind))
#define STELE_KINDS_ALL      ((UINT64_C(1) << STELE_KIND_COUNT) - 2)

/* "complete", "async-begin", ...; "none" if `kind` is not a valid kind. */
STELE_API const char *stele_kind_text(stele_kind kind);

/* ---- The event ------------------------------------------------------------------------------- */

#define STELE_FLAG_LATE       0x01u /* older than an event that was delivered before it */
#define STELE_FLAG_UNRESOLVED 0x02u /* a string or thread reference that nothing defines */
/* The record has no time: time_ns only gives its position in the order. */
#define STELE_FLAG_NO_TIME 0x04u
#define STELE_FLAG_HAS_CPU 0x08u /* `cpu` is valid */
#define STELE_FLAG_PART    0x10u /* more parts of the same payload follow */
/* The record was damaged; the event holds what could be read of it. */
#define STELE_FLAG_DAMAGED  0x20u
#define STELE_FLAG_CLAMPED  0x40u /* the time does not fit in time_ns; `ticks` is exact */
#define STELE_FLAG_REPEATED 0x80u /* a copy of an event that the traces have elsewhere, too */

/* One event: 64 bytes, no pointers, so that it can be copied, sorted and written to a file. A
   column that the batch does not list in `columns` holds zeros. */
typedef struct stele_event {
    int64_t time_ns;      /* ns on the scale of its stream's clock, rounded down */
    uint64_t ticks;       /* the time as the record has it, in ticks of the stream's clock */
    uint64_t value;       /* depends on `kind`: see stele_kind */
    uint64_t id;          /* depends on `kind`: see stele_kind */
    uint64_t offset;      /* of the record's first byte in its input */
    uint32_t size;        /* of the record in bytes; UINT32_MAX: that many or more */
    stele_name name;      /* 0: none */
    uint32_t track;       /* 0: the event is on no track */
    uint32_t field_first; /* index of its first entry in the batch's field tape */
    uint16_t field_count; /* entries on the tape; STELE_FIELDS_MANY: see stele_event_fields() */
    uint16_t category;    /* 0: none; see stele_category_name() */
    uint16_t cpu;         /* valid with STELE_FLAG_HAS_CPU */
    uint8_t kind;         /* stele_kind */
    uint8_t flags;        /* STELE_FLAG_... */
} stele_event;

/* ---- Fields ---------------------------------------------------------------------------------- */

/*
 * Fields are a tape of 16-byte entries. A scalar is one entry, followed by `label_count` entries of
 * type STRING or NAME that say what the value means (enumeration labels, the name of the object
 * after a pointer). A RUN type is followed by `u.run.length` entries that belong to it (labels and
 * nested runs included), so a consumer can step over entries of types that it does not know.
 */
typedef enum stele_type {
    STELE_TYPE_NULL = 0,
    STELE_TYPE_BOOL,      /* u.u: 0 or 1 */
    STELE_TYPE_UINT,      /* u.u */
    STELE_TYPE_INT,       /* u.i */
    STELE_TYPE_FLOAT,     /* u.f, also for values that were written with fewer bits */
    STELE_TYPE_POINTER,   /* u.u; an address in the traced program */
    STELE_TYPE_KOID,      /* u.u; the id of a kernel object */
    STELE_TYPE_STRING,    /* u.bytes; UTF-8 as a rule; may hold zeros and invalid sequences */
    STELE_TYPE_NAME,      /* u.u: a stele_name; a string that the source itself had interned */
    STELE_TYPE_BYTES,     /* u.bytes; not text */
    STELE_TYPE_BIGINT,    /* u.bytes: two's complement, little-endian, 9 bytes or more */
    STELE_TYPE_UINTS,     /* u.bytes: an array of uint64_t, native order, 8-byte aligned */
    STELE_TYPE_INTS,      /* u.bytes: an array of int64_t, as UINTS */
    STELE_TYPE_FLOATS,    /* u.bytes: an array of double, as UINTS */
    STELE_TYPE_RUN_FIRST, /* not a type: this one and all after it are runs */
    STELE_TYPE_STRUCT = STELE_TYPE_RUN_FIRST, /* named members */
    STELE_TYPE_ARRAY,                         /* unnamed elements */
    STELE_TYPE_VARIANT,                       /* one member, named as the selected option */
    STELE_TYPE_COUNT
} stele_type;

/* "uint", "string", "struct", ...; "none" if `type` is not a valid type. */
STELE_API const char *stele_type_text(stele_type type);

/* How a value was written and is best shown; the value itself is complete without it. */
#define STELE_HINT_BASE_MASK 0x03u /* of integers: 0 decimal, 1 hexadecimal, 2 octal, 3 binary */
#define STELE_HINT_HEX       0x01u
#define STELE_HINT_OCTAL     0x02u
#define STELE_HINT_BINARY    0x03u
#define STELE_HINT_OPTIONAL  0x04u /* the field is optional in its class, and the record has it */
#define STELE_HINT_ENUM      0x08u /* the value is of an enumeration, also where no label fits it */
/* Only the writer of the trace's own format needs the field; not shown. */
#define STELE_HINT_RAW 0x10u
#define STELE_HINT_UNRESOLVED \
    0x20u /* the name of the field, or its value, is a reference that nothing defines */
#define STELE_HINT_SIGNED 0x40u /* of BIGINT: the value is negative when its top bit is set */
/* A struct that says what held when the event happened; not part of its payload. */
#define STELE_HINT_CONTEXT 0x80u

typedef struct stele_field {
    stele_name name;     /* 0: an element of an array, or a label */
    uint8_t type;        /* stele_type */
    uint8_t width;       /* bits as written, of a scalar or of the elements of an array; 0: none */
    uint8_t hint;        /* STELE_HINT_... */
    uint8_t label_count; /* entries directly after this one that are labels of its value */
    union {
        uint64_t u;
        int64_t i;
        double f;
        struct {
            uint32_t offset; /* of the first byte in the batch's `bytes` */
            uint32_t size;   /* in bytes */
        } bytes;
        struct {
            /* Entries after this one that belong to the run, labels and nested runs too. */
            uint32_t length;
            uint32_t count; /* members or elements */
        } run;
    } u;
} stele_field;

/* In stele_event.field_count: the count does not fit; stele_event_fields() gives it. */
#define STELE_FIELDS_MANY UINT16_MAX

/* ---- Batches --------------------------------------------------------------------------------- */

/* Columns: which members of its events a batch fills in. The members kind, flags, offset and size
   are in no column: they are always filled in. */
#define STELE_COLUMN_TIME    0x001u /* time_ns, ticks */
#define STELE_COLUMN_NAME    0x002u /* name, category */
#define STELE_COLUMN_TRACK   0x004u /* track, cpu */
#define STELE_COLUMN_VALUE   0x008u /* value, id */
#define STELE_COLUMN_FIELDS  0x010u /* the fields of each event */
#define STELE_COLUMN_CONTEXT 0x020u /* the fields that hold for the whole batch */
/* Fields with STELE_HINT_RAW, which only the format's own writer needs. */
#define STELE_COLUMN_RAW  0x040u
#define STELE_COLUMNS_ALL 0x07fu
/* In a request: no column at all, where 0 would mean the default. */
#define STELE_COLUMNS_NONE 0x80000000u

/* A name with STELE_NAME_LOCAL: its bytes are in the batch. */
typedef struct stele_local_name {
    uint32_t offset; /* in the batch's `bytes` */
    uint32_t size;
} stele_local_name;

/* Some hundred events of one stream. A consumer must not change it. `context_first` and
   `context_count` are the entries of `fields` that hold for every event of the batch (a CTF
   packet's header and context). */
typedef struct stele_batch {
    stele_event *events;
    stele_field *fields;
    uint8_t *bytes;
    stele_local_name *names;
    uint32_t event_count, event_capacity;
    uint32_t field_count, field_capacity;
    uint32_t byte_count, byte_capacity;
    uint32_t name_count, name_capacity;
    uint32_t context_first, context_count;
    uint32_t stream;  /* number of the stream in the context: see stele_stream_get() */
    uint32_t columns; /* STELE_COLUMN_... */
    /* Already added to time_ns of the events: moves the zero of the scale to bring traces together,
       and corrects the clock. */
    int64_t shift_ns;
    /* The part of shift_ns that the user gave to correct the trace's clock
       (stele_trace_options.shift_ns): wall-clock time moves with it. */
    int64_t offset_ns;
    /* CTF, with STELE_COLUMN_CONTEXT: offset of the packet that the events lie in. */
    uint64_t packet;
    /* CTF, with STELE_COLUMN_CONTEXT: number of the data stream file with that packet, among the
       files of the trace. */
    uint32_t file;
    bool is_read;        /* by a reader: all that fields refer to exists. Programs leave it false */
    uint64_t fill_count; /* changes each time the batch is filled, so that a consumer notices it */
} stele_batch;

/* A run of events of one batch: what a reader delivers and a writer takes. */
typedef struct stele_segment {
    const stele_batch *batch;
    uint32_t first;
    uint32_t count;
} stele_segment;

/* Makes a batch, for programs that make events themselves. The capacity for events is fixed; fields
   and bytes grow. `event_capacity` 0 takes the default (256). Of an event the maker sets `kind` and
   what it knows of time_ns, name, category, track, value, id, cpu with its flag, and adds fields;
   writers use nothing else: `offset`, `size`, `ticks` and the batch's `stream` and `columns` may
   stay 0. The caller frees the batch with stele_batch_free(). Errors: STELE_ERR_MEMORY. */
STELE_API stele_status stele_batch_new(uint32_t event_capacity, stele_batch **batch);
STELE_API void stele_batch_free(stele_batch *batch);
/* Empties the batch, and keeps its memory for the next events. */
STELE_API void stele_batch_clear(stele_batch *batch);

/* Appends a zeroed event, to be filled in by the caller. Returns NULL if the batch is full. Fields
   that are appended before the next event belong to this one. */
STELE_API stele_event *stele_batch_add_event(stele_batch *batch);

/* Appends a field to the last event. Returns NULL if out of memory, if the tape has 2^31 entries,
   or if the batch has no event. The pointer holds until the next call with the batch. The caller
   sets run.length of a run after it has appended the members. */
STELE_API stele_field *stele_batch_add_field(stele_batch *batch, stele_name name, stele_type type);

/*
 * Appends a field of type STRING, BYTES, BIGINT, UINTS, INTS or FLOATS to the last event, with a
 * copy of `size` bytes. Of an array these are its elements, in native order, and 8 bytes each: the
 * copy is aligned, `bytes` need not be. `width` of the field is then 0; the caller may set it, and
 * the hint, in the last entry of `fields`. Errors: STELE_ERR_ARGUMENT: the type is another one, the
 * size of an array is not a multiple of 8, or the batch has no event; STELE_ERR_LIMIT: `size` is
 * more than 2^31 - 9; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_batch_add_bytes(stele_batch *batch, stele_name name, stele_type type,
                                             const void *bytes, size_t size);

/* Gives the entries of an event: `*first` is the index of the first in `fields`, the result is
   their number, also where field_count is STELE_FIELDS_MANY. */
STELE_API uint32_t stele_event_fields(const stele_batch *batch, const stele_event *event,
                                      uint32_t *first);

/* Entries that a field takes on the tape: itself, its labels, the members of its run. */
static inline uint32_t stele_field_length(const stele_field *field)
{
    return 1u + field->label_count +
           (field->type >= STELE_TYPE_RUN_FIRST ? field->u.run.length : 0u);
}

/* The bytes of a field of type STRING, NAME, BYTES, BIGINT, UINTS, INTS or FLOATS. They hold as
   long as the batch is not changed. */
STELE_API stele_text stele_field_text(const stele_context *context, const stele_batch *batch,
                                      const stele_field *field);

/*
 * Gives one field of each event of a segment, as a column. The first field of this name is taken,
 * of the event itself or else of its batch's context. `type` says what `values` is an array of,
 * which has an element for each event of the segment: STELE_TYPE_INT (int64_t), STELE_TYPE_UINT
 * (uint64_t) or STELE_TYPE_FLOAT (double). Of an event whose value is not a number, or does not fit
 * into that type exactly, `values` and `is_there` get 0; of the others `is_there` gets 1. Returns
 * how many are there; 0 if `type` is another type.
 */
STELE_API size_t stele_segment_column(const stele_segment *segment, stele_name name,
                                      stele_type type, void *values, uint8_t *is_there);

/* ---- Names, categories, tracks, streams of a context ----------------------------------------- */

/* Gives the number of a string; equal strings have equal numbers. A new string is interned, and
   lives as long as the context. Returns UINT32_MAX if the pool is full or out of memory. */
STELE_API stele_name stele_name_intern(stele_context *context, const char *bytes, size_t size);

/* The string of a number. `batch` is needed for numbers with STELE_NAME_LOCAL, and may be NULL
   otherwise. An unknown number gives the empty string. The bytes hold as long as the context (or
   the batch). */
STELE_API stele_text stele_name_text(const stele_context *context, const stele_batch *batch,
                                     stele_name name);

/* How many names the pool holds; they have the numbers from 0 to one less. */
STELE_API uint32_t stele_name_count(const stele_context *context);

/* The name of a category; 0 for category 0. Categories have numbers of their own, of 16 bits, since
   traces have few of them and events are to stay small. */
STELE_API stele_name stele_category_name(const stele_context *context, uint16_t category);
/* The category with this name, which is made if it is new; 0 if there are too many categories. */
STELE_API uint16_t stele_category_intern(stele_context *context, stele_name name);

typedef enum stele_track_kind {
    STELE_TRACK_NONE = 0,
    STELE_TRACK_OTHER, /* stands for all tracks beyond the limit */
    STELE_TRACK_PROCESS,
    STELE_TRACK_THREAD,
    STELE_TRACK_CPU,
    STELE_TRACK_STREAM,    /* a stream of Heph or CTF */
    STELE_TRACK_SUBSTREAM, /* a part of a stream, which is its parent */
    STELE_TRACK_PROVIDER,
    STELE_TRACK_KIND_COUNT
} stele_track_kind;

typedef struct stele_track {
    stele_track_kind kind;
    uint32_t parent; /* 0: none */
    uint32_t source; /* number of the trace in the context, from 0 */
    uint64_t number; /* tid or koid, CPU, stream id, ... */
    /* The last name that became known; 0: none. stele_track_intern() takes that of a new track, and
       leaves that of a known one: stele_track_set_name() changes it. */
    stele_name name;
    /* An event of kind OBJECT gives the name; not part of the track's identity. */
    bool is_named_by_event;
} stele_track;

/* Gives a track by number, from 1; NULL if the number is not valid. Its name may become known only
   while the trace is read. */
STELE_API const stele_track *stele_track_get(const stele_context *context, uint32_t track);
STELE_API uint32_t stele_track_count(const stele_context *context);
STELE_API const char *stele_track_kind_text(stele_track_kind kind);

/* Gives the number of the track with the same kind, parent, source and number; makes it if it is
   new. At the limit of tracks it is the number of the track of kind OTHER. Returns 0 if out of
   memory. The library keeps a copy of `track`; a name in it holds where the track is new. */
STELE_API uint32_t stele_track_intern(stele_context *context, const stele_track *track);
/* Sets the name of a track. An unknown track is ignored. */
STELE_API void stele_track_set_name(stele_context *context, uint32_t track, stele_name name);

typedef enum stele_clock_domain {
    STELE_CLOCK_NONE = 0, /* the stream has no times, only an order */
    STELE_CLOCK_NS,       /* time_ns is real time */
    STELE_CLOCK_TICKS,    /* the frequency is not known: time_ns holds ticks */
    STELE_CLOCK_INSNS     /* time_ns holds a count of instructions */
} stele_clock_domain;

typedef struct stele_clock {
    stele_clock_domain domain;
    uint64_t frequency_hz; /* ticks per second; 0: not known */
    bool has_wall;         /* wall_ns is known */
    int64_t wall_ns; /* ns from 1970-01-01 UTC to the zero of time_ns, in a batch without shift */
    /* If not 0, ticks are converted in two parts, each rounded down: those up to here, and those
       from here on. */
    uint64_t base_ticks;
    uint64_t identity[2]; /* two streams with equal identities, not all zero, share one clock */
} stele_clock;

/* A part of a trace with its own order, clock and decoder state. The has_... members tell which of
   the others are known: times and counts of a pipe, say, are known only when it has been read. */
typedef struct stele_stream {
    uint32_t trace;    /* number of the trace, as stele_track.source */
    uint64_t number;   /* of the provider, thread or stream, as the format numbers them */
    stele_name name;   /* 0: none */
    uint32_t track;    /* the track that stands for the stream; 0: none */
    stele_clock clock; /* as far as it is known now */
    bool has_range;  /* begin_ns and end_ns are known; end_ns without events that STE015 reports */
    bool is_ordered; /* its records are known to be in time order */
    bool has_lateness;        /* lateness_ns is known */
    int64_t begin_ns, end_ns; /* time of the first event, and the end of the last one */
    bool has_span;            /* span_begin_ns and span_end_ns are known */
    /* The time that was recorded, with events or without: of CTF, from the begin of the first
       packet to the end of the last one. */
    int64_t span_begin_ns, span_end_ns;
    uint32_t recording;  /* number within the trace: streams of one number were recorded together */
    int64_t lateness_ns; /* how much older a record may be than one before it, at most */
} stele_stream;

/* Gives a stream by number, from 0 over all traces of the context; NULL if the number is
   not valid. */
STELE_API const stele_stream *stele_stream_get(const stele_context *context, uint32_t stream);
STELE_API uint32_t stele_stream_count(const stele_context *context);

/* Gives the wall-clock time, in ns since 1970-01-01 UTC, at 0 of the scale that the batch's times
   are on. `clock` is the clock of the batch's stream. Shifts that only bring traces together do not
   change the result. Returns false where the wall-clock time is not known, or does not fit. */
STELE_API bool stele_batch_wall(const stele_batch *batch, const stele_clock *clock,
                                int64_t *wall_ns);

#ifdef __cplusplus
}
#endif
#endif
