/* SPDX-License-Identifier: Apache-2.0 */
/* Many events at once: as one table, and their fields as columns. */
#include <stele/stele.h>

#include "test.h"

#define SAMPLE STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log"

typedef struct reading {
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
} reading;

static reading reading_open(void)
{
    reading r;
    REQUIRE(stele_context_new(NULL, &r.context) == STELE_OK);
    REQUIRE(stele_trace_open(r.context, SAMPLE, NULL, &r.trace) == STELE_OK);
    REQUIRE(stele_reader_open(r.context, &r.trace, 1, NULL, &r.reader) == STELE_OK);
    return r;
}

static void reading_close(reading *r)
{
    stele_reader_close(r->reader);
    stele_trace_close(r->trace);
    stele_context_free(r->context);
}

static size_t read_by_segments(stele_event *to, size_t capacity)
{
    reading r = reading_open();
    stele_segment segment;
    size_t count = 0;
    while (stele_reader_next(r.reader, &segment) == STELE_OK) {
        REQUIRE(count + segment.count <= capacity);
        memcpy(to + count, segment.batch->events + segment.first, segment.count * sizeof *to);
        count += segment.count;
    }
    reading_close(&r);
    return count;
}

TEST(events_come_into_a_table_of_any_size)
{
    static stele_event expected[1000], got[1000];
    const size_t total = read_by_segments(expected, 1000);
    for (size_t capacity = 1; capacity <= 101; capacity += 25) {
        reading r = reading_open();
        size_t count = 0, more;
        stele_status status;
        while ((status = stele_reader_read(r.reader, got + count, capacity, &more)) == STELE_OK)
            count += more;
        CHECK(status == STELE_END);
        CHECK_EQ_U64(count, total);
        CHECK_EQ_MEM(got, expected, total * sizeof *got);
        reading_close(&r);
    }
}

TEST(segments_go_on_where_a_table_ended)
{
    static stele_event expected[1000];
    const size_t total = read_by_segments(expected, 1000);
    reading r = reading_open();
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_event first[3];
    stele_segment segment;
    size_t count;
    REQUIRE(stele_reader_read(r.reader, first, 3, &count) == STELE_OK && count == 3);
    stele_reader_get_stats(r.reader, &stats);
    CHECK_EQ_U64(stats.event_count, 3);
    while (stele_reader_next(r.reader, &segment) == STELE_OK) {
        CHECK_EQ_MEM(&segment.batch->events[segment.first], &expected[count], sizeof *expected);
        count += segment.count;
    }
    CHECK_EQ_U64(count, total);
    reading_close(&r);
}

static void add_number(stele_batch *batch, stele_name name, stele_type type, uint64_t value)
{
    stele_event *event = stele_batch_add_event(batch);
    event->kind = STELE_KIND_INSTANT;
    stele_batch_add_field(batch, name, type)->u.u = value;
}

TEST(fields_are_columns_of_exact_numbers)
{
    stele_context *context;
    stele_batch *batch;
    stele_name len;
    int64_t ints[4];
    uint64_t uints[4];
    double floats[4];
    uint8_t there[4];
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    len = stele_name_intern(context, "len", 3);
    add_number(batch, len, STELE_TYPE_UINT, 7);
    add_number(batch, len, STELE_TYPE_INT, (uint64_t)INT64_C(-7));
    add_number(batch, len, STELE_TYPE_UINT, UINT64_MAX);
    add_number(batch, 0, STELE_TYPE_UINT, 7);
    const stele_segment all = {batch, 0, 4};
    CHECK_EQ_U64(stele_segment_column(&all, len, STELE_TYPE_INT, ints, there), 2);
    CHECK(ints[0] == 7 && ints[1] == -7 && there[0] && there[1] && !there[2] && !there[3]);
    CHECK_EQ_U64(stele_segment_column(&all, len, STELE_TYPE_UINT, uints, there), 2);
    CHECK(uints[0] == 7 && uints[2] == UINT64_MAX && !there[1] && uints[1] == 0);
    CHECK_EQ_U64(stele_segment_column(&all, len, STELE_TYPE_FLOAT, floats, there), 2);
    CHECK(floats[1] == -7.0 && !there[2] && floats[2] == 0);
    CHECK_EQ_U64(stele_segment_column(&all, len, STELE_TYPE_STRING, uints, there), 0);
    stele_batch_free(batch);
    stele_context_free(context);
}
