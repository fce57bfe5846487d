/* SPDX-License-Identifier: Apache-2.0 */
/* Runs all analyses of a trace's instructions in one pass. */
#include <stdlib.h>

#include "cli/page/page.h"

#define INTERVALS      200u  /* how many intervals a thread with all instructions gets */
#define INTERVAL_LEAST 1000u /* shortest interval in instructions */

/* For traces with more than REUSE_WHOLE instructions, reuse distances are found for one of
   REUSE_SAMPLE lines, because each takes a search. */
#define REUSE_WHOLE  UINT64_C(20000000)
#define REUSE_SAMPLE 64u

static stele_status take(void *user, const stele_insn_batch *batch)
{
    page_insns *i = user;
    stele_status status = stele_insn_mix_add(i->mix, batch);
    if (status == STELE_OK)
        status = stele_insn_branches_add(i->branches, batch);
    if (status == STELE_OK)
        status = stele_insn_blocks_add(i->blocks, batch);
    if (status == STELE_OK)
        status = stele_insn_footprint_add(i->footprint, batch);
    if (status == STELE_OK)
        status = stele_insn_reuse_add(i->reuse, batch);
    if (status == STELE_OK)
        status = stele_insn_bbv_add(i->bbv, batch);
    i->insn_count += batch->insn_count;
    return status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    page_insns *i = user;
    const stele_status status = stele_insn_branches_end_stream(i->branches);
    (void)stats;
    (void)stream;
    return status == STELE_OK ? stele_insn_blocks_end_stream(i->blocks) : status;
}

static stele_status make(page_insns *i, uint64_t total)
{
    stele_status status = stele_insn_mix_new(STELE_INSN_MIX_OPCODE, &i->mix);
    i->interval = total / INTERVALS > INTERVAL_LEAST ? total / INTERVALS : INTERVAL_LEAST;
    i->reuse_sample = total > REUSE_WHOLE ? REUSE_SAMPLE : 1;
    i->phases = phases_new();
    if (i->phases == NULL)
        return STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = stele_insn_branches_new(&i->branches);
    if (status == STELE_OK)
        status = stele_insn_blocks_new(false, &i->blocks);
    if (status == STELE_OK)
        status = stele_insn_footprint_new(i->interval, &i->footprint);
    if (status == STELE_OK)
        status = stele_insn_reuse_new(64, i->reuse_sample, &i->reuse);
    if (status == STELE_OK)
        status = stele_insn_bbv_new(i->interval, phases_take, i->phases, &i->bbv);
    return status;
}

bool page_read_insns(page *p, page_side *s)
{
    cli *c = p->c;
    const char *path = c->options.arguments[s->index];
    stele_insn_consumer to = {.take = take, .end = end_stream};
    stele_status status;
    if (!stele_trace_has_insns(s->d.trace) || !s->d.about->is_seekable)
        return true;
    s->insns = calloc(1, sizeof *s->insns);
    if (s->insns == NULL)
        return cli_check(c, STELE_ERR_MEMORY, path);
    to.user = s->insns;
    if (!insns_make_all(c, &s->insns->s, OPTION_BINARY))
        return false;
    s->insns->s.options.wants_accesses = s->insns->s.options.wants_values = true;
    status = make(s->insns, s->d.totals->kind_counts[STELE_KIND_INSN]);
    if (status == STELE_OK)
        status = insns_read_trace(c, &s->insns->s, s->d.trace, &to);
    if (status == STELE_OK)
        status = stele_insn_bbv_finish(s->insns->bbv);
    return cli_check(c, status, path);
}

void page_free_insns(page_side *s)
{
    page_insns *i = s->insns;
    if (i == NULL)
        return;
    stele_insn_mix_free(i->mix);
    stele_insn_branches_free(i->branches);
    stele_insn_blocks_free(i->blocks);
    stele_insn_footprint_free(i->footprint);
    stele_insn_reuse_free(i->reuse);
    stele_insn_bbv_free(i->bbv);
    phases_free(i->phases);
    insns_free(&i->s);
    free(i);
}
