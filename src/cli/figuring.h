/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics from traces, for the commands stats and diff. */
#ifndef CLI_FIGURING_H
#define CLI_FIGURING_H

#include <stele/stats.h>

#include "cli/calling.h"

/* State of reading traces into statistics. */
typedef struct figuring {
    cli *c;
    stele_stats *stats; /* the statistics that are being filled */
    stele_request only; /* filter of rows */
    calling from;       /* selection of what is read */
    stele_stats_options options;
    bool has_pairs; /* rows are spans of pairs that the user gave */
    /* The only trace may be read in parts; set by a caller that shows nothing which depends on
       that. */
    bool may_divide;
    divided parts;
} figuring;

/*
 * Takes the options that select and pair, and makes statistics from `given` and the options of the
 * command. If they are not valid, reports it and returns false. The caller must call
 * figuring_free() in any case.
 */
bool figuring_make(cli *c, figuring *f, const stele_stats_options *given);
void figuring_free(figuring *f);

/* Makes new statistics with the same options, which are filled from now on. Returns false if out
   of memory. */
bool figuring_renew(figuring *f);

/* Reads one argument. Returns false if nothing could be read. */
bool figuring_read(figuring *f, size_t index);

/* Reads all arguments in their stored order, which is faster. Returns false if that cannot be
   done, or gave wrong results, which are dropped. */
bool figuring_read_standing(figuring *f);

/* The consumer that fills the statistics, for other ways of reading. */
consumer figuring_consumer(figuring *f);

/* Finds a figure by its name of `size` bytes. Returns false if there is none. */
bool figuring_find(const char *text, size_t size, stele_stats_figure *figure);
#define FIGURING_FIGURES \
    "count, sum, min, max, mean, stddev, p50, p90, p99, p99.9, distinct and last"

#endif
