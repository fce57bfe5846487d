/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: insn TRACE
 * A program of somebody else about instructions: how many there are, in how many blocks, and how
 * much memory they touch. Includes only <stele/insn_analysis.h> and what that includes.
 */
#include <stele/context.h>
#include <stele/insn_analysis.h>

#include <stdio.h>

typedef struct counting {
    uint64_t insn_count;
    stele_insn_blocks *blocks;
    stele_insn_footprint *footprint;
} counting;

static stele_status take(void *user, const stele_insn_batch *batch)
{
    counting *c = user;
    stele_status status = stele_insn_blocks_add(c->blocks, batch);
    c->insn_count += batch->insn_count;
    return status == STELE_OK ? stele_insn_footprint_add(c->footprint, batch) : status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    counting *c = user;
    (void)stats;
    (void)stream;
    return stele_insn_blocks_end_stream(c->blocks);
}

static int show(counting *c)
{
    stele_insn_footprint_row row = STELE_INIT(stele_insn_footprint_row);
    size_t block_count;
    if (stele_insn_blocks_rows(c->blocks, &block_count) != STELE_OK ||
        !stele_insn_footprint_get(c->footprint, STELE_INSN_LINE_64, &row))
        return 1;
    printf("%llu instructions, %zu blocks, %llu lines\n", (unsigned long long)c->insn_count,
           block_count, (unsigned long long)row.any_count);
    return 0;
}

int main(int count, char **arguments)
{
    stele_insn_options options = STELE_INIT(stele_insn_options);
    counting c = {0, NULL, NULL};
    const stele_insn_consumer to = {.take = take, .user = &c, .end = end_stream};
    stele_context *context = NULL;
    stele_trace *trace = NULL;
    int result = 1;
    options.wants_accesses = true;
    if (count == 2 && stele_context_new(NULL, &context) == STELE_OK &&
        stele_trace_open(context, arguments[1], NULL, &trace) == STELE_OK &&
        stele_insn_blocks_new(false, &c.blocks) == STELE_OK &&
        stele_insn_footprint_new(0, &c.footprint) == STELE_OK &&
        stele_insn_read(trace, &options, &to, NULL) == STELE_OK)
        result = show(&c);
    stele_insn_footprint_free(c.footprint);
    stele_insn_blocks_free(c.blocks);
    stele_trace_close(trace);
    stele_context_free(context);
    return result;
}
