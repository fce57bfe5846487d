/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing traces of different clocks together by events that both have seen: a signal that both
 * recorded, a message that was sent and received, marks that somebody wrote into both.
 *
 *     stele_alignment_options options = STELE_INIT(stele_alignment_options);
 *     stele_alignment found = STELE_INIT(stele_alignment);
 *     options.event = "sync*";
 *     status = stele_alignment_find(context, first, other, &options, &found);
 *     if (status == STELE_OK)
 *         stele_trace_align(other, &found);
 *
 * From then on, readers that read both with `first` in front bring the times of `other` to the
 * scale of `first`. One thread at a time uses the traces and their context.
 */
#ifndef STELE_ALIGN_H
#define STELE_ALIGN_H

#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the clock of one trace relates to that of another. */
typedef struct stele_alignment {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* A time t of the trace is at t + offset_ns + drift * (t - from_ns) of the other, each on its
       own scale (stele_event.time_ns of a reader of that trace alone). */
    int64_t offset_ns;
    /* How much faster this trace's clock has to go: 1e-6 is one microsecond per second. */
    double drift;
    int64_t from_ns; /* time of this trace at which offset_ns alone holds */
    /* Drift was fitted, from pairs at two different times or more; else drift is 0. */
    bool has_drift;
    /* Events that have the name of the options: [0] in the other trace, [1] in this one. */
    uint64_t event_count[2];
    uint64_t pair_count; /* pairs of events that agree with the line */
    /* Distance of the pairs that agree from the line: median and largest. */
    int64_t residual_median_ns, residual_max_ns;
} stele_alignment;

/* By which events clocks are aligned, and how well they must agree; zeros give the defaults, but
   `event` must be given. */
typedef struct stele_alignment_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *event;  /* a glob over the names of the events */
    /* An expression: two events are a pair if they give the same value ("arg.seq"). NULL: events
       are paired by their order, also where some of them are missing in one trace. */
    const char *key;
    bool no_drift; /* true: only an offset is fitted, as for clocks that run at the same speed */
} stele_alignment_options;

/*
 * Fits a line through the pairs of events. It is the median of the slopes between pairs at first,
 * which wrong pairs do not change much, then the least-squares line of the pairs that agree. At
 * most a million events of each trace are taken. Errors: STELE_ERR_CLOCKS, with a finding: no pair
 * of events was found, or the pairs agree on no line; STELE_ERR_UNSUPPORTED: a trace can be read
 * only once (see stele_trace_options.is_reread); STELE_ERR_ARGUMENT; STELE_ERR_READ;
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_alignment_find(stele_context *context, stele_trace *first,
                                            stele_trace *other,
                                            const stele_alignment_options *options,
                                            stele_alignment *found);

/* Has readers that are opened after this call bring the times of `trace` to the scale of the first
   of their traces. `trace` then has the wall-clock time of that first trace, where both know
   theirs. `alignment` NULL undoes an earlier alignment. */
STELE_API void stele_trace_align(stele_trace *trace, const stele_alignment *alignment);

#ifdef __cplusplus
}
#endif
#endif
