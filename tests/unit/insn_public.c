/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions through <stele/insn_analysis.h> alone, as a program outside the project reads them.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <stele/insn_analysis.h>
#include <stele/stele.h>

#define COLLECTION STELE_SOURCE_DIR "/src/formats/xtrace/good/collection"
#define THREADS    STELE_SOURCE_DIR "/src/formats/xtrace/good/threads"
#define EVERY      STELE_SOURCE_DIR "/src/formats/xtrace/good/every_token.xinsndata.bin"
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

/* ---- Reading instructions ---- */

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

/* ---- Counting in parts ---- */

static stele_status take_mix(void *user, const stele_insn_batch *batch)
{
    return stele_insn_mix_add(user, batch);
}

static stele_status fork_mix(void *user, void **fork)
{
    stele_insn_mix *mix;
    const stele_status status = stele_insn_mix_new(STELE_INSN_MIX_OPCODE, &mix);
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

/* Returns the sum of the counts of all opcodes, with weights that show which opcode has which
   count. */
static uint64_t mix_sum(uint32_t parts)
{
    opened o = open_trace(COLLECTION);
    stele_insn_options options = {.parts_max = parts};
    stele_insn_mix_row row = STELE_INIT(stele_insn_mix_row);
    stele_insn_mix *mix;
    uint64_t sum = 0, last = UINT64_MAX;
    size_t row_count;
    REQUIRE(stele_insn_mix_new(STELE_INSN_MIX_OPCODE, &mix) == STELE_OK);
    CHECK_EQ_U64(stele_insn_read(o.trace, &options,
                                 &(stele_insn_consumer){.take = take_mix,
                                                        .user = mix,
                                                        .fork = fork_mix,
                                                        .join = join_mix,
                                                        .drop = drop_mix},
                                 NULL),
                 STELE_OK);
    CHECK(!stele_insn_mix_get(mix, 0, &row)); /* there are no rows before stele_insn_mix_rows() */
    REQUIRE(stele_insn_mix_rows(mix, &row_count) == STELE_OK);
    CHECK(!stele_insn_mix_get(mix, row_count, &row));
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

/* ---- Analyses of instructions ---- */

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
    stele_insn_sharing_total total = STELE_INIT(stele_insn_sharing_total);
    uint64_t lines = 0, contended = 0;
    size_t row_count;
    REQUIRE(stele_insn_footprint_new(0, &footprint) == STELE_OK);
    REQUIRE(stele_insn_sharing_new(&sharing) == STELE_OK);
    REQUIRE(stele_insn_reader_new(o.trace, &options, &reader) == STELE_OK);
    while (stele_insn_reader_next(reader, &batch) == STELE_OK) {
        CHECK_EQ_U64(stele_insn_footprint_add(footprint, batch), STELE_OK);
        CHECK_EQ_U64(stele_insn_sharing_add(sharing, batch), STELE_OK);
    }
    CHECK(!stele_insn_sharing_get_total(sharing, STELE_INSN_SHARING_PRIVATE, &total));
    REQUIRE(stele_insn_sharing_rows(sharing, &row_count) == STELE_OK);
    for (unsigned i = 0; i < STELE_INSN_SHARING_KIND_COUNT; i++) {
        REQUIRE(stele_insn_sharing_get_total(sharing, (stele_insn_sharing_kind)i, &total));
        lines += total.line_count;
        contended += i >= STELE_INSN_SHARING_ONE_WRITER ? total.line_count : 0;
    }
    CHECK(lines != 0);
    CHECK_EQ_U64(contended, row_count);
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

/* Reads all instructions of a trace, with all that belongs to them. */
static void read_into(const char *path, stele_insn_take_fn *take, void *user)
{
    opened o = open_trace(path);
    stele_insn_options options = {.wants_accesses = true, .wants_values = true};
    const stele_insn_consumer to = {.take = take, .user = user};
    CHECK_EQ_U64(stele_insn_read(o.trace, &options, &to, NULL), STELE_OK);
    close_trace(&o);
}

typedef struct run_handles {
    stele_insn_blocks *blocks;
    stele_insn_branches *branches;
    stele_insn_mix *mix;
    stele_insn_bbv *bbv;
    uint64_t insn_count, interval_sum;
} run_handles;

static stele_status take_run(void *user, const stele_insn_batch *batch)
{
    run_handles *h = user;
    h->insn_count += batch->insn_count;
    CHECK_EQ_U64(stele_insn_blocks_add(h->blocks, batch), STELE_OK);
    CHECK_EQ_U64(stele_insn_branches_add(h->branches, batch), STELE_OK);
    CHECK_EQ_U64(stele_insn_mix_add(h->mix, batch), STELE_OK);
    CHECK_EQ_U64(stele_insn_bbv_add(h->bbv, batch), STELE_OK);
    return STELE_OK;
}

static stele_status take_interval(void *user, const stele_insn_bbv *bbv, uint32_t track,
                                  const uint32_t *blocks, size_t count)
{
    run_handles *h = user;
    CHECK(track != 0);
    for (size_t i = 0; i < count; i++) {
        stele_insn_bbv_block block = STELE_INIT(stele_insn_bbv_block);
        REQUIRE(stele_insn_bbv_get_block(bbv, blocks[i], &block));
        CHECK(block.insn_count != 0 && (i == 0 || blocks[i] > blocks[i - 1]));
        h->interval_sum += block.insn_count;
    }
    return STELE_OK;
}

/* Every instruction is in one block, at one address and in one interval. */
TEST(blocks_addresses_and_intervals_hold_every_instruction)
{
    run_handles h = {.insn_count = 0};
    stele_insn_block_row block = STELE_INIT(stele_insn_block_row);
    stele_insn_mix_row place = STELE_INIT(stele_insn_mix_row);
    uint64_t sum = 0, last = UINT64_MAX;
    size_t count;
    REQUIRE(stele_insn_blocks_new(false, &h.blocks) == STELE_OK);
    REQUIRE(stele_insn_branches_new(&h.branches) == STELE_OK);
    REQUIRE(stele_insn_mix_new(STELE_INSN_MIX_PC, &h.mix) == STELE_OK);
    CHECK_EQ_U64(stele_insn_bbv_new(0, take_interval, &h, &h.bbv), STELE_ERR_ARGUMENT);
    REQUIRE(stele_insn_bbv_new(3, take_interval, &h, &h.bbv) == STELE_OK);
    read_into(COLLECTION, take_run, &h);
    REQUIRE(stele_insn_blocks_end_stream(h.blocks) == STELE_OK);
    REQUIRE(stele_insn_bbv_finish(h.bbv) == STELE_OK);
    CHECK(h.insn_count != 0);
    CHECK_EQ_U64(h.interval_sum, h.insn_count);
    REQUIRE(stele_insn_blocks_rows(h.blocks, &count) == STELE_OK);
    for (size_t i = 0; stele_insn_blocks_get(h.blocks, i, &block); i++, count--) {
        CHECK(block.count * block.insn_count <= last && block.opcodes != NULL);
        last = block.count * block.insn_count;
        sum += last;
    }
    CHECK_EQ_U64(count, 0);
    CHECK_EQ_U64(sum, h.insn_count);
    REQUIRE(stele_insn_mix_rows(h.mix, &count) == STELE_OK);
    sum = 0;
    for (size_t i = 0; stele_insn_mix_get(h.mix, i, &place); i++) {
        CHECK(place.opcode == 0 && place.pc % 4 == 0);
        sum += place.count;
    }
    CHECK_EQ_U64(sum, h.insn_count);
    stele_insn_blocks_free(h.blocks);
    stele_insn_branches_free(h.branches);
    stele_insn_mix_free(h.mix);
    stele_insn_bbv_free(h.bbv);
}

static stele_status take_branches(void *user, const stele_insn_batch *batch)
{
    return stele_insn_branches_add(user, batch);
}

TEST(targets_add_up_to_what_is_known_of_a_branch)
{
    stele_insn_branches *branches;
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    stele_insn_target_row target = STELE_INIT(stele_insn_target_row);
    size_t count, indirect_count = 0;
    REQUIRE(stele_insn_branches_new(&branches) == STELE_OK);
    read_into(EVERY, take_branches, branches);
    REQUIRE(stele_insn_branches_end_stream(branches) == STELE_OK);
    REQUIRE(stele_insn_branches_rows(branches, &count) == STELE_OK);
    CHECK(count != 0);
    for (size_t i = 0; stele_insn_branches_get(branches, i, &row); i++) {
        uint64_t sum = 0;
        for (size_t t = 0; stele_insn_branches_get_target(branches, i, t, &target); t++)
            sum += target.count;
        CHECK(row.branch != STELE_A64_BRANCH_NONE);
        CHECK(row.taken_count + row.unknown_count <= row.count);
        CHECK(row.target_count == 0 || sum + row.unknown_count == row.count);
        CHECK(!stele_insn_branches_get_target(branches, i, row.target_count, &target));
        indirect_count += row.target_count != 0;
    }
    CHECK(indirect_count != 0);
    stele_insn_branches_free(branches);
}

typedef struct memory_handles {
    stele_insn_cache *cache;
    stele_insn_reuse *reuse;
    stele_insn_strides *strides;
    uint64_t access_count, insn_count;
} memory_handles;

static stele_status take_memory(void *user, const stele_insn_batch *batch)
{
    memory_handles *h = user;
    h->access_count += batch->access_count;
    h->insn_count += batch->insn_count;
    CHECK_EQ_U64(stele_insn_cache_add(h->cache, batch), STELE_OK);
    CHECK_EQ_U64(stele_insn_reuse_add(h->reuse, batch), STELE_OK);
    CHECK_EQ_U64(stele_insn_strides_add(h->strides, batch), STELE_OK);
    return STELE_OK;
}

static stele_insn_cache_config small_caches(void)
{
    stele_insn_cache_config config = {.line_size = 64, .page_size = 4096};
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++)
        config.of[id] =
            (stele_insn_cache_geometry){.size = id < STELE_INSN_CACHE_ITLB ? 4096 : 16, .ways = 2};
    config.of[STELE_INSN_CACHE_L3].size = 0;
    return config;
}

TEST(caches_distances_and_strides_count_every_access)
{
    memory_handles h = {.access_count = 0};
    stele_insn_cache_config config = small_caches();
    stele_insn_cache_id wrong;
    stele_insn_cache_row row = STELE_INIT(stele_insn_cache_row);
    stele_insn_reuse_counts counts = STELE_INIT(stele_insn_reuse_counts);
    stele_insn_stride_row stride = STELE_INIT(stele_insn_stride_row);
    uint64_t counted, sum = 0, last = UINT64_MAX;
    size_t count;
    config.of[STELE_INSN_CACHE_L2].size = 0x1001;
    CHECK_EQ_U64(stele_insn_cache_new(&config, &h.cache, &wrong), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(wrong, STELE_INSN_CACHE_L2);
    config = small_caches();
    config.line_size = 63;
    CHECK_EQ_U64(stele_insn_cache_new(&config, &h.cache, &wrong), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(wrong, STELE_INSN_CACHE_COUNT);
    config = small_caches();
    REQUIRE(stele_insn_cache_new(&config, &h.cache, &wrong) == STELE_OK);
    CHECK_EQ_U64(stele_insn_reuse_new(60, 1, &h.reuse), STELE_ERR_ARGUMENT);
    REQUIRE(stele_insn_reuse_new(64, 1, &h.reuse) == STELE_OK);
    REQUIRE(stele_insn_strides_new(&h.strides) == STELE_OK);
    read_into(COLLECTION, take_memory, &h);
    stele_insn_cache_finish(h.cache, &counted);
    CHECK_EQ_U64(counted, h.insn_count);
    REQUIRE(stele_insn_cache_get(h.cache, STELE_INSN_CACHE_L1D, &row));
    CHECK(row.read_count + row.write_count >= h.access_count && h.access_count != 0);
    CHECK(row.read_miss_count <= row.read_count && row.write_miss_count <= row.write_count);
    CHECK(!stele_insn_cache_get(h.cache, STELE_INSN_CACHE_L3, &row));
    stele_insn_reuse_get(h.reuse, &counts);
    for (size_t i = 0; i < STELE_INSN_REUSE_BUCKET_COUNT; i++)
        sum += counts.buckets[i];
    CHECK_EQ_U64(sum + counts.cold_count, counts.access_count);
    REQUIRE(stele_insn_strides_rows(h.strides, &count) == STELE_OK);
    CHECK(count != 0);
    for (size_t i = 0; stele_insn_strides_get(h.strides, i, &stride); i++) {
        CHECK(stride.access_count <= last && stride.stride_count <= stride.access_count);
        last = stride.access_count;
    }
    stele_insn_cache_free(h.cache);
    stele_insn_reuse_free(h.reuse);
    stele_insn_strides_free(h.strides);
}

static stele_status count_call(void *user, const stele_insn_syscall *call)
{
    uint64_t *count = user;
    (*count)++;
    CHECK(call->argument_count <= STELE_SYSCALL_ARGUMENTS_MAX);
    CHECK(call->vector_count == 0 || call->vectors[0].size != UINT64_MAX);
    return STELE_OK;
}

static stele_status take_syscalls(void *user, const stele_insn_batch *batch)
{
    return stele_insn_syscalls_add(user, batch);
}

TEST(system_calls_are_handed_on_and_counted)
{
    stele_insn_syscalls *calls;
    stele_insn_syscall_row row = STELE_INIT(stele_insn_syscall_row);
    stele_text name;
    char type;
    uint64_t count = 0, sum = 0;
    size_t row_count;
    REQUIRE(stele_insn_syscalls_new(count_call, &count, &calls) == STELE_OK);
    read_into(EVERY, take_syscalls, calls);
    REQUIRE(stele_insn_syscalls_finish(calls) == STELE_OK);
    REQUIRE(stele_insn_syscalls_rows(calls, &row_count) == STELE_OK);
    for (size_t i = 0; stele_insn_syscalls_get(calls, i, &row); i++)
        sum += row.count;
    CHECK(count != 0);
    CHECK_EQ_U64(sum, count);
    stele_insn_syscalls_free(calls);
    CHECK(strcmp(stele_syscall_name(64), "write") == 0 && stele_syscall_name(99999) == NULL);
    REQUIRE(stele_syscall_argument(64, 0, &name, &type));
    CHECK(name.size == 2 && memcmp(name.bytes, "fd", 2) == 0 && type == 'd');
    CHECK(!stele_syscall_argument(64, 3, &name, &type));
    CHECK(strcmp(stele_syscall_error_name(2), "ENOENT") == 0);
}

static stele_status take_image(void *user, const stele_insn_batch *batch)
{
    return stele_insn_image_add(user, batch);
}

typedef struct written {
    uint8_t bytes[256];
    size_t size;
} written;

static stele_status write_core(void *user, const void *bytes, size_t size)
{
    written *w = user;
    for (size_t i = 0; i < size && w->size + i < sizeof w->bytes; i++)
        w->bytes[w->size + i] = ((const uint8_t *)bytes)[i];
    w->size += size;
    return STELE_OK;
}

static stele_status refuse(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return STELE_ERR_CLOSED;
}

TEST(an_image_is_an_elf_core)
{
    static written w;
    const stele_insn_thread_state states[2] = {{.number = 1}, {.number = 2}};
    stele_insn_image *image;
    stele_insn_image_page page = STELE_INIT(stele_insn_image_page);
    uint64_t last = 0;
    size_t count;
    REQUIRE(stele_insn_image_new(&image) == STELE_OK);
    read_into(COLLECTION, take_image, image);
    REQUIRE(stele_insn_image_rows(image, &count) == STELE_OK);
    CHECK(count != 0);
    for (size_t i = 0; stele_insn_image_get(image, i, &page); i++) {
        CHECK(page.address % STELE_INSN_IMAGE_PAGE_SIZE == 0 && (i == 0 || page.address > last));
        CHECK(page.known_count <= page.taken_count && page.taken_count != 0);
        last = page.address;
    }
    w.size = 0;
    REQUIRE(stele_insn_image_write_core(image, states, 2, write_core, &w) == STELE_OK);
    CHECK(memcmp(w.bytes, "\177ELF\2\1\1", 7) == 0 && w.bytes[16] == 4);
    /* The headers, the notes of two threads and padding fill whole pages before the memory. */
    CHECK_EQ_U64(w.size % STELE_INSN_IMAGE_PAGE_SIZE, 0);
    CHECK(w.size / STELE_INSN_IMAGE_PAGE_SIZE > count);
    CHECK_EQ_U64(stele_insn_image_write_core(image, states, 2, refuse, NULL), STELE_ERR_CLOSED);
    stele_insn_image_free(image);
}

/* ---- Classifying A64 opcodes ---- */

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

/* A program made with an older version has smaller structs, with something else after them. */
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
