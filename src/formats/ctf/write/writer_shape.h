/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of events: CTF describes what its events hold in classes, the model does not. So each
 * event gives, beside the bytes of its values, a key that says how they are laid out; events with
 * equal keys are of one class, which is made of the key when the trace ends.
 */
#ifndef CTF_WRITER_SHAPE_H
#define CTF_WRITER_SHAPE_H

#include "core/byte_buffer.h"
#include "formats/ctf/schema/schema.h"
#include "model/writer.h"

/* What a number of the event means: becomes a label of an enumeration. */
typedef struct shape_label {
    uint32_t slot; /* the how manieth labelled number of its class */
    stele_name name;
    uint64_t value;
} shape_label;

/* What stands in front of the fields of an event, as its flags say. */
typedef struct shape_context {
    uint64_t pid, tid;
    uint16_t cpu;
    uint32_t track;  /* number among those of the trace, with SPAN_TRACK_IS_CPU */
    stele_name name; /* of the process, else of the thread */
} shape_context;

/* Names of members that say what an event is besides its fields: see spans.h. */
typedef struct shape_kind_names {
    stele_name value, id, label;
} shape_kind_names;

typedef struct shape_names {
    stele_name kind, name, category, flags, addr, call_site, outgoing, incoming;
    stele_name fields, flat_name, flat_value; /* of fields as texts */
    shape_kind_names of_kinds[STELE_KIND_COUNT];
} shape_names;

#define SHAPE_LOSSES_MAX 24u

typedef struct shape_loss {
    const char *what;
    loss_extent extent;
    uint64_t count;
} shape_loss;

/* Whether "CATEGORY:NAME" is read as these two: kept for the latest pairs. */
typedef struct shape_plain {
    stele_name name, category;
    bool is_known, is_plain;
} shape_plain;

#define SHAPE_PLAIN_COUNT 256u

typedef struct shape {
    stele_writer *writer; /* where losses are counted */
    shape_names names;
    bool is_marked; /* the caller's word: the trace says that events come back: see spans.h */
    bool names_are_fields; /* the caller's wish: the class has no name, its events have */
    bool is_flat;          /* the same: fields are texts, so that there are few classes */
    bool has_unknown_name; /* a field's name is beyond the limit of names: flat ones need none */
    uint32_t flat_count;
    bool has_function; /* some event was one that is entered or left */
    uint32_t (*track_number)(void *user,
                             uint32_t track); /* of a track, in the trace that is made */
    void *user;
    shape_plain plain[SHAPE_PLAIN_COUNT];
    shape_loss lost[SHAPE_LOSSES_MAX];
    uint32_t lost_count;
    shape_context context;
    byte_buffer key, value; /* of the payload, or of the context and then of the payload */
    shape_label *labels;
    uint32_t label_count, label_capacity, slot_count;
    uint32_t depth;
    const stele_field *before; /* the member in front of the one at hand; NULL: none */
    stele_kind kind;           /* of the event, for losses */
    const stele_batch *batch;
} shape;

/* Flags of events: which of them have an own class of streams. */
#define SHAPE_THREAD 1u /* process and thread in front of each event */
#define SHAPE_CPU    2u /* its CPU */
#define SHAPE_TRACK  4u /* its track */
#define SHAPE_FLAGS  8u /* as many sets of them */

/*
 * Sets key, value and labels of an event. `flags`: what is written in front of it, not here, and
 * becomes part of the key. Flags and context change where the event's own context fields say more
 * than its track. Returns false if out of memory.
 */
bool shape_open(shape *s, stele_writer *writer);
bool shape_event(shape *s, const stele_batch *batch, const stele_event *event, unsigned *flags);

/* Counts what the shape of the last event lacks. */
void shape_count_losses(shape *s);
void shape_free(shape *s);

/* Whether it is UTF-8 without zeros. */
bool shape_is_utf8(stele_text text);

/* The flags that a key has. */
unsigned shape_key_flags(const uint8_t *key);

/* Classes for the labels of one event class: as many as its slots. */
typedef struct shape_enum {
    const ctf_mapping *mappings;
    uint32_t count;
} shape_enum;

/* Makes the class that a key tells, for the schema's generation, and the marks of its fields
   (schema/marks.h; empty: they need none). Returns false if out of memory. */
bool shape_class(const shape *s, const uint8_t *key, ctf_schema *schema, const shape_enum *enums,
                 ctf_event_class *event, byte_buffer *marks);

#endif
