/* SPDX-License-Identifier: Apache-2.0 */
/* Selection and reading of calls, for the commands profile, flame, graph, diff and others. */
#ifndef CLI_CALLING_H
#define CLI_CALLING_H

#include <stele/spans.h>

#include "cli/cli.h"
#include "cli/show/json.h"

/*
 * Which calls are selected. The reader applies bounds of time and, as for all commands, tracks.
 * Names, categories, kinds and expressions are applied to the first event of a call, so that its
 * end and its callees are known even if they do not match.
 */
typedef struct calling {
    selection selected;
    stele_request only;            /* filter for stele_call_options.only */
    uint32_t depth_min, depth_end; /* depth_end 0: no limit */
    uint64_t duration_min_ns;
    uint64_t timeout_ns;    /* timeout of pairs; 0: none */
    stele_pairing *pairing; /* makes calls of moments; NULL: none are paired */
    /* traces of all arguments, which stay open; NULL: each is opened when it is read */
    const inputs *kept;
    stele_trace **stood; /* traces that standing_read() left open, by argument; NULL: none */
    size_t stood_count;
    /* names functions that the trace knows by address; NULL: none are named */
    struct placing *placing;
    bool takes_insns; /* for a trace of instructions, calls are made from them */
    bool has_read;    /* a trace was read */
    /* what times of the traces that were read count; see cli_note_times() */
    stele_clock_domain times;
    /* tracks may be read one after the other, which is faster than in the order of time: nothing
       that is shown, such as ids, depends on the order of spans of different tracks */
    bool is_by_track;
    const char *align; /* pattern for the name of the event with which a trace begins; NULL: none */
} calling;

bool calling_make(cli *c, calling *s);

/* Makes `pairing` as the options say. Part of calling_make(). */
bool calling_make_pairing(cli *c, calling *s);
void calling_free(calling *s);

/*
 * Reads one argument from its start to the end that is selected, each track in its own order. The
 * consumer should use the range of the statistics as its window. Returns false if nothing could be
 * read.
 */
bool calling_read(cli *c, calling *s, size_t index, uint32_t columns, const consumer *to);

/* Says that times of the next trace count `times`; calls made from instructions have their
   numbers. calling_read() does it. */
void calling_note_times(cli *c, calling *s, stele_clock_domain times);

/* Prints remarks on pairs by a value, and on moments that were paired by their names. */
void calling_remark_pairs(cli *c, calling *s);

/* The options of a profile of the selected calls. They refer to `s`. */
stele_profile_options calling_profile_options(const calling *s, bool by_track);

/* Make a profile or the tree of paths for the selected calls, without reading any. */
bool calling_make_profile(cli *c, const calling *s, bool by_track, stele_profile **p);
bool calling_make_paths(cli *c, const calling *s, bool by_track, stele_paths **p);

/* Makes a profile that can be compared with others. */
bool calling_make_spread(cli *c, const calling *s, stele_profile **p);

/*
 * Sorts the arguments that are files by size, the largest first, before any is read. Otherwise
 * results would depend on their order, because of XRay logs that were forked from each other the
 * first one read has what all begin with. The largest usually belongs to the first process.
 */
void calling_sort(cli *c);

/* Reads all arguments into the tree of paths. Returns false if none could be read; the caller
   must free the paths in any case. */
bool calling_read_paths(cli *c, calling *s, bool by_track, stele_paths **p);

/* Open and close the output of a command: a file, or standard output for NULL and "-". */
bool calling_output(cli *c, const char *path, stele_output **out);
void calling_output_end(cli *c, const char *path, stele_output *out);

/* Prints remarks on unusual calls to standard error. */
void calling_remark_unusual(cli *c, const stele_call_counts *counts);

/* Writes lines about unusual calls for people; nothing if there were none. */
void calling_write_unusual(stele_output *out, const stele_call_counts *counts);

/* Writes an object "unusual" with the numbers of unusual calls. */
void calling_write_unusual_json(json *j, const stele_call_counts *counts);

#endif
