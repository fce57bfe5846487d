/* SPDX-License-Identifier: Apache-2.0 */
/* What a sink is: events out as text, JSON, CSV, ... for people and other programs; never read. */
#ifndef SINKS_SINK_H
#define SINKS_SINK_H

#include <stele/sink.h>

#include "model/writer.h"

typedef struct sink_entry {
    const char *name, *title;
    const char *extensions; /* space separated, with dots */
    const char *settings;   /* keys of stele_writer_open(), space separated; NULL: none */
    uint32_t columns;       /* STELE_COLUMN_... that it wants */

    /* `out` is owned by the writer from then on. A column that does not exist is reported (STE009)
       and gives STELE_ERR_ARGUMENT. Options, which may be NULL, are of this version. */
    stele_status (*open)(stele_context *context, output *out, const stele_sink_options *options,
                         stele_writer **writer);
} sink_entry;

/* The registry: every sink of sinks.def, in that order. */
size_t sink_count(void);
const sink_entry *sink_at(size_t index);
const sink_entry *sink_find(const char *name);

/* The sink whose extension the path has; NULL when none or several. */
const sink_entry *sink_by_name(const char *path);

/* Opens a sink as stele_writer_open() does: with settings of the keys that it takes, or refused. */
stele_status sink_writer_open(const sink_entry *to, stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);

#endif
