/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_totals.h"

#include <stele/insn_analysis.h>

#include <stdlib.h>

#include "core/sized.h"

/* A system call has a number and six arguments, so an eighth value belongs to the next call. */
#define CALL_ARGUMENTS 7u

/* Counts the system calls in the values of an instruction: arguments and vectors, and results,
   which end a call. */
static uint64_t count_calls(const insn_batch *batch, const insn *at)
{
    const insn_value *values = insn_values(batch, at);
    uint64_t count = 0;
    unsigned arguments = 0;
    bool is_open = false;
    for (uint16_t i = 0; i < at->value_count; i++) {
        const bool is_argument = values[i].kind == INSN_VALUE_ARGUMENT;
        is_open &= i != 0 && values[i].access == values[i - 1].access;
        const bool is_result = values[i].kind == INSN_VALUE_RESULT;
        if (!is_argument && !is_result && values[i].kind != INSN_VALUE_VECTORS) {
            is_open = false;
            continue;
        }
        if (!is_open || (is_argument && arguments >= CALL_ARGUMENTS)) {
            count++;
            arguments = 0;
        }
        arguments += is_argument;
        is_open = !is_result;
    }
    return count;
}

static void count_values(insn_totals *totals, const insn_batch *batch, const insn *at)
{
    const insn_value *values = insn_values(batch, at);
    bool has_call = false;
    for (uint16_t i = 0; i < at->value_count; i++) {
        const uint64_t number = values[i].u.number;
        has_call |= values[i].kind == INSN_VALUE_ARGUMENT || values[i].kind == INSN_VALUE_RESULT ||
                    values[i].kind == INSN_VALUE_VECTORS;
        if (values[i].kind != INSN_VALUE_ORDER || values[i].access >= at->access_count)
            continue;
        totals->ticks_max = number > totals->ticks_max ? number : totals->ticks_max;
    }
    if (has_call)
        totals->call_count += count_calls(batch, at);
}

void insn_totals_add(insn_totals *totals, const insn_batch *batch)
{
    uint64_t store_count = 0;
    for (uint32_t i = 0; i < batch->access_count; i++)
        store_count += batch->accesses[i].is_store;
    for (uint32_t i = 0; i < batch->insn_count && batch->value_count != 0; i++) {
        if (batch->insns[i].value_count != 0)
            count_values(totals, batch, &batch->insns[i]);
    }
    if (!totals->has_batches)
        totals->begins_with_snapshot = (batch->insns[0].flags & INSN_AT_SNAPSHOT) != 0;
    totals->has_batches = true;
    totals->insn_count += batch->insn_count;
    totals->store_count += store_count;
    totals->load_count += batch->access_count - store_count;
}

void insn_totals_merge(insn_totals *to, const insn_totals *from)
{
    if (!to->has_batches) {
        to->begins_with_snapshot = from->begins_with_snapshot;
        to->has_batches = from->has_batches;
    }
    to->insn_count += from->insn_count;
    to->load_count += from->load_count;
    to->store_count += from->store_count;
    to->call_count += from->call_count;
    to->ticks_max = from->ticks_max > to->ticks_max ? from->ticks_max : to->ticks_max;
}

stele_status insn_totals_tell(const insn_totals *totals, stele_summary *s, uint32_t track,
                              uint64_t snapshot_count, bool ends_with_snapshot)
{
    /* The time of an instruction's events is its number, and so are their ticks, unless accesses
       have an order. */
    const uint64_t last = totals->insn_count - !ends_with_snapshot;
    const stele_summary_run whole = {.track = track,
                                     .end_ns = (int64_t)last,
                                     .end_ticks =
                                         totals->ticks_max > last ? totals->ticks_max : last};
    const struct {
        stele_kind kind;
        uint64_t count;
    } list[] = {{STELE_KIND_SNAPSHOT, totals->begins_with_snapshot ? snapshot_count : 0},
                {STELE_KIND_INSN, totals->insn_count},
                {STELE_KIND_SNAPSHOT, totals->begins_with_snapshot ? 0 : snapshot_count},
                {STELE_KIND_LOAD, totals->load_count},
                {STELE_KIND_STORE, totals->store_count},
                {STELE_KIND_SYSCALL, totals->call_count}};
    stele_status status = STELE_OK;
    if (totals->insn_count == 0)
        return STELE_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && status == STELE_OK; i++) {
        stele_summary_run run = whole;
        run.kind = list[i].kind;
        run.count = list[i].count;
        if (run.count != 0)
            status = stele_summary_add_run(s, &run);
    }
    return status;
}

/* ---- Public functions ---- */

struct stele_insn_totals {
    insn_totals sums;
};

stele_status stele_insn_totals_new(stele_insn_totals **totals)
{
    *totals = calloc(1, sizeof **totals);
    return *totals != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

void stele_insn_totals_free(stele_insn_totals *totals)
{
    free(totals);
}

void stele_insn_totals_clear(stele_insn_totals *totals)
{
    totals->sums = (insn_totals){.insn_count = 0};
}

stele_status stele_insn_totals_add(stele_insn_totals *totals, const stele_insn_batch *batch)
{
    insn_totals_add(&totals->sums, batch);
    return STELE_OK;
}

stele_status stele_insn_totals_merge(stele_insn_totals *to, const stele_insn_totals *from)
{
    insn_totals_merge(&to->sums, &from->sums);
    return STELE_OK;
}

uint64_t stele_insn_totals_count(const stele_insn_totals *totals)
{
    return totals->sums.insn_count;
}

stele_status stele_insn_totals_summarise(const stele_insn_totals *totals,
                                         const stele_insn_stats *stats, uint32_t track,
                                         stele_summary *sum)
{
    stele_insn_stats own;
    if (!sized_take(&own, sizeof own, SIZED_FIRST(stele_insn_stats, content_size), stats))
        return STELE_ERR_ARGUMENT;
    return insn_totals_tell(&totals->sums, sum, track, own.snapshot_count, own.ends_with_snapshot);
}
