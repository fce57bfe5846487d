/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of the events that were read: which events have which fields of which types, how
 * often, and between which values. It is made in one pass, with bounded memory:
 *
 *     status = stele_schema_new(context, NULL, &schema);
 *     request.columns = STELE_SCHEMA_COLUMNS;
 *     request.order = STELE_ORDER_NONE;
 *     ...
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_schema_add(schema, &segment);
 *     for (size_t i = 0; stele_schema_get_event(schema, i, &event); i++)
 *         for (size_t k = 0; stele_schema_get_field(schema, i, k, &field); k++)
 *             ...
 *
 * Rules about threads, memory, statuses and ownership are those of <stele/analysis.h>.
 */
#ifndef STELE_SCHEMA_H
#define STELE_SCHEMA_H

#include <stele/analysis.h>
#include <stele/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_schema stele_schema;

/* The columns to request from a reader. */
#define STELE_SCHEMA_COLUMNS (STELE_COLUMN_NAME | STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT)

/* What a schema is made of; zeros give the defaults. */
typedef struct stele_schema_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Different events that are kept; later ones are only counted; 0: 16,384. */
    uint32_t events_max;
    uint32_t fields_max; /* fields of all events together that are kept; 0: 65,536 */
} stele_schema_options;

STELE_API stele_status stele_schema_new(stele_context *context, const stele_schema_options *options,
                                        stele_schema **out);
STELE_API void stele_schema_free(stele_schema *s);
/* Takes the events of a segment, in any order. Returns STELE_ERR_MEMORY. */
STELE_API stele_status stele_schema_add(stele_schema *s, const stele_segment *segment);

/* Events of one kind, name and category, or a context of events. */
typedef struct stele_schema_event {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    stele_kind kind;
    stele_name name;     /* 0: none */
    stele_name category; /* 0: none */
    bool is_context; /* not an event: fields that packets and batches have for all events in them */
    uint64_t count;
    size_t field_count;
} stele_schema_event;

/* One label of a field, and how many values had it. The schema keeps the first
   STELE_SCHEMA_LABELS_MAX labels of each field. */
#define STELE_SCHEMA_LABELS_MAX 16u
typedef struct stele_schema_label {
    stele_text text; /* owned by the schema */
    int64_t value;   /* of an enumeration, modulo 2^64 */
    uint64_t count;
} stele_schema_label;

/* A field, or a member of a field: members follow the field that they are part of. */
typedef struct stele_schema_field {
    size_t struct_size;           /* sizeof this struct: see <stele/version.h> */
    stele_name name;              /* 0: an element of an array, or a field without a name */
    uint32_t depth;               /* of nesting; 0: a field of the event itself */
    bool is_element;              /* stands for all elements of the array before it */
    bool is_context;              /* a field of a context that the event has */
    uint32_t types;               /* set of types that values had: bits 1 << stele_type */
    uint8_t width_min, width_max; /* bits of a value as written; 0: none */
    uint8_t hint;                 /* all STELE_HINT_... that a value had */
    uint64_t count;               /* values of the field */
    stele_value min, max;         /* smallest and largest number; MISSING: no value is a number */
    /* Of texts and bytes in bytes, of arrays in elements; both 0 if there are none. */
    uint64_t length_min, length_max;
    stele_text example;               /* the first text, up to 64 bytes; owned by the schema */
    const stele_schema_label *labels; /* in the order of their first values; owned by the schema */
    uint32_t label_count;
    uint64_t label_other_count; /* values with labels beyond STELE_SCHEMA_LABELS_MAX */
} stele_schema_field;

/* Give an event, or one of its fields, by index from 0. Events are sorted by count, the most
   frequent first, with contexts at the end. Return false past the last. The caller sets
   `struct_size`, as STELE_INIT does. */
STELE_API bool stele_schema_get_event(stele_schema *s, size_t event, stele_schema_event *about);
STELE_API bool stele_schema_get_field(stele_schema *s, size_t event, size_t field,
                                      stele_schema_field *about);

/* Counts events beyond events_max, and values of fields beyond fields_max. */
STELE_API uint64_t stele_schema_other_events(const stele_schema *s);
STELE_API uint64_t stele_schema_other_fields(const stele_schema *s);

#ifdef __cplusplus
}
#endif
#endif
