/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions by <stele/insn.h> alone, as a program outside of the project reads them. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <stele/insn.h>
#include <stele/stele.h>

#define COLLECTION STELE_SOURCE_DIR "/src/formats/xtrace/good/collection"
#define THREADS    STELE_SOURCE_DIR "/src/formats/xtrace/good/threads"
#define DAMAGED    STELE_SOURCE_DIR "/src/formats/xtrace/bad/jump.xinsndata.bin"
#define OTHER      STELE_SOURCE_DIR "/src/formats/fxt/good/events.fxt"

typedef struct opened {
    stele_context *context;
    stele_trace *trace;
} opened;

static opened open_trace(const char *path)
{
    opened o = {NULL, NULL};
    REQUIRE(stele_context_new(NULL, &o.context) == STELE_OK);
    REQUIRE(stele_trace_open(o.context, path, NULL, &o.trace) == STELE_OK);
    return o;
}

static void close_trace(opened *o)
{
    stele_trace_close(o->trace);
    stele_context_free(o->context);
}

/* ---- Reading ---- */

typedef struct totals {
    uint64_t insns, hidden, accesses, bytes, values, pc_sum;
} totals;

static void totals_add(totals *t, const stele_insn_batch *batch)
{
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const stele_insn *insn = &batch->insns[i];
        const stele_insn_access *access = stele_insn_accesses(batch, insn);
        if ((insn->flags & STELE_INSN_HIDDEN) != 0) {
            t->hidden++;
            continue;
        }
        t->insns++;
        t->pc_sum += insn->pc;
        t->accesses += insn->access_count;
        t->values += insn->value_count;
        for (uint16_t a = 0; a < insn->access_count; a++)
            t->bytes += UINT64_C(1) << access[a].size_log2;
    }
}

static totals read_totals(stele_trace *trace, const stele_insn_options *options,
                          stele_insn_stats *stats)
{
    stele_insn_reader *reader;
    const stele_insn_batch *batch;
    totals t = {0};
    stele_status status = stele_insn_reader_new(trace, options, &reader);
    REQUIRE(status == STELE_OK);
    while ((status = stele_insn_reader_next(reader, &batch)) == STELE_OK)
        totals_add(&t, batch);
    CHECK_EQ_U64(status, STELE_END);
    CHECK_EQ_U64(stele_insn_reader_next(reader, &batch), STELE_END);
    if (stats != NULL)
        stele_insn_reader_get_stats(reader, stats);
    stele_insn_reader_free(reader);
    return t;
}

TEST(instructions_are_the_events_of_the_trace)
{
    opened o = open_trace(COLLECTION);
    stele_insn_options options = STELE_INIT(stele_insn_options);
    stele_insn_stats stats = STELE_INIT(stele_insn_stats);
    const stele_request request = {.order = STELE_ORDER_NONE};
    stele_reader *reader;
    stele_segment segment;
    uint64_t counts[64] = {0};
    totals t;
    CHECK(stele_trace_has_insns(o.trace));
    options.wants_accesses = options.wants_values = options.wants_snapshots = true;
    t = read_totals(o.trace, &options, &stats);
    REQUIRE(stele_reader_open(o.context, &o.trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++)
            counts[segment.batch->events[segment.first + i].kind & 63]++;
    }
    stele_reader_close(reader);
    CHECK_EQ_U64(t.insns, counts[STELE_KIND_INSN]);
    CHECK_EQ_U64(t.accesses, counts[STELE_KIND_LOAD] + counts[STELE_KIND_STORE]);
    CHECK(t.insns > 1000 && t.hidden == 0);
    CHECK_EQ_U64(stats.stray_count, 0);
    CHECK(stats.stream_count > 0 && stats.has_content_size);
    CHECK_EQ_U64(stats.balance.record_size + stats.balance.padding_size, stats.content_size);
    close_trace(&o);
}

TEST(what_is_not_wanted_is_left_out)
{
    opened o = open_trace(COLLECTION);
    stele_insn_options options = STELE_INIT(stele_insn_options);
    stele_insn_stats stats = STELE_INIT(stele_insn_stats);
    const uint64_t nobody = 1;
    const stele_insn_range none = {1, 2};
    totals all = read_totals(o.trace, NULL, NULL), t;
    CHECK(all.accesses == 0 && all.values == 0);
    options.insn_begin = 10;
    options.insn_end = 15;
    t = read_totals(o.trace, &options, &stats);
    CHECK_EQ_U64(t.insns, 5 * (uint64_t)stats.stream_count);
    options = (stele_insn_options){.ranges = &none, .range_count = 1};
    CHECK_EQ_U64(read_totals(o.trace, &options, NULL).insns, 0);
    options = (stele_insn_options){.threads = &nobody, .thread_count = 1};
    CHECK_EQ_U64(read_totals(o.trace, &options, &stats).insns, 0);
    CHECK_EQ_U64(stats.stream_count, 0);
    options = (stele_insn_options){.levels = 1u << 3};
    CHECK_EQ_U64(read_totals(o.trace, &options, NULL).insns, 0);
    options = (stele_insn_options){.levels = 1u << 0};
    CHECK_EQ_U64(read_totals(o.trace, &options, NULL).pc_sum, all.pc_sum);
    close_trace(&o);
}

TEST(traces_without_instructions_are_refused)
{
    opened o = open_trace(OTHER);
    stele_insn_reader *reader;
    CHECK(!stele_trace_has_insns(o.trace));
    CHECK_EQ_U64(stele_insn_reader_new(o.trace, NULL, &reader), STELE_ERR_UNSUPPORTED);
    CHECK(reader == NULL);
    close_trace(&o);
}

static void count_finding(void *user, const stele_diag *diag)
{
    uint64_t *count = user;
    *count += diag->code->severity == STELE_ERROR;
}

TEST(findings_go_to_who_asks_for_them)
{
    opened o = open_trace(DAMAGED);
    uint64_t count = 0;
    stele_insn_options options = {.on_finding = count_finding, .finding_user = &count};
    stele_insn_stats stats = STELE_INIT(stele_insn_stats);
    read_totals(o.trace, &options, &stats);
    CHECK_EQ_U64(stats.balance.record_size + stats.balance.skipped_size, stats.content_size);
    CHECK(count != 0 || stats.balance.skipped_size == 0);
    close_trace(&o);
}

/* ---- Parts ---- */

static stele_status take_mix(void *user, const stele_insn_batch *batch)
{
    return stele_insn_mix_add(user, batch);
}

static stele_status fork_mix(void *user, void **fork)
{
    stele_insn_mix *mix;
    const stele_status status = stele_insn_mix_new(&mix);
    (void)user;
    *fork = mix;
    return status;
}

static stele_status join_mix(void *user, void *fork)
{
    const stele_status status = stele_insn_mix_merge(user, fork);
    stele_insn_mix_free(fork);
    return status;
}

static void drop_mix(void *fork)
{
    stele_insn_mix_free(fork);
}

/* The counts of all opcodes, with weights that tell apart who has them. */
static uint64_t mix_sum(uint32_t parts)
{
    opened o = open_trace(COLLECTION);
    stele_insn_options options = {.parts_max = parts};
    stele_insn_mix_row row = STELE_INIT(stele_insn_mix_row);
    stele_insn_mix *mix;
    uint64_t sum = 0, last = UINT64_MAX;
    REQUIRE(stele_insn_mix_new(&mix) == STELE_OK);
    CHECK_EQ_U64(stele_insn_read(o.trace, &options,
                                 &(stele_insn_consumer){.take = take_mix,
                                                        .user = mix,
                                                        .fork = fork_mix,
                                                        .join = join_mix,
                                                        .drop = drop_mix},
                                 NULL),
                 STELE_OK);
    for (size_t i = 0; stele_insn_mix_get(mix, i, &row); i++) {
        CHECK(row.count <= last && row.level == 0);
        last = row.count;
        sum += row.count * (row.opcode | 1u);
    }
    stele_insn_mix_free(mix);
    close_trace(&o);
    return sum;
}

TEST(the_number_of_parts_does_not_matter)
{
    const uint64_t whole = mix_sum(1);
    CHECK(whole != 0);
    CHECK_EQ_U64(mix_sum(2), whole);
    CHECK_EQ_U64(mix_sum(64), whole);
}

/* ---- Analyses ---- */

TEST(memory_is_summed_up)
{
    opened o = open_trace(THREADS);
    stele_insn_options options = {.wants_accesses = true};
    stele_insn_reader *reader;
    const stele_insn_batch *batch;
    stele_insn_footprint *footprint;
    stele_insn_sharing *sharing;
    stele_insn_footprint_row row = STELE_INIT(stele_insn_footprint_row);
    stele_insn_sharing_row line = STELE_INIT(stele_insn_sharing_row);
    uint64_t lines = 0, contended = 0;
    REQUIRE(stele_insn_footprint_new(&footprint) == STELE_OK);
    REQUIRE(stele_insn_sharing_new(&sharing) == STELE_OK);
    REQUIRE(stele_insn_reader_new(o.trace, &options, &reader) == STELE_OK);
    while (stele_insn_reader_next(reader, &batch) == STELE_OK) {
        CHECK_EQ_U64(stele_insn_footprint_add(footprint, batch), STELE_OK);
        CHECK_EQ_U64(stele_insn_sharing_add(sharing, batch), STELE_OK);
    }
    for (unsigned i = 0; i < STELE_INSN_SHARING_KIND_COUNT; i++) {
        const uint64_t count = stele_insn_sharing_count(sharing, (stele_insn_sharing_kind)i);
        lines += count;
        contended += i >= STELE_INSN_SHARING_ONE_WRITER ? count : 0;
    }
    CHECK(lines != 0);
    for (size_t i = 0; stele_insn_sharing_get(sharing, i, &line); i++) {
        CHECK(line.writer_count != 0 && line.address % 64 == 0);
        contended--;
    }
    CHECK_EQ_U64(contended, 0);
    REQUIRE(stele_insn_footprint_get(footprint, STELE_INSN_LINE_64, &row));
    CHECK_EQ_U64(row.unit_size, 64);
    CHECK(row.executed_count != 0 && row.any_count >= lines);
    CHECK(!stele_insn_footprint_get(footprint, STELE_INSN_UNIT_COUNT, &row));
    stele_insn_reader_free(reader);
    stele_insn_footprint_free(footprint);
    stele_insn_sharing_free(sharing);
    close_trace(&o);
}

/* ---- A64 ---- */

TEST(opcodes_are_classified)
{
    stele_a64_insn insn = STELE_INIT(stele_a64_insn);
    stele_a64_registers reads = STELE_INIT(stele_a64_registers);
    stele_a64_registers writes = STELE_INIT(stele_a64_registers);
    stele_a64_classify(0xf9400fe0, &insn); /* ldr x0, [sp, #24] */
    CHECK(strcmp(insn.class_text, "load") == 0);
    CHECK(insn.group == STELE_A64_GROUP_MEMORY && insn.form == STELE_A64_FORM_OFFSET);
    CHECK(insn.flags == STELE_A64_IS_LOAD && insn.branch == STELE_A64_BRANCH_NONE);
    CHECK_EQ_U64(insn.size, 8);
    CHECK_EQ_U64(insn.element_size, 8);
    CHECK(stele_a64_find_registers(0xf9400fe0, &reads, &writes));
    CHECK_EQ_U64(reads.x, STELE_A64_REGISTER_SP);
    CHECK_EQ_U64(writes.x, 1);
    stele_a64_classify(0x97ffffff, &insn); /* bl .-4 */
    CHECK(insn.branch == STELE_A64_BRANCH_CALL && insn.offset == -4);
    stele_a64_classify(0x54000040, &insn); /* b.eq .+8 */
    CHECK(insn.branch == STELE_A64_BRANCH_CONDITIONAL && insn.offset == 8);
    stele_a64_classify(0xd65f03c0, &insn); /* ret */
    CHECK(insn.branch == STELE_A64_BRANCH_RETURN);
    stele_a64_classify(0, &insn); /* udf */
    CHECK(insn.group == STELE_A64_GROUP_NONE && insn.element_size == 0);
    CHECK(strcmp(stele_a64_group_text(STELE_A64_GROUP_MEMORY), "memory") == 0);
}

/* A program of an older version has smaller structs, after which lies something else. */
TEST(older_structs_are_not_written_beyond_their_size)
{
    struct {
        stele_a64_insn insn;
        uint64_t after;
    } older;
    memset(&older, 0x55, sizeof older);
    older.insn.struct_size = offsetof(stele_a64_insn, size);
    stele_a64_classify(0xf9400fe0, &older.insn);
    CHECK_EQ_U64(older.insn.size, 0x55555555);
    CHECK(older.insn.group == STELE_A64_GROUP_MEMORY);
    CHECK_EQ_U64(older.after, UINT64_C(0x5555555555555555));
}
