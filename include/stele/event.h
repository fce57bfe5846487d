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

/* ---- Names ----------------------------------------------------------------------------------- */

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

/* ---- Kinds ----------------------------------------------------------------------------------- */

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

#define STELE_KIND_BIT(kind) (UINT64_C(1) << (kind))
#define STELE_KINDS_ALL      ((UINT64_C(1) << STELE_KIND_COUNT) - 2)

/* "complete", "async-begin", ...; "none" for anything else. */
STELE_API const char *stele_kind_text(stele_kind kind);

/* ---- The event ------------------------------------------------------------------------------- */

#define STELE_FLAG_LATE       0x01u /* older than an event that was delivered before it */
#define STELE_FLAG_UNRESOLVED 0x02u /* a string or thread reference that nothing defines */
#define STELE_FLAG_NO_TIME    0x04u /* the record has no time: time_ns only keeps its place */
#define STELE_FLAG_HAS_CPU    0x08u /* `cpu` is valid */
#define STELE_FLAG_PART       0x10u /* more parts of the same payload follow */
#define STELE_FLAG_DAMAGED    0x20u /* the record was damaged; what could be read is here */
#define STELE_FLAG_CLAMPED    0x40u /* the time does not fit in time_ns; `ticks` is exact */
#define STELE_FLAG_REPEATED   0x80u /* a copy of an event that the traces have elsewhere, too */

/*
 * One event: 64 bytes, no pointers, so that it can be copied, sorted and written to a file.
 * A column that the batch does not list in `columns` holds zeros.
 */
typedef struct stele_event {
    int64_t time_ns;      /* ns on the scale of its stream's clock, rounded down */
    uint64_t ticks;       /* the source's own time, as written */
    uint64_t value;       /* by kind */
    uint64_t id;          /* by kind */
    uint64_t offset;      /* of the record's first byte in its input */
    uint32_t size;        /* of the record in bytes; UINT32_MAX for that or more */
    stele_name name;      /* 0 when it has none */
    uint32_t track;       /* 0 when on none */
    uint32_t field_first; /* index of its first entry in the batch's field tape */
    uint16_t field_count; /* entries on the tape; STELE_FIELDS_MANY: see stele_event_fields() */
    uint16_t category;    /* 0 when it has none; see stele_category_name() */
    uint16_t cpu;         /* valid with STELE_FLAG_HAS_CPU */
    uint8_t kind;         /* stele_kind */
    uint8_t flags;        /* STELE_FLAG_... */
} stele_event;

/* ---- Fields ---------------------------------------------------------------------------------- */

/*
 * Fields are a tape of 16-byte entries. A scalar is one entry, followed by `label_count` entries
 * of type STRING or NAME that say what the value means (enumeration labels, the name of the
 * object after a pointer). A RUN type is followed by `u.run.length` entries that belong to it
 * (labels and nested runs included), so a consumer can step over whatever it does not know.
 */
typedef enum stele_type {
    STELE_TYPE_NULL = 0,
    STELE_TYPE_BOOL,      /* u.u: 0 or 1 */
    STELE_TYPE_UINT,      /* u.u */
    STELE_TYPE_INT,       /* u.i */
    STELE_TYPE_FLOAT,     /* u.f */
    STELE_TYPE_POINTER,   /* u.u; an address in the traced program */
    STELE_TYPE_KOID,      /* u.u; the id of a kernel object */
    STELE_TYPE_STRING,    /* u.bytes; UTF-8 as a rule; may hold zeros and invalid sequences */
    STELE_TYPE_NAME,      /* u.u: a stele_name; a string that the source itself had interned */
    STELE_TYPE_BYTES,     /* u.bytes; not text */
    STELE_TYPE_BIGINT,    /* u.bytes: two's complement, little-endian, 9 bytes or more */
    STELE_TYPE_UINTS,     /* u.bytes: an array of uint64_t, native order, 8-byte aligned */
    STELE_TYPE_INTS,      /* u.bytes: an array of int64_t */
    STELE_TYPE_FLOATS,    /* u.bytes: an array of double */
    STELE_TYPE_RUN_FIRST, /* from here on: runs */
    STELE_TYPE_STRUCT = STELE_TYPE_RUN_FIRST, /* named members */
    STELE_TYPE_ARRAY,                         /* unnamed elements */
    STELE_TYPE_VARIANT,                       /* one member, named as the selected option */
    STELE_TYPE_COUNT
} stele_type;

/* How a value was written and is best shown; the value itself is complete without it. */
#define STELE_HINT_BASE_MASK 0x03u /* of integers: 0 decimal, 1 hexadecimal, 2 octal, 3 binary */
#define STELE_HINT_HEX       0x01u
#define STELE_HINT_OCTAL     0x02u
#define STELE_HINT_BINARY    0x03u
#define STELE_HINT_OPTIONAL  0x04u /* the value of a field that might not have been there */
#define STELE_HINT_ENUM      0x08u /* an enumeration, also where no label fits the value */
#define STELE_HINT_RAW       0x10u /* only the format's own writer needs it; not shown */
#define STELE_HINT_UNRESOLVED \
    0x20u                        /* the name of the field, or its value, is a dangling reference */
#define STELE_HINT_SIGNED  0x40u /* of BIGINT: negative when its top bit is set */
#define STELE_HINT_CONTEXT 0x80u /* a struct of what held when the event happened, no payload */

typedef struct stele_field {
    stele_name name;     /* 0 for elements of arrays and for labels */
    uint8_t type;        /* stele_type */
    uint8_t width;       /* bits as written, of scalars and of the elements of arrays; 0: none */
    uint8_t hint;        /* STELE_HINT_... */
    uint8_t label_count; /* entries right after this one that are its labels */
    union {
        uint64_t u;
        int64_t i;
        double f;
        struct {
            uint32_t offset; /* in the batch's bytes */
            uint32_t size;   /* in bytes */
        } bytes;
        struct {
            uint32_t length; /* entries after this one that belong to the run */
            uint32_t count;  /* members or elements */
        } run;
    } u;
} stele_field;

#define STELE_FIELDS_MANY UINT16_MAX

/* ---- Batches --------------------------------------------------------------------------------- */

/* Columns: which members of its events a batch fills in. */
#define STELE_COLUMN_TIME    0x001u /* time_ns, ticks */
#define STELE_COLUMN_NAME    0x002u /* name, category */
#define STELE_COLUMN_TRACK   0x004u /* track, cpu */
#define STELE_COLUMN_VALUE   0x008u /* value, id */
#define STELE_COLUMN_FIELDS  0x010u /* the field tape */
#define STELE_COLUMN_CONTEXT 0x020u /* the context fields of the batch */
#define STELE_COLUMN_RAW     0x040u /* fields with STELE_HINT_RAW, for the format's own writer */
#define STELE_COLUMNS_ALL    0x07fu /* kind, flags, offset and size are always there */
#define STELE_COLUMNS_NONE   0x80000000u /* of a request: nothing but these */

typedef struct stele_local_name {
    uint32_t offset; /* in the batch's bytes */
    uint32_t size;
} stele_local_name;

/*
 * Some hundred events of one stream. Consumers only read it. `context_*` are fields that hold for
 * every event of the batch (a CTF packet's header and context).
 */
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
    uint32_t stream;   /* number of the stream in the reader */
    uint32_t columns;  /* STELE_COLUMN_... */
    int64_t shift_ns;  /* already added to time_ns: it moves the zero of the scale, to bring traces
                          together, and corrects the clock */
    int64_t offset_ns; /* the part of shift_ns that the user gave to correct the trace's clock
                          (stele_trace_options.shift_ns): wall-clock time moves with it */
    uint64_t packet; /* with STELE_COLUMN_CONTEXT, of CTF: offset of the packet that the events are
                        of ... */
    uint32_t file;   /* ... in which data stream file: its place among those of the trace */
    uint64_t fill_count; /* tells a consumer that the batch was filled again */
} stele_batch;

/* A run of events of one batch: what a reader delivers and a writer takes. */
typedef struct stele_segment {
    const stele_batch *batch;
    uint32_t first;
    uint32_t count;
} stele_segment;

/*
 * Batches for those who make events themselves. The capacity for events is fixed; fields and bytes
 * grow. `event_capacity` 0 takes the default (256). Errors: STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_batch_new(uint32_t event_capacity, stele_batch **batch);
STELE_API void stele_batch_free(stele_batch *batch);
STELE_API void stele_batch_clear(stele_batch *batch);

/* Appends a zeroed event, to be filled in by the caller; NULL when the batch is full. Fields
   appended from then on, until the next event, are its fields. */
STELE_API stele_event *stele_batch_add_event(stele_batch *batch);

/* Appends a field to the last event; NULL when memory or the 32-bit tape is exhausted. The pointer
   holds until the next call on the batch. Runs: set run.length after the members are there. */
STELE_API stele_field *stele_batch_add_field(stele_batch *batch, stele_name name, stele_type type);

/* Appends a field of type STRING or BYTES with a copy of `size` bytes. */
STELE_API stele_status stele_batch_add_bytes(stele_batch *batch, stele_name name, stele_type type,
                                             const void *bytes, size_t size);

/* The entries of an event: first index and count, also where there are STELE_FIELDS_MANY. */
STELE_API uint32_t stele_event_fields(const stele_batch *batch, const stele_event *event,
                                      uint32_t *first);

/* Entries that a field takes on the tape: itself, its labels, the members of its run. */
static inline uint32_t stele_field_length(const stele_field *field)
{
    return 1u + field->label_count +
           (field->type >= STELE_TYPE_RUN_FIRST ? field->u.run.length : 0u);
}

/* The bytes of a field of type STRING, NAME, BYTES, BIGINT or an array of numbers. */
STELE_API stele_text stele_field_text(const stele_context *context, const stele_batch *batch,
                                      const stele_field *field);

/*
 * One field of each event of a segment, as a column: of the event itself, or else of its batch's
 * context, the first of this name. `type` says what `values` is an array of, with room for all
 * events of the segment: STELE_TYPE_INT (int64_t), STELE_TYPE_UINT (uint64_t) or STELE_TYPE_FLOAT
 * (double). A value that is no number, or does not fit into that type exactly, leaves 0 there and
 * 0 in `is_there`, else 1. Returns how many are there. Events of other types give nothing.
 */
STELE_API size_t stele_segment_column(const stele_segment *segment, stele_name name,
                                      stele_type type, void *values, uint8_t *is_there);

/* ---- Names, categories, tracks, streams of a context ----------------------------------------- */

/* The number of a string; equal strings have equal numbers. Interns it if it is new. Returns
   UINT32_MAX when the pool is full or memory is exhausted. Lives as long as the context. */
STELE_API stele_name stele_name_intern(stele_context *context, const char *bytes, size_t size);

/* The string of a number. `batch` is needed for numbers with STELE_NAME_LOCAL only, may be NULL
   else. An unknown number gives the empty string. Valid as long as the context (or the batch). */
STELE_API stele_text stele_name_text(const stele_context *context, const stele_batch *batch,
                                     stele_name name);

/* How many names the pool holds; the numbers run from 0 to one less. */
STELE_API uint32_t stele_name_count(const stele_context *context);

/* Categories are few, so that events carry 16 bits: the name of a category, 0 for none. */
STELE_API stele_name stele_category_name(const stele_context *context, uint16_t category);
STELE_API uint16_t stele_category_intern(stele_context *context, stele_name name);

typedef enum stele_track_kind {
    STELE_TRACK_NONE = 0,
    STELE_TRACK_OTHER, /* all tracks beyond the limit */
    STELE_TRACK_PROCESS,
    STELE_TRACK_THREAD,
    STELE_TRACK_CPU,
    STELE_TRACK_STREAM,    /* a stream of Heph or CTF */
    STELE_TRACK_SUBSTREAM, /* its parent is the stream */
    STELE_TRACK_PROVIDER,
    STELE_TRACK_KIND_COUNT
} stele_track_kind;

typedef struct stele_track {
    stele_track_kind kind;
    uint32_t parent;        /* 0: none */
    uint32_t source;        /* number of the trace in the context, from 0 */
    uint64_t number;        /* tid or koid, CPU, stream id, ... */
    stele_name name;        /* last name known, 0: none */
    bool is_named_by_event; /* an event of kind OBJECT says the name; not part of what it is */
} stele_track;

/* Tracks are numbered from 1; out of range gives NULL. Names may become known while reading. */
STELE_API const stele_track *stele_track_get(const stele_context *context, uint32_t track);
STELE_API uint32_t stele_track_count(const stele_context *context);
STELE_API const char *stele_track_kind_text(stele_track_kind kind);

/* Finds or makes a track; at the limit of the options it gives the one of kind OTHER. */
STELE_API uint32_t stele_track_intern(stele_context *context, const stele_track *track);
STELE_API void stele_track_set_name(stele_context *context, uint32_t track, stele_name name);

typedef enum stele_clock_domain {
    STELE_CLOCK_NONE = 0, /* the stream has no times, only an order */
    STELE_CLOCK_NS,       /* time_ns is real time */
    STELE_CLOCK_TICKS,    /* frequency unknown: time_ns holds ticks */
    STELE_CLOCK_INSNS     /* time_ns holds a count of instructions */
} stele_clock_domain;

typedef struct stele_clock {
    stele_clock_domain domain;
    uint64_t frequency_hz; /* ticks a second; 0: unknown */
    bool has_wall;         /* wall_ns is known */
    int64_t wall_ns;       /* ns since 1970-01-01 UTC at time_ns == 0, of a batch without shift */
    uint64_t base_ticks;   /* ticks are converted as two parts, each rounded down: up to here and
                              from here on; 0: as one */
    uint64_t identity[2];  /* streams with the same identity, not all zero, share one clock */
} stele_clock;

/*
 * A part of a trace with its own order, clock and decoder state. What is not known before the
 * trace has been read (times and counts of a pipe, say) says so.
 */
typedef struct stele_stream {
    uint32_t trace;    /* number of the trace, as stele_track.source */
    uint64_t number;   /* provider, thread, stream id: in the format's own numbers */
    stele_name name;   /* 0: none */
    uint32_t track;    /* the track that stands for the stream; 0: none */
    stele_clock clock; /* as last known */
    bool has_range;    /* begin_ns and end_ns are known; the end leaves out what STE015 reports */
    bool is_ordered;   /* its records are known to be in time order */
    bool has_lateness; /* lateness_ns is known */
    int64_t begin_ns, end_ns;
    bool has_span;                      /* span_begin_ns and span_end_ns are known */
    int64_t span_begin_ns, span_end_ns; /* of what was recorded, with events or without: of CTF, its
                                           first packet's begin and its last one's end */
    uint32_t recording;  /* of the trace: streams of one number were recorded as one */
    int64_t lateness_ns; /* by how much at most a record is older than one before it */
} stele_stream;

/* Streams are numbered from 0 over all traces of the context; out of range gives NULL. */
STELE_API const stele_stream *stele_stream_get(const stele_context *context, uint32_t stream);
STELE_API uint32_t stele_stream_count(const stele_context *context);

/*
 * Wall-clock time, in ns since 1970-01-01 UTC, at 0 of the scale that the batch's times are on:
 * `clock` (the batch's stream's) says it, and shifts that only bring traces together do not change
 * what a clock on the wall showed. False where it is not known, or does not fit.
 */
STELE_API bool stele_batch_wall(const stele_batch *batch, const stele_clock *clock,
                                int64_t *wall_ns);

#ifdef __cplusplus
}
#endif
#endif
