/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: what a scope's classes compile into. A program is a flat array of operations, executed
 * front to back by one loop (execute.c), with jumps for arrays, variants and optionals.
 *
 * Fields whose distance is known are put into one stretch: OP_NEED aligns, makes sure that all bits
 * of the stretch are there, points at its first byte and steps over it; the operations behind it
 * load at fixed offsets from there without a check. Where fields are not wanted a stretch is only
 * the step. What has no fixed size (strings, arrays, blobs) works at the position and moves it.
 *
 *     struct { u5 id; u27 ts; i32 a; i32 b; string s; u16 c }, all fields wanted:
 *
 *         NEED 96 bits, EMIT 4: id ts a b; STRING s; NEED 16 bits, EMIT 1: c; END
 *
 * What else is done with numbers of a stretch stands behind their entries, so that these are few
 * operations.
 */
#ifndef CTF_PROGRAM_H
#define CTF_PROGRAM_H

#include "core/bits.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/decode/clocks.h"
#include "formats/ctf/decode/decode.h"
#include "formats/ctf/decode/layout.h"
#include "formats/ctf/schema/ranges.h"
#include "formats/ctf/schema/targets.h"

typedef enum op_code {
    OP_END,  /* of the program */
    OP_DONE, /* with an event */
    /* Stretches. size: their bits; touched: bytes that are loaded from; mask: align first */
    OP_NEED,         /* one that begins at the position */
    OP_NEED_ALIGNED, /* one that begins at the next aligned place */
    OP_NEED_SHIFTED, /* one that may begin at any bit, and is copied to bit 0 */
    OP_NEED_BYTES,   /* OP_NEED, and OP_EMIT_BYTES behind it */
    OP_NEED_THREAD,  /* OP_NEED, and OP_THREAD behind it, whose numbers are two neighbours of 32
                        bits. offset: of both; width: tells their order and signs, see
                        thread_form() */
    OP_EMIT_BYTES,   /* count: of operations behind it that are entries of plain numbers, which
                        begin with a byte, lowest first */
    OP_EMIT_LE,      /* the same at any bit */
    OP_EMIT_BE,
    OP_SLOT,  /* slot: keep the value for later fields */
    OP_CLOCK, /* clock: let it advance to the value */
    OP_EVENT_ID,
    OP_THREAD, /* this and the next operation: the numbers of the event's thread and process */
    /* Whole fields at the position */
    OP_VARINT,      /* to the scratch, which is then as a stretch of 64 bits; target: behind what
                       emits it, for one with more */
    OP_STRING_COPY, /* in units of a byte, wanted */
    OP_STRING_PASS, /* ... and not wanted */
    OP_NUMBERS, /* length, stride: an array of plain numbers, as the next operation loads them */
    OP_ENTRIES, /* the same with an entry for each */
    OP_SKIP,    /* length, stride, size: elements of a fixed size that nobody wants */
    /* Structure */
    OP_ENTRY,   /* appends an entry as it stands: runs of a known length, NULL */
    OP_LOOP,    /* length: a run of elements; target: behind its OP_NEXT */
    OP_NEXT,    /* target: the first operation of the element */
    OP_JUMP,    /* target */
    OP_CHOOSE,  /* slot, choices: selects an option */
    OP_WHETHER, /* slot, condition; target: where it is not there */
    /* Event headers */
    OP_EITHER_LE, /* the compact and extended ones of LTTng, then as OP_DISPATCH */
    OP_EITHER_BE,
    OP_DISPATCH, /* to the program of the event class that the header says */
    /* What most events do not need. In a stretch: */
    OP_EMIT_TEXT,  /* length: a short text of a fixed length */
    OP_EMIT,       /* one number in any form: load it, append an entry */
    OP_EMIT_NAMED, /* labels: the same with labels behind it */
    OP_EMIT_BOOL,
    OP_EMIT_FLOAT, /* format: bits of exponent and mantissa */
    OP_ROLE,       /* role: tell the packet's head */
    OP_EVENT_SIZE,
    /* ... whole fields at the position: */
    OP_BIG,       /* size: an integer of more than 64 bits */
    OP_BIG_FLOAT, /* size, format: one of more than 64 bits */
    OP_UUID,      /* looks at the next 16 bytes */
    OP_STRING,    /* in any encoding */
    OP_TEXT,      /* length in bytes; ends at the first zero for the reader */
    OP_BLOB,      /* length in bytes */
    OP_UNIT,      /* size, unit: an RFC bit field that would cross its unit goes to the next */
    OP_JOINT,     /* shift: joint_kind; size, role: what it says. Only with DECODE_JOINTS. */
    OP_ORDER,     /* from here on bits are in this order, which can only change between bytes */
    /* ... structure and events: */
    OP_OPEN,         /* appends a run: OP_CLOSE ends it */
    OP_CLOSE,        /* of the innermost open run */
    OP_PICK,         /* first, count: the slots of which one is set; slot: to be set to its value */
    OP_UNSET,        /* slot */
    OP_THREAD_SLOTS, /* tid, pid: the slots that tell the event's thread and process */
    OP_PAYLOAD,      /* of an event whose size the header says */
    OP_PAYLOAD_END
} op_code;

#define OP_NONE UINT32_MAX /* no operation, where an index is expected */

#define OP_BIG_ENDIAN 0x01u
#define OP_SIGNED     0x02u
#define OP_REVERSED   0x04u
#define OP_WIDE       0x08u       /* the value touches 9 bytes: `shift` is its first bit */
#define OP_BINARY32   0x10u       /* of arrays: their numbers are floating point */
#define OP_HAS_SLOT   0x20u       /* the length is the value of a slot */
#define OP_WANTED     0x40u       /* append an entry */
#define OP_VARIABLE   OP_HAS_SLOT /* of numbers: as wide as the last OP_VARINT found it */
#define OP_FREE       0x80u       /* OP_ORDER: the field begins with a byte whatever was before */

typedef enum bit_order { ORDER_UNKNOWN, ORDER_LITTLE, ORDER_BIG } bit_order;

/* Bytes of a stretch that operations load from: they fit in the scratch of a run. */
#define STRETCH_SIZE_MAX 240u

/* A slot of a program that holds whatever its last field was. */
typedef struct slot_value {
    uint64_t value;
    bool is_set, is_signed;
} slot_value;

typedef struct label_table label_table;
typedef struct op_choices op_choices;
typedef struct op_condition op_condition;
typedef struct op_either op_either;

/* One operation; which members it uses stands in op_code. */
typedef struct op {
    uint8_t code;    /* op_code */
    uint8_t flags;   /* OP_... */
    uint8_t shift;   /* of a number: how far down its bits are in 8 loaded bytes */
    uint8_t width;   /* ... and how many */
    uint32_t offset; /* bytes from the stretch's first */
    uint64_t mask;   /* of the number's bits */
    uint64_t sign;   /* its sign bit; 0: it has none */
    uint64_t head;   /* the first half of the entry */
    union {
        uint64_t size;   /* bits */
        uint64_t add;    /* to the number: what its sign bit stands for, or a whole value */
        uint64_t length; /* elements, or bytes of text and blobs; with OP_HAS_SLOT its slot */
        uint32_t format; /* exponent bits, mantissa bits << 16 */
        struct {
            uint32_t length, count; /* the second half of the entry */
        } run;
        struct {
            uint32_t first, count;
        } picks;
        label_table *labels;
        const op_choices *choices;
        const op_condition *condition;
        const op_either *either;
    } u;
    union {
        struct {
            uint32_t mask;    /* alignment - 1 */
            uint32_t touched; /* bytes */
        } need;
        struct {
            uint32_t stride, size; /* bits from element to element, and of each */
        } element;
        uint32_t target; /* index of an operation */
        uint32_t slot;
        uint32_t count;
        uint32_t role;
        uint32_t clock;
        uint32_t format;
        uint32_t unit;
        struct {
            uint32_t tid, pid; /* slots; SLOT_NONE */
        } thread;
        uint8_t encoding;
    } v;
} op;

/* What a variant's tag selects; an option's operations begin at its target. */
struct op_choices {
    range_table table;
    const uint32_t *targets;
    uint32_t slot;
    bool is_signed;
};

struct op_condition {
    const ctf_range *ranges;
    uint32_t range_count;
    uint32_t slot;
    bool is_bool;
};

/* One number of a stretch. */
typedef struct op_place {
    uint32_t offset;
    uint8_t shift, width;
    uint64_t mask;
} op_place;

/*
 * struct { id; variant <id> { struct { ts } compact; struct { id; ts } extended } }: the same for
 * both byte orders and whatever the alignments are.
 */
struct op_either {
    op_place id, compact_time, extended_id, extended_time;
    uint64_t escape;                               /* the id that says extended */
    uint32_t slot;                                 /* of the id */
    uint32_t mask;                                 /* alignment - 1 */
    uint32_t compact_size, extended_size, touched; /* bits, bits, bytes */
    uint32_t clock;
};

#define LABELS_FEW 32u

/* Labels of an enumeration or flags of a bit map; names are made when they are first needed. */
struct label_table {
    const ctf_class *type;
    uint32_t few[LABELS_FEW]; /* by value: the index + 1 of its only label; 0: look it up */
    range_table ranges;       /* of an enumeration */
    const uint64_t *bits;     /* of a bit map: by mapping, all bits of the flag */
    const uint32_t *shown;    /* mappings in the order in which they are shown; NULL: their own */
    stele_name *names;        /* in that order; LABEL_UNKNOWN until it is needed */
};

#define LABEL_UNKNOWN UINT32_MAX

typedef struct program {
    const ctf_event_class *event; /* NULL: not of an event class */
    stele_name name;
    uint64_t rest;        /* see event_rest(): what is the same for all events */
    bool has_local_names; /* of one batch: to be made again for the next one */
    bool has_thread;      /* it tells the event's thread */
    uint32_t cpu_slot;    /* of the CPU that the event names; SLOT_NONE */
    uint32_t entries;     /* most entries between two checks for room, labels apart */
    uint32_t depth;       /* frames that open runs and loops need */
    uint32_t slots;
    size_t size;
    const uint32_t *picks;
    arena memory;
    op ops[];
} program;

/* What compiles: the wanted columns and what is shared by all programs. */
struct ctf_programs {
    const ctf_schema *schema;
    stele_context *context;
    uint32_t trace, columns;
    clock_rate *rates; /* by number of the clock */
    arena memory;      /* of labels */
    target_walk walk;
    program *packet_header;
    struct stream_programs *streams; /* by number of the stream class */
    struct label_slot *labels;       /* by class */
    uint32_t label_count, label_mask;
    size_t size; /* of the programs of event classes */
};

typedef struct stream_programs {
    program *packet_context; /* NULL until it is needed, as all others */
    program *event_header;
    program **events;      /* by id where these are dense, else by index of the event class */
    uint64_t id_count;     /* ids below are dense; 0: they are not */
    uint32_t slots, depth; /* most that one of them needs */
    layout_phase phase;    /* behind the event header */
    bool event_header_has_id;
    bool has_event_size; /* the header says it */
} stream_programs;

/* Compile; NULL: memory. `batch` takes names that no longer fit in the pool: such a program is good
   for that batch only. */
program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch);
program *compile_event_header(ctf_programs *programs, uint32_t stream, stele_batch *batch);
program *compile_event(ctf_programs *programs, uint32_t stream, const ctf_event_class *event,
                       stele_batch *batch);
void program_free(program *p);

/* The labels of a class with mappings, made once; NULL: memory. */
label_table *labels_get(ctf_programs *programs, const ctf_class *type);

/* Appends the labels of the value behind its entry, the last one; makes sure that `reserve` entries
   more have room. False: memory. */
bool labels_push(ctf_programs *programs, label_table *labels, uint64_t value, uint32_t reserve,
                 stele_batch *batch);

#endif
