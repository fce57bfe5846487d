/* SPDX-License-Identifier: Apache-2.0 */
/* The codec of stele/fxt.h alone: from words to records and back to the same words. */
#include <stele/fxt.h>

#include "core/load.h"
#include "test.h"

/* Decodes a record from words and encodes it to the same words. */
static void there_and_back(const uint64_t *words, size_t count, stele_fxt_record *record)
{
    uint8_t bytes[256], again[256];
    stele_fxt_argument arguments[STELE_FXT_ARGUMENTS_MAX];
    stele_fxt_arguments at = {0};
    unsigned argument_count = 0;
    for (size_t i = 0; i < count; i++)
        store_le64(bytes + i * 8, words[i]);
    CHECK_EQ_U64(stele_fxt_decode(bytes, count * 8, false, record), STELE_FXT_OK);
    CHECK_EQ_U64(record->used, count * 8);
    while (stele_fxt_argument_next(record, &at, &arguments[argument_count]))
        argument_count++;
    CHECK_EQ_U64(argument_count, record->argument_count);
    CHECK_EQ_U64(stele_fxt_encode(record, arguments, again, sizeof again), count * 8);
    CHECK_EQ_MEM(again, bytes, count * 8);
}

TEST(an_event_with_arguments)
{
    static const uint64_t words[] = {
        UINT64_C(0x0002000101240084), /* complete, 2 arguments, thread 1, category 1, name 2 */
        5,
        UINT64_C(0x0000002a00030012), /* uint32 */
        UINT64_C(0x0000800980040046), /* string: name of 4 bytes, value of 9 */
        UINT64_C(0x00000000676e6f6c),
        UINT64_C(0x6c62617561767661),
        0x65,
        77};
    stele_fxt_record record;
    there_and_back(words, 8, &record);
    CHECK_EQ_U64(record.subtype, STELE_FXT_DURATION_COMPLETE);
    CHECK_EQ_U64(record.words[0], 77);
}

TEST(metadata_initialization_strings_and_threads)
{
    static const uint64_t magic[] = {STELE_FXT_MAGIC};
    static const uint64_t provider[] = {UINT64_C(0x0030000000510020), UINT64_C(0x636261)};
    static const uint64_t rate[] = {UINT64_C(0x41), 1000, 5, 7};
    static const uint64_t string[] = {UINT64_C(0x0000000300010022), UINT64_C(0x636261)};
    static const uint64_t thread[] = {UINT64_C(0xff0033), 1, UINT64_MAX};
    stele_fxt_record record;
    there_and_back(magic, 1, &record);
    there_and_back(provider, 2, &record);
    CHECK_EQ_U64(record.number, 5);
    there_and_back(rate, 4, &record);
    CHECK_EQ_U64(record.word_count, 3);
    there_and_back(string, 2, &record);
    CHECK_EQ_U64(record.number, 1);
    there_and_back(thread, 3, &record);
    CHECK_EQ_U64(record.thread.thread, UINT64_MAX);
}

TEST(no_record_is_larger_than_the_format_allows)
{
    static uint8_t payload[40000], to[50000];
    const stele_fxt_record blob = {
        .type = STELE_FXT_BLOB, .payload = payload, .payload_size = sizeof payload};
    CHECK_EQ_U64(stele_fxt_encode(&blob, NULL, to, sizeof to), 0);
    CHECK_EQ_U64(stele_fxt_encode(&blob, NULL, to, 4), 0);
}

TEST(sizes_of_nothing_and_of_cut_records)
{
    uint8_t bytes[16] = {0};
    stele_fxt_record record;
    CHECK_EQ_U64(stele_fxt_decode(bytes, 4, false, &record), STELE_FXT_FAULT_CUT);
    CHECK_EQ_U64(stele_fxt_decode(bytes, 8, false, &record), STELE_FXT_FAULT_SIZE);
    store_le64(bytes, UINT64_C(0x0002000101000034));
    CHECK_EQ_U64(stele_fxt_decode(bytes, 8, false, &record), STELE_FXT_FAULT_CUT);
    CHECK(!record.has_ticks);
    CHECK_EQ_U64(stele_fxt_record_size(UINT64_C(0xffffffff) << 4 | 15), UINT64_C(0xffffffff) * 8);
}
