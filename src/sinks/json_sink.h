/* SPDX-License-Identifier: Apache-2.0 */
/* The sink of JSON lines: events (json.c) and their fields (json_fields.c). */
#ifndef SINKS_JSON_SINK_H
#define SINKS_JSON_SINK_H

#include "sinks/fragments.h"
#include "sinks/parts.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define KIND_HEAD_SIZE 48  /* of `{"v":1,"kind":"...","time_ns":`, with room */
#define TYPE_HEAD_SIZE 32  /* of `,"type":"...","value":`, with room */
#define EVENT_SIZE     256 /* of a line's numbers and their keys, up to its fields */
#define TRACK_DEPTH    4   /* of tracks whose objects are kept */

/* The object of a track, after its key, and the names it was made from: they can become known
   later. */
typedef struct track_part {
    char *bytes; /* NULL: not made */
    size_t size, capacity;
    stele_name names[TRACK_DEPTH]; /* its own, its parent's, ... */
} track_part;

/* A text that is copied in whole blocks, regardless of its length. */
typedef struct kind_head {
    char bytes[KIND_HEAD_SIZE];
    size_t size;
} kind_head;

typedef struct type_head {
    char bytes[TYPE_HEAD_SIZE];
    size_t size;
} type_head;

/* What is around the value of a named integer: `,{"name":"size","type":"uint","value":`, and
   `,"bits":64}`. */
#define NUMBER_SLOTS     256u
#define NUMBER_HEAD_SIZE 96u /* longer ones are not kept */
#define NUMBER_TAIL_SIZE 48u

typedef struct number_part {
    uint64_t key; /* of the name and of what else it was made from; 0: not made */
    uint8_t head_size, tail_size;
    char head[NUMBER_HEAD_SIZE], tail[NUMBER_TAIL_SIZE];
} number_part;

typedef struct json_sink {
    stele_writer base;
    output *out;     /* what is written to: the writer's, or `scratch` */
    output *scratch; /* of a part that is kept */
    value_writer values;
    fragments names;    /* of events, with their categories and tracks */
    batch_parts parts;  /* all between an event's fields and its offset */
    track_part *tracks; /* by number */
    uint32_t track_count;
    kind_head kinds[STELE_KIND_COUNT];
    type_head types[STELE_TYPE_COUNT];
    number_part *numbers;     /* NUMBER_SLOTS, by name */
    const stele_batch *batch; /* of the segment that is being written */
    const stele_stream *stream;
    bool has_wall;   /* wall_ns is known */
    int64_t wall_ns; /* at 0 of the batch's times */
    text_front wall, time;
} json_sink;

/* ---- Members ---- */

#define MEMBER_U64(out, key, value) \
    do {                            \
        OUTPUT_LITERAL((out), key); \
        output_u64((out), (value)); \
    } while (0)

#define MEMBER_I64(out, key, value) \
    do {                            \
        OUTPUT_LITERAL((out), key); \
        output_i64((out), (value)); \
    } while (0)

/* Those that are left out when they are 0. */
#define MEMBER_UNLESS_0(out, key, value)     \
    do {                                     \
        if ((value) != 0)                    \
            MEMBER_U64((out), key, (value)); \
    } while (0)

/*
 * Which members of an object hold strings in escaped form (see json_string()): collected while it
 * is written, told in its member "escaped".
 */
typedef struct escaped_members {
    const char *names[4];
    unsigned count;
} escaped_members;

static inline void escaped_note(json_sink *json, escaped_members *escaped, const char *member)
{
    if ((json->values.changes & VALUE_ESCAPED) == 0)
        return;
    json->values.changes = 0;
    escaped->names[escaped->count++] = member;
}

static inline void escaped_put(output *out, const escaped_members *escaped)
{
    if (escaped->count == 0)
        return;
    OUTPUT_LITERAL(out, ",\"escaped\":[");
    for (unsigned i = 0; i < escaped->count; i++) {
        if (i != 0)
            output_byte(out, ',');
        output_byte(out, '"');
        output_text(out, escaped->names[i]);
        output_byte(out, '"');
    }
    output_byte(out, ']');
}

/* Appends fields of the batch as an array. Members of structures and options of variants have
   names, elements of arrays have none. */
void json_put_fields(json_sink *json, uint32_t first, uint32_t count, bool have_names);

/* Makes what is before the value of each type of field. */
void json_make_types(json_sink *json);

#endif
