/* SPDX-License-Identifier: Apache-2.0 */
/* Heph: the codec by itself, what damage costs, packets over the limit, and the event counters. */
#include "test.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <stele/heph.h>
#include <stele/stele.h>

#include "formats/heph/read/counters.h"

#define SAMPLES STELE_SOURCE_DIR "/src/formats/heph/good/"

static stele_heph_text text(const char *bytes)
{
    return (stele_heph_text){bytes, (uint16_t)strlen(bytes)};
}

/* Encodes the two packets of the example in the format's document. */
static void encode_document(stele_heph_encoder *to)
{
    const uint8_t epoch[8] = {0x16, 0x58, 0x45, 0xe9, 0x12, 0x14, 0xec, 0x90};
    stele_heph_encode_option(to, &(stele_heph_option){text("epoch"), epoch, sizeof epoch});
    stele_heph_encode_event(
        to,
        &(stele_heph_event){
            .substream = 1, .start = 100, .end = 200, .description = text("My event")},
        STELE_HEPH_SUBSTREAMS);
    stele_heph_encode_attribute(to, text("Test"), STELE_HEPH_UINT, 1);
    stele_heph_encode_uint(to, 123);
    stele_heph_encode_attribute(to, text("Test2"), STELE_HEPH_FLOAT | STELE_HEPH_ARRAY, 2);
    stele_heph_encode_float(to, 123.456);
    stele_heph_encode_float(to, 789.0);
    stele_heph_encode_end(to);
}

static size_t load(const char *path, uint8_t *bytes, size_t size_max)
{
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, size_max, file) : 0;
    if (file != NULL)
        fclose(file);
    return size;
}

TEST(encodes_the_example_of_the_document)
{
    uint8_t expected[256];
    const size_t size = load(SAMPLES "doc_example.bin.log", expected, sizeof expected);
    stele_heph_encoder to = {0};
    encode_document(&to);
    CHECK_EQ_U64(to.status, STELE_OK);
    REQUIRE(to.size == size);
    CHECK_EQ_MEM(to.bytes, expected, size);
    stele_heph_encoder_free(&to);
}

TEST(decodes_the_example_of_the_document)
{
    stele_heph_encoder from = {0};
    stele_heph_option option;
    stele_heph_event event;
    stele_heph_attribute attribute;
    stele_heph_value value;
    const uint8_t *at, *value_at;
    uint64_t epoch_ns;
    uint32_t size;
    encode_document(&from);
    CHECK_EQ_U64(stele_heph_packet_kind(from.bytes, &size), STELE_HEPH_METADATA);
    CHECK_EQ_U64(size, 23);
    CHECK_EQ_U64(stele_heph_option_decode(from.bytes, size, &option), STELE_HEPH_SOUND);
    REQUIRE(stele_heph_option_epoch(&option, &epoch_ns));
    CHECK_EQ_U64(epoch_ns, UINT64_C(1610113734118010000));
    CHECK_EQ_U64(stele_heph_packet_kind(from.bytes + 23, &size), STELE_HEPH_EVENT);
    CHECK_EQ_U64(size, 91);
    CHECK_EQ_U64(stele_heph_event_decode(from.bytes + 23, size, STELE_HEPH_SUBSTREAMS, &event),
                 STELE_HEPH_SOUND);
    CHECK_EQ_U64(event.substream, 1);
    CHECK_EQ_U64(event.start, 100);
    CHECK_EQ_U64(event.end, 200);
    CHECK_EQ_MEM(event.description.bytes, "My event", 8);
    at = event.attributes;
    REQUIRE(stele_heph_attribute_decode(&at, event.attributes_end, &attribute) == STELE_HEPH_SOUND);
    value_at = attribute.values;
    REQUIRE(stele_heph_value_next(&attribute, &value_at, &value));
    CHECK_EQ_U64(value.u, 123);
    CHECK(!stele_heph_value_next(&attribute, &value_at, &value));
    REQUIRE(stele_heph_attribute_decode(&at, event.attributes_end, &attribute) == STELE_HEPH_SOUND);
    CHECK_EQ_U64(attribute.count, 2);
    value_at = attribute.values;
    REQUIRE(stele_heph_value_next(&attribute, &value_at, &value));
    CHECK_EQ_F64(value.f, 123.456);
    CHECK(at == event.attributes_end);
    stele_heph_encoder_free(&from);
}

TEST(the_old_layout_has_no_substream)
{
    stele_heph_encoder to = {0};
    stele_heph_event event;
    stele_heph_encode_event(&to,
                            &(stele_heph_event){.stream = 1, .substream = 9, .start = 3, .end = 4},
                            STELE_HEPH_NO_SUBSTREAMS);
    stele_heph_encode_end(&to);
    CHECK_EQ_U64(to.size, 34);
    CHECK_EQ_U64(stele_heph_event_decode(to.bytes, to.size, STELE_HEPH_NO_SUBSTREAMS, &event),
                 STELE_HEPH_SOUND);
    CHECK_EQ_U64(event.substream, 0);
    CHECK_EQ_U64(event.start, 3);
    CHECK_EQ_U64(event.end, 4);
    CHECK_EQ_U64(stele_heph_event_decode(to.bytes, to.size, STELE_HEPH_SUBSTREAMS, &event),
                 STELE_HEPH_FAULT_HEADER);
    stele_heph_encoder_free(&to);
}

/* ---- Reading traces ---- */

typedef struct reading {
    uint64_t offsets[1024]; /* offsets of the undamaged events */
    size_t sound_count, damaged_count, field_count;
    uint64_t too_large_count;
} reading;

static void on_finding(void *user, const stele_diag *diag)
{
    reading *r = user;
    r->too_large_count += strcmp(diag->code->code, "HEP008") == 0;
}

static void read_segment(reading *r, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind != STELE_KIND_COMPLETE)
            continue;
        r->field_count += event->field_count;
        if ((event->flags & STELE_FLAG_DAMAGED) != 0)
            r->damaged_count++;
        else if (r->sound_count < 1024)
            r->offsets[r->sound_count++] = event->offset;
    }
}

/* Reads a file, or the bytes if `path` is NULL, with small limits. */
static reading read_heph(const char *path, const uint8_t *bytes, size_t size)
{
    reading r = {0};
    const stele_context_options options = {
        .diag = on_finding,
        .diag_user = &r,
        .limits =
            &(stele_limits){.record_size_max = (size_t)64 << 10, .window_size = (size_t)4 << 10}};
    const stele_trace_options as_heph = {.format = "heph"};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    if (stele_context_new(&options, &context) != STELE_OK)
        return r;
    if ((path != NULL ? stele_trace_open(context, path, &as_heph, &trace)
                      : stele_trace_open_memory(context, "bytes", bytes, size, &as_heph, &trace)) ==
        STELE_OK) {
        if (stele_reader_open(context, &trace, 1, &(stele_request){.order = STELE_ORDER_NONE},
                              &reader) == STELE_OK) {
            while (stele_reader_next(reader, &segment) == STELE_OK)
                read_segment(&r, &segment);
            stele_reader_close(reader);
        }
        stele_trace_close(trace);
    }
    stele_context_free(context);
    return r;
}

/* Returns how many events of `whole` are not in `part`. */
static size_t missing_count(const reading *part, const reading *whole)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < whole->sound_count; i++) {
        while (at < part->sound_count && part->offsets[at] < whole->offsets[i])
            at++;
        count += at == part->sound_count || part->offsets[at] != whole->offsets[i];
    }
    return count;
}

TEST(a_damaged_byte_costs_the_event_it_is_in)
{
    static uint8_t bytes[16384];
    const size_t size = load(SAMPLES "heph_tracing_example.bin.log", bytes, sizeof bytes);
    const reading whole = read_heph(NULL, bytes, size);
    REQUIRE(whole.sound_count == 96);
    for (size_t i = 23; i < size; i++) { /* bytes after the epoch */
        reading part;
        bytes[i] ^= 0xff;
        part = read_heph(NULL, bytes, size);
        bytes[i] ^= 0xff;
        if (missing_count(&part, &whole) > 1) {
            printf("byte %zu\n", i);
            CHECK_EQ_U64(missing_count(&part, &whole), 1);
        }
    }
}

/* ---- Large packets ---- */

static void encode_small(stele_heph_encoder *to, uint32_t counter)
{
    stele_heph_encode_event(to, &(stele_heph_event){.counter = counter, .end = 1},
                            STELE_HEPH_SUBSTREAMS);
    stele_heph_encode_end(to);
}

TEST(a_packet_over_the_limit_is_read_as_far_as_it_fits)
{
    static char filler[50000];
    char path[] = "/tmp/stele-heph-XXXXXX";
    const int fd = mkstemp(path);
    stele_heph_encoder to = {0};
    reading r;
    REQUIRE(fd >= 0);
    encode_small(&to, 0);
    stele_heph_encode_event(&to, &(stele_heph_event){.counter = 1, .end = 1},
                            STELE_HEPH_SUBSTREAMS);
    for (int i = 0; i < 5; i++) {
        stele_heph_encode_attribute(&to, text("filler"), STELE_HEPH_STRING, 1);
        stele_heph_encode_string(&to, (stele_heph_text){filler, sizeof filler});
    }
    stele_heph_encode_end(&to);
    encode_small(&to, 2);
    REQUIRE(write(fd, to.bytes, to.size) == (ssize_t)to.size);
    close(fd);
    r = read_heph(path, NULL, 0);
    unlink(path);
    CHECK_EQ_U64(r.sound_count, 2);
    CHECK_EQ_U64(r.damaged_count, 1);
    CHECK_EQ_U64(r.field_count, 1 + 3); /* the other three are counters */
    CHECK_EQ_U64(r.too_large_count, 1);
    stele_heph_encoder_free(&to);
}

/* Magic numbers with wrong sizes close together: each of them might begin a packet. */
TEST(searching_hostile_bytes_takes_linear_time)
{
    static const uint8_t magic[4] = {0xc1, 0xfc, 0x1f, 0xb7};
    const size_t size = (size_t)4 << 20;
    uint8_t *bytes = calloc(1, size);
    const clock_t start = clock();
    REQUIRE(bytes != NULL);
    for (uint32_t gap = 8; gap <= 64; gap *= 2) {
        for (size_t i = 0; i + 8 <= size; i += gap) {
            memcpy(bytes + i, magic, sizeof magic);
            memcpy(bytes + i + 4, "\0\0\xff\x01", 4);
        }
        read_heph(NULL, bytes, size);
        memset(bytes, 0, size);
    }
    free(bytes);
    CHECK((clock() - start) / CLOCKS_PER_SEC < 10);
}

/* ---- Counters of events ---- */

static counters_verdict add(counters *c, uint32_t counter)
{
    static uint64_t offset;
    counters_verdict verdict = COUNTERS_IN_ORDER;
    CHECK(counters_add(c, &(counters_event){1, counter, offset, (int64_t)offset}, &verdict));
    offset++;
    return verdict;
}

static uint64_t lost_count(counters *c)
{
    counters_gap gap;
    uint64_t count = 0;
    while (counters_take_lost(c, &gap))
        count += gap.is_head ? 0 : gap.count;
    return count;
}

TEST(a_value_that_comes_late_is_not_lost)
{
    counters c;
    counters_init(&c, 16);
    CHECK_EQ_U64(add(&c, 0), COUNTERS_IN_ORDER);
    CHECK_EQ_U64(add(&c, 4), COUNTERS_AHEAD);
    CHECK_EQ_U64(add(&c, 2), COUNTERS_MISPLACED);
    CHECK_EQ_U64(add(&c, 2), COUNTERS_REPEATED);
    CHECK_EQ_U64(add(&c, 1), COUNTERS_MISPLACED);
    CHECK_EQ_U64(lost_count(&c), 0);
    for (uint32_t i = 5; i < 5 + COUNTERS_WINDOW; i++)
        CHECK_EQ_U64(add(&c, i), COUNTERS_IN_ORDER);
    CHECK_EQ_U64(lost_count(&c), 1);
    CHECK(counters_finish(&c));
    CHECK_EQ_U64(lost_count(&c), 0);
    counters_free(&c);
}

TEST(counters_wrap_and_restart)
{
    counters c;
    counters_init(&c, 16);
    add(&c, UINT32_MAX - 1);
    add(&c, UINT32_MAX);
    CHECK_EQ_U64(add(&c, 1), COUNTERS_AHEAD);
    CHECK_EQ_U64(add(&c, 0), COUNTERS_MISPLACED);
    for (uint32_t i = 2; i < 3000; i++)
        CHECK_EQ_U64(add(&c, i), COUNTERS_IN_ORDER);
    CHECK_EQ_U64(add(&c, 0), COUNTERS_IN_ORDER); /* held back until the next one */
    CHECK_EQ_U64(add(&c, 1), COUNTERS_RESTARTED);
    CHECK_EQ_U64(add(&c, 1u << 30), COUNTERS_IN_ORDER); /* held back until the next one */
    CHECK_EQ_U64(add(&c, 2), COUNTERS_STRAY);
    CHECK(counters_finish(&c));
    CHECK_EQ_U64(lost_count(&c), 0);
    counters_free(&c);
}

TEST(a_far_jump_ahead_is_a_loss)
{
    counters c;
    counters_init(&c, 16);
    add(&c, 0);
    add(&c, 100001);
    CHECK_EQ_U64(add(&c, 100002), COUNTERS_AHEAD);
    CHECK(counters_finish(&c));
    CHECK_EQ_U64(lost_count(&c), 100000);
    counters_free(&c);
}
