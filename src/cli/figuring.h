/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands over statistics share: stats, and diff where it compares them. */
#ifndef CLI_FIGURING_H
#define CLI_FIGURING_H

#include <stele/stats.h>

#include "cli/calling.h"

/* Reads traces into statistics. */
typedef struct figuring {
    cli *c;
    stele_stats *stats; /* that are being filled */
    stele_request only; /* which rows */
    calling from;       /* what is read */
    stele_stats_options options;
    bool has_pairs; /* the user's: rows are spans */
} figuring;

/* Takes the options of the command that select and pair, and makes statistics as `given` says, but
   for what the options of the command decide. False: they cannot be used. Free it all the same. */
bool figuring_make(cli *c, figuring *f, const stele_stats_options *given);
void figuring_free(figuring *f);

/* Makes other statistics like the first, to be filled from now on. */
bool figuring_renew(figuring *f);

/* Reads one argument; false when it could not be read at all. */
bool figuring_read(figuring *f, size_t index);

/* Reads all arguments as they stand, which is faster. False: it is of no use here. */
bool figuring_read_standing(figuring *f);

/* What takes events, for other ways to read. */
consumer figuring_consumer(figuring *f);

/* The figure with a name, of so many bytes. */
bool figuring_find(const char *text, size_t size, stele_stats_figure *figure);
#define FIGURING_FIGURES \
    "count, sum, min, max, mean, stddev, p50, p90, p99, p99.9, distinct and last"

#endif
