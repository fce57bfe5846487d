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
#include "core/hash.h"

typedef enum ctf_generation { CTF_RFC, CTF_1, CTF_2 } ctf_generation;

/* A text of the metadata: UTF-8, with a zero after it. {NULL, 0} is one that is not there. */
typedef struct ctf_text {
    const char *bytes;
    uint32_t size;
} ctf_text;

/* Where something stands in the metadata text, for findings. */
typedef struct ctf_place {
    uint32_t offset; /* byte of the metadata text; UINT32_MAX: made, not read */
} ctf_place;

/* ---- Field classes ----------------------------------------------------------------------------
 */

typedef enum ctf_kind {
    CTF_BIT_ARRAY, /* fixed-length bit array, also wider than 64 bits */
    CTF_BIT_MAP,   /* the same with named flags */
    CTF_BOOL,      /* fixed-length Boolean: false when all bits are 0 */
    CTF_UINT,      /* fixed-length integers, also wider than 64 bits */
    CTF_INT,       /* two's complement */
    CTF_FLOAT,     /* fixed-length floating point number, any split of exponent and mantissa */
    CTF_VAR_UINT,  /* variable-length integers (LEB128) */
    CTF_VAR_INT,
    CTF_STRING, /* null-terminated */
    CTF_STATIC_STRING,
    CTF_DYNAMIC_STRING,
    CTF_STATIC_BLOB,
    CTF_DYNAMIC_BLOB,
    CTF_STRUCT,
    CTF_STATIC_ARRAY,
    CTF_DYNAMIC_ARRAY,
    CTF_OPTIONAL,
    CTF_VARIANT,
    CTF_KIND_COUNT
} ctf_kind;

/* What a field means to the reader, besides its value: the roles of CTF 2. CTF 1.8 gives them by
   reserved names, and by `map = clock.NAME.value`. */
#define CTF_ROLE_PACKET_MAGIC    0x0001u
#define CTF_ROLE_UUID            0x0002u /* of the metadata stream; on blobs and byte arrays */
#define CTF_ROLE_STREAM_CLASS_ID 0x0004u
#define CTF_ROLE_STREAM_ID       0x0008u
#define CTF_ROLE_TOTAL_LENGTH    0x0010u /* of the packet, in schema.length_unit_bits */
#define CTF_ROLE_CONTENT_LENGTH  0x0020u
#define CTF_ROLE_TIMESTAMP       0x0040u /* of the clock of the class, else the default clock */
#define CTF_ROLE_PACKET_END      0x0080u /* timestamp of the packet's end */
#define CTF_ROLE_DISCARDED       0x0100u /* snapshot of the counter of discarded event records */
#define CTF_ROLE_SEQUENCE_NUMBER 0x0200u
#define CTF_ROLE_EVENT_CLASS_ID  0x0400u
#define CTF_ROLE_PACKET_BEGIN    0x0800u /* a TIMESTAMP in the packet context of CTF 1.8 */
#define CTF_ROLE_EVENT_SIZE      0x1000u /* payload bytes that follow: the RFC's event_size */
#define CTF_ROLE_CPU             0x2000u /* cpu_id of a packet context: not a role of CTF 2 */

typedef enum ctf_base {
    CTF_BASE_NONE = 0,
    CTF_BINARY = 2,
    CTF_OCTAL = 8,
    CTF_DECIMAL = 10,
    CTF_HEX = 16
} ctf_base;

typedef enum ctf_encoding {
    CTF_NO_TEXT, /* of integers in arrays: numbers; else UTF-8 or ASCII characters (CTF 1.8) */
    CTF_UTF8,
    CTF_ASCII,
    CTF_UTF16LE,
    CTF_UTF16BE,
    CTF_UTF32LE,
    CTF_UTF32BE
} ctf_encoding;

/*
 * A range of integers, both ends included. Signed ranges hold two's complement; which it is says
 * the class that uses it. (Values of integers wider than 64 bits have no labels.)
 */
typedef struct ctf_range {
    uint64_t low, high;
    bool is_signed; /* so that int64 and uint64 ends can meet in one mapping */
} ctf_range;

/* A label of an integer, a flag of a bit map (ranges of bit numbers), an option of a variant. */
typedef struct ctf_mapping {
    ctf_text name;
    const ctf_range *ranges;
    uint32_t range_count;
    ctf_place place;
} ctf_mapping;

/* ---- Locations: fields that give lengths, select options ---- */

typedef enum ctf_scope {
    CTF_SCOPE_PACKET_HEADER,
    CTF_SCOPE_PACKET_CONTEXT,
    CTF_SCOPE_EVENT_HEADER,
    CTF_SCOPE_COMMON_CONTEXT,
    CTF_SCOPE_SPECIFIC_CONTEXT,
    CTF_SCOPE_PAYLOAD,
    CTF_SCOPE_COUNT,
    CTF_SCOPE_ENV = CTF_SCOPE_COUNT, /* CTF 1.8: a constant */
    CTF_SCOPE_LEXICAL, /* CTF 1.8: the first step is looked up among earlier members of the
                          enclosing structures outwards, then in the scopes before, last first */
    CTF_SCOPE_RELATIVE /* CTF 2 without an origin: from the structure around the user; a NULL step
                          goes one structure up */
} ctf_scope;

typedef struct ctf_class ctf_class;
typedef struct ctf_clock ctf_clock;

typedef struct ctf_location {
    ctf_scope scope;
    const ctf_text *steps; /* member names as written; {NULL, 0}: the parent (CTF 2) */
    uint32_t step_count;
    ctf_place place;
    uint64_t constant; /* with CTF_SCOPE_ENV: the value, looked up by the front end */
} ctf_location;

/* What few classes have, beside them so that the others stay small. JSON texts are whole objects.
 */
typedef struct ctf_extra {
    ctf_text attributes, extensions; /* CTF 2 */
    ctf_text media_type;             /* of BLOBs; none: application/octet-stream */
} ctf_extra;

/*
 * A member of a structure or an option of a variant. `name` is as people see it: of CTF 1.8 without
 * the one `_` in front that the specification escapes with. `written` is what the metadata says and
 * what locations refer to. An option may have no name (CTF 2).
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
    uint8_t base;           /* ctf_base: how integers like to be shown */
    uint8_t encoding;       /* ctf_encoding */
    bool is_big_endian;     /* of fixed-length bit arrays and what derives from them */
    bool is_bit_reversed;   /* CTF 2: a bit order other than that of the byte order */
    bool is_enum;           /* written as an enumeration (CTF 1.8, RFC), or with mappings (CTF 2) */
    bool has_bool_selector; /* of OPTIONAL: a Boolean selects, there are no ranges */
    bool selects_by_name;   /* of VARIANT: CTF 1.8, the tag's label is the option's name; else the
                               mappings hold the ranges of each option */
    uint16_t roles;         /* CTF_ROLE_... */
    uint16_t exponent_bits, mantissa_bits; /* of FLOAT: exp_dig, mant_dig (with the sign) */
    uint32_t alignment;
    uint32_t alignment_minimum; /* of structures and arrays as written; 1: none */
    uint32_t size;              /* of fixed-length classes */
    uint32_t unit_size;         /* RFC gcc_bitfield: the unit that it may not cross; else 0 */
    uint32_t mapping_count;
    const ctf_mapping *mappings; /* labels of integers, flags of bit maps, ranges of options */
    const ctf_clock *clock; /* CTF 1.8 `map`: the clock that the value is of; NULL: the default */
    union {
        struct {
            const ctf_member *members;
            uint32_t count;
        } structure;
        struct {
            const ctf_member *options;
            uint32_t count;
            const ctf_location *selector; /* NULL: a CTF 1.8 variant without a tag, not usable */
        } variant;
        struct {
            const ctf_class *element;      /* NULL for strings and blobs */
            uint64_t length;               /* static ones: elements, or bytes */
            const ctf_location *length_at; /* dynamic ones: the field that holds it */
            const ctf_class *length_class; /* RFC sequence: it stands right in front instead */
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

/* ---- The trace ------------------------------------------------------------------------------- */

/* Names a thing across traces: CTF 2 has all of it, CTF 1.8 and the RFC a name only. */
typedef struct ctf_identity {
    ctf_text name, name_space, uid;
} ctf_identity;

struct ctf_clock {
    ctf_text id; /* CTF 2 "id"; else the name: what fields and stream classes refer to */
    ctf_identity identity;
    ctf_text description;
    bool has_uuid, has_precision, has_accuracy;
    bool is_unix_epoch; /* origin "unix-epoch"; CTF 1.8: `absolute = TRUE` */
    bool rounds_twice;  /* not of the metadata: see clock_rate_make() */
    bool is_wall;       /* the same: it tells the time of day, whatever the user adds */
    uint8_t uuid[16];
    uint64_t frequency_hz;        /* never 0 */
    int64_t offset_s;             /* of the clock's zero from its origin: seconds and ... */
    int64_t offset_cycles;        /* ... cycles; may be negative, may be more than a second */
    uint64_t precision, accuracy; /* cycles */
    ctf_identity origin;          /* CTF 2: a custom origin; name none: not said */
    const ctf_extra *extra;
    ctf_place place;
    uint32_t number; /* in schema.clocks */
};

typedef struct ctf_env {
    ctf_text name;
    bool is_text, is_negative; /* integers: two's complement in `value` */
    ctf_text text;
    uint64_t value;
} ctf_env;

/* What few event classes have, beside them so that the others stay small. */
typedef struct ctf_event_extra {
    ctf_text name_space, uid;
    ctf_text emf_uri; /* model.emf.uri */
    ctf_text attributes, extensions;
} ctf_event_extra;

typedef struct ctf_event_class {
    uint64_t id;
    ctf_text name; /* "provider:event" with LTTng; "" when there is none */
    int64_t log_level;
    const ctf_class *context, *payload; /* structures; NULL: none */
    const ctf_event_extra *extra;       /* never NULL: most share one that is empty */
    ctf_place place;
    bool has_log_level;
} ctf_event_class;

typedef struct ctf_stream_class {
    uint64_t id;
    ctf_identity identity;  /* RFC: the section's name */
    const ctf_clock *clock; /* default clock of CTF 2; in 1.8 the one that its timestamps map to */
    const ctf_class *packet_context, *event_header, *event_context; /* structures; NULL: none */
    ctf_event_class *events; /* in the order of the metadata; ids are unique */
    uint32_t event_count, event_capacity;
    uint32_t *event_slots;    /* by id: see schema_find_event(); made by schema_finish() */
    uint32_t event_slot_mask; /* 0: slots are ids */
    hash_key event_key;
    uint64_t event_id_max;
    uint32_t number; /* in schema.streams */
    bool has_id;     /* it was said; a single class of the trace needs none */
    ctf_text attributes, extensions;
    ctf_place place;
} ctf_stream_class;

typedef struct ctf_callsite { /* CTF 1.8: kept for printing */
    ctf_text name, function, file;
    uint64_t line, ip;
    bool has_line, has_ip;
} ctf_callsite;

typedef struct ctf_schema {
    arena arena;
    ctf_generation generation;
    uint32_t major, minor;
    bool is_big_endian;  /* native byte order; of CTF 2 it is not said (false) */
    bool has_byte_order; /* CTF 1.8 says it; RFC: told by the packets */
    bool has_uuid;
    uint8_t uuid[16];
    ctf_identity identity;          /* of the trace: CTF 2 namespace, name, uid */
    uint32_t session_id;            /* RFC: of the metadata's packets */
    unsigned length_unit;           /* bits of one unit of packet lengths: 1; RFC: 8 */
    bool restarts_clocks;           /* not of the metadata: clocks are 0 where a packet begins */
    bool discarded_at_begin;        /* RFC: the counter is as of before the first event */
    const ctf_class *packet_header; /* structure; NULL: none */
    ctf_env *env;
    uint32_t env_count, env_capacity;
    ctf_clock **clocks;
    uint32_t clock_count, clock_capacity;
    ctf_stream_class **streams;
    uint32_t stream_count, stream_capacity;
    uint32_t *stream_slots; /* by id; see schema_place_streams() */
    uint32_t stream_slot_mask, stream_placed;
    hash_key key;
    ctf_callsite *callsites;
    uint32_t callsite_count, callsite_capacity;
    ctf_text attributes, extensions; /* of the trace class */
    ctf_text preamble_attributes, preamble_extensions;
    ctf_text shown_name;         /* not of the metadata: what babeltrace2 calls the trace */
    struct ctf_targets *targets; /* fields that others depend on: made by schema_check() */
} ctf_schema;

/* Adders of cleared things that the caller fills in; NULL if out of memory. Clocks and stream
   classes never move; pointers to the others hold until the next one is added. */
ctf_clock *schema_add_clock(ctf_schema *schema);
ctf_env *schema_add_env(ctf_schema *schema);
ctf_stream_class *schema_add_stream(ctf_schema *schema);
ctf_event_class *schema_add_event(ctf_stream_class *stream);
ctf_callsite *schema_add_callsite(ctf_schema *schema);

/* Of an event class that has nothing of it, and a copy of what one has; NULL if out of memory. */
extern const ctf_event_extra schema_no_extra;
const ctf_event_extra *schema_event_extra(ctf_schema *schema, const ctf_event_extra *extra);

/* A class that is made, not read: decimal, and of no place. Returns NULL if out of memory. */
ctf_class *schema_make_class(ctf_schema *schema, ctf_kind kind, uint32_t alignment, uint32_t size);

/* A cleared class, member table and so on of the arena; NULL if out of memory. */
void *schema_take(ctf_schema *schema, size_t count, size_t size);

/* A copy of the text in the arena; bytes Returns NULL if out of memory. */
ctf_text schema_text(ctf_schema *schema, const char *bytes, size_t size);

/* Makes the tables to find stream and event classes by id. Returns false if out of memory. */
bool schema_finish(ctf_schema *schema);

/* Enters the ids of the stream classes added so far into the table that makes finding them quick;
   of classes with one id, the first is found. Returns false if out of memory. */
bool schema_place_streams(ctf_schema *schema);

/* NULL: there is none with this id. Of event classes with one id, the last is found. */
const ctf_stream_class *schema_find_stream(const ctf_schema *schema, uint64_t id);
const ctf_event_class *schema_find_event(const ctf_stream_class *stream, uint64_t id);
const ctf_env *schema_find_env(const ctf_schema *schema, const char *name);

/* Log levels as LTTng and Babeltrace name them in CTF 2, and number them in CTF 1.8. NULL, false:
 * there is none. */
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
