/* SPDX-License-Identifier: Apache-2.0 */
/* What 'stele info' knows of one trace, and the functions that write it. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <stele/analysis.h>
#include <stele/schema.h>

#include "cli/cli.h"
#include "cli/show/json.h"

typedef struct info {
    const stele_trace *trace;
    const stele_trace_info *about;
    const stele_summary_totals *totals;
    const stele_summary_name *names;
    const stele_summary_track *tracks;
    size_t name_count, track_count;
    size_t names_shown, tracks_shown;
    uint32_t stream_count;
    stele_clock clock; /* clock of the first stream that has one */
    bool has_clocks;   /* streams have clocks of different kinds or frequencies */
    bool is_complete;  /* the trace was read to its end */
    stele_reader_stats stats;
    stele_schema *schema; /* NULL: fields are not asked for */
} info;

/* Computes the wall-clock time of the first event. Returns false if the trace has none, or if it
   does not fit in 64 bits. */
static inline bool info_wall_start(const info *i, int64_t *wall_ns)
{
    return i->clock.has_wall &&
           !__builtin_add_overflow(i->clock.wall_ns, i->totals->begin_ns, wall_ns);
}

void info_write_text(cli *c, const info *i);
void info_write_json(cli *c, const info *i, json *j);

#endif
