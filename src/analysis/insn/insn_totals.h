/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what a stream of instructions holds, counted as its events would be. */
#ifndef ANALYSIS_INSN_INSN_TOTALS_H
#define ANALYSIS_INSN_INSN_TOTALS_H

#include <stele/analysis.h>

#include "model/context.h"
#include "model/insn.h"

typedef struct insn_totals {
    uint64_t insn_count, load_count, store_count, call_count;
    uint64_t ticks_max;                     /* of accesses with an order */
    bool begins_with_snapshot, has_batches; /* of the first batch */
} insn_totals;

/* Begins with zeros. Wants all accesses, values and snapshots. */
void insn_totals_add(insn_totals *totals, const insn_batch *batch);

/* `from` is what comes after `to`. */
void insn_totals_merge(insn_totals *to, const insn_totals *from);

/* Adds the events of a whole stream to a summary. */
stele_status insn_totals_tell(const insn_totals *totals, stele_summary *s, uint32_t track,
                              uint64_t snapshot_count, bool ends_with_snapshot);

#endif
