/* SPDX-License-Identifier: Apache-2.0 */
/* What of an event, and how, the lines of babeltrace2 show. */
#ifndef SINKS_PRETTY_H
#define SINKS_PRETTY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What stands before the name of the event. */
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

/* What is shown with its name. */
#define STELE_PRETTY_NAME_PAYLOAD   0x1u
#define STELE_PRETTY_NAME_CONTEXT   0x2u
#define STELE_PRETTY_NAME_SCOPE     0x4u
#define STELE_PRETTY_NAME_HEADER    0x8u
#define STELE_PRETTY_NAMES_STANDARD (STELE_PRETTY_NAME_PAYLOAD | STELE_PRETTY_NAME_CONTEXT)
#define STELE_PRETTY_NAMES_ALL      0xfu

/* What a clock on the wall shows, as gmtime_r() and localtime_r() tell; false: nothing. */
typedef bool stele_pretty_wall_fn(time_t moment_s, struct tm *wall);

typedef struct stele_pretty_options {
    unsigned fields, names;     /* PRETTY_FIELD_..., PRETTY_NAME_... */
    bool has_fields, has_names; /* they were given; else the standard ones */
    bool no_delta;              /* without the time since the event before */
    bool cycles, seconds, date; /* of the clock */
    stele_pretty_wall_fn *wall; /* of a time zone; NULL: UTC */
} stele_pretty_options;

#endif
