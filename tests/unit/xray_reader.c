/* SPDX-License-Identifier: Apache-2.0 */
/* XRay: buffers found in files written by hand, and real traces encoded again in every version. */
#include <stdlib.h>
#include <unistd.h>

#include <stele/stele.h>
#include <stele/xray.h>

#include "core/load.h"
#include "hex.h"
#include "support.h"

#define SAMPLES STELE_SOURCE_DIR "/src/formats/xray/good/"

/* ---- Reading traces ---- */

typedef struct seen {
    uint8_t kind, flags;
    uint16_t cpu;
    uint64_t ticks, id;
    uint64_t tid, pid;
    uint64_t argument_count, argument_sum; /* integers among the fields */
    char payload[16];                      /* the first bytes of a payload */
    uint64_t payload_size;
} seen;

typedef struct reading {
    char codes[256]; /* codes of all findings, as "XRY007@112 " */
    stele_context *context;
    seen *events;
    size_t count, capacity;
    stele_reader_stats stats;
} reading;

static void keep_code(void *user, const stele_diag *diag)
{
    reading *r = user;
    const size_t size = strlen(r->codes);
    snprintf(r->codes + size, sizeof r->codes - size, "%s@%" PRIu64 " ", diag->code->code,
             diag->offset);
}

static void keep_fields(const reading *r, const stele_batch *batch, const stele_event *event,
                        seen *to)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i++) {
        const stele_field *field = &batch->fields[first + i];
        if (field->type == STELE_TYPE_BYTES) {
            const stele_text text = stele_field_text(r->context, batch, field);
            to->payload_size = text.size;
            memcpy(to->payload, text.bytes, text.size < 15 ? text.size : 15);
        } else {
            to->argument_count++;
            to->argument_sum += field->u.u * (i + 1);
        }
    }
}

static void keep_segment(reading *r, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        const stele_track *thread = stele_track_get(r->context, event->track);
        const stele_track *process = stele_track_get(r->context, thread->parent);
        if (r->count == r->capacity) {
            r->capacity = r->capacity * 2 + 1024;
            r->events = realloc(r->events, r->capacity * sizeof *r->events);
            REQUIRE(r->events != NULL);
        }
        r->events[r->count] = (seen){.kind = event->kind,
                                     .flags = event->flags,
                                     .cpu = event->cpu,
                                     .ticks = event->ticks,
                                     .id = event->id,
                                     .tid = thread->number,
                                     .pid = process != NULL ? process->number : 0};
        keep_fields(r, segment->batch, event, &r->events[r->count++]);
    }
}

/* Reads a trace in the order of times, and writes it to `writer` if that is given. */
static void read_trace(reading *r, stele_trace *trace, stele_writer *writer)
{
    const stele_request request = {.check = true, .columns = STELE_COLUMNS_ALL};
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    REQUIRE(stele_reader_open(r->context, &trace, 1, &request, &reader) == STELE_OK);
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        keep_segment(r, &segment);
        if (writer != NULL)
            REQUIRE(stele_writer_write(writer, &segment) == STELE_OK);
    }
    CHECK_EQ_U64(status, STELE_END);
    stele_reader_get_stats(reader, &r->stats);
    stele_reader_close(reader);
    stele_trace_close(trace);
}

static void reading_begin(reading *r)
{
    *r = (reading){.count = 0};
    REQUIRE(stele_context_new(&(stele_context_options){.diag = keep_code, .diag_user = r},
                              &r->context) == STELE_OK);
}

static void reading_end(reading *r)
{
    stele_context_free(r->context);
    free(r->events);
}

static void read_bytes(reading *r, const void *bytes, size_t size)
{
    stele_trace *trace;
    reading_begin(r);
    REQUIRE(stele_trace_open_memory(r->context, "made.xray", bytes, size, NULL, &trace) ==
            STELE_OK);
    read_trace(r, trace, NULL);
}

static void read_hex(reading *r, const char *const *texts, size_t count)
{
    hex h = {.size = 0};
    for (size_t i = 0; i < count; i++)
        hex_add(&h, texts[i]);
    read_bytes(r, h.bytes, h.size);
}

#define READ(r, texts) read_hex(r, texts, sizeof(texts) / sizeof *(texts))

static void check_event(const reading *r, size_t index, stele_kind kind, uint64_t ticks,
                        uint64_t id)
{
    REQUIRE(index < r->count);
    CHECK_EQ_U64(r->events[index].kind, kind);
    CHECK_EQ_U64(r->events[index].ticks, ticks);
    CHECK_EQ_U64(r->events[index].id, id);
}

/* ---- Files written by hand ---- */

/* Headers: version, type, flags, 10^9 Hz, size of a buffer. */
#define HEADER_1(size)    "01 00 01 00 03 00 00 00 00 ca 9a 3b 00:4 " size " 00:7 00:8 "
#define HEADER_2          "02 00 01 00 03 00 00 00 00 ca 9a 3b 00:4 00 04 00:6 00:8 "
#define HEADER_5          "05 00 01 00 03 00 00 00 00 ca 9a 3b 00:4 00 04 00:6 00:8 "
#define EXTENTS(size)     "0f " size " 00:7 00:7 "
#define THREAD(id)        "01 " id " 00:14 "
#define WALL              "09 01 00:7 02 00:3 00:3 "
#define PROCESS           "13 09 00:14 "
#define CPU(tsc)          "05 03 00 " tsc " 00:6 00:5 " /* CPU 3; two bytes of counter */
#define ENTER(id)         id "0 00:3 0a 00:3 "          /* 10 ticks later; only ids below 16 */
#define EXIT(id)          id "2 00:3 05 00:3 "          /* 5 ticks later; only ids below 16 */
#define END               "03 00:15 "
#define PREAMBLE(id, tsc) THREAD(id) WALL PROCESS CPU(tsc)

/*
 * Buffers of 96 bytes: 80 bytes of records, then what was there before, which looks like records.
 */
TEST(version_1_skips_stale_bytes)
{
    static const char *const texts[] = {
        HEADER_1("60"), THREAD("07"), WALL,      CPU("e8 03"), ENTER("1"),
        EXIT("1"),      END,          "aa:16",   THREAD("07"), WALL,
        CPU("d0 07"),   ENTER("2"),   EXIT("2"), END,          ENTER("3") EXIT("3")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 4);
    check_event(&r, 0, STELE_KIND_BEGIN, 1010, 1);
    check_event(&r, 1, STELE_KIND_END, 1015, 1);
    check_event(&r, 2, STELE_KIND_BEGIN, 2010, 2);
    check_event(&r, 3, STELE_KIND_END, 2015, 2);
    CHECK_EQ_U64(r.events[0].tid, 7);
    CHECK_EQ_U64(r.events[0].cpu, 3);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
}

/* No buffer begins after 98 bytes, and 1,000 are beyond the file: the next buffer is found by
   its first records. */
TEST(version_1_finds_buffers_whose_size_is_damaged)
{
    static const char *const sizes[] = {HEADER_1("62"), HEADER_1("f0")};
    for (size_t i = 0; i < 2; i++) {
        const char *const texts[] = {
            sizes[i],     THREAD("07"), WALL,      CPU("e8 03"), ENTER("1"),
            EXIT("1"),    END,          "aa:16",   THREAD("07"), WALL,
            CPU("d0 07"), ENTER("2"),   EXIT("2"), END,          ENTER("3") EXIT("3")};
        reading r;
        READ(&r, texts);
        CHECK_EQ_U64(r.count, 4);
        check_event(&r, 2, STELE_KIND_BEGIN, 2010, 2);
        check_event(&r, 3, STELE_KIND_END, 2015, 2);
        CHECK(strstr(r.codes, "XRY006@16 ") != NULL);
        reading_end(&r);
    }
}

/* Version, type and byte order are those that fit what follows, whatever the header says. */
TEST(headers_with_a_damaged_byte_are_read)
{
    static const char *const names[] = {"events.fdr1.stale.xray", "events.fdr2.xray",
                                        "events.fdr3.xray",       "events.fdr4.xray",
                                        "arg1.fdr5.be.xray",      "exc.14.fdr5.tsc.xray",
                                        "recur.14.basic3.xray",   "threads.14.profile.tsc.xray"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static uint8_t bytes[64 << 10];
        char path[512];
        reading sound, r;
        size_t size;
        FILE *file;
        snprintf(path, sizeof path, "%s%s", SAMPLES, names[i]);
        file = fopen(path, "rb");
        REQUIRE(file != NULL);
        size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        read_bytes(&sound, bytes, size);
        for (size_t at = 0; at < 4; at++) {
            bytes[at] ^= 0xf8;
            read_bytes(&r, bytes, size);
            bytes[at] ^= 0xf8;
            CHECK_EQ_U64(r.count, sound.count);
            REQUIRE(r.count != 0);
            CHECK_EQ_U64(r.events[r.count - 1].ticks, sound.events[r.count - 1].ticks);
            CHECK_EQ_U64(r.events[r.count / 2].ticks, sound.events[r.count / 2].ticks);
            CHECK(strstr(r.codes, "XRY001@0 ") != NULL);
            reading_end(&r);
        }
        reading_end(&sound);
    }
}

/* In the oldest version, buffer_size may be the size of all that follows, and another header may
   follow a buffer. */
TEST(version_1_as_its_document_says)
{
    static const char *const texts[] = {
        HEADER_1("50"), THREAD("07"), WALL, CPU("e8 03"), ENTER("1"), EXIT("1"), END,
        HEADER_1("50"), THREAD("07"), WALL, CPU("d0 07"), ENTER("2"), EXIT("2"), END};
    static const char *const whole[] = {HEADER_1("ff"), THREAD("07"), WALL,       CPU("e8 03"),
                                        ENTER("1"),     EXIT("1"),    ENTER("2"), EXIT("2")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 4);
    check_event(&r, 3, STELE_KIND_END, 2015, 2);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
    READ(&r, whole);
    CHECK_EQ_U64(r.count, 4);
    check_event(&r, 3, STELE_KIND_END, 1030, 2);
    reading_end(&r);
}

/* The records after a custom event of 24 bytes may follow its marker at once. */
TEST(version_2_payloads_can_be_overwritten)
{
    static const char *const texts[] = {HEADER_2,
                                        EXTENTS("80"),
                                        THREAD("07") WALL CPU("e8 03"),
                                        ENTER("1"),
                                        "0b 18 00:3 f4 03 00:6 00:3 ", /* at offset 1012 */
                                        ENTER("2"),
                                        EXIT("2"),
                                        ENTER("3"),
                                        EXIT("3"),
                                        ENTER("4"),
                                        EXIT("4"),
                                        EXIT("1")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 9);
    check_event(&r, 0, STELE_KIND_BEGIN, 1010, 1);
    check_event(&r, 1, STELE_KIND_INSTANT, 1012, 0);
    CHECK_EQ_U64(r.events[1].payload_size, 0);
    CHECK(r.events[1].flags & STELE_FLAG_DAMAGED);
    check_event(&r, 8, STELE_KIND_END, 1060, 1);
    CHECK_EQ_STR(r.codes, "XRY007@104 ");
    reading_end(&r);
}

/* The payload of a custom event is where it belongs. */
TEST(version_2_payloads_can_be_there)
{
    static const char *const texts[] = {HEADER_2,
                                        EXTENTS("70"),
                                        THREAD("07") WALL CPU("e8 03"),
                                        ENTER("1"),
                                        "0b 18 00:3 f4 03 00:6 00:3 'twenty-four bytes of it.' ",
                                        ENTER("2"),
                                        EXIT("2"),
                                        EXIT("1")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 5);
    CHECK_EQ_U64(r.events[1].payload_size, 24);
    CHECK_EQ_MEM(r.events[1].payload, "twenty-four byt", 15);
    check_event(&r, 4, STELE_KIND_END, 1030, 1);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
}

/* A ring that is full: the newer buffer comes first in the file. Empty buffers give nothing. */
TEST(buffers_are_put_in_order)
{
    static const char *const texts[] = {
        HEADER_5,   EXTENTS("50"), PREAMBLE("07", "d0 07"), ENTER("2"),
        EXIT("2"),  EXTENTS("00"), EXTENTS("50"),           PREAMBLE("07", "e8 03"),
        ENTER("1"), EXIT("1"),     EXTENTS("50"),           PREAMBLE("08", "dc 05"),
        ENTER("3"), EXIT("3")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 6);
    check_event(&r, 0, STELE_KIND_BEGIN, 1010, 1);
    check_event(&r, 2, STELE_KIND_BEGIN, 1510, 3);
    check_event(&r, 4, STELE_KIND_BEGIN, 2010, 2);
    CHECK_EQ_U64(r.events[2].tid, 8);
    CHECK_EQ_U64(r.events[2].pid, 9);
    CHECK_EQ_STR(r.codes, "XRY011@160 ");
    reading_end(&r);
}

/* A ring of one thread that is too large to be held in memory: its second half comes first. */
TEST(a_ring_is_put_in_order_by_its_buffers)
{
    static const char *const head[] = {HEADER_5}, *const begin[] = {EXTENTS("00"),
                                                                    PREAMBLE("07", "00 00")};
    enum { BUFFERS = 40, CALLS = 2000, PREAMBLE_SIZE = 80, BUFFER_SIZE = 80 + CALLS * 16 };
    static uint8_t bytes[32 + BUFFERS * BUFFER_SIZE];
    hex h = {.size = 0};
    uint64_t last = 0;
    reading r;
    hex_add(&h, head[0]);
    memcpy(bytes, h.bytes, h.size);
    for (unsigned i = 0; i < BUFFERS; i++) {
        uint8_t *at = bytes + 32 + (size_t)i * BUFFER_SIZE;
        h.size = 0;
        hex_add(&h, begin[0]);
        hex_add(&h, begin[1]);
        memcpy(at, h.bytes, PREAMBLE_SIZE);
        store_le64(at + 1, BUFFER_SIZE - 16);
        store_le64(at + 64 + 3, 1000000 + (uint64_t)((i + BUFFERS / 2) % BUFFERS) * CALLS * 20);
        for (unsigned call = 0; call < CALLS; call++) {
            h.size = 0;
            hex_add(&h, ENTER("1") EXIT("1"));
            memcpy(at + PREAMBLE_SIZE + call * 16, h.bytes, 16);
        }
    }
    read_bytes(&r, bytes, sizeof bytes);
    CHECK_EQ_U64(r.count, BUFFERS * CALLS * 2);
    for (size_t i = 0; i < r.count; i++) {
        CHECK(r.events[i].ticks > last && (r.events[i].flags & STELE_FLAG_LATE) == 0);
        last = r.events[i].ticks;
    }
    CHECK_EQ_U64(r.stats.late_count, 0);
    reading_end(&r);
}

TEST(arguments_belong_to_their_entry)
{
    static const char *const texts[] = {
        HEADER_5,           EXTENTS("70"),      PREAMBLE("07", "e8 03"),
        "16 00:3 0a 00:3 ", /* enters function 1 with arguments */
        "0d 2a 00:7 00:7 ", "0d 03 00:7 00:7 ", EXIT("1")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 2);
    CHECK_EQ_U64(r.events[0].argument_count, 2);
    CHECK_EQ_U64(r.events[0].argument_sum, 42 + 2 * 3);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
}

/* Every typed event makes its buffer 16 bytes short: here by half of a payload, and by an exit
   in another buffer. */
TEST(short_extents_of_typed_events)
{
    static const char *const texts[] = {HEADER_5, EXTENTS("58"), PREAMBLE("07", "e8 03"),
                                        ENTER("1"),
                                        "11 20 00:3 01 00:3 05 00 00:5 'half a thing' "};
    reading r;
    hex h = {.size = 0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hex_add(&h, texts[i]);
    h.bytes[33] = (uint8_t)(h.size - 48); /* the extents, set to all that is there */
    read_bytes(&r, h.bytes, h.size);
    CHECK_EQ_U64(r.count, 2);
    check_event(&r, 1, STELE_KIND_INSTANT, 1011, 0);
    CHECK_EQ_U64(r.events[1].payload_size, 12);
    CHECK(r.events[1].flags & STELE_FLAG_DAMAGED);
    CHECK_EQ_STR(r.codes, "XRY004@120 ");
    reading_end(&r);
}

/* Returns the size of the whole file for version 1 or 5, of one buffer with three calls. */
static size_t one_buffer(hex *h, unsigned version)
{
    h->size = 0;
    hex_add(h, version == 1 ? HEADER_1("80") : HEADER_5);
    hex_add(h, version == 1 ? "" : EXTENTS("70"));
    hex_add(h, THREAD("07") WALL);
    hex_add(h, version == 1 ? "" : PROCESS);
    hex_add(h, CPU("e8 03") ENTER("1") EXIT("1") ENTER("2") EXIT("2") ENTER("3") EXIT("3"));
    if (version == 1)
        hex_add(h, END "aa:16");
    return h->size;
}

/* A file that ends between two records ends inside of a buffer all the same. In version 1, only
   padding is missing after the record that ends the buffer. */
TEST(a_file_that_ends_before_its_buffer_is_reported_at_every_byte)
{
    for (unsigned version = 1; version <= 5; version += 4) {
        hex h;
        const size_t size = one_buffer(&h, version), head = version == 1 ? 32 : 48;
        for (size_t cut = head + 16; cut <= size; cut++) {
            reading r;
            const bool is_all = cut >= size - (version == 1 ? 16 : 0);
            read_bytes(&r, h.bytes, cut);
            CHECK((strstr(r.codes, "XRY005@") != NULL) == !is_all);
            CHECK((r.stats.missing_count + r.stats.lost_count + r.stats.balance.skipped_size !=
                   0) == !is_all);
            reading_end(&r);
        }
    }
}

/* ---- Basic mode ---- */

#define BASIC(version) version " 00 00:2 03 00:3 00 ca 9a 3b 00:4 00:16 "
#define CALL(kind, function, tsc) \
    "00:2 02 " kind function " 00:3 " tsc " 00:6 07 00:3 09 00:3 aa:8 "
#define ARGUMENT(function, value) \
    "01 00 aa:2 " function " 00:3 07 00:3 09 00:3 " value " 00:7 aa:8 "
#define CALL_OF(thread, kind, tsc) \
    "00:2 02 " kind "01 00:3 " tsc " 00:6 " thread " 00:3 09 00:3 aa:8 "

/* Only the third version has a process; before, its place is padding. */
TEST(basic_logs_of_every_version)
{
    static const char *const versions[] = {"01", "02", "03"};
    for (uint64_t v = 0; v < 3; v++) {
        const char *const texts[] = {BASIC(""), CALL("00 ", "01", "e8 03"),
                                     CALL("00 ", "02", "ea 03"), CALL("02 ", "02", "ee 03"),
                                     CALL("01 ", "01", "f0 03")};
        reading r;
        hex h = {.size = 0};
        hex_add(&h, versions[v]);
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            hex_add(&h, texts[i]);
        read_bytes(&r, h.bytes, h.size);
        CHECK_EQ_U64(r.count, 4);
        check_event(&r, 0, STELE_KIND_BEGIN, 1000, 1);
        check_event(&r, 1, STELE_KIND_BEGIN, 1002, 2);
        check_event(&r, 2, STELE_KIND_TAIL_EXIT, 1006, 2);
        check_event(&r, 3, STELE_KIND_END, 1008, 1);
        CHECK_EQ_U64(r.events[0].tid, 7);
        CHECK_EQ_U64(r.events[0].pid, v == 2 ? 9 : 0);
        CHECK_EQ_U64(r.events[0].cpu, 2);
        CHECK_EQ_STR(r.codes, "");
        reading_end(&r);
    }
}

TEST(basic_arguments_belong_to_the_entry_before_them)
{
    static const char *const texts[] = {BASIC("03"), CALL("03 ", "01", "e8 03"),
                                        ARGUMENT("01", "2a"), CALL("01 ", "01", "ea 03"),
                                        ARGUMENT("02", "05")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 3);
    check_event(&r, 0, STELE_KIND_BEGIN, 1000, 1);
    CHECK_EQ_U64(r.events[0].argument_sum, 42);
    check_event(&r, 1, STELE_KIND_END, 1002, 1);
    check_event(&r, 2, STELE_KIND_INSTANT, 0, 2);
    CHECK_EQ_U64(r.events[2].flags, STELE_FLAG_NO_TIME);
    CHECK_EQ_U64(r.events[2].argument_sum, 5);
    CHECK_EQ_STR(r.codes, "XRY015@128 ");
    reading_end(&r);
}

TEST(basic_blocks_of_a_thread_are_put_in_order)
{
    static const char *const texts[] = {BASIC("03"),
                                        CALL_OF("07", "01 ", "20 03"),
                                        CALL_OF("08", "00 ", "15 03"),
                                        CALL_OF("08", "01 ", "25 03"),
                                        CALL_OF("07", "00 ", "10 03"),
                                        "00 00 02 09 01 00:3 11 03 00:6 07 00:3 09 00:3 00:8 ",
                                        "aa:5"};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 4);
    check_event(&r, 0, STELE_KIND_BEGIN, 0x310, 1);
    check_event(&r, 1, STELE_KIND_BEGIN, 0x315, 1);
    check_event(&r, 2, STELE_KIND_END, 0x320, 1);
    check_event(&r, 3, STELE_KIND_END, 0x325, 1);
    CHECK_EQ_U64(r.events[1].tid, 8);
    CHECK_EQ_STR(r.codes, "XRY014@160 XRY017@192 ");
    CHECK_EQ_U64(r.stats.balance.skipped_size, 37);
    reading_end(&r);
}

/* ---- Profiles ---- */

#define PROFILE               "66 6f 72 70 79 61 72 78 24 04 18 20 00:4 00:8 09 00:7 "
#define BLOCK(size, thread)   size " 00:3 00:4 " thread " 00:7 "
#define FIGURES(calls, ticks) "00:4 " calls " 00:7 " ticks " 00:7 "

/* Two threads, whose paths begin with the leaf. */
TEST(profiles_are_samples_of_paths)
{
    static const char *const texts[] = {PROFILE,
                                        BLOCK("44", "07"),
                                        "01 00:3 ",
                                        FIGURES("03", "64"),
                                        "02 00:3 01 00:3 ",
                                        FIGURES("05", "0a"),
                                        BLOCK("28", "08"),
                                        "03 00:3 ",
                                        FIGURES("01", "02")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 3);
    check_event(&r, 0, STELE_KIND_SAMPLE, 0, 100);
    check_event(&r, 1, STELE_KIND_SAMPLE, 0, 10);
    check_event(&r, 2, STELE_KIND_SAMPLE, 0, 2);
    CHECK_EQ_U64(r.events[1].tid, 7);
    CHECK_EQ_U64(r.events[2].tid, 8);
    CHECK_EQ_U64(r.events[2].pid, 9);
    CHECK_EQ_U64(r.events[0].flags, STELE_FLAG_NO_TIME);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
}

TEST(a_damaged_profile_gives_the_blocks_before)
{
    static const char *const texts[] = {PROFILE,           BLOCK("28", "07"),
                                        "01 00:3 ",        FIGURES("03", "64"),
                                        BLOCK("20", "08"), "01 00:3 02 00:3 03 00:3 04 00:3 "};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 1);
    CHECK_EQ_STR(r.codes, "XRY016@88 ");
    CHECK_EQ_U64(r.stats.balance.skipped_size, 16);
    reading_end(&r);
}

/* ---- Forks ---- */

static uint64_t count_repeated(const reading *r, size_t first)
{
    uint64_t count = 0;
    for (size_t i = first; i < r->count; i++)
        count += (r->events[i].flags & STELE_FLAG_REPEATED) != 0;
    return count;
}

/* The parent wrote two records before the fork and one after it; the child's first block begins
   with the same two. */
TEST(basic_records_of_a_child_are_told_to_be_copies)
{
    static const char *const texts[] = {BASIC("03"),
                                        CALL_OF("07", "00 ", "10 03"),
                                        CALL_OF("07", "00 ", "11 03"),
                                        CALL_OF("08", "01 ", "12 03"),
                                        CALL_OF("07", "00 ", "10 03"),
                                        CALL_OF("07", "00 ", "11 03"),
                                        CALL_OF("07", "01 ", "13 03")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 6);
    CHECK_EQ_U64(count_repeated(&r, 0), 2);
    CHECK(r.events[1].flags & STELE_FLAG_REPEATED); /* the later one of the two is the copy */
    CHECK(r.events[3].flags & STELE_FLAG_REPEATED);
    CHECK_EQ_STR(r.codes, "XRY018@128 ");
    reading_end(&r);
}

/* The parent had written its block up to 0x311, and had two records in memory when it forked. */
TEST(basic_copies_may_begin_within_a_block)
{
    static const char *const texts[] = {BASIC("03"),
                                        CALL_OF("07", "00 ", "10 03"),
                                        CALL_OF("07", "00 ", "11 03"),
                                        CALL_OF("07", "00 ", "12 03"),
                                        CALL_OF("07", "00 ", "14 03"),
                                        CALL_OF("08", "01 ", "15 03"),
                                        CALL_OF("07", "00 ", "12 03"),
                                        CALL_OF("07", "00 ", "14 03"),
                                        CALL_OF("07", "01 ", "16 03")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 8);
    CHECK_EQ_U64(count_repeated(&r, 0), 2);
    CHECK_EQ_STR(r.codes, "XRY018@192 ");
    reading_end(&r);
}

static stele_trace *open_sample(const reading *r, const char *name, bool is_apart)
{
    char path[512];
    stele_trace *trace;
    snprintf(path, sizeof path, SAMPLES "%s", name);
    REQUIRE(stele_trace_open(r->context, path, &(stele_trace_options){.is_apart = is_apart},
                             &trace) == STELE_OK);
    return trace;
}

/* Equal counters alone are no repetition, as the buffers begin at different times. */
TEST(buffers_that_only_begin_alike_are_no_copies)
{
    static const char *const texts[] = {
        HEADER_5,
        EXTENTS("50"),
        THREAD("07") WALL PROCESS CPU("e8 03"),
        ENTER("1") EXIT("1"),
        EXTENTS("50"),
        THREAD("07") "09 02 00:7 02 00:3 00:3 " PROCESS CPU("e8 03"),
        ENTER("1") EXIT("1")};
    static const char *const copies[] = {
        HEADER_5,      EXTENTS("50"),           PREAMBLE("07", "e8 03"), ENTER("1") EXIT("1"),
        EXTENTS("50"), PREAMBLE("07", "e8 03"), ENTER("1") ENTER("2")};
    reading r;
    READ(&r, texts);
    CHECK_EQ_U64(r.count, 4);
    CHECK_EQ_U64(count_repeated(&r, 0), 0);
    CHECK_EQ_STR(r.codes, "");
    reading_end(&r);
    READ(&r, copies);
    CHECK_EQ_U64(r.count, 4);
    CHECK_EQ_U64(count_repeated(&r, 0), 1);
    CHECK_EQ_STR(r.codes, "XRY018@144 ");
    reading_end(&r);
}

/* 103 of the child's 206 events are its parent's. */
TEST(a_childs_log_repeats_its_parents)
{
    for (unsigned apart = 0; apart < 2; apart++) {
        reading r;
        size_t first;
        reading_begin(&r);
        read_trace(&r, open_sample(&r, "forker.14.fdr5.tsc.xray", apart), NULL);
        first = r.count;
        CHECK_EQ_U64(count_repeated(&r, 0), 0);
        read_trace(&r, open_sample(&r, "forker.14.fdr5.tsc.1.xray", apart), NULL);
        CHECK_EQ_U64(r.count - first, 206);
        CHECK_EQ_U64(count_repeated(&r, first), apart ? 0 : 103);
        CHECK_EQ_STR(r.codes, apart ? "" : "XRY018@48 ");
        reading_end(&r);
    }
}

/* ---- Real traces, encoded again ---- */

static const char *const real[] = {"events.14.fdr5.ns.xray",   "exc.14.fdr5.tsc.xray",
                                   "sleeper.14.fdr5.tsc.xray", "tail.14.fdr5.tsc.xray",
                                   "arg1.fdr5.be.xray",        "forker.14.fdr5.tsc.xray"};

/* Checks that events are the same. Older versions do not tell the process, and only the fourth
   tells the CPU of custom events. */
static void check_same(const reading *got, const reading *expected, bool has_pid)
{
    CHECK_EQ_U64(got->count, expected->count);
    for (size_t i = 0; i < got->count && i < expected->count; i++) {
        const seen *a = &got->events[i], *b = &expected->events[i];
        CHECK_EQ_U64(a->kind, b->kind);
        CHECK_EQ_U64(a->ticks, b->ticks);
        CHECK_EQ_U64(a->id, b->id);
        CHECK_EQ_U64(a->tid, b->tid);
        CHECK_EQ_U64(a->cpu, b->cpu);
        CHECK_EQ_U64(a->pid, has_pid ? b->pid : 0);
        CHECK_EQ_U64(a->argument_count, b->argument_count);
        CHECK_EQ_U64(a->argument_sum, b->argument_sum);
        CHECK_EQ_U64(a->payload_size, b->payload_size);
        CHECK_EQ_MEM(a->payload, b->payload, sizeof a->payload);
        if (test_state.failed_checks != 0)
            return;
    }
}

static void write_again(const char *name, const char *version)
{
    reading first, again;
    stele_writer *writer;
    stele_trace *trace;
    stele_loss loss = STELE_INIT(stele_loss);
    reading_begin(&first);
    REQUIRE(stele_writer_open(first.context, "again.xray", "xray",
                              &(stele_writer_options){.replace = true, .version = version},
                              &writer) == STELE_OK);
    read_trace(&first, open_sample(&first, name, false), writer);
    CHECK_EQ_U64(stele_writer_finish(writer), STELE_OK);
    /* Version 3 was the first with process ids; nothing else is lost in any version. */
    CHECK(stele_writer_get_loss(writer, 0, &loss) == (version[0] < '3'));
    if (version[0] < '3')
        CHECK_EQ_STR(loss.what, "process ids");
    CHECK(!stele_writer_get_loss(writer, 1, &loss));
    stele_writer_close(writer);
    reading_begin(&again);
    REQUIRE(stele_trace_open(again.context, "again.xray", NULL, &trace) == STELE_OK);
    read_trace(&again, trace, NULL);
    check_same(&again, &first, version[0] >= '3');
    CHECK_EQ_STR(again.codes, "");
    reading_end(&again);
    reading_end(&first);
}

/* ---- Damaged sizes ---- */

/* Whatever a damaged byte in a payload's size says, one of 140 events is damaged, and nearly all
   are read. */
TEST(a_damaged_payload_size_costs_its_event_only)
{
    static const uint8_t wrong[] = {0xff, 0x7f, 0x40, 0x08, 0x01};
    const size_t size_at = 209 + 1; /* offset of the size in the third custom event */
    FILE *file = fopen(SAMPLES "events.14.fdr5.ns.xray", "rb");
    uint8_t bytes[4096];
    size_t size;
    REQUIRE(file != NULL);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = size_at; at < size_at + 4; at++) {
        for (size_t i = 0; i < sizeof wrong; i++) {
            reading r;
            bytes[at] ^= wrong[i];
            read_bytes(&r, bytes, size);
            bytes[at] ^= wrong[i];
            CHECK(r.count >= 139 - 6 && r.count <= 142);
            CHECK_EQ_U64(r.stats.balance.record_size + r.stats.balance.padding_size +
                             r.stats.balance.skipped_size,
                         size);
            CHECK(at == size_at || strstr(r.codes, "XRY019@209 ") != NULL ||
                  strstr(r.codes, "XRY002@209 ") != NULL);
            reading_end(&r);
        }
    }
}

TEST(real_traces_in_every_version)
{
    static const char *const versions[] = {"1", "2", "3", "4", "5"};
    char folder[64];
    folder_enter(folder, sizeof folder);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        for (size_t v = 0; v < 5; v++)
            write_again(real[i], versions[v]);
    }
    folder_leave(folder);
}

/* Encodes a file of version 5 again with the codec, in another version and byte order. Extents
   are set when their buffer is complete. Returns the size. */
static size_t transcode(const uint8_t *from, size_t size, bool big, unsigned version, uint8_t *to)
{
    stele_xray_header old, new;
    uint64_t tsc = 0, written = 0;
    size_t at = STELE_XRAY_HEADER_SIZE, out = STELE_XRAY_HEADER_SIZE, extents = 0;
    REQUIRE(stele_xray_decode_header(from, &old) && old.version == 5);
    new = old;
    new.is_big_endian = big;
    new.version = (uint16_t)version;
    stele_xray_encode_header(&new, to);
    for (;;) {
        stele_xray_record r;
        stele_xray_result result;
        size_t used;
        const bool is_done = at == size || stele_xray_decode(&old, &tsc, from + at, size - at, &r,
                                                             1, &used, &result) == 0;
        if ((is_done || r.kind == STELE_XRAY_EXTENTS) && extents != 0)
            stele_xray_encode(
                &new, 0,
                &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = out - extents - 16}, NULL,
                to + extents);
        if (is_done)
            break;
        if (r.kind == STELE_XRAY_EXTENTS)
            extents = out;
        if (version == 4 && r.kind == STELE_XRAY_CUSTOM_EVENT)
            r.function = 0;
        out += stele_xray_encode(&new, written, &r, from + at + 16, to + out);
        if (version == 5 || (r.kind != STELE_XRAY_CUSTOM_EVENT && r.kind != STELE_XRAY_TYPED_EVENT))
            written = r.tsc;
        at += used;
    }
    if (extents != 0) /* those of the last buffer, which ends with the file */
        stele_xray_encode(
            &new, 0, &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = out - extents - 16},
            NULL, to + extents);
    return out;
}

TEST(real_traces_in_every_byte_order)
{
    static uint8_t from[1 << 20], to[2 << 20];
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        char path[512];
        FILE *file;
        size_t size;
        snprintf(path, sizeof path, SAMPLES "%s", real[i]);
        file = fopen(path, "rb");
        REQUIRE(file != NULL);
        size = fread(from, 1, sizeof from - 16, file);
        fclose(file);
        for (unsigned version = 2; version <= 5; version++) {
            reading first, again;
            read_bytes(&first, from, size);
            read_bytes(&again, to, transcode(from, size, from[0] != 0, version, to));
            check_same(&again, &first, version >= 3);
            CHECK_EQ_STR(again.codes, "");
            reading_end(&again);
            reading_end(&first);
        }
    }
}
