/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that text and CSV can show, and how to write their cells. */
#ifndef SINKS_COLUMN_H
#define SINKS_COLUMN_H

#include "core/text.h"
#include "model/context.h"
#include "query/expression.h"
#include "sinks/sink.h"

/* All columns as X(identifier, name as users write it, whether it is a number and aligned to the
   right). */
#define COLUMNS(X)                 \
    X(TIME, "time", true)          \
    X(TICKS, "ticks", true)        \
    X(DELTA, "delta", true)        \
    X(TRACK, "track", false)       \
    X(PID, "pid", true)            \
    X(TID, "tid", true)            \
    X(CPU, "cpu", true)            \
    X(KIND, "kind", false)         \
    X(CATEGORY, "category", false) \
    X(NAME, "name", false)         \
    X(EVENT, "event", false)       \
    X(DUR, "dur", true)            \
    X(VALUE, "value", true)        \
    X(ID, "id", true)              \
    X(FIELDS, "fields", false)     \
    X(OFFSET, "offset", true)      \
    X(SIZE, "size", true)          \
    X(FLAGS, "flags", false)       \
    X(STREAM, "stream", true)

typedef enum column_id {
#define X(id, name, is_right) COLUMN_##id,
    COLUMNS(X)
#undef X
        COLUMN_ARG,    /* "arg.NAME": one field */
    COLUMN_EXPRESSION, /* value of an expression */
    COLUMN_COUNT
} column_id;

typedef struct column {
    column_id id;
    stele_name arg; /* COLUMN_ARG: the whole text as a name of a field */
    /* COLUMN_ARG: the text as a path to a field, NULL if it is just a name; COLUMN_EXPRESSION:
       the expression */
    expression *path;
    const char *text; /* as the user wrote it; not terminated */
    size_t text_size;
    bool is_right;
    uint16_t width; /* largest width of a cell so far, for outputs that align columns */
} column;

typedef struct columns {
    column *items;
    uint32_t count;
    char *text; /* copy of the list, into which the items point */
} columns;

/* Parses a list such as "time,name,arg.len,kib=arg.len / 1024". Reports an unknown column
   (STE009) and returns STELE_ERR_ARGUMENT, or STELE_ERR_MEMORY. */
stele_status columns_parse(stele_context *context, const char *list, columns *result);
void columns_free(columns *list);

/* ---- Cells that are the same in text and CSV ------------------------------------------------- */

#define CELL_SIZE 64 /* bytes for the longest cell of the functions below */

/* The mode and origin of times; see stele_sink_options. */
typedef struct cell_clock {
    stele_sink_time time;
    bool has_origin, has_last;
    int64_t origin_ns;
    int64_t last_ns;                   /* time of the previous event, for cell_delta() */
    const stele_stream *stream;        /* stream of the current segment, never NULL */
    bool has_wall;                     /* wall_ns is known */
    bool is_relative_ns;               /* times are shown in seconds since the origin */
    int64_t wall_ns;                   /* wall-clock time at time 0 of the segment */
    text_front seconds, ticks, offset; /* leading digits of the last numbers */
} cell_clock;

cell_clock cell_clock_make(const stele_sink_options *options);

/* Sets the stream and clock of a segment; call it before any cell of its events. */
void cell_clock_enter(cell_clock *clock, const stele_context *context,
                      const stele_segment *segment);

/*
 * Writes the time of an event in the mode of the clock: seconds with nine decimals if it counts
 * nanoseconds, otherwise its own units. This and the next functions write nothing for an event
 * without a time, and return the end of the text.
 */
char *cell_time_any(char *to, const cell_clock *clock, const stele_event *event);

static inline char *cell_time(char *to, cell_clock *clock, const stele_event *event)
{
    return clock->is_relative_ns && event->time_ns >= clock->origin_ns &&
                   (event->flags & STELE_FLAG_NO_TIME) == 0
               ? text_seconds_near(to, (uint64_t)event->time_ns - (uint64_t)clock->origin_ns,
                                   &clock->seconds)
               : cell_time_any(to, clock, event);
}

/* Writes the time since the previous event, and makes this one the previous. */
char *cell_delta(char *to, cell_clock *clock, const stele_event *event);

/* Whether an event has an end: COMPLETE events, and losses whose end is known. */
static inline bool cell_has_duration(const stele_event *event)
{
    return event->kind == STELE_KIND_COMPLETE || (event->kind == STELE_KIND_LOST && event->id != 0);
}

/* Writes how long an event took, in seconds or the clock's units; nothing if it has no end. */
char *cell_duration(char *to, const cell_clock *clock, const stele_event *event);

/* Write the number of the process or thread that the event's track is or belongs to; nothing if
   there is none. */
char *cell_pid(char *to, const stele_context *context, const stele_event *event);
char *cell_tid(char *to, const stele_context *context, const stele_event *event);

/* Writes the flags that users should know of, separated by spaces, such as "LATE UNRESOLVED". */
#define CELL_FLAGS                                                                       \
    (STELE_FLAG_LATE | STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | \
     STELE_FLAG_REPEATED | STELE_FLAG_PART)
char *cell_flags(char *to, unsigned flags);

/*
 * Writes a member of the event as a number, for the columns TICKS, CPU, VALUE, ID, OFFSET and SIZE.
 */
static inline char *cell_number(char *to, cell_clock *clock, column_id id, const stele_event *event)
{
    switch (id) {
    case COLUMN_TICKS:
        return (event->flags & STELE_FLAG_NO_TIME) == 0
                   ? text_u64_near(to, event->ticks, &clock->ticks)
                   : to;
    case COLUMN_CPU:
        return (event->flags & STELE_FLAG_HAS_CPU) != 0 ? text_u64(to, event->cpu) : to;
    case COLUMN_VALUE: return text_u64(to, event->value);
    case COLUMN_ID:
        /* the id of these kinds is a time */
        return event->kind == STELE_KIND_COMPLETE || event->kind == STELE_KIND_LOST
                   ? text_i64(to, (int64_t)event->id)
                   : text_u64(to, event->id);
    case COLUMN_OFFSET: return text_u64_near(to, event->offset, &clock->offset);
    case COLUMN_SIZE: return text_u64(to, event->size);
    default: return to;
    }
}

/* Finds the field of COLUMN_ARG in the event, its contexts or those of its batch. Returns NULL
   if there is none. An element of an array, which is not a field itself, is put into `element`. */
const stele_field *cell_field(const column *item, const stele_batch *batch,
                              const stele_event *event, stele_field *element);

/* The first field with exactly this name, of the event or of its batch's context. Returns NULL
   if there is none. */
const stele_field *cell_named(const stele_batch *batch, const stele_event *event, stele_name name);

/* Computes the expression of COLUMN_EXPRESSION; its `time` is relative to the clock's origin. */
void cell_value(const column *item, const cell_clock *clock, const stele_batch *batch,
                const stele_event *event, stele_value *value);

/* Writes a value that is a number, at most CELL_SIZE bytes; nothing for other values. */
char *cell_value_number(char *to, const stele_value *value);

/* Reports fields of the list that no event had (STE014). */
void columns_report(const columns *list, diag_sink *diag);

#endif
