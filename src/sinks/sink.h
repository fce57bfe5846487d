/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a sink, which writes events as text, JSON, CSV and so on, for people and
   other programs. Stele does not read these back. */
#ifndef SINKS_SINK_H
#define SINKS_SINK_H

#include <stele/sink.h>

#include "model/writer.h"

typedef struct sink_entry {
    const char *name, *title;
    const char *extensions; /* space separated, with dots */
    /* keys of settings for stele_writer_open(), space separated; NULL: none */
    const char *settings;
    uint32_t columns;       /* STELE_COLUMN_... bits that events must have */
    uint64_t written_kinds; /* kinds of events, as bits, that it can write; 0: all */

    /* Opens the sink. It owns `out` from then on. An unknown column is reported (STE009) and
       gives STELE_ERR_ARGUMENT. `options` have this version's size, or are NULL. */
    stele_status (*open)(stele_context *context, output *out, const stele_sink_options *options,
                         stele_writer **writer);
} sink_entry;

/* Look up the sinks of sinks.def, in that order: how many there are, by index, by name (NULL if
   not found). */
size_t sink_count(void);
const sink_entry *sink_at(size_t index);
const sink_entry *sink_find(const char *name);

/* The sink for the extension of a path. Returns NULL if no sink or several have it. */
const sink_entry *sink_by_name(const char *path);

/* Opens a sink for stele_writer_open(). A setting that the sink does not have is reported and
   gives STELE_ERR_ARGUMENT. */
stele_status sink_writer_open(const sink_entry *to, stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer);

#endif
