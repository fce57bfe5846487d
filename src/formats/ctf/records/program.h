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

#define OP_BIG_ENDIAN 0x01u /* of numbers and texts: in big-endian byte order */
#define OP_SIGNED     0x02u /* of numbers: in two's complement */
#define OP_REVERSED   0x04u /* of numbers: bits in reverse order */
#define OP_WIDE       0x08u /* of numbers: 9 bytes have to be loaded; `shift` is the first bit */
#define OP_REAL       0x10u /* of arrays: the numbers are binary32 */
#define OP_HAS_SLOT   0x20u /* of arrays, texts and BLOBs: the length is the value of a slot */
#define OP_WANTED     0x40u /* the field gets an entry */
#define OP_VARIABLE   OP_HAS_SLOT /* of numbers: as many bits as the last OP_VARINT has found */
/* Of OP_ORDER: the field begins with a byte, regardless of what precedes it. */
#define OP_FREE 0x80u

/* The order in which bit fields follow each other within a byte. */
typedef enum bit_order { ORDER_UNKNOWN, ORDER_LITTLE, ORDER_BIG } bit_order;

/* Most bytes of a stretch that operations load from, so that it fits in a decoder's scratch. */
#define STRETCH_SIZE_MAX 240u

/* A slot holds the value of the last field that was read for it. */
typedef struct slot_value {
    uint64_t value;
    bool is_set, is_signed;
} slot_value;

typedef struct label_table label_table;
typedef struct op_choices op_choices;
typedef struct op_condition op_condition;
typedef struct op_either op_either;

/* One operation. ops.def says which members each code uses. */
typedef struct op {
    const void *go;  /* address of the operation's code: see program_link() */
    uint8_t code;    /* op_code */
    uint8_t flags;   /* OP_... */
    uint8_t shift;   /* of numbers: how far down the bits are in the 8 loaded bytes */
    uint8_t width;   /* of numbers: how many bits they have */
    uint32_t offset; /* bytes from the first byte of the stretch */
    uint64_t mask;   /* as many 1 bits as the number has */
    uint64_t sign;   /* the number's sign bit; 0 if it is unsigned */
    uint64_t head;   /* the first of the two words of the entry */
    union {
        uint64_t size; /* in bits */
        /* Elements, or bytes of texts and BLOBs; with OP_HAS_SLOT the number of a slot. */
        uint64_t length;
        uint32_t format; /* exponent bits | mantissa bits << 16 */
        struct {
            uint32_t length, count; /* the second word of the entry */
        } run;
        struct {
            uint32_t first, count;
        } picks;
        struct {
            uint32_t offset, form; /* offset and form of both numbers; see thread_form() */
        } pair;
        label_table *labels;
        const op_choices *choices;
        const op_condition *condition;
        const op_either *either; /* with OP_EITHER_...; `mask` is then the alignment - 1 */
    } u;
    union {
        struct {
            uint32_t mask;    /* alignment - 1 */
            uint32_t touched; /* bytes that operations load from */
        } need;
        struct {
            /* Bits from the begin of an element to that of the next, and bits of each element. */
            uint32_t stride, size;
        } element;
        uint32_t target; /* index of the operation that is the target */
        uint32_t slot;
        uint32_t role;
        uint32_t clock;
        uint32_t format;
        uint32_t unit;
        struct {
            uint32_t tid, pid; /* slots that hold the numbers; SLOT_NONE if there is none */
        } thread;
        struct {
            /* Slot for the id, SLOT_NONE if no event class depends on it, and number of the
               clock. */
            uint32_t slot, clock;
        } header;
        uint8_t encoding;
    } v;
} op;

/* Options of a variant: which one the value of `slot` selects, and the index of its first
   operation. */
struct op_choices {
    range_table table;
    const uint32_t *targets;
    uint32_t slot;
    bool is_signed;
};

/* Whether an optional field is there, by the value of `slot`. */
struct op_condition {
    const ctf_range *ranges;
    uint32_t range_count;
    uint32_t slot;
    bool is_bool;
};

/* Where a number lies in a stretch. */
typedef struct op_place {
    uint32_t offset;
    uint8_t shift, width;
    uint64_t mask;
} op_place;

/*
 * LTTng's header as one operation:
 *
 *    struct { id; variant <id> { struct { ts } compact; struct { id; ts } extended } }
 *
 * with any alignments and either byte order. The compact header must lie in the first 8 bytes, and
 * the extended one within STRETCH_SIZE_MAX bytes.
 */
struct op_either {
    op_place id, compact_time; /* `shift` counts in the first 8 bytes */
    op_place extended_id, extended_time;
    uint64_t escape;                      /* the id that selects the extended header */
    uint32_t compact_size, extended_size; /* in bits */
};

/* The compact headers of type 1 and 2 (RFC 6.1.1 and LTTng), packed and little-endian. */
static const op_either either_1 = {.id = {.width = 5, .mask = 31},
                                   .compact_time = {.shift = 5, .width = 27, .mask = 0x7ffffff},
                                   .escape = 31,
                                   .compact_size = 32};
static const op_either either_2 = {.id = {.width = 16, .mask = UINT16_MAX},
                                   .compact_time = {.shift = 16, .width = 32, .mask = UINT32_MAX},
                                   .escape = UINT16_MAX,
                                   .compact_size = 48};

/* Labels of a value that a memo can hold. */
#define LABELS_KEPT 2u

typedef struct label_memo {
    uint64_t value;
    uint32_t count;
    stele_name names[LABELS_KEPT];
} label_memo;

#define LABEL_MEMOS 16u /* memos of a table, by value modulo this */

/* Labels of an enumeration, or flags of a bit map. Names are made when they are first needed. */
struct label_table {
    const ctf_class *type;
    /* By value modulo LABEL_MEMOS; a memo with another value does not hold for this one. */
    const label_memo *memos;
    label_memo *own_memos; /* NULL until the first value is looked up */
    range_table ranges;    /* of an enumeration: finds the mappings of a value */
    const uint64_t *bits;  /* of a bit map: for each mapping all bits of the flag */
    /* Mappings in the order in which they are shown; NULL if that is the order of the metadata. */
    const uint32_t *shown;
    stele_name *names; /* in the order in which they are shown; LABEL_UNKNOWN until needed */
};

#define LABEL_UNKNOWN UINT32_MAX

typedef struct program {
    const ctf_event_class *event; /* NULL if the program is not that of an event class */
    stele_name name;
    uint64_t rest; /* what is the same for all events of the class: see event_rest() */
    /* Names are good for one batch, so the program must be made again for the next one. */
    bool has_local_names;
    bool has_thread;   /* the program sets the event's thread */
    uint32_t cpu_slot; /* Slot of the CPU that the event names; SLOT_NONE if it names none. */
    /* Most entries between two checks for room, with LABELS_KEPT labels a value, and with those of
       the event header once more for the next event. */
    uint32_t entries;
    uint32_t depth; /* most frames that are open at once, of runs and loops */
    uint32_t slots;
    uint32_t count; /* number of operations */
    bool is_linked;
    size_t size;
    const uint32_t *picks;
    arena memory;
    op ops[];
} program;

/* What is shared by all programs for one choice of columns. */
struct ctf_programs {
    const ctf_schema *schema;
    stele_context *context;
    uint32_t trace, columns;
    screen *screen;            /* which events are wanted with their fields; NULL for all events */
    const field_names *fields; /* which fields are wanted; NULL for all fields */
    clock_rate *rates;         /* by number of the clock */
    arena memory;              /* holds labels and patterns */
    target_walk walk;
    program *packet_header;
    struct stream_programs *streams; /* by number of the stream class */
    label_table **labels;            /* in the order in which classes were met */
    /* Sequences of fields that many event classes have; NULL until the first one is found. */
    struct pattern *patterns;
    struct class_marks *marks; /* marks of event classes, sorted by their ids */
    uint32_t mark_count;
    uint32_t label_count, label_capacity;
    hash_table label_numbers; /* indexes of `labels`, by the address of the class */
    size_t size;              /* bytes of the programs of event classes */
};

/* The program of an event class, and where to enter it if its first stretch is not near the end of
   the loaded bytes: after the NEED operation, with the stretch's bits stepped over. */
typedef struct event_entry {
    program *program; /* NULL until needed */
    const op *lead;
    uint64_t lead_bits;
} event_entry;

typedef struct stream_programs {
    program *packet_context; /* NULL until needed, as are the others */
    program *event_header;
    event_entry *events; /* by id if ids are dense, else by index of the event class */
    uint64_t id_count;   /* Ids below this are indexes of `events`; 0 if the ids are not dense. */
    uint32_t slots, depth, entries; /* most that one of the programs needs */
    layout_phase phase;             /* what is known of the position after the event header */
    uint32_t header_entries;
    bool event_header_has_id;
    bool header_has_loops;
    bool has_event_size; /* the event header says the size of the payload */
    uint8_t begin_width; /* bits of the time at the packet's begin; 0 if packets have none */
} stream_programs;

/* These compile programs and return NULL if out of memory. `batch` takes names that do not fit in
   the context's pool; a program with such names is good for that batch only. */
program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch);
program *compile_event_header(ctf_programs *programs, uint32_t stream, stele_batch *batch);
program *compile_event(ctf_programs *programs, uint32_t stream, const ctf_event_class *event,
                       stele_batch *batch);
void program_free(program *p);

/* Makes the entry for the program of an event class. */
event_entry event_entry_make(program *made);

/* Returns the labels of a class with mappings, made once, or NULL if out of memory. */
label_table *labels_get(ctf_programs *programs, const ctf_class *type);

/* Appends the labels of the value after its entry, which is the last one, and makes room for
   `reserve` entries more. Returns false if out of memory. */
bool labels_push(ctf_programs *programs, label_table *labels, uint64_t value, uint32_t reserve,
                 stele_batch *batch);

#endif
