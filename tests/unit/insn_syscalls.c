/* SPDX-License-Identifier: Apache-2.0 */
/* System calls, put together from the values of instructions, and the names of system calls. */
#include "insn_made.h"
#include "test.h"

#include <stele/insn_analysis.h>

#include "analysis/insn/insn_syscalls.h"

#define SVC UINT32_C(0xd4000001)

static insn_syscall seen[8];
static size_t seen_count;

static stele_status see_call(void *user, const insn_syscall *call)
{
    (void)user;
    REQUIRE(seen_count < 8);
    seen[seen_count++] = *call;
    return STELE_OK;
}

static void made_value(insn_batch *batch, insn_value_kind kind, uint64_t number)
{
    REQUIRE(batch->value_count < batch->value_capacity);
    batch->values[batch->value_count++] = (insn_value){.u.number = number, .kind = (uint8_t)kind};
    batch->insns[batch->insn_count - 1].value_count++;
}

static void made_arguments(insn_batch *batch, uint64_t call)
{
    made_value(batch, INSN_VALUE_ARGUMENT, call);
    for (uint64_t i = 0; i < 6; i++)
        made_value(batch, INSN_VALUE_ARGUMENT, 10 + i);
}

/* Returns all system calls of the batch. */
static insn_syscalls *run(const insn_batch *batch)
{
    static insn_syscalls calls;
    seen_count = 0;
    insn_syscalls_init(&calls, see_call, NULL);
    CHECK_EQ_U64(insn_syscalls_add(&calls, batch), STELE_OK);
    CHECK_EQ_U64(insn_syscalls_finish(&calls), STELE_OK);
    return &calls;
}

TEST(results_find_their_calls)
{
    insn_batch *batch = made_batch(1);
    made_insn(batch, 0x1000, SVC);
    made_arguments(batch, 64);
    made_insn(batch, 0x2000, NOP); /* instructions of the kernel */
    made_insn(batch, 0x2004, NOP);
    made_value(batch, INSN_VALUE_RESULT, 5);
    made_insn(batch, 0x1004, SVC);
    made_arguments(batch, 93); /* exit, which has no result */
    run(batch);
    REQUIRE(seen_count == 2);
    CHECK_EQ_U64(seen[0].call, 64);
    CHECK_EQ_U64(seen[0].pc, 0x1000);
    CHECK_EQ_U64(seen[0].argument_count, 6);
    CHECK_EQ_U64(seen[0].arguments[5], 15);
    CHECK(seen[0].has_result && seen[0].result == 5 && seen[0].insn_count == 3);
    CHECK(seen[1].call == 93 && !seen[1].has_result && seen[1].insn_number == 3);
    insn_batch_free(batch);
}

TEST(every_number_has_a_row_of_its_own)
{
    static const uint64_t numbers[] = {0, 64, UINT64_MAX - 1, UINT64_MAX};
    insn_batch *batch = made_batch(1);
    stele_insn_syscalls *calls;
    stele_insn_syscall_row row = STELE_INIT(stele_insn_syscall_row);
    size_t row_count, unknown_count = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < 4; i++) {
        made_insn(batch, 0x1000, SVC);
        made_arguments(batch, numbers[i]);
    }
    made_insn(batch, 0x1000, SVC);
    REQUIRE(stele_insn_syscalls_new(NULL, NULL, &calls) == STELE_OK);
    REQUIRE(stele_insn_syscalls_add(calls, batch) == STELE_OK);
    REQUIRE(stele_insn_syscalls_finish(calls) == STELE_OK);
    REQUIRE(stele_insn_syscalls_rows(calls, &row_count) == STELE_OK);
    CHECK_EQ_U64(row_count, 5);
    for (size_t i = 0; stele_insn_syscalls_get(calls, i, &row); i++) {
        CHECK_EQ_U64(row.count, 1);
        unknown_count += !row.has_call;
        sum += row.call;
    }
    CHECK_EQ_U64(unknown_count, 1);
    CHECK_EQ_U64(sum, 64 + UINT64_MAX - 1 + UINT64_MAX);
    stele_insn_syscalls_free(calls);
    insn_batch_free(batch);
}

TEST(calls_without_arguments_are_calls)
{
    insn_batch *batch = made_batch(1);
    made_insn(batch, 0x1000, SVC);
    made_insn(batch, 0x1004, SVC);
    made_value(batch, INSN_VALUE_RESULT, 0);
    made_insn(batch, 0x1008, NOP);
    made_value(batch, INSN_VALUE_RESULT, 0);
    CHECK_EQ_U64(run(batch)->stray_count, 1);
    REQUIRE(seen_count == 2);
    CHECK(!seen[0].has_call && !seen[0].has_result && !seen[1].has_call && seen[1].has_result);
    insn_batch_free(batch);
}

TEST(vectors_belong_to_the_open_call)
{
    static const uint8_t bytes[32] = {1, [8] = 2, [16] = 3, [24] = 4};
    insn_batch *batch = made_batch(1);
    batch->bytes = bytes;
    made_insn(batch, 0x1000, SVC);
    made_arguments(batch, 66);
    made_value(batch, INSN_VALUE_VECTORS, 0);
    batch->values[batch->value_count - 1].u.bytes.offset = 0;
    batch->values[batch->value_count - 1].u.bytes.size = sizeof bytes;
    run(batch);
    REQUIRE(seen_count == 1);
    CHECK_EQ_U64(seen[0].vector_count, 2);
    CHECK_EQ_U64(seen[0].vectors[3], 4);
    insn_batch_free(batch);
}

TEST(calls_arguments_and_errors_have_names)
{
    const syscall_info *info = syscall_find(56);
    const char *name;
    size_t size;
    char type;
    REQUIRE(info != NULL);
    CHECK_EQ_STR(info->name, "openat");
    name = syscall_argument(info, 3, &size, &type);
    CHECK(size == 4 && memcmp(name, "mode", 4) == 0 && type == 'o');
    CHECK(syscall_argument(info, 4, &size, &type) == NULL);
    CHECK(syscall_argument(syscall_find(172), 0, &size, &type) == NULL);
    CHECK(syscall_find(244) == NULL && syscall_find(UINT64_MAX) == NULL);
    CHECK_EQ_STR(syscall_error(2), "ENOENT");
    CHECK_EQ_STR(syscall_error(133), "EHWPOISON");
    CHECK(syscall_error(0) == NULL && syscall_error(41) == NULL && syscall_error(134) == NULL);
}

/* The table is sorted, and every argument has a name and a type. */
TEST(the_table_is_well_formed)
{
    uint64_t last = 0;
    unsigned count = 0;
    for (uint64_t number = 0; number < 600; number++) {
        const syscall_info *info = syscall_find(number);
        size_t size;
        char type;
        if (info == NULL)
            continue;
        CHECK(number == 0 || number > last);
        last = number;
        count++;
        CHECK(info->result == 'd' || info->result == 'p');
        for (size_t i = 0; syscall_argument(info, i, &size, &type) != NULL; i++)
            CHECK(size > 0 && i < SYSCALL_ARGUMENTS_MAX && strchr("dluxops", type) != NULL);
    }
    CHECK_EQ_U64(count, 318);
}
