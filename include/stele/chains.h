/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains: what leads to what, from the work that begins it to the work that hands nothing on,
 * across threads and traces, and how long it takes from one end to the other. A flow hands on the
 * work of the span that it begins in, and the span in which it ends works on; so do messages of ROS
 * 2, from a timer over topics and callbacks to the last one:
 *
 *     timer 100 ms > /scan > subscription /scan > /cmd_vel > subscription /cmd_vel
 *
 * A handle takes segments from a reader, in the order of time of all tracks:
 *
 *     status = stele_chains_new(context, NULL, &chains);
 *     ... stele_chains_add(chains, &segment) ...
 *     if (status == STELE_END)
 *         status = stele_chains_finish(chains);
 *     status = stele_chains_rows(chains, &rows, &count);
 *
 * A span that stands on a stack is what works on: the innermost one that is open where a flow ends;
 * where none is, the next one that begins on that track. What it hands on are the flows that begin
 * in it, or in spans within it that work on nothing themselves. Memory grows with the number of
 * different paths and of flows on their way, not with that of events. What holds for all analyses
 * is said in <stele/analysis.h>: units, threads, ownership, errors.
 */
#ifndef STELE_CHAINS_H
#define STELE_CHAINS_H

#include <stele/spans.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_chains stele_chains;

/* Stages of one chain, at most; a longer chain goes on as a new one. */
#define STELE_CHAIN_STAGES_MAX 64u

/* Which chains of flows are followed, and how far; zeros give the defaults. */
typedef struct stele_chain_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Different paths; chains of further paths are counted in refused_count; 0: 65,536. */
    uint32_t paths_max;
    uint32_t open_max; /* flows sent and not yet received; 0: the limit of the context */
} stele_chain_options;

/* One stage of a path: work, or a flow that hands it on. */
typedef struct stele_chain_stage {
    stele_name name;
    bool is_flow; /* false: the stage is work */
    /* How often this stage was passed, over all chains that begin with the same stages. */
    uint64_t count;
    /* Time in this stage, summed over `count`: of work from its begin (or from when the flow
       reached it) to its end, of flows from sending to receiving. */
    uint64_t total_ns;
} stele_chain_stage;

/* All chains that took the same path. */
typedef struct stele_chain_row {
    const stele_chain_stage *stages; /* in order; the first is work */
    uint32_t stage_count;
    uint64_t count; /* chains that took this path to its end */
    /* Sum over all chains: from the begin of the first work to the end of the last. */
    uint64_t total_ns;
    uint64_t min_ns, max_ns;         /* duration of the shortest and the longest chain; exact */
    uint64_t p50_ns, p90_ns, p99_ns; /* percentiles: at most 3.2% too large, never above max_ns */
    int64_t worst_begin_ns;          /* when the first work of the longest chain began */
    int64_t worst_end_ns;            /* when the last work of the longest chain ended */
} stele_chain_row;

typedef struct stele_chain_counts {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t chain_count;   /* chains in all rows together */
    uint64_t unended_count; /* flows that were sent and never received */
    uint64_t unbegun_count; /* flows that were received, but whose sending is not in the trace */
    /* Chains and flows in no row, because a limit of the options was reached. */
    uint64_t refused_count;
} stele_chain_counts;

/* `options` may be NULL. The caller frees the handle with stele_chains_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this library does not know. */
STELE_API stele_status stele_chains_new(stele_context *context, const stele_chain_options *options,
                                        stele_chains **out);
STELE_API void stele_chains_free(stele_chains *c);

/* Takes the events of a segment; all events must come in the order of time. */
STELE_API stele_status stele_chains_add(stele_chains *c, const stele_segment *segment);

/* To be called after the last event; the rows are then complete. Work that is still open has no
   end, and its chain is in no row. */
STELE_API stele_status stele_chains_finish(stele_chains *c);

/* The columns and kinds to request from a reader. */
#define STELE_CHAINS_KINDS                                       \
    (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_STEP) | STELE_KIND_BIT(STELE_KIND_FLOW_END))
STELE_API uint32_t stele_chains_columns(const stele_chains *c);

/* Gives the rows, sorted by total_ns, the largest first. The rows and their stages are owned by the
   handle, and hold until the next call with it. Returns STELE_ERR_MEMORY. */
STELE_API stele_status stele_chains_rows(stele_chains *c, const stele_chain_row **rows,
                                         size_t *count);

/* Gives the counts so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_chains_get_counts(const stele_chains *c, stele_chain_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
