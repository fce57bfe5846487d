/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of a trace: what the metadata of all three generations says, in one model. Its words
 * are those of CTF 2 (which can say the most); the front ends of CTF 1.8 and of the RFC translate.
 *
 *     tsdl_*  (CTF 1.8.3)  \
 *     json_*  (CTF 2)       >  ctf_schema  ->  compiled procedures, printers of metadata
 *     rfc_*   (RFC v1.1)   /
 *
 * Everything lies in the schema's arena and lives as long as the schema. Classes are shared (an
 * alias used a thousand times is one class) and do not change once schema_finish() was called.
 */
#ifndef CTF_SCHEMA_H
#define CTF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/arena.h"
#include "core/table.h"

typedef enum ctf_generation { CTF_RFC, CTF_1, CTF_2 } ctf_generation;

/* A text of the metadata: UTF-8, followed by a zero that `size` does not count. {NULL, 0} means
   that the metadata do not have it. */
typedef struct ctf_text {
    const char *bytes;
    uint32_t size;
} ctf_text;

/* Position of a declaration in the metadata text, for findings. */
typedef struct ctf_place {
    uint32_t offset; /* in bytes; UINT32_MAX if the thing was made, not read */
} ctf_place;

/* ---- Field classes ----------------------------------------------------------------------------
 */

typedef enum ctf_kind {
    CTF_BIT_ARRAY,      /* fixed-length bit array, also wider than 64 bits */
    CTF_BIT_MAP,        /* fixed-length bit map: a bit array with named flags */
    CTF_BOOL,           /* fixed-length Boolean: false when all bits are 0 */
    CTF_UINT,           /* fixed-length unsigned integer, also wider than 64 bits */
    CTF_INT,            /* fixed-length signed integer in two's complement */
    CTF_FLOAT,          /* fixed-length floating point number, any split of exponent and mantissa */
    CTF_VAR_UINT,       /* variable-length unsigned integer (LEB128) */
    CTF_VAR_INT,        /* variable-length signed integer (LEB128) */
    CTF_STRING,         /* null-terminated */
    CTF_STATIC_STRING,  /* string in a fixed number of bytes */
    CTF_DYNAMIC_STRING, /* string whose length in bytes an earlier field gives */
    CTF_STATIC_BLOB,    /* bytes of a fixed number */
    CTF_DYNAMIC_BLOB,   /* bytes whose number an earlier field gives */
    CTF_STRUCT,
    CTF_STATIC_ARRAY,  /* array with a fixed number of elements */
    CTF_DYNAMIC_ARRAY, /* array whose number of elements an earlier field gives */
    CTF_OPTIONAL,      /* field that is there or not, as an earlier field selects */
    CTF_VARIANT,       /* one of several options, as an earlier field selects */
    CTF_KIND_COUNT
} ctf_kind;

/* What a field means to the reader, besides its value: the roles of CTF 2. CTF 1.8 gives them by
   reserved names, and by `map = clock.NAME.value`. */
#define CTF_ROLE_PACKET_MAGIC    0x0001u
#define CTF_ROLE_UUID            0x0002u /* UUID of the metadata stream; on BLOBs and byte arrays */
#define CTF_ROLE_STREAM_CLASS_ID 0x0004u
#define CTF_ROLE_STREAM_ID       0x0008u
/* Length of the packet, in units of schema.length_unit_bits. */
#define CTF_ROLE_TOTAL_LENGTH 0x0010u
/* Length of the packet's header, context and events, in the same unit. */
#define CTF_ROLE_CONTENT_LENGTH 0x0020u
/* Of the clock of the class, or else the stream's default clock. */
#define CTF_ROLE_TIMESTAMP  0x0040u
#define CTF_ROLE_PACKET_END 0x0080u /* timestamp of the packet's end */
/* Snapshot of the stream's counter of discarded event records. */
#define CTF_ROLE_DISCARDED       0x0100u
#define CTF_ROLE_SEQUENCE_NUMBER 0x0200u /* number of the packet in its stream */
#define CTF_ROLE_EVENT_CLASS_ID  0x0400u
/* A TIMESTAMP in the packet context of CTF 1.8: the time of the packet's begin. */
#define CTF_ROLE_PACKET_BEGIN 0x0800u
#define CTF_ROLE_EVENT_SIZE   0x1000u /* the RFC's event_size: bytes of the event's payload */
/* `cpu_id` of a packet context, which is not a role of CTF 2. */
#define CTF_ROLE_CPU 0x2000u

typedef enum ctf_base {
    CTF_BASE_NONE = 0,
    CTF_BINARY = 2,
    CTF_OCTAL = 8,
    CTF_DECIMAL = 10,
    CTF_HEX = 16
} ctf_base;

typedef enum ctf_encoding {
    /* Numbers, in arrays of integers; otherwise characters of UTF-8 or ASCII (CTF 1.8). */
    CTF_NO_TEXT,
    CTF_UTF8,
    CTF_ASCII,
    CTF_UTF16LE,
    CTF_UTF16BE,
    CTF_UTF32LE,
    CTF_UTF32BE
} ctf_encoding;

/* A range of integers, both ends included. Ends of signed ranges are in two's complement. (Values
   of integers wider than 64 bits have no labels.) */
typedef struct ctf_range {
    uint64_t low, high;
    bool is_signed; /* so that one mapping can have ends of int64 and of uint64 */
} ctf_range;

/* A name with ranges of integers: a label of an integer, a flag of a bit map (whose ranges are bit
   numbers), or an option of a variant (whose ranges are selector values). */
typedef struct ctf_mapping {
    ctf_text name;
    const ctf_range *ranges;
    uint32_t range_count;
    ctf_place place;
} ctf_mapping;

/* ---- Locations of fields that give lengths or select options ---- */

typedef enum ctf_scope {
    CTF_SCOPE_PACKET_HEADER,
    CTF_SCOPE_PACKET_CONTEXT,
    CTF_SCOPE_EVENT_HEADER,
    CTF_SCOPE_COMMON_CONTEXT,
    CTF_SCOPE_SPECIFIC_CONTEXT,
    CTF_SCOPE_PAYLOAD,
    CTF_SCOPE_COUNT,
    CTF_SCOPE_ENV = CTF_SCOPE_COUNT, /* CTF 1.8: the value is a constant of the environment */
    CTF_SCOPE_LEXICAL, /* CTF 1.8: the first step is looked up among earlier members of the
                          enclosing structures outwards, then in the scopes before, last first */
    CTF_SCOPE_RELATIVE /* CTF 2 without an origin: from the structure around the user; a NULL step
                          goes one structure up */
} ctf_scope;

typedef struct ctf_class ctf_class;
typedef struct ctf_clock ctf_clock;

typedef struct ctf_location {
    ctf_scope scope;
    /* Names of the members on the way down, as written; {NULL, 0} goes to the parent (CTF 2). */
    const ctf_text *steps;
    uint32_t step_count;
    ctf_place place;
    uint64_t constant; /* with CTF_SCOPE_ENV: the value, which the front end has looked up */
} ctf_location;

/* Properties that few classes have, kept apart so that other classes stay small. JSON texts are
   whole objects. */
typedef struct ctf_extra {
    ctf_text attributes, extensions; /* JSON objects of CTF 2 */
    ctf_text media_type;             /* of BLOBs; empty means application/octet-stream */
} ctf_extra;

/*
 * A member of a structure or an option of a variant. `name` is what users see: in CTF 1.8 without
 * the one leading `_` that the specification escapes with. `written` is the name in the metadata,
 * which locations refer to. An option may have no name (CTF 2).
 */
typedef struct ctf_member {
    ctf_text name, written;
    const ctf_class *type;
    const ctf_extra *extra; /* NULL: none */
    ctf_place place;
} ctf_member;

/*
 * One field class. Sizes and alignments are in bits; alignments are powers of two and never 0.
 * `alignment` is the effective one, which the start of the field is aligned to: of a structure the
 * largest of its members' and its own minimum, of an array that of its element and its minimum.
 * Variants and optionals have 1: what is inside aligns itself.
 */
struct ctf_class {
    uint8_t kind;           /* ctf_kind */
    uint8_t base;           /* ctf_base: the preferred notation of integers */
    uint8_t encoding;       /* ctf_encoding */
    bool is_big_endian;     /* of fixed-length classes: byte order of the value */
    bool is_bit_reversed;   /* CTF 2: the bit order is not that of the byte order */
    bool is_enum;           /* written as an enumeration (CTF 1.8, RFC), or with mappings (CTF 2) */
    bool has_bool_selector; /* of OPTIONAL: a Boolean selects, and `ranges` is not used */
    /* Of VARIANT, CTF 1.8: the label of the tag is the option's name; otherwise `mappings` has the
       ranges of each option. */
    bool selects_by_name;
    uint16_t roles; /* CTF_ROLE_... */
    /* Of FLOAT: exp_dig and mant_dig; the mantissa includes the sign. */
    uint16_t exponent_bits, mantissa_bits;
    uint32_t alignment;
    /* Of structures and arrays: the alignment that the metadata ask for; 1 if they ask for none. */
    uint32_t alignment_minimum;
    uint32_t size; /* in bits, of fixed-length classes */
    /* RFC gcc_bitfield: bits of the unit whose bounds the field may not cross; otherwise 0. */
    uint32_t unit_size;
    uint32_t mapping_count;
    const ctf_mapping *mappings; /* labels of integers, flags of bit maps, or ranges of options */
    /* CTF 1.8 `map`: the clock that the value is a time of; NULL for the default clock. */
    const ctf_clock *clock;
    union {
        struct {
            const ctf_member *members;
            uint32_t count;
        } structure;
        struct {
            const ctf_member *options;
            uint32_t count;
            /* NULL: a CTF 1.8 variant without a tag, which cannot be read. */
            const ctf_location *selector;
        } variant;
        struct {
            const ctf_class *element; /* NULL for strings and blobs */
            /* Of static classes: number of elements, or of bytes of strings and BLOBs. */
            uint64_t length;
            const ctf_location *length_at; /* of dynamic classes: the field that holds the length */
            /* RFC sequence: class of the length that directly precedes the elements. */
            const ctf_class *length_class;
        } array;
        struct {
            const ctf_class *element;
            const ctf_location *selector;
            const ctf_range *ranges;
            uint32_t range_count;
        } optional;
    } u;
    const ctf_extra *extra; /* NULL: none */
    ctf_place place;
};

/* ---- Clocks, event classes, stream classes, the trace ---- */

/* Identifies a clock, trace or stream class across traces. CTF 2 has all three texts, CTF 1.8 and
   the RFC only have names. */
typedef struct ctf_identity {
    ctf_text name, name_space, uid;
} ctf_identity;

struct ctf_clock {
    ctf_text id; /* CTF 2 "id", otherwise the name: what fields and stream classes refer to */
    ctf_identity identity;
    ctf_text description;
    bool has_uuid, has_precision, has_accuracy;
    bool is_unix_epoch; /* origin "unix-epoch"; CTF 1.8: `absolute = TRUE` */
    bool rounds_twice;  /* set by the user, not in the metadata: see clock_rate_make() */
    /* The clock tells the time of day, regardless of an offset that the user adds. Derived, not in
       the metadata. */
    bool is_wall;
    uint8_t uuid[16];
    uint64_t frequency_hz; /* never 0 */
    /* Seconds from the clock's origin to its zero; `offset_cycles` is added to them. */
    int64_t offset_s;
    /* Ticks from the clock's origin to its zero, besides `offset_s`; may be negative or more than a
       second. */
    int64_t offset_cycles;
    uint64_t precision, accuracy; /* in ticks */
    ctf_identity origin;          /* CTF 2: a custom origin; its name is empty if there is none */
    const ctf_extra *extra;       /* NULL if it has none */
    ctf_place place;
    uint32_t number; /* index in schema.clocks */
};

/* An entry of the environment: a text or an integer. */
typedef struct ctf_env {
    ctf_text name;
    bool is_text, is_negative; /* `is_negative` is of integers: `value` is in two's complement. */
    ctf_text text;
    uint64_t value;
} ctf_env;

/* Properties that few event classes have, kept apart so that other event classes stay small. */
typedef struct ctf_event_extra {
    ctf_text name_space, uid;
    ctf_text emf_uri; /* model.emf.uri */
    ctf_text attributes, extensions;
} ctf_event_extra;

typedef struct ctf_event_class {
    uint64_t id;
    ctf_text name; /* "provider:event" in LTTng's traces; "" if the class has none */
    int64_t log_level;
    const ctf_class *context, *payload; /* structures; NULL: none */
    const ctf_event_extra *extra; /* never NULL: classes without extras share schema_no_extra */
    ctf_place place;
    bool has_log_level;
} ctf_event_class;

typedef struct ctf_stream_class {
    uint64_t id;
    ctf_identity identity;  /* of the RFC only the name, that of the section */
    const ctf_clock *clock; /* the default clock; in CTF 1.8 the one that the timestamps map to */
    const ctf_class *packet_context, *event_header, *event_context; /* structures; NULL: none */
    ctf_event_class *events; /* in the order of the metadata; each id occurs once */
    uint32_t event_count, event_capacity;
    /* Indexes in `events` by id, made by schema_finish(): see schema_find_event(). Ids without
       large gaps are indexes of an array, so that a search touches little memory. */
    uint32_t *event_indexes; /* UINT32_MAX where no class has the id; NULL: there are large gaps */
    hash_table event_numbers;
    uint64_t event_id_max; /* largest id of an event class */
    uint32_t number;       /* index in schema.streams */
    bool has_id;           /* the metadata gives the id; the only class of a trace needs none */
    ctf_text attributes, extensions;
    ctf_place place;
} ctf_stream_class;

typedef struct ctf_callsite { /* A call site of CTF 1.8, kept only to print the metadata again. */
    ctf_text name, function, file;
    uint64_t line, ip;
    bool has_line, has_ip;
} ctf_callsite;

typedef struct ctf_schema {
    arena arena;
    ctf_generation generation;
    uint32_t major, minor;
    bool is_big_endian;  /* native byte order; false for CTF 2, which has none */
    bool has_byte_order; /* the metadata say the native byte order; for the RFC the packets do */
    bool has_uuid;
    uint8_t uuid[16];
    ctf_identity identity; /* namespace, name and uid of a CTF 2 trace */
    uint32_t session_id;   /* RFC: number in the headers of the metadata's packets */
    unsigned length_unit;  /* bits that one unit of packet lengths stands for: 1, or 8 in the RFC */
    /* Set by the user, not in the metadata: clocks are 0 at the begin of each packet. */
    bool restarts_clocks;
    /* RFC: the counter of discarded events is that before the first event of the packet. */
    bool discarded_at_begin;
    const ctf_class *packet_header; /* NULL if packets have no header */
    ctf_env *env;
    uint32_t env_count, env_capacity;
    ctf_clock **clocks;
    uint32_t clock_count, clock_capacity;
    ctf_stream_class **streams;
    uint32_t stream_count, stream_capacity;
    hash_table stream_numbers; /* indexes of `streams`, by id: see schema_place_streams() */
    uint32_t stream_placed;    /* how many of `streams` are in the table */
    ctf_callsite *callsites;
    uint32_t callsite_count, callsite_capacity;
    ctf_text attributes, extensions;                   /* JSON objects of the trace class (CTF 2) */
    ctf_text preamble_attributes, preamble_extensions; /* JSON objects of the preamble (CTF 2) */
    ctf_text shown_name;         /* babeltrace2's name of the trace; derived, not in the metadata */
    struct ctf_targets *targets; /* fields that others depend on; made by schema_check() */
} ctf_schema;

/*
 * Each function adds a zeroed element, which the caller fills in, and returns NULL if out of
 * memory. Clocks and stream classes never move; pointers to the others are valid until the next one
 * is added.
 */
ctf_clock *schema_add_clock(ctf_schema *schema);
ctf_env *schema_add_env(ctf_schema *schema);
ctf_stream_class *schema_add_stream(ctf_schema *schema);
ctf_event_class *schema_add_event(ctf_stream_class *stream);
ctf_callsite *schema_add_callsite(ctf_schema *schema);

/* The extras of event classes that have none of these properties. */
extern const ctf_event_extra schema_no_extra;
/* Copies the extras of an event class to the arena. Returns NULL if out of memory. */
const ctf_event_extra *schema_event_extra(ctf_schema *schema, const ctf_event_extra *extra);

/* Makes a class that is not in the metadata: with decimal notation and no place. Returns NULL if
   out of memory. */
ctf_class *schema_make_class(ctf_schema *schema, ctf_kind kind, uint32_t alignment, uint32_t size);

/* Returns `count` zeroed objects of `size` bytes in the arena, or NULL if out of memory. */
void *schema_take(ctf_schema *schema, size_t count, size_t size);

/* Copies the text to the arena, with a zero after it. Its `bytes` are NULL if out of memory. */
ctf_text schema_text(ctf_schema *schema, const char *bytes, size_t size);

/* Makes the tables that find stream and event classes by id. Returns false if out of memory. */
bool schema_finish(ctf_schema *schema);

/* Enters the stream classes that were added since the last call into the hash table. If several
   have the same id, the first is found. Returns false if out of memory. */
bool schema_place_streams(ctf_schema *schema);

/* These return NULL if there is nothing with this id or name. If several event classes have the
   same id, the last is found. */
const ctf_stream_class *schema_find_stream(const ctf_schema *schema, uint64_t id);
const ctf_event_class *schema_find_event(const ctf_stream_class *stream, uint64_t id);
const ctf_env *schema_find_env(const ctf_schema *schema, const char *name);

/* Converts between log levels' names, which LTTng and Babeltrace use in CTF 2, and their numbers in
   CTF 1.8. Returns NULL or false if the level is not known. */
const char *log_level_name(int64_t level);
bool log_level_number(ctf_text name, int64_t *level);

void schema_free(ctf_schema *schema);

static inline bool ctf_text_is(ctf_text text, const char *other)
{
    const size_t size = strlen(other);
    return text.size == size && memcmp(text.bytes, other, size) == 0;
}

static inline bool ctf_text_equals(ctf_text a, ctf_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

#endif
