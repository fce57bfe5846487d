/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of streams in order, and what becomes of every byte that is received. */
#include <stele/collect.h>
#include <stele/heph.h>
#include <stele/reader.h>

#include <unistd.h>

#include "collect/sequence.h"
#include "support.h"

/* ---- Sequences of packets ---- */

typedef struct taken {
    uint64_t numbers[4096];
    size_t count;
    uint64_t missed;
    unsigned restarts;
} taken;

static stele_status take(void *user, const receive_packet *about, const uint8_t *bytes)
{
    taken *t = user;
    (void)bytes;
    REQUIRE(t->count < 4096);
    t->numbers[t->count++] = about->number;
    return STELE_OK;
}

static void miss(void *user, const sequence *s, uint64_t number, uint64_t count)
{
    taken *t = user;
    (void)s;
    (void)number;
    t->missed += count;
    t->restarts += count == 0;
}

typedef struct run {
    sequence s;
    sequence_counts counts;
    sequence_sink sink;
    taken taken;
    uint64_t mask;
} run;

static void run_begin(run *r, uint32_t window, uint64_t mask)
{
    memset(r, 0, sizeof *r);
    r->mask = mask;
    r->sink = (sequence_sink){take, miss, &r->taken, &r->counts, {1, 2}, window};
}

/* Gives a packet whose bytes are its number, so that a repeated packet is the same. */
static void run_take(run *r, uint64_t number, int64_t now_ns)
{
    const receive_packet about = {
        .size = 8, .has_number = true, .number = number & r->mask, .mask = r->mask};
    CHECK(sequence_take(&r->s, &r->sink, &about, (const uint8_t *)&about.number, now_ns) ==
          STELE_OK);
}

TEST(what_comes_early_waits)
{
    run r;
    run_begin(&r, 8, UINT32_MAX);
    for (uint64_t n = 10; n < 14; n++)
        run_take(&r, n == 11 ? 13 : n == 13 ? 11 : n, 0);
    CHECK_EQ_U64(r.taken.count, 4);
    for (uint64_t i = 0; i < 4; i++)
        CHECK_EQ_U64(r.taken.numbers[i], 10 + i);
    CHECK_EQ_U64(r.counts.missing_count, 0);
    CHECK_EQ_U64(r.counts.waiting_size, 0);
    sequence_free(&r.s);
}

TEST(numbers_go_round)
{
    run r;
    for (unsigned bits = 4; bits <= 64; bits += 4) {
        const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        run_begin(&r, 64, mask);
        for (uint64_t i = 0; i < 1000; i += 2) { /* pairs of packets, the second one first */
            run_take(&r, mask - 500 + i + 1, 0);
            run_take(&r, mask - 500 + i, 0);
        }
        /* The first packet to arrive is number 1 after the start; the one before it comes late. */
        CHECK_EQ_U64(r.taken.count, 1000);
        CHECK_EQ_U64(r.counts.missing_count, 0);
        CHECK_EQ_U64(r.counts.restart_count, 0);
        sequence_free(&r.s);
    }
}

TEST(what_is_missing_is_said_once_and_what_is_late_is_given)
{
    run r;
    run_begin(&r, 8, UINT32_MAX);
    run_take(&r, 1, 0);
    run_take(&r, 3, 5);
    run_take(&r, 5, 6);
    CHECK_EQ_U64(r.taken.count, 1);
    CHECK(sequence_oldest(&r.s) == 5);
    CHECK(sequence_give_up(&r.s, &r.sink, 6) == STELE_OK);
    CHECK_EQ_U64(r.taken.count, 2);
    CHECK_EQ_U64(r.counts.missing_count, 1);
    CHECK(sequence_give_up(&r.s, &r.sink, 7) == STELE_OK);
    CHECK_EQ_U64(r.counts.missing_count, 2);
    CHECK_EQ_U64(r.taken.missed, 2);
    run_take(&r, 4, 8);
    run_take(&r, 4, 8);
    run_take(&r, 5, 8);
    CHECK_EQ_U64(r.counts.late_count, 1);
    CHECK_EQ_U64(r.counts.missing_count, 1);
    CHECK_EQ_U64(r.counts.duplicate_count, 2);
    CHECK_EQ_U64(r.taken.count, 4);
    sequence_free(&r.s);
}

TEST(more_than_a_window_gives_up_the_oldest)
{
    run r;
    run_begin(&r, 4, UINT32_MAX);
    run_take(&r, 0, 0);
    for (uint64_t n = 2; n < 10; n++)
        run_take(&r, n, 0);
    CHECK_EQ_U64(r.taken.count, 9);
    CHECK_EQ_U64(r.counts.missing_count, 1);
    sequence_free(&r.s);
}

TEST(a_stream_that_counts_anew_loses_nothing)
{
    run r;
    run_begin(&r, 4, UINT32_MAX);
    for (uint64_t n = 1000; n < 1010; n++)
        run_take(&r, n, 0);
    for (uint64_t n = 0; n < 10; n++)
        run_take(&r, n, 0);
    CHECK_EQ_U64(r.taken.count, 20);
    CHECK_EQ_U64(r.counts.restart_count, 1);
    CHECK_EQ_U64(r.counts.missing_count, 0);
    sequence_free(&r.s);
}

TEST(whatever_the_order_each_number_is_given_once)
{
    run r;
    for (unsigned seed = 1; seed <= 50; seed++) {
        uint64_t random = seed, sent = 0, missing = 0;
        bool is_given[1000] = {false};
        run_begin(&r, 16, UINT32_MAX);
        for (uint64_t n = 0; n < 1000; n++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            if (random >> 60 == 0 && n != 0 && n != 999) {
                missing++;
                continue;
            }
            run_take(&r, n, 0);
            sent++;
            if (random >> 59 == 1)
                run_take(&r, n, 0);
        }
        CHECK(sequence_give_up(&r.s, &r.sink, INT64_MAX) == STELE_OK);
        CHECK_EQ_U64(r.taken.count, sent);
        CHECK_EQ_U64(r.counts.missing_count, missing);
        for (size_t i = 0; i < r.taken.count; i++) {
            CHECK(!is_given[r.taken.numbers[i]]);
            is_given[r.taken.numbers[i]] = true;
            CHECK(i == 0 || r.taken.numbers[i] > r.taken.numbers[i - 1]);
        }
        sequence_free(&r.s);
    }
}

/* ---- The account of all bytes ---- */

static void check_account(const stele_collector *c)
{
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    stele_collector_get_counts(c, &n);
    CHECK_EQ_U64(n.received_size, n.kept_size + n.repeated_size + n.skipped_size + n.waiting_size);
}

/* Bytes that are partly packets, in pieces of any size. */
TEST(every_byte_is_kept_repeated_skipped_or_waits)
{
    static const char *const formats[] = {"heph", "ctf", "fxt"};
    char folder[64];
    folder_enter(folder, sizeof folder);
    for (unsigned seed = 1; seed <= 60; seed++) {
        char path[64];
        const stele_collector_options options = {.format = formats[seed % 3],
                                                 .packet_size_max = 4096};
        const stele_sender about = {.name = "s", .is_datagram = seed % 2 == 0};
        stele_heph_encoder packets = {0};
        stele_context *context;
        stele_collector *c;
        uint32_t sender;
        uint8_t noise[64];
        size_t at = 0;
        if (!stele_format_find(formats[seed % 3], &(stele_format_info){0}))
            continue;
        snprintf(path, sizeof path, "out-%u", seed);
        REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
        REQUIRE(stele_collector_open(context, path, &options, &c) == STELE_OK);
        REQUIRE(stele_collector_add(c, &about, &sender) == STELE_OK);
        for (uint32_t i = 0; i < 200; i++) {
            const stele_heph_event event = {.counter = i % 7 == 0 ? i / 2 : i,
                                            .description = {"text", 4}};
            stele_heph_encode_event(&packets, &event, STELE_HEPH_SUBSTREAMS);
            stele_heph_encode_end(&packets);
            if (i % 5 == 0) {
                random_fill(noise, sizeof noise, seed * 1000 + i);
                stele_heph_encode_raw(&packets, noise, i % sizeof noise);
            }
        }
        while (at < packets.size) {
            size_t size = 1 + (seed * 7919u + at) % 300;
            if (size > packets.size - at)
                size = packets.size - at;
            CHECK(stele_collector_receive(c, sender, packets.bytes + at, size, (int64_t)at) ==
                  STELE_OK);
            check_account(c);
            at += size;
        }
        CHECK(stele_collector_finish(c, (int64_t)at) == STELE_OK);
        check_account(c);
        stele_collector_close(c);
        stele_context_free(context);
        stele_heph_encoder_free(&packets);
    }
    folder_leave(folder);
}
