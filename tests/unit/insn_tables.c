/* SPDX-License-Identifier: Apache-2.0 */
/* What analyses of instructions are made of: counts, filters, and the registers that
   instructions write. */
#include <stdlib.h>

#include "analysis/insn/insn_blocks.h"
#include "analysis/insn/insn_counts.h"
#include "analysis/insn/insn_filter.h"
#include "analysis/insn/insn_writes.h"
#include "support.h"
#include "test.h"

/* ---- Tables of counts ---- */

TEST(counts_are_exact_and_grow)
{
    insn_counts counts, other;
    insn_count *sorted;
    REQUIRE(insn_counts_init(&counts) && insn_counts_init(&other));
    for (uint64_t i = 0; i < 20000; i++) {
        REQUIRE(insn_counts_add(&counts, i * 4, 1 + i % 3));
        REQUIRE(insn_counts_add(&other, i * 8, 1));
    }
    REQUIRE(insn_counts_merge(&counts, &other));
    CHECK_EQ_U64(insn_counts_used(&counts), 30000);
    sorted = insn_counts_sorted(&counts);
    REQUIRE(sorted != NULL);
    for (uint64_t i = 0; i < 20000; i++) {
        CHECK_EQ_U64(sorted[i].key, i * 4);
        CHECK_EQ_U64(sorted[i].count, 1 + i % 3 + (i % 2 == 0));
    }
    CHECK_EQ_U64(sorted[29999].key, 19999 * 8);
    free(sorted);
    insn_counts_free(&counts);
    insn_counts_free(&other);
}

/* ---- Filters of instructions ---- */

TEST(filters_hide_by_level_and_address)
{
    static const struct {
        uint64_t pc;
        uint8_t level, flags;
        bool passes;
    } cases[] = {{0xfff, 0, INSN_HAS_PC, false},    {0x1000, 0, INSN_HAS_PC, true},
                 {0x1fff, 0, INSN_HAS_PC, true},    {0x2000, 0, INSN_HAS_PC, true},
                 {0x2fff, 0, INSN_HAS_PC, true},    {0x3000, 0, INSN_HAS_PC, false},
                 {0x1000, 1, INSN_HAS_PC, false},   {0x1000, 0, 0, false},
                 {0x5000, 2, INSN_HAS_PC, true},    {0x5001, 0, INSN_HAS_PC, false},
                 {UINT64_MAX, 0, INSN_HAS_PC, true}};
    const uint32_t count = sizeof cases / sizeof *cases;
    insn_filter filter = {.levels = 1u << 0 | 1u << 2};
    insn_batch *batch;
    REQUIRE(insn_batch_new(count, &batch) == STELE_OK);
    REQUIRE(insn_filter_add(&filter, UINT64_MAX, UINT64_MAX));
    REQUIRE(insn_filter_add(&filter, 0x1800, 0x2fff));
    REQUIRE(insn_filter_add(&filter, 0x1000, 0x1fff));
    REQUIRE(insn_filter_add(&filter, 0x5000, 0x5000));
    insn_filter_sort(&filter);
    CHECK_EQ_U64(filter.range_count, 3);
    for (uint32_t i = 0; i < count; i++)
        batch->insns[i] =
            (insn){.pc = cases[i].pc, .level = cases[i].level, .flags = cases[i].flags};
    batch->insn_count = count;
    CHECK_EQ_U64(insn_filter_apply(&filter, batch), 6);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ_U64((batch->insns[i].flags & INSN_HIDDEN) == 0, cases[i].passes);
    insn_filter_free(&filter);
    insn_batch_free(batch);
}

/* ---- Registers written ---- */

/* Runs one instruction at 0x400000 with up to two accesses of `size` bytes at `address`. Returns
   the number of registers written. */
static size_t writes_of(uint32_t opcode, uint8_t size_log2, unsigned access_count, bool is_store,
                        insn_write list[INSN_WRITES_MAX])
{
    static const uint8_t bytes[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x91,
                                    1,    2,    3,    4,    5,    6,    7,    8};
    insn_access accesses[2] = {{.address = 0x5000, .size_log2 = size_log2, .is_store = is_store},
                               {.address = 0x5000 + (UINT64_C(1) << size_log2),
                                .data = 1u << size_log2,
                                .size_log2 = size_log2,
                                .is_store = is_store}};
    insn_value values[] = {{.u.number = 0x1234, .kind = INSN_VALUE_SYSTEM},
                           {.u.number = 1, .kind = INSN_VALUE_STXR}};
    insn at = {.pc = 0x400000,
               .opcode = opcode,
               .access_count = (uint16_t)access_count,
               .value_count = 2,
               .flags = INSN_HAS_PC};
    const insn_batch batch = {.insns = &at,
                              .accesses = accesses,
                              .values = values,
                              .insn_count = 1,
                              .bytes = bytes,
                              .bytes_size = sizeof bytes};
    return insn_writes(&batch, &at, list);
}

TEST(registers_get_what_was_recorded)
{
    static const struct {
        uint32_t opcode;
        uint8_t size_log2;
        unsigned access_count;
        bool is_store;
        unsigned count;
        insn_write writes[2];
    } cases[] = {
        {0xf9400020, 3, 1, false, 1, {{0x9122334455667788, 0}}},           /* ldr x0, [x1] */
        {0xf940003f, 3, 1, false, 0, {{0, 0}}},                            /* ldr xzr, [x1] */
        {0xb9400020, 2, 1, false, 1, {{0x55667788, 0}}},                   /* ldr w0, [x1] */
        {0x39800020, 0, 1, false, 1, {{UINT64_C(0xffffffffffffff88), 0}}}, /* ldrsb x0, [x1] */
        {0x39c00020, 0, 1, false, 1, {{0xffffff88, 0}}},                   /* ldrsb w0, [x1] */
        {0x79800020, 1, 1, false, 1, {{0x7788, 0}}},                       /* ldrsh x0, [x1] */
        {0xb9800020, 2, 1, false, 1, {{0x55667788, 0}}},                   /* ldrsw x0, [x1] */
        {0xa9400440, 3, 2, false, 2, {{0x9122334455667788, 0}, {0x0807060504030201, 1}}},
        {0xa9400440, 4, 1, false, 2, {{0x9122334455667788, 0}, {0x0807060504030201, 1}}},
        {0x69400440, 2, 2, false, 2, {{0x55667788, 0}, {UINT64_C(0xffffffff91223344), 1}}},
        /* ldr x0, [x1, #16]! */
        {0xf8410c20, 3, 1, false, 2, {{0x9122334455667788, 0}, {0x5000, 1}}},
        /* ldr x0, [x1], #-16 */
        {0xf85f0420, 3, 1, false, 2, {{0x9122334455667788, 0}, {0x4ff0, 1}}},
        {0xa9ba7bfd, 3, 2, true, 1, {{0x5000, INSN_SP}}}, /* stp x29, x30, [sp, #-96]! */
        {0x3dc00020, 4, 1, false, 0, {{0, 0}}},           /* ldr q0, [x1] */
        {0xd53bd040, 0, 0, false, 1, {{0x1234, 0}}},      /* mrs x0, tpidr_el0 */
        {0xc8007c20, 3, 1, true, 1, {{1, 0}}},            /* stxr w0, x0, [x1] */
        {0xd2800540, 0, 0, false, 1, {{42, 0}}},          /* mov x0, #42 */
        {0x12800000, 0, 0, false, 1, {{0xffffffff, 0}}},  /* mov w0, #-1 */
        {0xf2800540, 0, 0, false, 0, {{0, 0}}},           /* movk x0, #42 */
        {0x10000080, 0, 0, false, 1, {{0x400010, 0}}},    /* adr x0, #16 */
        {0xb0000000, 0, 0, false, 1, {{0x401000, 0}}},    /* adrp x0, #4096 */
        {0x94000004, 0, 0, false, 1, {{0x400004, 30}}},   /* bl #16 */
        {0x8b020020, 0, 0, false, 0, {{0, 0}}}};          /* add x0, x1, x2 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        insn_write list[INSN_WRITES_MAX];
        const size_t count = writes_of(cases[i].opcode, cases[i].size_log2, cases[i].access_count,
                                       cases[i].is_store, list);
        CHECK_EQ_U64(count, cases[i].count);
        for (size_t k = 0; k < count && k < cases[i].count; k++) {
            CHECK_EQ_U64(list[k].value, cases[i].writes[k].value);
            CHECK_EQ_U64(list[k].reg, cases[i].writes[k].reg);
        }
    }
}

/* ---- Basic blocks ---- */

/* A run of instructions has the same blocks, into whatever parts it is cut. */
TEST(blocks_of_parts_are_those_of_the_whole)
{
    enum { COUNT = 300 };
    insn_batch *batch;
    uint64_t state = 7, pc = 0x3f00;
    insn_blocks whole, joined, part;
    REQUIRE(insn_batch_new(COUNT, &batch) == STELE_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t random = random_next(&state);
        const uint32_t opcode = random % 4 == 0 ? 0x14000004 : 0xd503201f;
        batch->insns[i] = (insn){.pc = pc, .opcode = opcode, .flags = INSN_HAS_PC};
        batch->insns[i].flags |= random % 31 == 0 ? INSN_HIDDEN : 0;
        pc = random % 4 == 0 || random % 17 == 0 ? 0x3f00 + random % 64 * 8 : pc + 4;
    }
    batch->insn_count = COUNT;
    REQUIRE(insn_blocks_init(&whole, false) == STELE_OK);
    REQUIRE(insn_blocks_add(&whole, batch) == STELE_OK && insn_blocks_cut(&whole) == STELE_OK);
    for (uint32_t cut = 0; cut <= COUNT; cut++) {
        insn_batch first = *batch, second = *batch;
        first.insn_count = cut;
        second.insns += cut;
        second.insn_count -= cut;
        REQUIRE(insn_blocks_init(&joined, false) == STELE_OK);
        REQUIRE(insn_blocks_init(&part, true) == STELE_OK);
        REQUIRE(insn_blocks_add(&joined, &first) == STELE_OK);
        REQUIRE(insn_blocks_add(&part, &second) == STELE_OK);
        REQUIRE(insn_blocks_join(&joined, &part) == STELE_OK);
        REQUIRE(insn_blocks_cut(&joined) == STELE_OK);
        CHECK_EQ_U64(joined.count, whole.count);
        for (size_t i = 0; i < whole.count && i < joined.count; i++) {
            CHECK_EQ_U64(joined.list[i].pc, whole.list[i].pc);
            CHECK_EQ_U64(joined.list[i].insn_count, whole.list[i].insn_count);
            CHECK_EQ_U64(joined.list[i].count, whole.list[i].count);
        }
        insn_blocks_free(&joined);
        insn_blocks_free(&part);
    }
    CHECK(whole.count > 20);
    insn_blocks_free(&whole);
    insn_batch_free(batch);
}
