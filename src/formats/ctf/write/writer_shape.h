/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of events. CTF describes the layout of events by classes, the model has none. So each
 * event gives the bytes of its values and a key that describes their layout. Events with equal keys
 * belong to one class, which is made of the key at the end of the trace.
 */
#ifndef CTF_WRITER_SHAPE_H
#define CTF_WRITER_SHAPE_H

#include "core/byte_buffer.h"
#include "formats/ctf/schema/schema.h"
#include "model/writer.h"

/* The meaning of a number of the event, which becomes a label of an enumeration. */
typedef struct shape_label {
    uint32_t slot; /* number of the labelled field in its class, from 0 */
    stele_name name;
    uint64_t value;
} shape_label;

/* Values of the context that precedes the fields of an event; the event's flags say which are
   written. */
typedef struct shape_context {
    uint64_t pid, tid;
    uint16_t cpu;
    uint32_t track;  /* number of the track in the new trace, with SPAN_TRACK_IS_CPU */
    stele_name name; /* name of the process, or else of the thread */
} shape_context;

/* Names of the members that say what an event of a kind is besides its fields: see spans.h. */
typedef struct shape_kind_names {
    stele_name value, id, label;
} shape_kind_names;

typedef struct shape_names {
    stele_name kind, name, category, flags, addr, call_site, outgoing, incoming;
    stele_name fields, flat_name, flat_value; /* names in flat events, whose fields are texts */
    shape_kind_names of_kinds[STELE_KIND_COUNT];
} shape_names;

#define SHAPE_LOSSES_MAX 24u /* different losses of one event */

typedef struct shape_loss {
    const char *what;
    loss_extent extent;
    uint64_t count;
} shape_loss;

/* Whether "CATEGORY:NAME" is read as these two names: a cache of the latest pairs. */
typedef struct shape_plain {
    stele_name name, category;
    bool is_known, is_plain;
} shape_plain;

#define SHAPE_PLAIN_COUNT 256u

typedef struct shape {
    stele_writer *writer; /* counts the losses */
    shape_names names;
    /* Set by the caller: the trace says that its events can be restored, see spans.h. */
    bool is_marked;
    /* Set by the caller: the class has no name, and the name is a field of its events. */
    bool names_are_fields;
    bool is_flat; /* Set by the caller: fields are texts, so that there are few classes. */
    /* A field's name does not fit in the pool of names; flat events do not need it. */
    bool has_unknown_name;
    uint32_t flat_count;
    bool has_function; /* an event was the entry or exit of a function */
    uint32_t (*track_number)(void *user,
                             /* Returns the number of a track in the new trace. */
                             uint32_t track);
    void *user;
    shape_plain plain[SHAPE_PLAIN_COUNT];
    shape_loss lost[SHAPE_LOSSES_MAX];
    uint32_t lost_count;
    shape_context context;
    /* `value` has the bytes of the payload, or of the context and then of the payload. */
    byte_buffer key, value;
    shape_label *labels;
    uint32_t label_count, label_capacity, slot_count;
    uint32_t depth;
    const stele_field *before; /* the member before the current one; NULL if there is none */
    stele_kind kind;           /* kind of the event, for losses */
    const stele_batch *batch;
} shape;

/* Flags of an event: what its context has. Each set of flags has its own stream class. */
#define SHAPE_THREAD 1u /* numbers of process and thread, and the name */
#define SHAPE_CPU    2u /* number of the CPU */
#define SHAPE_TRACK  4u /* number of the track */
#define SHAPE_FLAGS  8u /* number of sets of these flags */

/* Prepares for shaping events of the writer. Returns false if out of memory. */
bool shape_open(shape *s, stele_writer *writer);
/*
 * Sets key, value and labels of an event. `*flags` say which context precedes the event; they
 * become part of the key. The context itself is not in the value. Flags and context change if the
 * event's own context fields say more than its track. Returns false if out of memory.
 */
bool shape_event(shape *s, const stele_batch *batch, const stele_event *event, unsigned *flags);

/* Counts the losses that were noted for the last event. */
void shape_count_losses(shape *s);
void shape_free(shape *s);

/* Whether the text is valid UTF-8 without zeros. */
bool shape_is_utf8(stele_text text);

/* Returns the flags in a key. */
unsigned shape_key_flags(const uint8_t *key);

/* Labels for each slot of one event class. */
typedef struct shape_enum {
    const ctf_mapping *mappings;
    uint32_t count;
} shape_enum;

/* Makes the class that a key describes, for the schema's generation, and the marks of its fields
   (schema/marks.h), which are empty if the fields need none. Returns false if out of memory. */
bool shape_class(const shape *s, const uint8_t *key, ctf_schema *schema, const shape_enum *enums,
                 ctf_event_class *event, byte_buffer *marks);

#endif
