/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sinks: outputs for people and other programs (text, JSON, CSV, ...), which are written like
 * traces and never read. stele_writer_open() takes their names, too; what is here gives all of
 * their options.
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
 * One thread at a time uses a writer and its context. The functions that take no handle may be
 * called on any thread.
 */
#ifndef STELE_SINK_H
#define STELE_SINK_H

#include <stele/output.h>
#include <stele/writer.h>

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Which there are ------------------------------------------------------------------------- */

typedef struct stele_sink_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "csv" */
    const char *title;      /* "Comma-separated values" */
    const char *extensions; /* space separated, with dots: ".csv" */
    const char *settings;   /* keys that stele_writer_open() takes, space separated; "": none */
    uint32_t columns;       /* STELE_COLUMN_... to request from a reader */
} stele_sink_info;

/* The sinks, `index` from 0; false past the end. The caller sets `struct_size` of the result, as
   STELE_INIT does. Texts are static. */
STELE_API bool stele_sink_get(size_t index, stele_sink_info *info);

/* The sink of this name; false when there is none. */
STELE_API bool stele_sink_find(const char *name, stele_sink_info *info);

/* The name of the sink whose extension a path has; NULL when it is that of none or of several. */
STELE_API const char *stele_sink_for_path(const char *path);

/* ---- Opening one ----------------------------------------------------------------------------- */

/* What times are shown as. */
typedef enum stele_sink_time {
    STELE_SINK_TIME_RELATIVE, /* seconds since `origin_ns` */
    STELE_SINK_TIME_ABSOLUTE, /* wall-clock time where the clock knows it, else seconds of the clock
                               */
    STELE_SINK_TIME_TICKS     /* the source's raw ticks */
} stele_sink_time;

/* What the lines of ctf-pretty show before the name of the event. */
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

/* What they show with its name. */
#define STELE_PRETTY_NAME_PAYLOAD   0x1u
#define STELE_PRETTY_NAME_CONTEXT   0x2u
#define STELE_PRETTY_NAME_SCOPE     0x4u
#define STELE_PRETTY_NAME_HEADER    0x8u
#define STELE_PRETTY_NAMES_STANDARD (STELE_PRETTY_NAME_PAYLOAD | STELE_PRETTY_NAME_CONTEXT)
#define STELE_PRETTY_NAMES_ALL      0xfu

/* What a clock on the wall shows at a moment, in seconds since 1970-01-01 UTC, as gmtime_r() and
   localtime_r() give it; false: nothing. Is called on the thread that writes. */
typedef bool stele_pretty_wall_fn(time_t moment_s, struct tm *wall);

/* What of an event, and how, the lines of babeltrace2 show. Zeros give the defaults. */
typedef struct stele_pretty_options {
    size_t struct_size;         /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_fields;            /* `fields` was given; else STELE_PRETTY_FIELDS_STANDARD */
    bool has_names;             /* `names` was given; else STELE_PRETTY_NAMES_STANDARD */
    unsigned fields;            /* STELE_PRETTY_FIELD_... */
    unsigned names;             /* STELE_PRETTY_NAME_... */
    bool no_delta;              /* leave out the time since the event before */
    bool cycles, seconds;       /* times are cycles, or seconds, of the clock */
    bool date;                  /* times have their date */
    stele_pretty_wall_fn *wall; /* of a time zone; NULL: UTC */
} stele_pretty_options;

/* Zeros give each sink's own defaults. */
typedef struct stele_sink_options {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    stele_sink_time time; /* of text and CSV */
    bool has_origin;      /* origin_ns is known; else the time of the first event is the origin */
    int64_t origin_ns;    /* where relative times begin, as stele_event.time_ns */
    const char *columns;  /* comma separated; NULL: the sink's default. Of text and CSV */
    bool has_color;       /* terminal colours may be used. Of text */
    const stele_pretty_options *pretty; /* of ctf-pretty; NULL: defaults */
    bool has_end;   /* events end before end_ns, because no later ones were asked for */
    int64_t end_ns; /* how far threads run that run at the end, as stele_event.time_ns. Of chrome */
} stele_sink_options;

/*
 * Opens a writer that writes to an output. The output stays the caller's, to be finished after the
 * writer. `options`, which may be NULL, is copied. Errors: STELE_ERR_FORMAT: there is no sink of
 * this name; STELE_ERR_ARGUMENT, with a finding, for a column that does not exist;
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_sink_open(stele_context *context, stele_output *out, const char *name,
                                       const stele_sink_options *options, stele_writer **writer);

#ifdef __cplusplus
}
#endif
#endif
