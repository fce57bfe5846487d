/* SPDX-License-Identifier: Apache-2.0 */
/* State of the sink for JSON lines, which json.c (events) and json_fields.c (fields) share. */
#ifndef SINKS_JSON_SINK_H
#define SINKS_JSON_SINK_H

#include "sinks/fragments.h"
#include "sinks/parts.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define KIND_HEAD_SIZE 48  /* room for `{"v":1,"kind":"...","time_ns":` */
#define TYPE_HEAD_SIZE 32  /* room for `,"type":"...","value":` */
#define EVENT_SIZE     256 /* room for the numbers and keys before a line's names, or after them */
#define TRACK_DEPTH    4   /* depth of tracks, parents included, whose objects are kept */

/* The object of a track as text, and the names it was made from, which can change later. */
typedef struct track_part {
    char *bytes; /* NULL: not made yet */
    size_t size, capacity;
    stele_name names[TRACK_DEPTH]; /* name of the track, of its parent, and so on */
} track_part;

/* A text that is copied in blocks of its full size, regardless of its length. */
typedef struct kind_head {
    char bytes[KIND_HEAD_SIZE];
    size_t size;
} kind_head;

typedef struct type_head {
    char bytes[TYPE_HEAD_SIZE];
    size_t size;
} type_head;

/* Text around the value of a named integer: `,{"name":"size","type":"uint","value":` before it
   and `,"bits":64}` after it. */
#define NUMBER_SLOTS     256u
#define NUMBER_HEAD_SIZE 96u /* longer texts are not kept */
#define NUMBER_TAIL_SIZE 48u

typedef struct number_part {
    uint64_t key; /* name, type, width and hint, see number_key(); 0: not made */
    uint8_t head_size, tail_size;
    char head[NUMBER_HEAD_SIZE], tail[NUMBER_TAIL_SIZE];
} number_part;

typedef struct json_sink {
    stele_writer base;
    output *out;     /* current output: that of the writer, or `scratch` */
    output *scratch; /* buffer for a part that is made to be kept */
    value_writer values;
    fragments names;    /* names of events with their categories and tracks */
    batch_parts parts;  /* text between an event's fields and its offset, for each batch */
    track_part *tracks; /* by track number */
    uint32_t track_count;
    kind_head kinds[STELE_KIND_COUNT];
    type_head types[STELE_TYPE_COUNT];
    number_part *numbers;     /* an array of NUMBER_SLOTS, by name */
    const stele_batch *batch; /* batch of the segment that is being written */
    const stele_stream *stream;
    bool has_wall;                             /* wall_ns is known */
    int64_t wall_ns;                           /* wall-clock time at time 0 of the batch */
    text_front time, ticks, wall, end, offset; /* leading digits */
} json_sink;

/* ---- Members of an object ---- */

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

/* Writes a member that is left out if it is 0. */
#define MEMBER_UNLESS_0(out, key, value)     \
    do {                                     \
        if ((value) != 0)                    \
            MEMBER_U64((out), key, (value)); \
    } while (0)

/* Collects which members of an object have strings in escaped form (see json_string()), while
   the object is written. They are listed in its member "escaped". */
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
   names; elements of arrays do not. */
void json_put_fields(json_sink *json, uint32_t first, uint32_t count, bool have_names);

/* Makes the text that comes before the value of a field, for each type. */
void json_make_types(json_sink *json);

#endif
