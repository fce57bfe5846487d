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
    double drift; /* by how much its clock has to go faster: 1e-6 is one microsecond in a second */
    int64_t from_ns;
    bool has_drift;          /* there were two times or more to find it by; else it is 0 */
    uint64_t event_count[2]; /* events of the name: of the other trace, of this one */
    uint64_t pair_count;     /* of them, those that are pairs and agree with the line */
    int64_t residual_median_ns, residual_max_ns; /* how far these are from the line */
} stele_alignment;

/* Zeros give the defaults; `event` must be given. */
typedef struct stele_alignment_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *event;  /* a glob over the names of the events */
    const char *key; /* an expression: events of one value are pairs ("arg.seq"). NULL: the order in
                        which they come says it, also where some of them are missing in a trace */
    bool no_drift;   /* both clocks run alike: an offset is enough */
} stele_alignment_options;

/*
 * Fits a line through the pairs of events. It is the median of the slopes between pairs at first,
 * which wrong pairs do not change much, then that of the least squares of the pairs that agree. At
 * most a million events of each trace are taken. Errors: STELE_ERR_CLOCKS, with a finding: no pair
 * of events was found, or the pairs agree on no line; STELE_ERR_UNSUPPORTED: a trace can be read
 * only once (see stele_trace_options.is_reread); STELE_ERR_ARGUMENT; STELE_ERR_READ;
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_alignment_find(stele_context *context, stele_trace *first,
                                            stele_trace *other,
                                            const stele_alignment_options *options,
                                            stele_alignment *found);

/* Has readers that are opened from then on bring the trace to the scale of the first of their
   traces. It then has the wall-clock time of that one, where both know theirs. NULL takes that
   back. */
STELE_API void stele_trace_align(stele_trace *trace, const stele_alignment *alignment);

#ifdef __cplusplus
}
#endif
#endif
