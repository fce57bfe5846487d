/* SPDX-License-Identifier: Apache-2.0 */
/* XRay: headers and records of FDR buffers, decoded from bytes written by hand, and encoded. */
#include <stele/xray.h>

#include "hex.h"

/* ---- Headers of files ---- */

static bool header_of(const char *text, stele_xray_header *header)
{
    hex h = {.size = 0};
    hex_add(&h, text);
    REQUIRE(h.size == STELE_XRAY_HEADER_SIZE);
    return stele_xray_decode_header(h.bytes, header);
}

static void check_header(const char *text, bool big, unsigned version, unsigned type, bool constant,
                         bool nonstop, uint64_t frequency_hz)
{
    stele_xray_header header;
    uint8_t bytes[STELE_XRAY_HEADER_SIZE];
    hex h = {.size = 0};
    hex_add(&h, text);
    REQUIRE(header_of(text, &header));
    CHECK(header.is_big_endian == big);
    CHECK_EQ_U64(header.version, version);
    CHECK_EQ_U64(header.type, type);
    CHECK(header.constant_tsc == constant);
    CHECK(header.nonstop_tsc == nonstop);
    CHECK_EQ_U64(header.frequency_hz, frequency_hz);
    CHECK_EQ_MEM(header.free_form, h.bytes + 16, 16);
    stele_xray_encode_header(&header, bytes);
    CHECK_EQ_MEM(bytes, h.bytes, 4);
    CHECK_EQ_MEM(bytes + 8, h.bytes + 8, 24);
}

TEST(headers_of_both_byte_orders)
{
    /* Columns: version type flags, frequency, free form. */
    check_header("01 00 01 00 03 00 00 00 00 ca 9a 3b 00 00 00 00 00 40 00:14", false, 1, 1, true,
                 true, 1000000000);
    check_header("05 00 01 00 01 00 00 00 40 42 0f 00 00 00 00 00 aa:16", false, 5, 1, true, false,
                 1000000);
    check_header("03 00 00 00 02 00 00 00 00:8 00:16", false, 3, 0, false, true, 0);
    check_header("00 05 00 01 c0 00 00 00 00 00 00 00 3b 9a ca 00 01:16", true, 5, 1, true, true,
                 1000000000);
    check_header("00 01 00 00 40 00 00 00 00:8 00:16", true, 1, 0, false, true, 0);
}

/* The other 30 bits are garbage in old files. */
TEST(flags_are_two_bits)
{
    check_header("01 00 01 00 fc ff ff ff 00:8 00:16", false, 1, 1, false, false, 0);
    check_header("00 05 00 01 3f ff ff ff 00:8 00:16", true, 5, 1, false, false, 0);
}

TEST(what_is_no_header)
{
    static const char *const texts[] = {
        "00 00 01 00 00:28", /* version 0 */
        "06 00 01 00 00:28", /* version 6 */
        "05 00 02 00 00:28", /* type 2 */
        "04 00 00 00 00:28", /* basic mode has no version 4 */
        "00 04 00 00 00:28", "7f 45 4c 46 00:28", "66 6f 72 70 79 61 72 78 24 04 18 20 00:20"};
    stele_xray_header header;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!header_of(texts[i], &header));
}

/* ---- Records of buffers ---- */

typedef struct record_case {
    const char *little, *big;
    unsigned first, last;     /* versions in which the record has this form */
    stele_xray_record record; /* all members but offset and size */
    uint64_t tsc_after;       /* the running counter after the record; it is 1000 before */
} record_case;

#define TSC        UINT64_C(0x1122334455667788)
#define TSC_LITTLE "88 77 66 55 44 33 22 11"
#define TSC_BIG    "11 22 33 44 55 66 77 88"

static const record_case cases[] = {
    /* Function records: a word with action and function, a delta. */
    {"50 00 00 00 64 00 00 00",
     "00 00 00 05 00 00 00 64",
     1,
     5,
     {.kind = STELE_XRAY_ENTER, .function = 5, .value = 100, .tsc = 1100},
     1100},
    {"52 00 00 00 00 00 00 00",
     "10 00 00 05 00 00 00 00",
     1,
     5,
     {.kind = STELE_XRAY_EXIT, .function = 5, .tsc = 1000},
     1000},
    {"54 34 12 00 ff ff ff ff",
     "20 01 23 45 ff ff ff ff",
     1,
     5,
     {.kind = STELE_XRAY_TAIL_EXIT,
      .function = 0x12345,
      .value = UINT32_MAX,
      .tsc = UINT64_C(1000) + UINT32_MAX},
     UINT64_C(1000) + UINT32_MAX},
    {"f6 ff ff ff 01 00 00 00",
     "3f ff ff ff 00 00 00 01",
     1,
     5,
     {.kind = STELE_XRAY_ENTER_ARGS, .function = 0x0fffffff, .value = 1, .tsc = 1001},
     1001},
    /* NewBuffer: thread id, which has 16 bits in the oldest version, followed by zeros. */
    {"01 04 03 02 01 00:11",
     "80 01 02 03 04 00:11",
     1,
     5,
     {.kind = STELE_XRAY_NEW_BUFFER, .value = 0x01020304, .tsc = 1000},
     1000},
    {"01 39 30 00:13",
     "80 00 00 30 39 00:11",
     1,
     1,
     {.kind = STELE_XRAY_NEW_BUFFER, .value = 12345, .tsc = 1000},
     1000},
    /* EndOfBuffer, without members. */
    {"03 00:15", "81 00:15", 1, 1, {.kind = STELE_XRAY_END_OF_BUFFER, .tsc = 1000}, 1000},
    /* NewCPUId: CPU, counter. */
    {"05 03 01 " TSC_LITTLE " 00:5",
     "82 01 03 " TSC_BIG " 00:5",
     1,
     5,
     {.kind = STELE_XRAY_NEW_CPU, .function = 0x103, .tsc = TSC},
     TSC},
    /* TSCWrap: counter. */
    {"07 " TSC_LITTLE " 00:7",
     "83 " TSC_BIG " 00:7",
     1,
     5,
     {.kind = STELE_XRAY_TSC_WRAP, .tsc = TSC},
     TSC},
    /* WallTime: seconds, microseconds. */
    {"09 10 00:7 3f 42 0f 00 00:3",
     "84 00:7 10 00 0f 42 3f 00:3",
     1,
     5,
     {.kind = STELE_XRAY_WALL_TIME, .value = 16, .function = 999999, .tsc = 1000},
     1000},
    /* CallArgument: the argument. */
    {"0d ff ff ff ff ff ff ff ff 00:7",
     "86 ff ff ff ff ff ff ff ff 00:7",
     1,
     5,
     {.kind = STELE_XRAY_CALL_ARGUMENT, .value = UINT64_MAX, .tsc = 1000},
     1000},
    /* BufferExtents: size of the buffer. */
    {"0f 00 01 00:6 00:7",
     "87 00:6 01 00 00:7",
     2,
     5,
     {.kind = STELE_XRAY_EXTENTS, .value = 256, .tsc = 1000},
     1000},
    /* Pid: the process id. */
    {"13 04 03 02 01 00:11",
     "89 01 02 03 04 00:11",
     3,
     5,
     {.kind = STELE_XRAY_PID, .value = 0x01020304, .tsc = 1000},
     1000},
    /* CustomEvent: size, counter [, CPU] or delta; only a delta moves the running counter. */
    {"0b 03 00 00 00 " TSC_LITTLE " 00:3 'abc'",
     "85 00 00 00 03 " TSC_BIG " 00:3 'abc'",
     1,
     3,
     {.kind = STELE_XRAY_CUSTOM_EVENT, .value = 3, .tsc = TSC},
     1000},
    {"0b 03 00 00 00 " TSC_LITTLE " 02 01 00 'abc'",
     "85 00 00 00 03 " TSC_BIG " 01 02 00 'abc'",
     4,
     4,
     {.kind = STELE_XRAY_CUSTOM_EVENT, .value = 3, .function = 0x102, .tsc = TSC},
     1000},
    {"0b 03 00 00 00 05 00 00 00 00:7 'abc'",
     "85 00 00 00 03 00 00 00 05 00:7 'abc'",
     5,
     5,
     {.kind = STELE_XRAY_CUSTOM_EVENT, .value = 3, .tsc = 1005},
     1005},
    {"0b 00 00 00 00 fe ff ff ff 00:7",
     "85 00 00 00 00 ff ff ff fe 00:7",
     5,
     5,
     {.kind = STELE_XRAY_CUSTOM_EVENT, .tsc = 998},
     998},
    /* TypedEvent: size, counter, type, or size, delta, type. */
    {"11 03 00 00 00 " TSC_LITTLE " 02 01 00 'abc'",
     "88 00 00 00 03 " TSC_BIG " 01 02 00 'abc'",
     2,
     4,
     {.kind = STELE_XRAY_TYPED_EVENT, .value = 3, .function = 0x102, .tsc = TSC},
     1000},
    {"11 03 00 00 00 ff ff ff ff 02 01 00:5 'abc'",
     "88 00 00 00 03 ff ff ff ff 01 02 00:5 'abc'",
     5,
     5,
     {.kind = STELE_XRAY_TYPED_EVENT, .value = 3, .function = 0x102, .tsc = 999},
     999},
};

static stele_xray_header header_for(bool big, unsigned version)
{
    return (stele_xray_header){.is_big_endian = big, .version = (uint16_t)version, .type = 1};
}

static stele_xray_result decode_one(const stele_xray_header *header, uint64_t *tsc, const void *at,
                                    size_t size, stele_xray_record *record, size_t *used)
{
    stele_xray_result result = STELE_XRAY_OK;
    *used = SIZE_MAX;
    stele_xray_decode(header, tsc, at, size, record, 1, used, &result);
    return result;
}

static void check_record(const record_case *c, bool big, unsigned version)
{
    const stele_xray_header header = header_for(big, version);
    hex h = {.size = 0};
    uint8_t bytes[64];
    uint64_t tsc = 1000;
    size_t used;
    stele_xray_record got = {0};
    hex_add(&h, big ? c->big : c->little);
    CHECK_EQ_U64(decode_one(&header, &tsc, h.bytes, h.size, &got, &used), STELE_XRAY_OK);
    CHECK_EQ_U64(used, h.size);
    CHECK_EQ_U64(tsc, c->tsc_after);
    CHECK_EQ_U64(got.offset, 0);
    CHECK_EQ_U64(got.size, h.size);
    CHECK_EQ_U64(got.kind, c->record.kind);
    CHECK_EQ_U64(got.function, c->record.function);
    CHECK_EQ_U64(got.value, c->record.value);
    CHECK_EQ_U64(got.tsc, c->record.tsc);
    CHECK_EQ_U64(stele_xray_encode(&header, 1000, &got, "abc", bytes), h.size);
    CHECK_EQ_MEM(bytes, h.bytes, h.size);
    /* No prefix of a record is a record, and decoding one changes nothing. */
    for (size_t size = 1; size < h.size; size++) {
        tsc = 1000;
        CHECK_EQ_U64(decode_one(&header, &tsc, h.bytes, size, &got, &used), STELE_XRAY_SHORT);
        CHECK_EQ_U64(used, 0);
        CHECK_EQ_U64(tsc, 1000);
    }
}

TEST(every_record_of_every_version_and_byte_order)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned version = cases[i].first; version <= cases[i].last; version++) {
            check_record(&cases[i], false, version);
            check_record(&cases[i], true, version);
        }
    }
}

/* Kinds of records by version; a version without a kind neither reads nor writes it. */
TEST(kinds_that_a_version_lacks)
{
    for (unsigned version = 1; version <= 5; version++) {
        for (unsigned kind = 0; kind < 128; kind++) {
            const bool is_known = kind == 1                ? version == 1
                                  : kind == 7 || kind == 8 ? version >= 2
                                  : kind == 9              ? version >= 3
                                                           : kind < 7;
            const stele_xray_header little = header_for(false, version);
            const stele_xray_header big = header_for(true, version);
            uint8_t bytes[16] = {(uint8_t)(kind << 1 | 1)}, out[16];
            const stele_xray_result expected = is_known ? STELE_XRAY_OK : STELE_XRAY_BAD_KIND;
            stele_xray_record record = {.kind = (uint8_t)(STELE_XRAY_NEW_BUFFER + kind)};
            uint64_t tsc = 0;
            size_t used;
            CHECK_EQ_U64(stele_xray_encode(&little, 0, &record, "", out), is_known ? 16 : 0);
            CHECK_EQ_U64(decode_one(&little, &tsc, bytes, 16, &record, &used), expected);
            bytes[0] = (uint8_t)(0x80 | kind);
            CHECK_EQ_U64(decode_one(&big, &tsc, bytes, 16, &record, &used), expected);
        }
    }
}

TEST(actions_above_three_are_none)
{
    for (unsigned action = 4; action < 8; action++) {
        const uint8_t little[8] = {(uint8_t)(action << 1 | 0x50)};
        const uint8_t big[8] = {(uint8_t)(action << 4)};
        const stele_xray_header five = header_for(false, 5), big_five = header_for(true, 5);
        stele_xray_record record;
        uint64_t tsc = 7;
        size_t used;
        CHECK_EQ_U64(decode_one(&five, &tsc, little, 8, &record, &used), STELE_XRAY_BAD_ACTION);
        CHECK_EQ_U64(decode_one(&big_five, &tsc, big, 8, &record, &used), STELE_XRAY_BAD_ACTION);
        CHECK_EQ_U64(tsc, 7);
    }
}

TEST(payloads_have_no_negative_size)
{
    static const char *const texts[] = {"0b ff ff ff ff 00:11", "11 00 00 00 80 00:11"};
    for (size_t i = 0; i < 2; i++) {
        for (unsigned version = 2; version <= 5; version++) {
            const stele_xray_header header = header_for(false, version);
            stele_xray_record record;
            hex h = {.size = 0};
            uint64_t tsc = 0;
            size_t used;
            hex_add(&h, texts[i]);
            CHECK_EQ_U64(decode_one(&header, &tsc, h.bytes, h.size, &record, &used),
                         STELE_XRAY_BAD_SIZE);
        }
    }
}

/* ---- Runs of records ---- */

/* The running counter goes on from record to record and from call to call; an event of version 4
   does not change it. */
TEST(the_counter_runs_through_a_buffer)
{
    static const char text[] = "05 00 00 e8 03 00:6 00:5 "            /* CPU 0, counter 1000 */
                               "10 00 00 00 0a 00 00 00 "             /* enter 1, +10 */
                               "0b 01 00 00 00 05 00 00 00 00:7 'x' " /* custom event */
                               "12 00 00 00 02 00 00 00 "             /* exit 1, +2 */
                               "07 88 13 00:6 00:7 "                  /* counter 5000 */
                               "20 00 00 00 01 00 00 00";             /* enter 2, +1 */
    const uint64_t five[] = {1000, 1010, 1015, 1017, 5000, 5001};
    const uint64_t four[] = {1000, 1010, 5, 1012, 5000, 5001};
    hex h = {.size = 0};
    hex_add(&h, text);
    for (unsigned version = 4; version <= 5; version++) {
        const stele_xray_header header = header_for(false, version);
        for (size_t capacity = 1; capacity <= 7; capacity++) {
            uint64_t tsc = 0;
            size_t at = 0, count = 0, used;
            do {
                stele_xray_record records[7];
                stele_xray_result result;
                const size_t got = stele_xray_decode(&header, &tsc, h.bytes + at, h.size - at,
                                                     records, capacity, &used, &result);
                CHECK_EQ_U64(result, STELE_XRAY_OK);
                for (size_t i = 0; i < got && count < 6; i++)
                    CHECK_EQ_U64(records[i].tsc, (version == 5 ? five : four)[count++]);
                at += used;
            } while (used != 0);
            CHECK_EQ_U64(at, h.size);
            CHECK_EQ_U64(count, 6);
        }
    }
}

TEST(decoding_stops_at_what_is_no_record)
{
    const stele_xray_header header = header_for(false, 5);
    stele_xray_record records[4];
    stele_xray_result result;
    uint64_t tsc = 0;
    size_t used;
    hex h = {.size = 0};
    hex_add(&h, "10 00 00 00 01 00 00 00 12 00 00 00 01 00 00 00 1f 00:15");
    CHECK_EQ_U64(stele_xray_decode(&header, &tsc, h.bytes, h.size, records, 4, &used, &result), 2);
    CHECK_EQ_U64(used, 16);
    CHECK_EQ_U64(tsc, 2);
    CHECK_EQ_U64(result, STELE_XRAY_BAD_KIND);
}
