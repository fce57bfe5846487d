/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands over calls share: profile, flame, graph and diff. */
#ifndef CLI_CALLING_H
#define CLI_CALLING_H

#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/show/json.h"

/*
 * Which calls are wanted. Time and track are for the reader, as with all commands. Names,
 * categories, kinds and expressions are judged by the first event of a call, so that its end and
 * its callees are known all the same.
 */
typedef struct calling {
    selection selected;
    stele_request only;            /* for stele_call_options.only */
    uint32_t depth_min, depth_end; /* 0: no limit */
    uint64_t duration_min_ns;
    uint64_t timeout_ns;    /* of pairs; 0: none */
    stele_pairing *pairing; /* makes calls of moments; NULL: they stay moments */
    const inputs *kept;     /* of all arguments, which stay open; NULL: each is opened to be read */
    stele_trace **stood;    /* by argument: those that standing_read() left open; NULL: none */
    size_t stood_count;
    struct placing *placing; /* names functions that traces know by address; NULL: nothing does */
    bool takes_insns;        /* traces of instructions give the calls that are made of them */
    bool has_read_insns;     /* such a trace was read; else: */
    bool has_read_times;     /* one with times */
    const char *align; /* pattern of the name of the event that a trace begins with; NULL: none */
} calling;

bool calling_make(cli *c, calling *s);

/* Makes what pairs moments, as the options say; calling_make() does so, too. */
bool calling_make_pairing(cli *c, calling *s);
void calling_free(calling *s);

/* Reads one argument from its start to the end that is wanted: each track in its order, traces one
   after the other. The consumer is to take the range of the statistics as its window. False when it
   could not be read at all. */
bool calling_read(cli *c, calling *s, size_t index, uint32_t columns, const consumer *to);

/* What became of pairs by a value, and of moments that were paired by their names, as remarks. */
void calling_remark_pairs(cli *c, calling *s);

/* Makes a profile, or paths, of what is wanted; nothing is read. */
bool calling_make_profile(cli *c, const calling *s, bool by_track, stele_profile **p);
bool calling_make_paths(cli *c, const calling *s, bool by_track, stele_paths **p);

/* Makes a profile that can be compared. */
bool calling_make_spread(cli *c, const calling *s, stele_profile **p);

/*
 * Puts arguments that are files in the order of their sizes, the largest first, before any is read.
 * Of XRay logs that were forked from each other the first one has what all of them begin with, so
 * that results would depend on how they are given; the largest is mostly that of the first process.
 */
void calling_sort(cli *c);

/* Reads all arguments into call paths. False when none could be read; free the paths all the same.
 */
bool calling_read_paths(cli *c, calling *s, bool by_track, stele_paths **p);

/* Where a command writes: to the file, or standard output for NULL and "-". */
bool calling_output(cli *c, const char *path, stele_output **out);
void calling_output_end(cli *c, const char *path, stele_output *out);

/* What was unusual, as remarks on standard error. */
void calling_remark_unusual(cli *c, const stele_call_counts *counts);

/* What was unusual, as lines for people; nothing when nothing was. */
void calling_write_unusual(stele_output *out, const stele_call_counts *counts);

/* The same as an object "unusual". */
void calling_write_unusual_json(json *j, const stele_call_counts *counts);

#endif
