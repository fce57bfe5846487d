/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The most important facts about a trace, found in one pass: what is wrong with it, where nothing
 * was recorded, where the time goes, and which spans took much longer than others of their name.
 */
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include <stele/analysis.h>
#include <stele/spans.h>

#include "cli/cli.h"

#define DIGEST_GAPS_MAX     3u
#define DIGEST_FINDINGS_MAX 16u
#define DIGEST_WORST_MAX    5u

/* A stretch of time in which no track has an event or a part of a COMPLETE event. */
typedef struct digest_gap {
    int64_t begin_ns, end_ns;
} digest_gap;

/* The findings of one code, with the place of the first. */
typedef struct digest_finding {
    const stele_code *code;
    uint64_t count, lost_count;
    uint64_t offset; /* STELE_NO_OFFSET: the finding is about no place */
    char source[256];
    char found[512];
} digest_finding;

#define DIGEST_OPEN_MAX 4u

typedef struct digest {
    const stele_trace_info *about; /* valid as long as the trace */
    stele_trace *trace;
    stele_reader_stats stats;
    stele_summary *summary;
    const stele_summary_totals *totals;
    size_t name_count, track_count;
    const stele_summary_name *names; /* sorted by count, the most frequent first */
    stele_profile *profile;
    const stele_profile_row *rows; /* sorted by self time, the largest first */
    size_t row_count;
    stele_outliers *outliers;
    const stele_outlier *odd; /* sorted by how far they exceed the percentile of their name */
    size_t odd_count;
    stele_latency *latency;
    const stele_span *worst; /* sorted by duration, the longest first */
    uint32_t worst_count;
    /* What goes on at the end: of each stack the innermost span; those that began first. */
    stele_span open[DIGEST_OPEN_MAX];
    unsigned open_count;
    digest_gap gaps[DIGEST_GAPS_MAX]; /* sorted by length, the longest first */
    unsigned gap_count;
    /* errors first; those of one severity in the order in which they came */
    digest_finding findings[DIGEST_FINDINGS_MAX];
    unsigned finding_count;
    uint64_t other_finding_count; /* findings of codes for which there was no room */
    int64_t origin_ns;            /* time from which times are shown */
} digest;

/* Further receivers of what is read, in the same pass. Every member may be NULL. */
typedef struct digest_more {
    /* Called when the trace is open and nothing was read; sets `*columns` to what `take...` need
       beyond the usual. */
    stele_status (*begin)(void *user, const digest *d, uint32_t *columns);
    stele_segment_fn *take;       /* receives events unchanged, in the order of time */
    stele_segment_fn *take_calls; /* receives events after moments were paired */
    stele_span_fn *take_spans;    /* receives spans with their fields */
    void *user;
    bool has_notes;       /* findings that are notes are kept, too */
    bool has_self_spread; /* the profile can be compared */
} digest_more;

/*
 * Reads the argument with this number; `more` may be NULL. If it cannot be read, reports it and
 * returns false; what could be read is there nevertheless if `totals` is not NULL. The caller must
 * call digest_free() in any case.
 */
bool digest_read(cli *c, size_t index, const digest_more *more, digest *d);

/* The file of a trace of several files that the finding is about, without the path of the trace;
   NULL if that is the only one, so that a byte alone is an address. */
const char *digest_file(const digest *d, const digest_finding *finding);

void digest_free(digest *d);

#endif
