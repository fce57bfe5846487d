/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sinks: outputs for people and other programs (text, JSON, CSV, ...), which are written like
 * traces and cannot be read by Stele. stele_writer_open() takes their names, too; this header gives
 * all of their options.
 *
 *     stele_sink_options options = STELE_INIT(stele_sink_options);
 *     options.columns = "time,name,fields";
 *     status = stele_output_open("events.csv", NULL, &out);
 *     status = stele_sink_open(context, out, "csv", &options, &writer);
 *     ...
 *     status = stele_writer_finish(writer);
 *     stele_writer_close(writer);
 *     status = stele_output_finish(out);
 *     stele_output_close(out);
 *
 * One thread at a time uses a writer and its context. Functions that take no handle may be called
 * on any thread.
 */
#ifndef STELE_SINK_H
#define STELE_SINK_H

#include <stele/output.h>
#include <stele/writer.h>

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Known sinks ----------------------------------------------------------------------------- */

typedef struct stele_sink_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "csv" */
    const char *title;      /* "Comma-separated values" */
    const char *extensions; /* separated by spaces, with dots: ".csv" */
    const char *settings;   /* keys that stele_writer_open() takes, separated by spaces; "": none */
    uint32_t columns;       /* STELE_COLUMN_... to request from a reader */
    uint64_t written_kinds; /* kinds of events, as bits, of which something is in the output */
} stele_sink_info;

/* Gives the sinks, `index` from 0. Returns false past the last one. The caller sets `struct_size`
   of the result, as STELE_INIT does. Texts are static. */
STELE_API bool stele_sink_get(size_t index, stele_sink_info *info);

/* Gives the sink with this name. Returns false if there is none. */
STELE_API bool stele_sink_find(const char *name, stele_sink_info *info);

/* Gives the name of the sink whose extension a path has. Returns NULL if no sink or several have
   it. */
STELE_API const char *stele_sink_for_path(const char *path);

/* ---- Opening a sink -------------------------------------------------------------------------- */

/* How a sink shows times. */
typedef enum stele_sink_time {
    STELE_SINK_TIME_RELATIVE, /* seconds since `origin_ns` */
    /* Wall-clock time where the clock knows it, else seconds of the clock. */
    STELE_SINK_TIME_ABSOLUTE,
    STELE_SINK_TIME_TICKS /* ticks of the stream's clock */
} stele_sink_time;

/* What the lines of ctf-pretty show before the event's name. EMF is the URI of its model (EMF); the
   standard ones are babeltrace2's. */
#define STELE_PRETTY_FIELD_TRACE     0x01u
#define STELE_PRETTY_FIELD_HOSTNAME  0x02u
#define STELE_PRETTY_FIELD_DOMAIN    0x04u
#define STELE_PRETTY_FIELD_PROCNAME  0x08u
#define STELE_PRETTY_FIELD_VPID      0x10u
#define STELE_PRETTY_FIELD_LOG_LEVEL 0x20u
#define STELE_PRETTY_FIELD_EMF       0x40u
#define STELE_PRETTY_FIELDS_STANDARD \
    (STELE_PRETTY_FIELD_HOSTNAME | STELE_PRETTY_FIELD_PROCNAME | STELE_PRETTY_FIELD_VPID)
#define STELE_PRETTY_FIELDS_ALL 0x7fu

/* Which field names the lines of ctf-pretty show before values: those of the payload, of contexts,
   of the scopes, and of the header. */
#define STELE_PRETTY_NAME_PAYLOAD   0x1u
#define STELE_PRETTY_NAME_CONTEXT   0x2u
#define STELE_PRETTY_NAME_SCOPE     0x4u
#define STELE_PRETTY_NAME_HEADER    0x8u
#define STELE_PRETTY_NAMES_STANDARD (STELE_PRETTY_NAME_PAYLOAD | STELE_PRETTY_NAME_CONTEXT)
#define STELE_PRETTY_NAMES_ALL      0xfu

/* Converts a moment, in seconds since 1970-01-01 UTC, to the date and time that it is called by in
   some time zone, as gmtime_r() and localtime_r() do. Returns false if it cannot. Called on the
   thread that writes. */
typedef bool stele_pretty_wall_fn(time_t moment_s, struct tm *wall);

/* What the lines of ctf-pretty show, as options of babeltrace2. Zeros give the defaults. */
typedef struct stele_pretty_options {
    size_t struct_size;         /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_fields;            /* `fields` was given; else STELE_PRETTY_FIELDS_STANDARD */
    bool has_names;             /* `names` was given; else STELE_PRETTY_NAMES_STANDARD */
    unsigned fields;            /* STELE_PRETTY_FIELD_... */
    unsigned names;             /* STELE_PRETTY_NAME_... */
    bool no_delta;              /* leave out the time since the event before */
    bool cycles;                /* show times in cycles of the clock */
    bool seconds;               /* show times in seconds, not as hours, minutes and seconds */
    bool date;                  /* show the date with each time */
    stele_pretty_wall_fn *wall; /* converts times to a time zone; NULL: UTC */
} stele_pretty_options;

/* Zeros give the sink's own defaults. */
typedef struct stele_sink_options {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    stele_sink_time time; /* used by text and CSV */
    bool has_origin;      /* origin_ns is given; else it is the time of the first event */
    int64_t origin_ns;    /* zero of relative times, on the scale of stele_event.time_ns */
    const char *columns;  /* separated by commas; NULL: the sink's default; used by text and CSV */
    bool has_color;       /* terminal colours may be used; used by text */
    const stele_pretty_options *pretty; /* used by ctf-pretty; NULL: defaults */
    bool has_end;                       /* end_ns is given: no events after it were asked for */
    /* Until when a thread counts as running that runs at the end, on the scale of
       stele_event.time_ns; used by chrome. */
    int64_t end_ns;
} stele_sink_options;

/*
 * Opens a writer of a sink, which writes to an output. The output stays the caller's, who finishes
 * it after the writer. `options` may be NULL, and is copied. Errors: STELE_ERR_FORMAT: there is no
 * sink of this name; STELE_ERR_ARGUMENT, with a finding, for a column that does not exist;
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_sink_open(stele_context *context, stele_output *out, const char *name,
                                       const stele_sink_options *options, stele_writer **writer);

#ifdef __cplusplus
}
#endif
#endif
