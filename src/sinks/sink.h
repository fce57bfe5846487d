/* SPDX-License-Identifier: Apache-2.0 */
/* What a sink is: events out as text, JSON, CSV, ... for people and other programs; never read. */
#ifndef SINKS_SINK_H
#define SINKS_SINK_H

#include "model/writer.h"
#include "sinks/pretty.h"

typedef enum stele_sink_time {
    STELE_SINK_TIME_RELATIVE, /* seconds since `origin_ns` */
    STELE_SINK_TIME_ABSOLUTE, /* wall-clock time where the clock knows it, else seconds of the clock
                               */
    STELE_SINK_TIME_TICKS     /* the source's raw ticks */
} stele_sink_time;

/* Zeros give each sink's own defaults. */
typedef struct stele_sink_options {
    stele_sink_time time;
    bool has_origin; /* else the time of the first event is the origin */
    int64_t origin_ns;
    const char *columns;         /* comma separated; NULL: the sink's default (text and CSV only) */
    bool has_color;              /* text: may use terminal colours */
    stele_pretty_options pretty; /* ctf-pretty only */
} stele_sink_options;

typedef struct stele_sink {
    const char *name, *title;
    const char *extensions; /* space separated, with dots */
    uint32_t columns;       /* STELE_COLUMN_... that it wants */

    /* `out` is owned by the writer from then on. A column that does not exist is reported (STE009)
       and gives STELE_ERR_ARGUMENT. */
    stele_status (*open)(stele_context *context, output *out, const stele_sink_options *options,
                         stele_writer **writer);
} stele_sink;

/* The registry: every sink of sinks.def, in that order. */
size_t stele_sink_count(void);
const stele_sink *stele_sink_at(size_t index);
const stele_sink *stele_sink_find(const char *name);

/* The sink whose extension the path has; NULL when none or several. */
const stele_sink *stele_sink_by_name(const char *path);

#endif
