/* SPDX-License-Identifier: Apache-2.0 */
/* Chains: which work hands on to which, where a chain begins and ends, how long it takes. */
#include "stele/chains.h"

#include "calls_made.h"

static stele_chains *chains;
static const stele_chain_row *rows;
static size_t count;

static void flow(uint64_t track, stele_kind kind, int64_t time_ns, uint64_t id)
{
    add_on(track, kind, time_ns, "flow")->id = id;
}

static void begin(uint64_t track, int64_t time_ns, const char *name)
{
    add_on(track, STELE_KIND_BEGIN, time_ns, name);
}

static void end(uint64_t track, int64_t time_ns, const char *name)
{
    add_on(track, STELE_KIND_END, time_ns, name);
}

static stele_chain_counts run(void)
{
    stele_chain_counts counts = STELE_INIT(stele_chain_counts);
    const stele_segment segment = made_segment();
    REQUIRE(stele_chains_new(it.context, NULL, &chains) == STELE_OK);
    CHECK_EQ_U64(stele_chains_add(chains, &segment), STELE_OK);
    CHECK_EQ_U64(stele_chains_finish(chains), STELE_OK);
    CHECK_EQ_U64(stele_chains_rows(chains, &rows, &count), STELE_OK);
    stele_chains_get_counts(chains, &counts);
    return counts;
}

static void finish(void)
{
    stele_chains_free(chains);
    made_end();
}

static bool is_path(const stele_chain_row *row, uint32_t stage_count, const char *const *names)
{
    if (row->stage_count != stage_count)
        return false;
    for (uint32_t i = 0; i < stage_count; i++)
        if (row->stages[i].name != named(names[i]) || row->stages[i].is_flow != (i % 2 == 1))
            return false;
    return true;
}

TEST(a_chain_goes_from_its_first_work_to_its_last)
{
    made_begin();
    begin(1, 0, "read");
    flow(1, STELE_KIND_FLOW_BEGIN, 5, 7);
    end(1, 8, "read");
    begin(2, 10, "parse");
    flow(2, STELE_KIND_FLOW_END, 12, 7);
    begin(2, 13, "inner"); /* works for the span around it */
    flow(2, STELE_KIND_FLOW_BEGIN, 15, 8);
    end(2, 16, "inner");
    end(2, 20, "parse");
    flow(3, STELE_KIND_FLOW_END, 30, 8); /* ends before the span that takes it up begins */
    begin(3, 33, "write");
    end(3, 40, "write");
    begin(3, 50, "write"); /* no flow leads to this one */
    end(3, 60, "write");
    CHECK_EQ_U64(run().chain_count, 1);
    REQUIRE(count == 1);
    CHECK(is_path(rows, 5, (const char *[]){"read", "flow", "parse", "flow", "write"}));
    CHECK_EQ_U64(rows->total_ns, 40);
    CHECK_EQ_I64(rows->worst_begin_ns, 0);
    CHECK_EQ_I64(rows->worst_end_ns, 40);
    CHECK_EQ_U64(rows->stages[1].total_ns, 7);
    CHECK_EQ_U64(rows->stages[2].total_ns, 8);
    CHECK_EQ_U64(rows->stages[4].total_ns, 7);
    finish();
}

TEST(chains_part_and_join)
{
    stele_chain_counts counts;
    made_begin();
    begin(1, 0, "source");
    flow(1, STELE_KIND_FLOW_BEGIN, 1, 1);
    flow(1, STELE_KIND_FLOW_BEGIN, 2, 2);
    flow(1, STELE_KIND_FLOW_BEGIN, 3, 3); /* nobody takes this flow */
    end(1, 4, "source");
    begin(2, 10, "sink"); /* takes two flows: the first one ends where the second one comes */
    flow(2, STELE_KIND_FLOW_END, 11, 1);
    flow(2, STELE_KIND_FLOW_END, 15, 2);
    flow(2, STELE_KIND_FLOW_END, 16, 99);
    end(2, 20, "sink");
    counts = run();
    REQUIRE(count == 1);
    CHECK(is_path(rows, 3, (const char *[]){"source", "flow", "sink"}));
    CHECK_EQ_U64(rows->count, 2);
    CHECK_EQ_U64(rows->min_ns, 15);
    CHECK_EQ_U64(rows->max_ns, 20);
    CHECK_EQ_U64(counts.unended_count, 1);
    CHECK_EQ_U64(counts.unbegun_count, 1);
    finish();
}

TEST(what_has_ended_hands_nothing_on)
{
    made_begin();
    span(0, 10, "short");
    flow(1, STELE_KIND_FLOW_BEGIN, 12, 1);
    begin(2, 13, "sink");
    flow(2, STELE_KIND_FLOW_END, 14, 1);
    end(2, 20, "sink");
    CHECK_EQ_U64(run().unbegun_count, 1);
    CHECK_EQ_U64(count, 0);
    finish();
}

TEST(a_step_takes_and_hands_on)
{
    made_begin();
    begin(1, 0, "a");
    flow(1, STELE_KIND_FLOW_BEGIN, 1, 1);
    end(1, 2, "a");
    begin(2, 3, "b");
    flow(2, STELE_KIND_FLOW_STEP, 4, 1);
    end(2, 5, "b");
    begin(3, 6, "c");
    flow(3, STELE_KIND_FLOW_END, 7, 1);
    end(3, 9, "c");
    run();
    REQUIRE(count == 1);
    CHECK(is_path(rows, 5, (const char *[]){"a", "flow", "b", "flow", "c"}));
    CHECK_EQ_U64(rows->total_ns, 9);
    finish();
}

TEST(chains_without_end_are_cut)
{
    made_begin();
    for (unsigned i = 0; i < 200; i++) {
        begin(1, i * 10, "a");
        if (i != 0)
            flow(1, STELE_KIND_FLOW_END, i * 10 + 1, i);
        flow(1, STELE_KIND_FLOW_BEGIN, i * 10 + 2, i + 1);
        end(1, i * 10 + 3, "a");
    }
    run();
    for (size_t i = 0; i < count; i++)
        CHECK(rows[i].stage_count <= STELE_CHAIN_STAGES_MAX);
    finish();
}
