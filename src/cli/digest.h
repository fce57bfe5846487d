/* SPDX-License-Identifier: Apache-2.0 */
/* What matters most of a trace, found in one pass: what is wrong with it, where nothing was
   recorded, where the time goes, and what took far longer than others of its name. */
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include <stele/analysis.h>
#include <stele/spans.h>

#include "cli/cli.h"

#define DIGEST_GAPS_MAX     3u
#define DIGEST_FINDINGS_MAX 16u
#define DIGEST_WORST_MAX    5u

/* A stretch in which no track has an event, and that no complete event reaches into. */
typedef struct digest_gap {
    int64_t begin_ns, end_ns;
} digest_gap;

/* What was found under one code, and the first place of it. */
typedef struct digest_finding {
    const stele_code *code;
    uint64_t count, lost_count;
    uint64_t offset; /* STELE_NO_OFFSET: it is about no place */
    char source[256];
    char found[128];
} digest_finding;

typedef struct digest {
    const stele_trace_info *about; /* holds as long as the trace */
    stele_trace *trace;
    stele_reader_stats stats;
    stele_summary *summary;
    const stele_summary_totals *totals;
    size_t name_count, track_count;
    const stele_summary_name *names; /* the commonest first */
    stele_profile *profile;
    const stele_profile_row *rows; /* by self time, the largest first */
    size_t row_count;
    stele_outliers *outliers;
    const stele_outlier *odd; /* the most beyond their name's percentile first */
    size_t odd_count;
    stele_latency *latency;
    const stele_span *worst; /* the longest first */
    uint32_t worst_count;
    digest_gap gaps[DIGEST_GAPS_MAX]; /* the longest first */
    unsigned gap_count;
    digest_finding findings[DIGEST_FINDINGS_MAX]; /* errors first, then as they came */
    unsigned finding_count;
    uint64_t other_finding_count; /* of codes beyond those */
    int64_t origin_ns;            /* that times are shown from */
} digest;

/* Whoever wants to know more of what is read, in the same pass. All may be NULL. */
typedef struct digest_more {
    /* The trace is open and nothing was read: `columns` says what is wanted beside the others. */
    stele_status (*begin)(void *user, const digest *d, uint32_t *columns);
    stele_segment_fn *take;       /* events as they are, in the order of time */
    stele_segment_fn *take_calls; /* the same with moments that were paired */
    stele_span_fn *take_spans;    /* spans with their fields */
    void *user;
    bool has_notes;       /* findings that are notes are kept, too */
    bool has_self_spread; /* the profile can be compared */
} digest_more;

/* Reads the argument with this number; `more` may be NULL. False, and reported, when it cannot be
   read; what could be is there all the same if `totals` is not NULL. digest_free() in either case.
 */
bool digest_read(cli *c, size_t index, const digest_more *more, digest *d);
void digest_free(digest *d);

#endif
