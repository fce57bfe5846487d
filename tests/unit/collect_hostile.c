/* SPDX-License-Identifier: Apache-2.0 */
/* Malicious senders: what they can make a collector hold, write or do is limited, and each byte
   is still accounted for. */
#include <stele/collect.h>
#include <stele/heph.h>
#include <stele/reader.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/append.h"
#include "collect/collector.h"
#include "collect/sequence.h"
#include "core/load.h"
#include "formats/receive.h"
#include "support.h"

typedef struct hostile {
    char folder[64];
    stele_context *context;
    stele_collector *collector;
} hostile;

static void hostile_begin(hostile *h, const stele_collector_options *options)
{
    folder_enter(h->folder, sizeof h->folder);
    REQUIRE(stele_context_new(NULL, &h->context) == STELE_OK);
    REQUIRE(stele_collector_open(h->context, "out", options, &h->collector) == STELE_OK);
}

static uint32_t hostile_add(const hostile *h, const char *name, bool is_datagram)
{
    const stele_sender about = {.name = name, .host = "h", .is_datagram = is_datagram};
    uint32_t sender;
    REQUIRE(stele_collector_add(h->collector, &about, &sender) == STELE_OK);
    return sender;
}

static stele_collector_counts counts_of(const hostile *h)
{
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    stele_collector_get_counts(h->collector, &n);
    CHECK_EQ_U64(n.received_size, n.kept_size + n.repeated_size + n.skipped_size + n.waiting_size);
    return n;
}

static void hostile_end(hostile *h)
{
    stele_collector_close(h->collector);
    stele_context_free(h->context);
    folder_leave(h->folder);
}

/* Bytes that come one by one are skipped as one stretch. */
TEST(a_stream_of_no_format_is_skipped_once)
{
    hostile h;
    uint32_t sender;
    uint8_t byte = 0xff;
    hostile_begin(&h, NULL);
    sender = hostile_add(&h, "a", false);
    for (unsigned i = 0; i < 100; i++) {
        CHECK(stele_collector_receive(h.collector, sender, &byte, 1, i) == STELE_OK);
        counts_of(&h);
    }
    CHECK(stele_collector_finish(h.collector, 100) == STELE_OK);
    CHECK_EQ_U64(counts_of(&h).skipped_size, 100);
    hostile_end(&h);
}

/* Metadata fragments that are not JSON are bytes of no packet. */
TEST(fragments_that_are_not_json_are_passed_over)
{
    static const char *const fragments[] = {"\x1e{\"type\":x}", "\x1e{\"type\" 1}", "\x1e{]}",
                                            "\x1e{\"type\":\"\xff\"}", "\x1e{\"type\":01}"};
    const stele_collector_options options = {.format = "ctf"};
    hostile h;
    uint32_t sender;
    uint64_t size = 0;
    if (!stele_format_find("ctf", &(stele_format_info){0}))
        return;
    hostile_begin(&h, &options);
    sender = hostile_add(&h, "a", true);
    for (unsigned i = 0; i < sizeof fragments / sizeof *fragments; i++) {
        CHECK(stele_collector_receive(h.collector, sender, fragments[i], strlen(fragments[i]), i) ==
              STELE_OK);
        size += strlen(fragments[i]);
    }
    CHECK(stele_collector_finish(h.collector, 10) == STELE_OK);
    CHECK_EQ_U64(counts_of(&h).received_size, size);
    hostile_end(&h);
}

static const uint8_t fxt_magic[] = {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00};

/* Each connection is a trace of its own, named by the lowest free number. */
TEST(connections_from_one_place_are_numbered)
{
    hostile h;
    stele_collected_trace t = STELE_INIT(stele_collected_trace);
    if (!stele_format_find("fxt", &(stele_format_info){0}))
        return;
    hostile_begin(&h, NULL);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t sender = hostile_add(&h, "a", false);
        char path[32];
        CHECK_EQ_U64(sender, 0);
        CHECK(stele_collector_receive(h.collector, sender, fxt_magic, 8, i) == STELE_OK);
        CHECK(stele_collector_end(h.collector, sender, i) == STELE_OK);
        snprintf(path, sizeof path, i == 0 ? "out/a.fxt" : "out/a-%u.fxt", i + 1);
        CHECK(stele_collector_trace_at(h.collector, i, &t) && strcmp(t.path, path) == 0);
        CHECK(access(path, F_OK) == 0);
    }
    CHECK_EQ_U64(counts_of(&h).kept_size, 160);
    hostile_end(&h);
}

/* A connection that ends within its first record is forgotten. */
TEST(connections_without_number_are_forgotten)
{
    static const uint8_t begun[] = {0x20, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00};
    hostile h;
    const stele_collector_options options = {.format = "fxt"};
    if (!stele_format_find("fxt", &(stele_format_info){0}))
        return;
    hostile_begin(&h, &options);
    for (unsigned i = 0; i < 10000; i++) {
        const uint32_t sender = hostile_add(&h, "a", false);
        CHECK(stele_collector_receive(h.collector, sender, begun, 8, i) == STELE_OK);
        CHECK(stele_collector_end(h.collector, sender, i) == STELE_OK);
    }
    CHECK_EQ_U64(h.collector->scope_count, 0);
    CHECK_EQ_U64(counts_of(&h).skipped_size, 80000);
    hostile_end(&h);
}

/* ---- State that senders cause ---- */

static void put_word(uint8_t *bytes, size_t *size, uint64_t word)
{
    store_le64(bytes + *size, word);
    *size += 8;
}

/* Each provider names a string of the highest index: 24 bytes, which could make tables of half a
   megabyte. */
TEST(names_of_providers_take_bounded_room)
{
    stele_context *context;
    uint8_t bytes[32];
    receive_room room = {.max = 1 << 20};
    receiver *r;
    unsigned refused = 0;
    if (!stele_format_find("fxt", &(stele_format_info){0}))
        return;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    r = fxt_receiver.open(context, &room, NULL, 0);
    REQUIRE(r != NULL);
    for (uint32_t provider = 1; provider <= 3000; provider++) {
        static const receive_from from = {.packet_size_max = 4096, .section = ""};
        receive_packet packet;
        size_t size = 0;
        bool is_news;
        put_word(bytes, &size, 1 << 4 | 2 << 16 | (uint64_t)provider << 20);
        put_word(bytes, &size, 2 | 2 << 4 | (uint64_t)0x7fff << 16 | (uint64_t)4 << 32);
        put_word(bytes, &size, 0x74786574);
        for (size_t at = 0; at < size; at += packet.size) {
            REQUIRE(r->ops->look(r, &from, bytes + at, size - at, &packet) == RECEIVE_PACKET);
            const stele_status status = r->ops->learn(r, &from, &packet, bytes + at, &is_news);
            CHECK(status == STELE_OK || status == STELE_ERR_LIMIT);
            refused += status == STELE_ERR_LIMIT;
        }
        CHECK(room.used <= room.max);
    }
    CHECK(refused > 0);
    r->ops->close(r);
    CHECK_EQ_U64(room.used, 0);
    stele_context_free(context);
}

/* Options with different names, each as large as a packet may be. */
TEST(options_take_bounded_room_and_are_written_once)
{
    const stele_collector_options options = {
        .format = "heph", .memory_max = 1 << 20, .packet_size_max = 1 << 18, .rotate_size = 1000};
    static uint8_t value[60000];
    hostile h;
    uint32_t sender;
    uint64_t sent = 0;
    if (!stele_format_find("heph", &(stele_format_info){0}))
        return;
    hostile_begin(&h, &options);
    sender = hostile_add(&h, "a", false);
    for (unsigned i = 0; i < 100; i++) {
        stele_heph_encoder packets = {0};
        char name[16];
        const int size = snprintf(name, sizeof name, "option %u", i);
        const stele_heph_option option = {
            .name = {name, (uint16_t)size}, .value = value, .value_size = sizeof value};
        stele_heph_encode_option(&packets, &option);
        CHECK(stele_collector_receive(h.collector, sender, packets.bytes, packets.size, i) ==
              STELE_OK);
        sent += packets.size;
        stele_heph_encoder_free(&packets);
        counts_of(&h);
    }
    CHECK(stele_collector_finish(h.collector, 100) == STELE_OK);
    CHECK(sent > 1 << 20);
    CHECK_EQ_U64(counts_of(&h).kept_size, sent);
    CHECK(counts_of(&h).written_size <= 2 * sent + (1 << 20));
    hostile_end(&h);
}

/* ---- Numbers of packets ---- */

static stele_status deliver(void *user, const receive_packet *about, const uint8_t *bytes)
{
    (void)user;
    (void)about;
    (void)bytes;
    return STELE_OK;
}

static void miss(void *user, const sequence *s, uint64_t number, uint64_t count)
{
    (void)s;
    (void)number;
    *(uint64_t *)user += count;
}

/* Each packet says that a million before it are missing, 2^36 in all, which takes no longer than
   a few. */
TEST(numbers_far_ahead_are_missing_without_being_counted_one_by_one)
{
    const uint64_t step = (UINT64_C(1) << 20) - 64, count = 65536;
    uint64_t told = 0;
    sequence s = {0};
    sequence_counts counts = {0};
    const sequence_sink sink = {deliver, miss, &told, &counts, {1, 2}, 8};
    receive_packet about = {.size = 8, .has_number = true, .mask = UINT64_MAX};
    for (uint64_t i = 0; i < count; i++) {
        about.number = i * step;
        REQUIRE(sequence_take(&s, &sink, &about, (const uint8_t *)&about.number, 0) == STELE_OK);
    }
    CHECK(sequence_give_up(&s, &sink, INT64_MAX) == STELE_OK);
    CHECK_EQ_U64(counts.missing_count, (step - 1) * (count - 1));
    CHECK_EQ_U64(told, counts.missing_count);
    about.number = about.number - 5; /* one of the last packets known to be missing */
    CHECK(sequence_take(&s, &sink, &about, (const uint8_t *)&about.number, 0) == STELE_OK);
    CHECK_EQ_U64(counts.missing_count, (step - 1) * (count - 1) - 1);
    sequence_free(&s);
}

/* ---- Files of a collector ---- */

/* Writes more files than may be open, in turns: each must hold what was written to it. */
static void write_in_turns(unsigned count)
{
    diag_sink silent = {0};
    append_pool pool = {0};
    append_file *files = calloc(count, sizeof *files);
    REQUIRE(files != NULL);
    for (uint32_t turn = 0; turn < 3; turn++)
        for (unsigned i = 0; i < count; i++) {
            char path[32];
            snprintf(path, sizeof path, "file-%u", i);
            if (turn == 0)
                REQUIRE(append_open(&files[i], &pool, &silent, path) == STELE_OK);
            CHECK(append_packet(&files[i], &silent, (const uint8_t *)&turn, 4) == STELE_OK);
        }
    CHECK(append_flush_all(&pool, &silent) == STELE_OK);
    for (unsigned i = 0; i < count; i++) {
        uint32_t read[4];
        char path[32];
        FILE *file;
        CHECK(append_close(&files[i], &silent) == STELE_OK);
        snprintf(path, sizeof path, "file-%u", i);
        file = fopen(path, "rb");
        REQUIRE(file != NULL);
        CHECK_EQ_U64(fread(read, 4, 4, file), 3);
        CHECK(read[0] == 0 && read[1] == 1 && read[2] == 2);
        fclose(file);
        remove(path);
    }
    CHECK(pool.open_count == 0 && pool.file_count == 0 && pool.newest == NULL);
    free(files);
}

TEST(files_without_number_need_few_descriptors)
{
    struct rlimit before, few;
    char folder[64];
    folder_enter(folder, sizeof folder);
    write_in_turns(600);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = 24;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    write_in_turns(100);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    folder_leave(folder);
}
