/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: what a scope's classes compile into. A program is a flat array of operations (ops.def),
 * executed front to back by one loop (execute.c), with jumps for arrays, variants and optionals.
 *
 * Fields whose distance is known are put into one stretch: OP_NEED makes sure that all bits of the
 * stretch are there, points at its first byte and steps over it; the operations after it load at
 * fixed offsets from there without a check, each in the way that suits its number. Where fields are
 * not wanted a stretch is only the step. What has no fixed size (strings, arrays, blobs) works at
 * the position and moves it.
 *
 *     struct { u5 id; u27 ts; u8 a; s32 b; string s; u16 c }, all fields wanted:
 *
 *         NEED 72 bits; LE id; LE ts; U8 a; S32 b; STRING_COPY s; NEED 16 bits; U16 c; DONE
 *
 * What else is done with a number stands after its entry: SLOT, CLOCK, EVENT_ID, ...
 */
#ifndef CTF_PROGRAM_H
#define CTF_PROGRAM_H

#include "core/bits.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/records/clocks.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/records/layout.h"
#include "formats/ctf/schema/ranges.h"
#include "formats/ctf/schema/targets.h"

typedef enum op_code {
#define CTF_OP(name)      OP_##name,
#define CTF_OP_RARE(name) OP_##name,
#include "formats/ctf/records/ops.def"
#undef CTF_OP
#undef CTF_OP_RARE
} op_code;

#define OP_NONE UINT32_MAX /* no operation, where an index is expected */

#define OP_BIG_ENDIAN 0x01u
#define OP_SIGNED     0x02u
#define OP_REVERSED   0x04u
#define OP_WIDE       0x08u       /* the value touches 9 bytes: `shift` is its first bit */
#define OP_REAL       0x10u       /* of arrays: their numbers are binary32 */
#define OP_HAS_SLOT   0x20u       /* the length is the value of a slot */
#define OP_WANTED     0x40u       /* append an entry */
#define OP_VARIABLE   OP_HAS_SLOT /* of numbers: as wide as the last OP_VARINT found it */
#define OP_FREE       0x80u       /* OP_ORDER: the field begins with a byte whatever was before */

typedef enum bit_order { ORDER_UNKNOWN, ORDER_LITTLE, ORDER_BIG } bit_order;

/* Bytes of a stretch that operations load from: they fit in the scratch of a decoder. */
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
    const void *go;  /* to the code of it: see program_link() */
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
        uint64_t length; /* elements, or bytes of text and blobs; with OP_HAS_SLOT its slot */
        uint32_t format; /* exponent bits, mantissa bits << 16 */
        struct {
            uint32_t length, count; /* the second half of the entry */
        } run;
        struct {
            uint32_t first, count;
        } picks;
        struct {
            uint32_t offset, form; /* of both numbers; see thread_form() */
        } pair;
        label_table *labels;
        const op_choices *choices;
        const op_condition *condition;
        const op_either *either; /* with the alignment - 1 in `mask` */
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
        uint32_t role;
        uint32_t clock;
        uint32_t format;
        uint32_t unit;
        struct {
            uint32_t tid, pid; /* slots; SLOT_NONE */
        } thread;
        struct {
            uint32_t slot, clock; /* slot of the id; SLOT_NONE: no event class wants it */
        } header;
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
 * both byte orders and whatever the alignments are. The compact one is in its first 8 bytes, and
 * all of it in STRETCH_SIZE_MAX.
 */
struct op_either {
    op_place id, compact_time; /* shifts in the first 8 bytes */
    op_place extended_id, extended_time;
    uint64_t escape;                      /* the id that says extended */
    uint32_t compact_size, extended_size; /* bits */
};

/* What compact headers of type 1 and 2 (RFC, 6.1.1, and LTTng) have, packed and little-endian. */
static const op_either either_1 = {.id = {.width = 5, .mask = 31},
                                   .compact_time = {.shift = 5, .width = 27, .mask = 0x7ffffff},
                                   .escape = 31,
                                   .compact_size = 32};
static const op_either either_2 = {.id = {.width = 16, .mask = UINT16_MAX},
                                   .compact_time = {.shift = 16, .width = 32, .mask = UINT32_MAX},
                                   .escape = UINT16_MAX,
                                   .compact_size = 48};

/* The labels of a value that was seen. */
#define LABELS_KEPT 2u

typedef struct label_memo {
    uint64_t value;
    uint32_t count;
    stele_name names[LABELS_KEPT];
} label_memo;

#define LABEL_MEMOS 16u

/* Labels of an enumeration or flags of a bit map; names are made when they are first needed. */
struct label_table {
    const ctf_class *type;
    const label_memo *memos; /* by value modulo LABEL_MEMOS; one of another value: none yet */
    label_memo *own_memos;   /* NULL until a value was seen */
    range_table ranges;      /* of an enumeration */
    const uint64_t *bits;    /* of a bit map: by mapping, all bits of the flag */
    const uint32_t *shown;   /* mappings in the order in which they are shown; NULL: their own */
    stele_name *names;       /* in that order; LABEL_UNKNOWN until it is needed */
};

#define LABEL_UNKNOWN UINT32_MAX

typedef struct program {
    const ctf_event_class *event; /* NULL: not of an event class */
    stele_name name;
    uint64_t rest;        /* see event_rest(): what is the same for all events */
    bool has_local_names; /* of one batch: to be made again for the next one */
    bool has_thread;      /* it tells the event's thread */
    uint32_t cpu_slot;    /* of the CPU that the event names; SLOT_NONE */
    uint32_t entries;     /* most entries between two checks for room, with LABELS_KEPT of a value;
                             with those of the event header, once more for the next event */
    uint32_t depth;       /* frames that open runs and loops need */
    uint32_t slots;
    uint32_t count; /* of operations */
    bool is_linked;
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
    screen *screen;            /* NULL: all events are wanted with their fields */
    const field_names *fields; /* NULL: all fields are wanted */
    clock_rate *rates;         /* by number of the clock */
    arena memory;              /* of labels and patterns */
    target_walk walk;
    program *packet_header;
    struct stream_programs *streams; /* by number of the stream class */
    struct label_slot *labels;       /* by class */
    struct pattern *patterns;        /* of fields that many event classes have; NULL: none yet */
    struct class_marks *marks;       /* of event classes, by their ids */
    uint32_t mark_count;
    uint32_t label_count, label_mask;
    size_t size; /* of the programs of event classes */
};

/* The program of an event class, and how it begins where its first stretch is not near the end of
   what is loaded: after it. */
typedef struct event_entry {
    program *program; /* NULL until it is needed */
    const op *lead;
    uint64_t lead_bits;
} event_entry;

typedef struct stream_programs {
    program *packet_context; /* NULL until it is needed, as all others */
    program *event_header;
    event_entry *events; /* by id where these are dense, else by index of the event class */
    uint64_t id_count;   /* ids below are dense; 0: they are not */
    uint32_t slots, depth, entries; /* most that one of them needs */
    layout_phase phase;             /* after the event header */
    uint32_t header_entries;
    bool event_header_has_id;
    bool header_has_loops;
    bool has_event_size; /* the header says it */
    uint8_t begin_width; /* bits of the packet's begin; 0: it says none */
} stream_programs;

/* Compile; NULL if out of memory. `batch` takes names that no longer fit in the pool: such a
   program is good for that batch only. */
program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch);
program *compile_event_header(ctf_programs *programs, uint32_t stream, stele_batch *batch);
program *compile_event(ctf_programs *programs, uint32_t stream, const ctf_event_class *event,
                       stele_batch *batch);
void program_free(program *p);

/* The entry of the program of an event class. */
event_entry event_entry_make(program *made);

/* The labels of a class with mappings, made once; NULL if out of memory. */
label_table *labels_get(ctf_programs *programs, const ctf_class *type);

/* Appends the labels of the value after its entry, the last one; makes sure that `reserve` entries
   more have room. Returns false if out of memory. */
bool labels_push(ctf_programs *programs, label_table *labels, uint64_t value, uint32_t reserve,
                 stele_batch *batch);

#endif
