/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that text and CSV show: which there are, and what stands in them. */
#ifndef SINKS_COLUMN_H
#define SINKS_COLUMN_H

#include "core/text.h"
#include "model/context.h"
#include "query/expression.h"
#include "sinks/sink.h"

/* X(identifier, name as users write it, whether it is a number and stands at the right) */
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
    COLUMN_EXPRESSION, /* what an expression comes to */
    COLUMN_COUNT
} column_id;

typedef struct column {
    column_id id;
    stele_name arg;   /* of COLUMN_ARG: a name as it stands ... */
    expression *path; /* ... or the way to a field, as in filters; NULL: it is only a name. Of
                         COLUMN_EXPRESSION: it */
    const char *text; /* as written, not terminated */
    size_t text_size;
    bool is_right;
    uint16_t width; /* of the widest cell so far; for those who align */
} column;

typedef struct columns {
    column *items;
    uint32_t count;
    char *text; /* what the items point into */
} columns;

/* Reads a list such as "time,name,arg.len,kib=arg.len / 1024". One that does not exist is reported
   (STE009) and gives STELE_ERR_ARGUMENT. */
stele_status columns_parse(stele_context *context, const char *list, columns *result);
void columns_free(columns *list);

/* ---- Cells that are the same in text and CSV ------------------------------------------------- */

#define CELL_SIZE 64 /* of the longest of those below */

/* What times are shown relative to, and how: see stele_sink_options. */
typedef struct cell_clock {
    stele_sink_time time;
    bool has_origin, has_last;
    int64_t origin_ns;
    int64_t last_ns;            /* of the event before, for cell_delta() */
    const stele_stream *stream; /* of the segment at hand, never NULL */
    bool has_wall;              /* wall_ns is known */
    int64_t wall_ns;            /* at 0 of the segment's times */
} cell_clock;

cell_clock cell_clock_make(const stele_sink_options *options);

/* To be called for each segment, before any cell of it. */
void cell_clock_enter(cell_clock *clock, const stele_context *context,
                      const stele_segment *segment);

/* All write nothing for an event without a time. Seconds with nine decimals where the clock counts
   nanoseconds, else its own units; the time by the mode. */
char *cell_time(char *to, const cell_clock *clock, const stele_event *event);

/* Time since the event before, which it then takes the place of. */
char *cell_delta(char *to, cell_clock *clock, const stele_event *event);

/* Whether the event says when it ended: complete events, and losses whose end is known. */
bool cell_has_duration(const stele_event *event);

/* How long such an event took, in seconds or the clock's units; nothing for others. */
char *cell_duration(char *to, const cell_clock *clock, const stele_event *event);

/* The number of the event's process or thread, as far as it stands on one. */
char *cell_pid(char *to, const stele_context *context, const stele_event *event);
char *cell_tid(char *to, const stele_context *context, const stele_event *event);

/* "LATE UNRESOLVED": the flags that a reader should know of, with spaces between. */
char *cell_flags(char *to, unsigned flags);

/* A member of the event by column: TICKS, CPU, VALUE, ID, OFFSET, SIZE. */
char *cell_number(char *to, column_id id, const stele_event *event);

/* The field of COLUMN_ARG, of the event itself, its contexts or its batch's; NULL if none. What is
   no entry of the tape is put into `element`. */
const stele_field *cell_field(const column *item, const stele_batch *batch,
                              const stele_event *event, stele_field *element);

/* The first field of this name as it stands, of the event or of its batch's context; NULL if none.
 */
const stele_field *cell_named(const stele_batch *batch, const stele_event *event, stele_name name);

/* What COLUMN_EXPRESSION comes to; `time` counts from the clock's origin. */
void cell_value(const column *item, const cell_clock *clock, const stele_batch *batch,
                const stele_event *event, stele_value *value);

/* Its number as text, at most CELL_SIZE bytes; nothing for what is none. */
char *cell_value_number(char *to, const stele_value *value);

/* Reports (STE014) fields that no event had. */
void columns_report(const columns *list, diag_sink *diag);

#endif
