/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a stream of instructions contains, as if it were read as events. */
#ifndef ANALYSIS_INSN_INSN_TOTALS_H
#define ANALYSIS_INSN_INSN_TOTALS_H

#include <stele/analysis.h>

#include "model/context.h"
#include "model/insn.h"

typedef struct insn_totals {
    uint64_t insn_count, load_count, store_count, call_count;
    uint64_t ticks_max;                     /* highest ticks of accesses that have an order */
    bool begins_with_snapshot, has_batches; /* begins_with_snapshot is about the first batch */
} insn_totals;

/* Adds a batch, which must have all accesses, values and snapshots. Totals begin as zeros. */
void insn_totals_add(insn_totals *totals, const insn_batch *batch);

/* Adds the totals of `from`, which comes directly after `to` in the stream. */
void insn_totals_merge(insn_totals *to, const insn_totals *from);

/* Adds the events of a whole stream to a summary. */
stele_status insn_totals_tell(const insn_totals *totals, stele_summary *s, uint32_t track,
                              uint64_t snapshot_count, bool ends_with_snapshot);

#endif
